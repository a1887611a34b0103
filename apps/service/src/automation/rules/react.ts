import { contactSource, evaluate, eventSources, factsOf } from "../../events/events.ts";
import type { Facts, Event, Ended, Reacted, Reaction } from "../../events/events.ts";
import type { FoundContact, HeldContacts } from "../../contacts/contacts.ts";
import type { CommitPart, Tx } from "../../platform/db/db.ts";
import { createWorkShares, isPassing, parseJson, toDate, TooExpensiveError } from "../../lib/lib.ts";
import type { Uuid, WorkShares } from "../../lib/lib.ts";
import { actsOnContact } from "./actions.ts";
import type { Action } from "./actions.ts";
import { blocked, createFindBlocker, ruleRefusal } from "./blockers.ts";
import type { Blocker, FindBlocker } from "./blockers.ts";
import { callAll, resultColumns } from "./calls.ts";
import type { OpenRun } from "./calls.ts";
import type { ReactionDeps } from "./deps.ts";
import { rulesOf } from "./listening.ts";
import { fireAll, perform } from "./perform.ts";
import type { Performed } from "./perform.ts";
import type { Rule } from "./rule.ts";
import { recordRuns, runsOfEvents } from "./runs.store.ts";
import type { DecidedRun, RunInsert } from "./runs.store.ts";

/** An event with the values that its rules read. */
interface Subject {
  readonly event: Event;
  /** The contact as it was before the transaction. */
  readonly contact: FoundContact | undefined;
  readonly sources: ReturnType<typeof eventSources>;
  readonly facts: Facts;
}

/** The result of a rule's condition. `blocker`: it is not known, because the condition is too expensive for the event. */
interface Verdict {
  readonly truth: boolean;
  readonly leaves: string;
  readonly blocker?: Blocker;
}

/** An event with rules that are decided in one transaction, together with those of other events. */
interface Case extends Subject {
  /** The position of the event in the batch. */
  readonly at: number;
  readonly rules: readonly Rule[];
  readonly shares: WorkShares;
  /** The results of the conditions with these facts. */
  readonly verdicts: ReadonlyMap<Rule, Verdict>;
  /** The reasons that block the rules whose condition was true before the transaction. */
  readonly blockers: ReadonlyMap<Uuid, Blocker | undefined>;
}

/** A run that performed actions. */
interface Acted {
  readonly at: number;
  readonly rule: Rule;
  readonly run: Omit<RunInsert, "status">;
  readonly performed: Performed;
}

interface Decided {
  readonly idle: readonly RunInsert[];
  readonly acted: readonly Acted[];
}

/**
 * Evaluates the rules of many events in one transaction, in the order of the events and of their rules, and records the stages with them.
 * An event is processed alone (`reactAlone`, with one transaction per rule) if it was begun before, if its actions could block other events,
 * or if it failed here as the only event of its batch.
 */
export async function reactAll(deps: ReactionDeps, reactions: readonly Reaction[], ended: Ended): Promise<Reacted> {
  const events = reactions.map(({ event }) => event);
  try {
    return await reactTogether(deps, events, ended);
  } catch (error) {
    const [only, ...others] = events;
    if (only === undefined || others.length > 0 || isPassing(error)) throw error;
    return [{ later: async () => await reactAlone(deps, only) }];
  }
}

async function reactTogether(deps: ReactionDeps, events: readonly Event[], ended: Ended): Promise<Reacted> {
  const cases = await casesOf(deps, events);
  const parts = ({ acted }: Decided) => {
    const open = new Set(acted.filter(isOpen).map(({ at }) => at));
    return [ended(cases.map(({ at }) => at).filter((at) => !open.has(at)))];
  };
  const { acted } = await decide(deps, cases, parts);
  const together = new Set(cases.map(({ at }) => at));
  const open = Map.groupBy(acted.filter(isOpen), ({ at }) => at);
  return events.map((event, at) => {
    if (!together.has(at)) return { later: async () => await reactAlone(deps, event) };
    const runs = open.get(at);
    return runs && { later: async () => await callAll(deps, event, runs.map(openRun)) };
  });
}

/** Returns the events that are decided together. Everything that can be read before the transaction is read here. */
async function casesOf(deps: ReactionDeps, events: readonly Event[]): Promise<Case[]> {
  const rules = await rulesOf(deps, events);
  const before = await runsOfEvents(deps.db, events);
  const contacts = await deps.contacts.reacting.findAll(deps.db, events);
  const findBlocker = createFindBlocker(deps);
  const shares = createWorkShares(deps.clock);
  const judged: Omit<Case, "blockers">[] = [];
  for (const [at, event] of events.entries())
    judged.push(await judge(subjectOf(event, contacts[at]), { at, rules: rules[at] ?? [], shares }));
  const isAlone = (one: Omit<Case, "blockers">): boolean =>
    (before[one.at] ?? []).length > 0 || matching(one).some(({ program }) => program.actions.some(holdsOthersUp));
  return await Promise.all(
    judged.filter((one) => !isAlone(one)).map(async (one) => await withBlockers(one, findBlocker)),
  );
}

/**
 * Decides an event's rules, each in its own transaction, and then makes their calls to other modules. It can be called again: rules that
 * were already decided are not run again. Throws if a rule or call must be retried, after all others were processed.
 */
async function reactAlone(deps: ReactionDeps, event: Event): Promise<void> {
  const [rules = []] = await rulesOf(deps, [event]);
  const [before = []] = await runsOfEvents(deps.db, [event]);
  const decided = new Set(before.map((run) => run.rule_id));
  const undecided = rules.filter(({ head }) => !decided.has(head.id));
  const { open, faults } = await decideOneByOne(deps, event, undecided);
  for (const run of before) {
    if (run.pending === null) continue;
    const rule = rules.find(({ head }) => head.id === run.rule_id);
    open.push(await reopened(deps, run, rule));
  }
  await callAll(deps, event, open);
  if (faults.length > 0) throw faults[0];
}

/** A rule that fails does not stop the others. Runs without actions are recorded together. */
async function decideOneByOne(
  deps: ReactionDeps,
  event: Event,
  rules: readonly Rule[],
): Promise<{ readonly open: OpenRun[]; readonly faults: readonly unknown[] }> {
  const findBlocker = createFindBlocker(deps);
  const shares = createWorkShares(deps.clock);
  const idle: RunInsert[] = [];
  const open: OpenRun[] = [];
  const faults: unknown[] = [];
  let subject: Subject | undefined;
  for (const rule of rules) {
    try {
      // Also if no rule reads the contact, because the runs belong to its export and erasure.
      subject ??= subjectOf(event, await deps.contacts.reacting.find(event.scope, event.data));
      const one = await withBlockers(await judge(subject, { at: 0, rules: [rule], shares }), findBlocker);
      if (isIdle(one)) idle.push(...idleRuns(deps, one));
      else open.push(...(await act(deps, [one])).acted.filter(isOpen).map(openRun));
      if (changesContact(one)) subject = undefined;
    } catch (error) {
      faults.push(error);
      subject = undefined;
    }
  }
  await recordRuns(deps.db, idle);
  return { open, faults };
}

function subjectOf(event: Event, contact: FoundContact | undefined): Subject {
  const sources = eventSources(event.name, event.data, event.tenant);
  return { event, contact, sources, facts: factsOf({ ...sources, contact: contactSource(contact) }) };
}

async function judge(
  subject: Subject,
  { at, rules, shares }: Pick<Case, "at" | "rules" | "shares">,
): Promise<Omit<Case, "blockers">> {
  const verdicts = new Map<Rule, Verdict>();
  for (const rule of rules) {
    verdicts.set(rule, verdictOf(shares, subject.event, rule, subject.facts));
    if (shares.isDue()) await shares.pause();
  }
  return { ...subject, at, rules, shares, verdicts };
}

/** Evaluates a rule's condition within the share of its workspace. */
function verdictOf(shares: WorkShares, { scope }: Event, { program }: Rule, facts: Facts): Verdict {
  try {
    return evaluate(program.condition, facts, shares.budgetOf(scope.tag));
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return { truth: false, leaves: "[]", blocker: blocked("failed", "too_expensive", TOO_EXPENSIVE) };
  }
}

const TOO_EXPENSIVE =
  "The rule's condition is too expensive for the data of the event, so the rule did nothing. Use fewer or simpler leaves.";

function matching({ rules, verdicts }: Pick<Case, "rules" | "verdicts">): Rule[] {
  return rules.filter((rule) => verdicts.get(rule)?.truth === true);
}

async function withBlockers(one: Omit<Case, "blockers">, findBlocker: FindBlocker): Promise<Case> {
  const blockers = matching(one).map(async (rule): Promise<[Uuid, Blocker | undefined]> => [
    rule.head.id,
    await findBlocker(one.event, rule),
  ]);
  return { ...one, blockers: new Map(await Promise.all(blockers)) };
}

/** Returns whether an action locks a row that runs of other events also need, until the transaction ends. */
function holdsOthersUp({ type }: Action): boolean {
  return type === "post_webhook" || type === "run_action";
}

function isIdle({ blockers }: Case): boolean {
  return [...blockers.values()].every((blocker) => blocker !== undefined);
}

/** Decides the rules of the cases and records their runs, with the parts that follow from the decisions. */
async function decide(
  deps: ReactionDeps,
  cases: readonly Case[],
  parts: (decided: Decided) => readonly CommitPart[],
): Promise<Decided> {
  if (!cases.every(isIdle)) return await act(deps, cases, parts);
  const decided = { idle: cases.flatMap((one) => idleRuns(deps, one)), acted: [] };
  await recordRuns(deps.db, decided.idle, parts(decided));
  return decided;
}

/** Returns the runs of an event none of whose rules acts. No contact changes, so the facts stay the same. */
function idleRuns(deps: ReactionDeps, one: Case): RunInsert[] {
  return one.rules.map((rule) => {
    const { run, blocker } = evaluateRule(deps, one, { rule, facts: one.facts, contact: one.contact });
    return { ...run, status: "unmatched", ...blocker, ...one.blockers.get(rule.head.id) };
  });
}

/** Performs the actions of the rules that match, and records all runs, in one transaction. */
async function act(
  deps: ReactionDeps,
  cases: readonly Case[],
  parts: (decided: Decided) => readonly CommitPart[] = () => [],
): Promise<Decided> {
  return await deps.db.transaction(async (tx) => {
    const { changes, ...decided } = await performAll(deps, tx, cases);
    await fireAll(
      deps,
      tx,
      decided.acted.map(({ performed }) => performed),
    );
    const rows = [
      ...decided.idle,
      ...decided.acted.map(({ run, performed }) => ({ ...run, ...resultColumns(deps, performed) })),
    ];
    // No action may run twice. If another node has decided a rule at the same time, the transaction is undone.
    const recorded = await recordRuns(tx, rows, [...changes, ...parts(decided)]);
    if (recorded < rows.length) throw new Error("another node has decided a rule");
    return decided;
  });
}

/** Performs the actions, and returns the writes of the contacts' changes. */
async function performAll(
  deps: ReactionDeps,
  tx: Tx,
  cases: readonly Case[],
): Promise<Decided & { readonly changes: readonly CommitPart[] }> {
  const held = await deps.contacts.reacting.holdAll(tx, cases.filter(changesContact).flatMap(contactOf));
  const findBlocker = createFindBlocker(deps);
  const idle: RunInsert[] = [];
  const acted: Acted[] = [];
  for (const one of cases) {
    for (const rule of one.rules) {
      const { contact, facts } = contactNow(held, one);
      if (one.shares.isDue()) await one.shares.pause();
      const { run, truth, blocker: unknown } = evaluateRule(deps, one, { rule, facts, contact });
      const blocker = truth
        ? await blockerNow(one, rule, findBlocker)
        : (unknown ?? ({ status: "unmatched" } as const));
      if (blocker !== undefined) {
        idle.push({ ...run, ...blocker });
        continue;
      }
      assertContactHeld(held, one, rule);
      // The templates of all its actions share a budget.
      facts.budget = one.shares.budgetOf(one.event.scope.tag);
      const job = { rule, runId: run.id, event: one.event, facts, contact, held };
      acted.push({ at: one.at, rule, run, performed: await perform(deps, tx, job) });
    }
  }
  return { idle, acted, changes: held.parts() };
}

/** Returns the contact as the previous rules left it. */
function contactNow(
  held: HeldContacts,
  { event, sources, contact: before, facts }: Case,
): { readonly contact: FoundContact | undefined; readonly facts: Facts } {
  const view = before && held.view(event.scope, before.id);
  if (before === undefined || view === undefined) return { contact: before, facts };
  const contact = { id: before.id, view };
  return { contact, facts: factsOf({ ...sources, contact: contactSource(contact) }) };
}

/** Throws if the contact was merged or erased since, or if only another rule's action led to it. Its event then runs alone. */
function assertContactHeld(held: HeldContacts, { event, contact }: Case, { program }: Rule): void {
  if (contact === undefined || !program.actions.some(actsOnContact)) return;
  if (held.view(event.scope, contact.id) === undefined) throw new Error("a rule acts on a contact that is not held");
}

function changesContact({ rules, blockers }: Case): boolean {
  return rules.some(({ head, program }) => blockers.has(head.id) && program.actions.some(actsOnContact));
}

function contactOf({ event, contact }: Case): { scope: Event["scope"]; id: Uuid }[] {
  return contact === undefined ? [] : [{ scope: event.scope, id: contact.id }];
}

/** Checks a rule whose condition became true only through another rule's action, and so was not checked before. */
async function blockerNow(
  { event, blockers }: Case,
  rule: Rule,
  findBlocker: FindBlocker,
): Promise<Blocker | undefined> {
  const { id } = rule.head;
  return blockers.has(id) ? blockers.get(id) : await findBlocker(event, rule);
}

function evaluateRule(
  { ids, clock }: ReactionDeps,
  { event, facts: before, verdicts, shares }: Case,
  { rule, facts, contact }: { readonly rule: Rule; readonly facts: Facts; readonly contact: FoundContact | undefined },
): Pick<Verdict, "truth" | "blocker"> & { readonly run: Omit<RunInsert, "status"> } {
  const known = facts === before ? verdicts.get(rule) : undefined;
  const { leaves, ...verdict } = known ?? verdictOf(shares, event, rule, facts);
  const now = toDate(clock.now());
  return {
    ...verdict,
    run: {
      bucket: event.scope.bucket,
      tag: event.scope.tag,
      event_id: event.id,
      rule_id: rule.head.id,
      id: ids.uuid(),
      rule_version: rule.head.version,
      event_name: event.name,
      reason_code: null,
      reason: null,
      contact_id: contact?.id ?? null,
      leaves,
      actions: "[]",
      pending: null,
      started_at: now,
      ended_at: now,
    },
  };
}

function isOpen({ performed }: Acted): boolean {
  return performed.calls.length > 0;
}

function openRun({ rule, run, performed: { outcomes, calls } }: Acted): OpenRun {
  return { runId: run.id, ruleId: rule.head.id, rule: rule.head, outcomes, calls };
}

/** Returns a run that was decided before and still has calls to make, unless its author may no longer make them. */
async function reopened(deps: ReactionDeps, run: DecidedRun, rule: Rule | undefined): Promise<OpenRun> {
  const refused = rule === undefined ? undefined : await ruleRefusal(deps, rule);
  const stopped = refused && { code: refused.code, reason: refused.details.detail ?? refused.code };
  return {
    runId: run.id,
    ruleId: run.rule_id,
    rule: stopped ?? rule?.head ?? { code: "rule_gone", reason: "The rule was deleted or disabled." },
    outcomes: parseJson(run.actions) as OpenRun["outcomes"],
    calls: parseJson(run.pending ?? "[]") as OpenRun["calls"],
  };
}
