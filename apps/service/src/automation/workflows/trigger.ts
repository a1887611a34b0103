import {
  contactSource,
  eventSources,
  factsOf,
  holds,
  MAX_CHAIN,
  SCHEDULE_DUE,
  selectsEvent,
} from "../../events/events.ts";
import type { Facts, Event, MatchedEvent, Reaction, Subscriber, SubscriberRef } from "../../events/events.ts";
import {
  createWorkShares,
  parseId,
  parseJson,
  tagOf,
  toDate,
  TooExpensiveError,
  UNITS_PER_MS,
  WorkBudget,
} from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { needsContact, savedDefinition } from "./definition.ts";
import type { Definition } from "./definition.ts";
import { limitRun } from "./limits.ts";
import { startsPart } from "./runs.store.ts";
import type { Hindrance, RunInsert } from "./runs.store.ts";
import { workflowWireId } from "./views.ts";
import { BY_SCHEDULE, findWorkflows, listenerOf, WORKFLOWS_QUERY } from "./workflows.store.ts";
import type { Listener, WorkflowRow } from "./workflows.store.ts";

const PRIORITY = 45;

/**
 * Starts the workflows that subscribe to an event and whose `when` is true, once per event, and not again for events that their
 * own runs led to. An event that no workflow subscribes to gets no stage.
 */
export function createTrigger(deps: WorkflowsDeps): Subscriber {
  return {
    kind: "workflow",
    question: WORKFLOWS_QUERY,
    match: takers,
    async reactAll(reactions, ended) {
      const runs = await runsOf(deps, reactions);
      const made = await deps.db.commit([startsPart(runs), ended([...reactions.keys()])], "select id from starts");
      if (made.length > 0) deps.wake();
      return reactions.map(() => undefined);
    },
  };
}

/** Returns the runs that these reactions start, unless they were started before. */
async function runsOf(deps: WorkflowsDeps, reactions: readonly Reaction[]): Promise<RunInsert[]> {
  const { db, ids, contacts } = deps;
  const named = reactions.map(({ key }) => parseId(key)?.uuid);
  // A workflow may have been changed, disabled or deleted since the match, so its current state applies.
  const rows = await findWorkflows(db.query, [...new Set(named.filter((id) => id !== undefined))]);
  const workflows = new Map(rows.map((row) => [row.id, row]));
  const found = await contacts.reacting.findAll(
    db,
    reactions.map(({ event }) => event),
  );
  const shares = createWorkShares(deps.clock);
  const starting: Starting[] = [];
  for (const [at, { event }] of reactions.entries()) {
    const id = named[at];
    const workflow = id === undefined ? undefined : workflows.get(id);
    const contact = found[at];
    const facts = factsOf({ ...eventSources(event.name, event.data, event.tenant), contact: contactSource(contact) });
    facts.budget = shares.budgetOf(event.scope.tag);
    const start = workflow === undefined ? false : starts(workflow, event, facts);
    if (workflow !== undefined && start !== false) {
      const run = { ...runOf(workflow, event), id: ids.uuid(), contact_id: contact?.id ?? null };
      starting.push({ run, workflow, event, hindrance: start === true ? undefined : start });
    }
    if (shares.isDue()) await shares.pause();
  }
  const first = starting.filter(({ run }, at) => !starting.slice(0, at).some((before) => ledTo(before.run, run)));
  return await Promise.all(
    first.map(async ({ run, workflow, event: { scope, chain }, hindrance }) => ({
      ...run,
      hindrance: hindrance ?? (await limitRun(deps, scope, workflow, chain)),
    })),
  );
}

interface Starting {
  readonly run: RunInsert;
  readonly workflow: WorkflowRow;
  readonly event: Event;
  readonly hindrance: Hindrance | undefined;
}

/** Returns whether the event starts the workflow, or why its run fails at once. */
function starts(workflow: WorkflowRow, { scope, name }: Event, facts: Facts): boolean | Hindrance {
  const isScheduled = workflow.event === BY_SCHEDULE && name === SCHEDULE_DUE;
  const isItsEvent = isScheduled || selectsEvent([workflow.event], name);
  if (workflow.workspace_id !== scope.workspaceId || !workflow.enabled || !isItsEvent) return false;
  try {
    return takes(workflow, scope, facts);
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return {
      state: "failed",
      error: "The condition of the trigger is too expensive for the data of the event (too_expensive).",
    };
  }
}

/** Returns whether `before` is a run of the same workflow for an event that led to the event of `run`. */
function ledTo(before: RunInsert, run: RunInsert): boolean {
  return before.tag === run.tag && before.workflow_id === run.workflow_id && run.chain.includes(before.event_id);
}

/** Returns a run of the workflow's current version for an event. */
export function runOf(
  workflow: WorkflowRow,
  {
    scope,
    id,
    name,
    data,
    tenant,
    occurredAt,
    chain,
  }: Pick<Event, "scope" | "id" | "name" | "data" | "tenant" | "occurredAt" | "chain">,
): Omit<RunInsert, "id" | "contact_id"> {
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    workspace_id: scope.workspaceId,
    workflow_id: workflow.id,
    version: workflow.version,
    event_id: id,
    event_name: name,
    data,
    tenant,
    occurred_at: toDate(occurredAt),
    chain: [...chain],
    step: savedDefinition(workflow).first,
    input: null,
    cause: "",
    started_by: null,
  };
}

function takers(event: MatchedEvent, found: readonly string[]): SubscriberRef[] {
  const { scope, name, data, tenant, chain } = event;
  const listeners = chain.length >= MAX_CHAIN ? [] : found.map(listenerOf);
  const facts = factsOf(eventSources(name, data, tenant));
  facts.budget = new WorkBudget(MATCH_UNITS);
  const ids = listeners.filter((row) => mayTake(row, scope, facts)).map(({ id }) => id);
  return [...scheduledIn(event), ...ids].map((id) => ({
    kind: "workflow",
    key: workflowWireId(scope, id),
    priority: PRIORITY,
  }));
}

/** Returns the workflow whose schedule is due. It is named by the event, which only the service fires. */
function scheduledIn({ scope, name, data }: MatchedEvent): Uuid[] {
  if (name !== SCHEDULE_DUE) return [];
  const { workflow_id: id } = parseJson(data) as { readonly workflow_id: string };
  const named = parseId(id);
  return named?.tag === tagOf(scope.tag, "live") ? [named.uuid] : [];
}

/** The work of all triggers of an event before it is stored. What they do not decide within it is decided when the stage runs. */
const MATCH_UNITS = UNITS_PER_MS / 2;

/** Evaluates the trigger before the event is stored. The contact is known only after the projections, so a condition on it is decided later. */
function mayTake(row: Listener, scope: Scope, facts: Facts): boolean {
  const { when } = triggerOf(row);
  if (needsContact({ type: "trigger", when })) return isOfSameWorld(row, scope);
  try {
    return takes(row, scope, facts);
  } catch (error) {
    if (error instanceof TooExpensiveError) return isOfSameWorld(row, scope);
    throw error;
  }
}

function takes(row: Listener, scope: Scope, facts: Facts): boolean {
  return isOfSameWorld(row, scope) && holds(triggerOf(row).when, facts);
}

/** Returns whether the workflow may run in this environment: one written in the sandbox acts only there. */
function isOfSameWorld(row: Listener, { environment }: Scope): boolean {
  return row.author_environment === "live" || environment === "sandbox";
}

/** Reads only the trigger, because the steps are not needed before the run. */
function triggerOf({ trigger }: Listener): Definition {
  return savedDefinition({ trigger, steps: "[]" });
}
