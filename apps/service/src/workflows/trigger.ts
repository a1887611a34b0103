import { contactSource, evaluate, eventSources, factsOf } from "../conditions/conditions.ts";
import type { Facts } from "../conditions/conditions.ts";
import type { Contacts } from "../contacts/contacts.ts";
import type { Db } from "../db/db.ts";
import type { Answers, Subscriber } from "../dispatch/dispatch.ts";
import type { NewEvent, SubscriberRef } from "../events/events.ts";
import { parseId, tagOf, toDate, wireId } from "../kernel/kernel.ts";
import type { IdMaker } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { needsContact, savedDefinition } from "./definition.ts";
import type { Definition } from "./definition.ts";
import { startRun } from "./runs.store.ts";
import { findWorkflow, listenerOf, WHO_LISTENS } from "./workflows.store.ts";
import type { Listener } from "./workflows.store.ts";

const PRIORITY = 45;
/** An event that so many reactions led to starts nothing any more. */
const MAX_CHAIN = 16;

export interface TriggerDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly wake: () => void;
}

/**
 * Starts the workflows that listen to an event and whose `when` holds: each once an event, and not again in what its own
 * run leads to. An event that no workflow listens to gets no stage.
 */
export function createTrigger(deps: TriggerDeps): Subscriber {
  return {
    kind: "workflow",
    question: WHO_LISTENS,
    match: async (events, answers) => await Promise.resolve(events.map((event) => takers(event, answers))),
    async react({ scope, id, name, data, occurredAt, chain }, key) {
      const workflowId = parseId(key)?.uuid;
      if (workflowId === undefined) return;
      await deps.db.transaction(async (tx) => {
        const workflow = await findWorkflow(tx.query, scope.workspaceId, workflowId);
        // Changed, switched off or deleted meanwhile: what it is now counts.
        if (workflow?.enabled !== true || workflow.event !== name) return;
        const contact = await deps.contacts.reacting.find(scope, data, tx.query);
        const facts = factsOf({ ...eventSources(name, data), contact: contactSource(contact) });
        if (!takes(workflow, scope, facts)) return;
        await startRun(tx, {
          bucket: scope.bucket,
          tag: scope.tag,
          id: deps.ids.uuid(),
          workspace_id: scope.workspaceId,
          workflow_id: workflowId,
          version: workflow.version,
          event_id: id,
          event_name: name,
          data,
          occurred_at: toDate(occurredAt),
          chain: [...chain],
          step: savedDefinition(workflow).first,
          input: null,
          cause: "",
          started_by: null,
          contact_id: contact?.id ?? null,
        });
        tx.onCommit(deps.wake);
      });
    },
  };
}

function takers(event: NewEvent, answers: Answers): SubscriberRef[] {
  const { scope, name, data, chain } = event;
  const listeners = (chain?.length ?? 0) >= MAX_CHAIN ? [] : answers.found(event).map(listenerOf);
  const facts = factsOf(eventSources(name, data));
  return listeners
    .filter((row) => mayTake(row, scope, facts))
    .map((row) => ({ kind: "workflow", key: wireId("wf", tagOf(scope.tag, "live"), row.id), priority: PRIORITY }));
}

/** As far as it can be told before the event is there: whom it is about is known when projections have run. */
function mayTake(row: Listener, scope: Scope, facts: Facts): boolean {
  const { when } = triggerOf(row);
  return needsContact({ type: "trigger", when }) ? isOfSameWorld(row, scope) : takes(row, scope, facts);
}

function takes(row: Listener, scope: Scope, facts: Facts): boolean {
  return isOfSameWorld(row, scope) && evaluate(triggerOf(row).when, facts).truth;
}

/** What was written in the sandbox acts there alone. */
function isOfSameWorld(row: Listener, { environment }: Scope): boolean {
  return row.author_environment === "live" || environment === "sandbox";
}

/** Only the trigger is read: the steps are no matter before the run. */
function triggerOf({ trigger }: Listener): Definition {
  return savedDefinition({ trigger, steps: "[]" });
}
