import { contactSource, evaluate, eventSources, factsOf, MAX_ACTING_CHAIN } from "../../events/events.ts";
import type { Facts, Event } from "../../events/events.ts";
import type { Contacts, FoundContact, HeldContacts } from "../../contacts/contacts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { assertKeyValid, assertAllowed } from "../../access/access.ts";
import type { RateLimiter } from "../../access/access.ts";
import { createWorkShares, parseJson, ServiceError, toDate, TooExpensiveError } from "../../lib/lib.ts";
import type { Uuid, WorkShares } from "../../lib/lib.ts";
import { readStanding } from "../../accounts/accounts.ts";
import { actsOnContact, operationsOf } from "./actions.ts";
import { continueRun } from "./calling.ts";
import type { OpenRun } from "./calling.ts";
import { fireAll, perform } from "./perform.ts";
import type { Performed, PerformDeps } from "./perform.ts";
import { authorOfRule } from "./rule.ts";
import type { Programs, Rule } from "./rule.ts";
import { listeningRules, ruleTexts } from "./rules.store.ts";
import type { RuleHead } from "./rules.store.ts";
import { actedIn, changeRun, recordRuns, runsOfEvents } from "./runs.store.ts";
import type { DecidedRun, RunInsert } from "./runs.store.ts";

export interface ReactionDeps extends PerformDeps {
  readonly db: Db;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly rates: RateLimiter;
  readonly programs: Programs;
}

/** The maximum number of an event's runs that make calls at the same time. */
const CALLING = 8;

/**
 * Runs an event's rules by priority, each in its own transaction, and then makes their calls to other modules. It can be called again:
 * rules that were already decided are not run again. Throws if a rule or call must be retried, after all others were processed.
 */
export async function react(deps: ReactionDeps, event: Event): Promise<void> {
  const [rules = []] = await rulesOf(deps, [event]);
  const [before = []] = await runsOfEvents(deps.db, [event]);
  const turn = createTurn(deps, event);
  const { open, faults } = await decideAll(deps, turn, { rules, decided: new Set(before.map((run) => run.rule_id)) });
  for (const run of before) {
    if (run.pending === null) continue;
    const rule = rules.find(({ head }) => head.id === run.rule_id);
    open.push(await turn.reopened(run, rule));
  }
  await callAll(deps, event, open);
  if (faults.length > 0) throw faults[0];
}

/** Makes the calls of an event's runs. Throws if a call must be retried, after all were made. */
export async function callAll(deps: ReactionDeps, event: Event, open: readonly OpenRun[]): Promise<void> {
  const faults: unknown[] = [];
  for (let at = 0; at < open.length; at += CALLING) {
    const calling = open.slice(at, at + CALLING).map(async (run) => await continueRun(deps, event, run));
    faults.push(
      ...(await Promise.allSettled(calling)).flatMap((one) => (one.status === "rejected" ? [one.reason] : [])),
    );
  }
  if (faults.length > 0) throw faults[0];
}

/** The result of a rule's condition. `blocker`: it is not known, because the condition is too expensive for the event. */
export interface RuleVerdict {
  readonly truth: boolean;
  readonly leaves: string;
  readonly blocker?: Blocker;
}

/** Evaluates a rule's condition within the share of its workspace. */
export function verdictOf(shares: WorkShares, { scope }: Event, { program }: Rule, facts: Facts): RuleVerdict {
  try {
    return evaluate(program.condition, facts, shares.budgetOf(scope.tag));
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return { truth: false, leaves: "[]", blocker: hindered("failed", "too_expensive", TOO_EXPENSIVE) };
  }
}

const TOO_EXPENSIVE =
  "The rule's condition is too expensive for the data of the event, so the rule did nothing. Use fewer or simpler leaves.";

/** Evaluates the rules one after the other. A rule that fails does not stop the others. Runs without actions are recorded together. */
async function decideAll(
  deps: ReactionDeps,
  turn: Turn,
  { rules, decided }: { readonly rules: readonly Rule[]; readonly decided: ReadonlySet<Uuid> },
): Promise<{ open: OpenRun[]; faults: unknown[] }> {
  const idle: RunInsert[] = [];
  const open: OpenRun[] = [];
  const faults: unknown[] = [];
  const shares = createWorkShares(deps.clock);
  for (const rule of rules) {
    if (decided.has(rule.head.id)) continue;
    if (shares.isDue()) await shares.pause();
    try {
      const run = await decide(deps, turn, { rule, shares });
      if ("status" in run) idle.push(run);
      else if (run.calls.length > 0) open.push(run);
    } catch (error) {
      faults.push(error);
    }
  }
  await recordRuns(deps.db, idle);
  return { open, faults };
}

/** Returns the rules that currently subscribe to each event. Reads the texts only of rules that were not compiled before. */
export async function rulesOf({ db, programs }: ReactionDeps, events: readonly Event[]): Promise<Rule[][]> {
  const listening = events.map(({ scope, name }) => ({
    ...scope,
    event: name,
    isSandbox: scope.environment === "sandbox",
  }));
  // Events with the same name in one workspace have the same rules.
  const asked = new Map(listening.map((one) => [`${one.tag} ${one.event}`, one]));
  const answers = await listeningRules(db, [...asked.values()]);
  const heads = new Map([...asked.keys()].map((key, at) => [key, answers[at] ?? []]));
  const ready = await compiled({ db, programs }, [...heads.values()].flat());
  return listening.map((one) =>
    (heads.get(`${one.tag} ${one.event}`) ?? []).flatMap((head) => ready.get(head.id) ?? []),
  );
}

async function compiled(
  { db, programs }: Pick<ReactionDeps, "db" | "programs">,
  heads: readonly RuleHead[],
): Promise<ReadonlyMap<Uuid, Rule>> {
  const rules = new Map<Uuid, Rule>();
  const unknown = new Map<Uuid, RuleHead>();
  for (const head of heads) {
    const program = programs.kept(head);
    if (program === undefined) unknown.set(head.id, head);
    else rules.set(head.id, { head, program });
  }
  for (const [workspaceId, of] of Map.groupBy(unknown.values(), (head) => head.workspace_id)) {
    const [{ bucket } = { bucket: 0 }] = of;
    const texts = await ruleTexts(
      db,
      { bucket, workspaceId },
      of.map(({ id }) => id),
    );
    for (const text of texts) {
      const head = unknown.get(text.id);
      // If the rule was changed between the two reads, its current version runs.
      if (head !== undefined)
        rules.set(text.id, { head: { ...head, version: text.version }, program: programs.of(text) });
    }
  }
  return rules;
}

/** The state of an event while its rules run. It is read once, and the contact again after a rule changed it. */
interface Turn {
  readonly event: Event;
  look(): Promise<{ facts: Facts; contact: FoundContact | undefined }>;
  forgetContact(): void;
  /** Returns the rules that already acted on the events that led here. */
  acted(): Promise<ReadonlySet<Uuid>>;
  /** Returns the reason why the author may not do this now. Undefined if the author may. */
  refusal(rule: Rule): Promise<ServiceError | undefined>;
  reopened(run: DecidedRun, rule: Rule | undefined): Promise<OpenRun>;
}

function createTurn(deps: ReactionDeps, event: Event): Turn {
  const sources = eventSources(event.name, event.data, event.tenant);
  let contact: FoundContact | undefined;
  let facts: Facts | undefined;
  let acted: ReadonlySet<Uuid> | undefined;
  const turn: Turn = {
    event,
    async look() {
      if (facts === undefined) {
        // Also if no rule reads the contact, because the runs belong to its export and erasure.
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
      const gone = rule === undefined ? { code: "rule_gone", reason: "The rule was deleted or disabled." } : undefined;
      return {
        runId: run.id,
        ruleId: run.rule_id,
        rule: rule?.head,
        outcomes: parseJson(run.actions) as OpenRun["outcomes"],
        calls: parseJson(run.pending ?? "[]") as OpenRun["calls"],
        stopped: refused === undefined ? gone : { code: refused.code, reason: refused.details.detail ?? refused.code },
      };
    },
  };
  return turn;
}

export async function refusalOf(
  { db, clock }: ReactionDeps,
  { scope }: Event,
  { head, program }: Rule,
): Promise<ServiceError | undefined> {
  const standing = await readStanding(db, scope.workspaceId, authorOfRule(head));
  try {
    if (standing === undefined)
      throw new ServiceError("key_revoked", { detail: "The rule's author no longer exists in this workspace." });
    assertKeyValid(standing, clock.now());
    for (const operation of operationsOf(program.actions)) assertAllowed(standing, operation);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Returns a run without actions, which is recorded with others, or a committed run with the calls that it has to make. */
async function decide(
  deps: ReactionDeps,
  turn: Turn,
  { rule, shares }: { readonly rule: Rule; readonly shares: WorkShares },
): Promise<RunInsert | OpenRun> {
  const { event } = turn;
  const { facts, contact } = await turn.look();
  const verdict = verdictOf(shares, event, rule, facts);
  const run = runOf(deps, event, { rule: rule.head, leaves: verdict.leaves, contactId: contact?.id ?? null });
  if (verdict.blocker !== undefined) return { ...run, ...verdict.blocker };
  if (!verdict.truth) return { ...run, status: "unmatched" };
  const blocker = await blockerOf(deps, turn, rule);
  if (blocker !== undefined) return { ...run, ...blocker };
  const done = await deps.db.transaction(async (tx) => {
    // The insert is first, so that a second node waits here and then finds the run.
    if ((await recordRuns(tx, [{ ...run, status: "running", ended_at: null }])) === 0) return undefined;
    const held = await holdFor(deps, tx, turn, rule);
    const performed = await perform(deps, tx, {
      rule,
      runId: run.id,
      event,
      facts,
      contact: held.contact,
      held: held.contacts,
    });
    const changes = held.contacts.parts();
    if (changes.length > 0) await tx.commit(changes, "select 1");
    await fireAll(deps, tx, [performed]);
    await changeRun(tx.query, event.scope, { eventId: event.id, ruleId: rule.head.id }, cameOf(deps, performed));
    return performed;
  });
  if (rule.program.actions.some(actsOnContact)) turn.forgetContact();
  return { ruleId: rule.head.id, rule: rule.head, outcomes: [], calls: [], runId: run.id, ...done, stopped: undefined };
}

/** Locks the contact that a rule acts on. Reads it again, because it may have been merged into another one. */
async function holdFor(
  { contacts }: ReactionDeps,
  tx: Tx,
  turn: Turn,
  { program }: Rule,
): Promise<{ contact: FoundContact | undefined; contacts: HeldContacts }> {
  const { scope, data } = turn.event;
  const isActedOn = program.actions.some(actsOnContact);
  const contact = isActedOn ? await contacts.reacting.find(scope, data, tx.query) : (await turn.look()).contact;
  const held = isActedOn && contact !== undefined ? [{ scope, id: contact.id }] : [];
  return { contact, contacts: await contacts.reacting.holdAll(tx, held) };
}

/** Returns the result of a run as columns. */
export function cameOf(
  { clock }: Pick<ReactionDeps, "clock">,
  { outcomes, calls }: Performed,
): Pick<RunInsert, "status" | "actions" | "pending" | "ended_at"> {
  const isOpen = calls.length > 0;
  const isFailed = outcomes.some(({ status }) => status === "failed");
  return {
    status: isOpen ? "running" : isFailed ? "failed" : "ok",
    actions: JSON.stringify(outcomes),
    pending: isOpen ? JSON.stringify(calls) : null,
    ended_at: isOpen ? null : toDate(clock.now()),
  };
}

export type Blocker = Pick<RunInsert, "status" | "reason_code" | "reason">;

/** Returns the reason why a rule whose condition is true does nothing. */
export async function blockerOf(
  deps: ReactionDeps,
  turn: Pick<Turn, "event" | "acted" | "refusal">,
  rule: Rule,
): Promise<Blocker | undefined> {
  const { id } = rule.head;
  if (turn.event.chain.length >= MAX_ACTING_CHAIN)
    return hindered(
      "skipped",
      "chain_too_deep",
      `The event is the result of a chain of ${MAX_ACTING_CHAIN} events, which is the maximum.`,
    );
  if ((await turn.acted()).has(id))
    return hindered("skipped", "once_per_chain", "The rule already ran for an event that led to this one.");
  const refused = await turn.refusal(rule);
  if (refused !== undefined) return hindered("refused", refused.code, refused.details.detail ?? refused.kind.title);
  return await limitOf(deps, turn.event, rule);
}

/** Counts the run toward the rule's limit per minute. */
async function limitOf({ rates }: ReactionDeps, { scope }: Event, { head }: Rule): Promise<Blocker | undefined> {
  const { id, bucket, max_runs_per_minute: perMinute } = head;
  const { granted } = await rates.take({
    bucket,
    subject: `rule:${id}:${scope.environment}`,
    operation: "rules.run",
    perMinute,
  });
  return granted
    ? undefined
    : hindered("limited", "rate_limited", `The rule can run at most ${perMinute} times per minute.`);
}

function hindered(status: RunInsert["status"], code: string, reason: string): Blocker {
  return { status, reason_code: code, reason };
}

export function runOf(
  { ids, clock }: ReactionDeps,
  event: Event,
  match: { readonly rule: RuleHead; readonly leaves: string; readonly contactId: Uuid | null },
): Omit<RunInsert, "status"> {
  const now = toDate(clock.now());
  return {
    bucket: event.scope.bucket,
    tag: event.scope.tag,
    event_id: event.id,
    rule_id: match.rule.id,
    id: ids.uuid(),
    rule_version: match.rule.version,
    event_name: event.name,
    reason_code: null,
    reason: null,
    contact_id: match.contactId,
    leaves: match.leaves,
    actions: "[]",
    pending: null,
    started_at: now,
    ended_at: now,
  };
}
