import { contactSource, evaluate, eventSources, factsOf } from "../conditions/conditions.ts";
import type { Facts } from "../conditions/conditions.ts";
import type { Contacts, FoundContact } from "../contacts/contacts.ts";
import type { Db } from "../db/db.ts";
import type { DispatchedEvent } from "../dispatch/dispatch.ts";
import { isSystem } from "../events/events.ts";
import { refuseDead, refuseForbidden } from "../gate/gate.ts";
import type { RateLimiter } from "../gate/gate.ts";
import { ServiceError, toDate } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import { readStanding } from "../workspaces/workspaces.ts";
import { actsOnContact, operationsOf } from "./actions.ts";
import { continueRun } from "./calling.ts";
import type { OpenRun } from "./calling.ts";
import { perform } from "./perform.ts";
import type { PerformDeps } from "./perform.ts";
import { authorOfRule } from "./rule.ts";
import type { Programs, Rule } from "./rule.ts";
import { listeningRules, ruleTexts } from "./rules.store.ts";
import type { RuleHead } from "./rules.store.ts";
import { actedIn, changeRun, recordRuns, runsOfEvent } from "./runs.store.ts";
import type { DecidedRun, RunInsert } from "./runs.store.ts";

export interface ReactionDeps extends PerformDeps {
  readonly db: Db;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly rates: RateLimiter;
  readonly programs: Programs;
}

/** Events whose rules led to an event; beyond so many no rule runs any more. */
export const MAX_CHAIN = 5;
const NO_HOURLY_LIMIT = 1_000_000_000;
/** Runs that call elsewhere at once, of one event. */
const CALLING = 8;

/**
 * Runs an event's rules by priority, each in a transaction of its own; what they do elsewhere comes after. May be called again:
 * what was decided stays decided. Throws when something is to be tried again, after all that could be done was done.
 */
export async function react(deps: ReactionDeps, event: DispatchedEvent): Promise<void> {
  const rules = await rulesOf(deps, event);
  const before = await runsOfEvent(deps.db, event.scope, event.id);
  const turn = createTurn(deps, event);
  const { open, faults } = await decideAll(deps, turn, { rules, decided: new Set(before.map((run) => run.rule_id)) });
  for (const run of before) {
    if (run.pending === null) continue;
    const rule = rules.find(({ head }) => head.id === run.rule_id);
    open.push(await turn.reopened(run, rule));
  }
  for (let at = 0; at < open.length; at += CALLING) {
    const calling = open.slice(at, at + CALLING).map(async (run) => await continueRun(deps, event, run));
    faults.push(
      ...(await Promise.allSettled(calling)).flatMap((one) => (one.status === "rejected" ? [one.reason] : [])),
    );
  }
  if (faults.length > 0) throw faults[0];
}

/** One after the other, in their order. One that fails stops no other; those that come to nothing are recorded together. */
async function decideAll(
  deps: ReactionDeps,
  turn: Turn,
  { rules, decided }: { readonly rules: readonly Rule[]; readonly decided: ReadonlySet<Uuid> },
): Promise<{ open: OpenRun[]; faults: unknown[] }> {
  const idle: RunInsert[] = [];
  const open: OpenRun[] = [];
  const faults: unknown[] = [];
  for (const rule of rules) {
    if (decided.has(rule.head.id)) continue;
    try {
      const run = await decide(deps, turn, rule);
      if ("status" in run) idle.push(run);
      else if (run.calls.length > 0) open.push(run);
    } catch (error) {
      faults.push(error);
    }
  }
  await recordRuns(deps.db, idle);
  return { open, faults };
}

/** The rules that listen, as they are now. Texts are read for those alone that were not compiled before. */
async function rulesOf({ db, programs }: ReactionDeps, { scope, name }: DispatchedEvent): Promise<Rule[]> {
  const heads = await listeningRules(db, {
    ...scope,
    event: name,
    isOpen: !isSystem(name),
    isSandbox: scope.environment === "sandbox",
  });
  // Taken out first: compiling others may empty what is kept.
  const kept = new Map(heads.map((head) => [head.id, programs.kept(head)]));
  const unknown = heads.filter((head) => kept.get(head.id) === undefined).map((head) => head.id);
  const texts = unknown.length === 0 ? [] : await ruleTexts(db, scope, unknown);
  const read = new Map(texts.map((one) => [one.id, { version: one.version, program: programs.of(one) }]));
  return heads.flatMap((head): Rule[] => {
    const fresh = read.get(head.id);
    // Changed between the two reads: it runs as it is now.
    if (fresh !== undefined) return [{ head: { ...head, version: fresh.version }, program: fresh.program }];
    const program = kept.get(head.id);
    return program === undefined ? [] : [{ head, program }];
  });
}

/** What is known of an event while its rules run; asked for once, and the contact again once it was changed. */
interface Turn {
  readonly event: DispatchedEvent;
  look(): Promise<{ facts: Facts; contact: FoundContact | undefined }>;
  forgetContact(): void;
  /** The rules that did something in the events that led here. */
  acted(): Promise<ReadonlySet<Uuid>>;
  /** Why the author may not do this now; undefined when nothing is in the way. */
  refusal(rule: Rule): Promise<ServiceError | undefined>;
  reopened(run: DecidedRun, rule: Rule | undefined): Promise<OpenRun>;
}

function createTurn(deps: ReactionDeps, event: DispatchedEvent): Turn {
  const sources = eventSources(event.name, event.data);
  let contact: FoundContact | undefined;
  let facts: Facts | undefined;
  let acted: ReadonlySet<Uuid> | undefined;
  const turn: Turn = {
    event,
    async look() {
      if (facts === undefined) {
        // Also where no rule asks for it: its runs belong to the contact's export and erasure.
        contact = await deps.contacts.reacting.find(event.scope, event.data);
        facts = factsOf({ ...sources, contact: contactSource(contact) });
      }
      return { facts, contact };
    },
    forgetContact() {
      facts = undefined;
    },
    acted: async () => (acted ??= new Set(await actedIn(deps.db, event.scope, event.chain))),
    refusal: async (rule) => await refusalOf(deps, event, rule),
    async reopened(run, rule) {
      const refused = rule === undefined ? undefined : await turn.refusal(rule);
      const gone =
        rule === undefined ? { code: "rule_gone", reason: "The rule was deleted or switched off." } : undefined;
      return {
        runId: run.id,
        ruleId: run.rule_id,
        rule: rule?.head,
        outcomes: JSON.parse(run.actions) as OpenRun["outcomes"],
        calls: JSON.parse(run.pending ?? "[]") as OpenRun["calls"],
        stopped: refused === undefined ? gone : { code: refused.code, reason: refused.details.detail ?? refused.code },
      };
    },
  };
  return turn;
}

async function refusalOf(
  { db, clock }: ReactionDeps,
  { scope }: DispatchedEvent,
  { head, program }: Rule,
): Promise<ServiceError | undefined> {
  const standing = await readStanding(db, scope.workspaceId, authorOfRule(head));
  try {
    if (standing === undefined) throw new ServiceError("key_revoked", { detail: "The rule's author is no more." });
    refuseDead(standing, clock.now());
    for (const operation of operationsOf(program.actions)) refuseForbidden(standing, operation);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** A run that came to nothing, to be recorded with others; or one that is committed, with what it has to do elsewhere. */
async function decide(deps: ReactionDeps, turn: Turn, rule: Rule): Promise<RunInsert | OpenRun> {
  const { event } = turn;
  const { facts, contact } = await turn.look();
  const verdict = evaluate(rule.program.condition, facts);
  const run = runOf(deps, event, { rule: rule.head, leaves: verdict.leaves, contactId: contact?.id ?? null });
  if (!verdict.truth) return { ...run, status: "unmatched" };
  const hindrance = await hindranceOf(deps, turn, rule);
  if (hindrance !== undefined) return { ...run, ...hindrance };
  const done = await deps.db.transaction(async (tx) => {
    // First, so that a second node waits here and then finds it done.
    if ((await recordRuns(tx, [{ ...run, status: "running", ended_at: null }])) === 0) return undefined;
    const { outcomes, calls } = await perform(deps, tx, { rule, runId: run.id, event, facts, contact });
    const isOpen = calls.length > 0;
    const isFailed = outcomes.some(({ status }) => status === "failed");
    await changeRun(
      tx.query,
      event.scope,
      { eventId: event.id, ruleId: rule.head.id },
      {
        status: isOpen ? "running" : isFailed ? "failed" : "ok",
        actions: JSON.stringify(outcomes),
        pending: isOpen ? JSON.stringify(calls) : null,
        ended_at: isOpen ? null : toDate(deps.clock.now()),
      },
    );
    return { outcomes, calls };
  });
  if (rule.program.actions.some(actsOnContact)) turn.forgetContact();
  return { ruleId: rule.head.id, rule: rule.head, outcomes: [], calls: [], runId: run.id, ...done, stopped: undefined };
}

type Hindrance = Pick<RunInsert, "status" | "reason_code" | "reason">;

/** Why a rule whose condition holds does nothing all the same. */
async function hindranceOf(deps: ReactionDeps, turn: Turn, rule: Rule): Promise<Hindrance | undefined> {
  const { id, bucket, max_runs_per_minute: perMinute } = rule.head;
  if (turn.event.chain.length >= MAX_CHAIN)
    return hindered("skipped", "chain_too_deep", `${MAX_CHAIN} events led to this one.`);
  if ((await turn.acted()).has(id))
    return hindered("skipped", "once_per_chain", "The rule did something in an event that led to this one.");
  const refused = await turn.refusal(rule);
  if (refused !== undefined) return hindered("refused", refused.code, refused.details.detail ?? refused.kind.title);
  const { granted } = await deps.rates.take({
    bucket,
    subject: `rule:${id}:${turn.event.scope.environment}`,
    operation: "rules.run",
    perMinute,
    perHour: NO_HOURLY_LIMIT,
  });
  return granted ? undefined : hindered("limited", "rate_limited", `The rule may run ${perMinute} times a minute.`);
}

function hindered(status: RunInsert["status"], code: string, reason: string): Hindrance {
  return { status, reason_code: code, reason };
}

function runOf(
  { ids, clock }: ReactionDeps,
  event: DispatchedEvent,
  of: { readonly rule: RuleHead; readonly leaves: string; readonly contactId: Uuid | null },
): Omit<RunInsert, "status"> {
  const now = toDate(clock.now());
  return {
    bucket: event.scope.bucket,
    tag: event.scope.tag,
    event_id: event.id,
    rule_id: of.rule.id,
    id: ids.uuid(),
    rule_version: of.rule.version,
    event_name: event.name,
    reason_code: null,
    reason: null,
    contact_id: of.contactId,
    leaves: of.leaves,
    actions: "[]",
    pending: null,
    started_at: now,
    ended_at: now,
  };
}
