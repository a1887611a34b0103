import { contactSource, eventSources, factsOf } from "../../events/events.ts";
import type { Facts, Event, Ended, Later, Reacted, Reaction } from "../../events/events.ts";
import type { FoundContact, HeldContacts } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { createWorkShares, isPassing } from "../../lib/lib.ts";
import type { ServiceError, Uuid, WorkShares } from "../../lib/lib.ts";
import { actsOnContact } from "./actions.ts";
import type { Action } from "./actions.ts";
import type { OpenRun } from "./calling.ts";
import { fireAll, perform } from "./perform.ts";
import type { Performed } from "./perform.ts";
import { callAll, cameOf, blockerOf, react, refusalOf, rulesOf, runOf, verdictOf } from "./reaction.ts";
import type { Blocker, ReactionDeps, RuleVerdict } from "./reaction.ts";
import type { Rule } from "./rule.ts";
import { actedIn, recordRuns, runsOfEvents } from "./runs.store.ts";
import type { RunInsert } from "./runs.store.ts";

/** An event whose rules are evaluated together with those of other events. */
interface Case {
  /** Its position in the batch. */
  readonly at: number;
  readonly event: Event;
  readonly rules: readonly Rule[];
  readonly sources: ReturnType<typeof eventSources>;
  /** The contact as it was before the batch. */
  readonly contact: FoundContact | undefined;
  readonly facts: Facts;
  /** The results of the conditions with these facts. */
  readonly verdicts: ReadonlyMap<Rule, RuleVerdict>;
  readonly shares: WorkShares;
  /** The reasons that block the rules whose condition was true before the batch. */
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
 * An event is processed alone (`react`, with one transaction per rule) if it was begun before, if its actions could block other events,
 * or if it failed here as the only event of its batch.
 */
export async function reactAll(deps: ReactionDeps, reactions: readonly Reaction[], ended: Ended): Promise<Reacted> {
  const events = reactions.map(({ event }) => event);
  try {
    return await decideTogether(deps, events, ended);
  } catch (error) {
    const [only, ...others] = events;
    if (only === undefined || others.length > 0 || isPassing(error)) throw error;
    return [alone(deps, only)];
  }
}

function alone(deps: ReactionDeps, event: Event): Later {
  return { later: async () => await react(deps, event) };
}

async function decideTogether(deps: ReactionDeps, events: readonly Event[], ended: Ended): Promise<Reacted> {
  const cases = await casesOf(deps, events);
  const { acted } = await write(deps, cases, ended);
  const together = new Set(cases.map(({ at }) => at));
  const open = Map.groupBy(acted.filter(isOpen), ({ at }) => at);
  return events.map((event, at) => {
    if (!together.has(at)) return alone(deps, event);
    const runs = open.get(at);
    return runs && { later: async () => await callAll(deps, event, runs.map(openRun)) };
  });
}

/** Returns the events that are evaluated together. Everything that can be read before the transaction is read here. */
async function casesOf(deps: ReactionDeps, events: readonly Event[]): Promise<Case[]> {
  const rules = await rulesOf(deps, events);
  const before = await runsOfEvents(deps.db, events);
  const contacts = await deps.contacts.reacting.findAll(deps.db, events);
  const refusals = createRefusals(deps);
  const shares = createWorkShares(deps.clock);
  const judged: Omit<Case, "blockers">[] = [];
  for (const [at, event] of events.entries()) {
    const [contact, sources] = [contacts[at], eventSources(event.name, event.data, event.tenant)];
    const facts = factsOf({ ...sources, contact: contactSource(contact) });
    const one = { at, event, rules: rules[at] ?? [], contact, sources, facts, shares };
    judged.push({ ...one, verdicts: await verdictsOf(one) });
  }
  const cases = await Promise.all(
    judged.map(async (one): Promise<Case[]> => {
      const { at, event } = one;
      const matching = one.rules.filter((rule) => one.verdicts.get(rule)?.truth === true);
      const isAlone =
        (before[at] ?? []).length > 0 || matching.some(({ program }) => program.actions.some(holdsOthersUp));
      if (isAlone) return [];
      const blockers = matching.map(async (rule): Promise<[Uuid, Blocker | undefined]> => [
        rule.head.id,
        await refusals(event, rule),
      ]);
      return [{ ...one, blockers: new Map(await Promise.all(blockers)) }];
    }),
  );
  return cases.flat();
}

async function verdictsOf({
  event,
  rules,
  facts,
  shares,
}: Pick<Case, "event" | "rules" | "facts" | "shares">): Promise<ReadonlyMap<Rule, RuleVerdict>> {
  const verdicts = new Map<Rule, RuleVerdict>();
  for (const rule of rules) {
    verdicts.set(rule, verdictOf(shares, event, rule, facts));
    if (shares.isDue()) await shares.pause();
  }
  return verdicts;
}

/** Returns a function that checks whether a rule is blocked. It reads an author's permissions once per batch. */
function createRefusals(deps: ReactionDeps) {
  const known = new Map<string, Promise<ServiceError | undefined>>();
  return async (event: Event, rule: Rule): Promise<Blocker | undefined> =>
    await blockerOf(
      deps,
      {
        event,
        acted: async () => new Set(await actedIn(deps.db, event.scope, event.chain)),
        async refusal() {
          const key = `${event.scope.tag} ${rule.head.id}`;
          const asked = known.get(key) ?? refusalOf(deps, event, rule);
          known.set(key, asked);
          return await asked;
        },
      },
      rule,
    );
}

async function write(deps: ReactionDeps, cases: readonly Case[], ended: Ended): Promise<Decided> {
  const part = ({ acted }: Decided) => {
    const open = new Set(acted.filter(isOpen).map(({ at }) => at));
    return ended(cases.map(({ at }) => at).filter((at) => !open.has(at)));
  };
  const isIdle = cases.every(({ blockers }) => [...blockers.values()].every((blocker) => blocker !== undefined));
  if (isIdle) {
    const decided = { idle: cases.flatMap((one) => idleRuns(deps, one)), acted: [] };
    await recordRuns(deps.db, decided.idle, [part(decided)]);
    return decided;
  }
  return await deps.db.transaction(async (tx) => {
    const decided = await decideAll(deps, tx, cases);
    await fireAll(
      deps,
      tx,
      decided.acted.map(({ performed }) => performed),
    );
    const rows = [
      ...decided.idle,
      ...decided.acted.map(({ run, performed }) => ({ ...run, ...cameOf(deps, performed) })),
    ];
    // No action may run twice. If another node has evaluated a rule at the same time, the batch is undone, and its event then runs alone.
    if ((await recordRuns(tx, rows, [part(decided)])) < rows.length) throw new Error("another node has decided a rule");
    return decided;
  });
}

/** Returns the runs of an event none of whose rules acts. No contact changes, so the facts stay the same. */
function idleRuns(deps: ReactionDeps, one: Case): RunInsert[] {
  return one.rules.map((rule) => {
    const { run, blocker } = evaluateRule(deps, one, { rule, facts: one.facts, contact: one.contact });
    return { ...run, status: "unmatched", ...blocker, ...one.blockers.get(rule.head.id) };
  });
}

/** Returns whether an action locks a row that runs of other events also need, until the transaction ends. */
function holdsOthersUp({ type }: Action): boolean {
  return type === "post_webhook" || type === "run_action";
}

async function decideAll(deps: ReactionDeps, tx: Tx, cases: readonly Case[]): Promise<Decided> {
  const held = await deps.contacts.reacting.holdAll(tx, cases.filter(changesContact).flatMap(contactOf));
  const refusals = createRefusals(deps);
  const idle: RunInsert[] = [];
  const acted: Acted[] = [];
  for (const one of cases) {
    for (const rule of one.rules) {
      const { contact, facts } = contactNow(held, one);
      if (one.shares.isDue()) await one.shares.pause();
      const { run, truth, blocker: unknown } = evaluateRule(deps, one, { rule, facts, contact });
      const blocker = truth ? await blockerNow(one, rule, refusals) : (unknown ?? ({ status: "unmatched" } as const));
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
  const changes = held.parts();
  if (changes.length > 0) await tx.commit(changes, "select 1");
  return { idle, acted };
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
  refusals: ReturnType<typeof createRefusals>,
): Promise<Blocker | undefined> {
  const { id } = rule.head;
  return blockers.has(id) ? blockers.get(id) : await refusals(event, rule);
}

function evaluateRule(
  deps: ReactionDeps,
  { event, facts: before, verdicts, shares }: Case,
  { rule, facts, contact }: { readonly rule: Rule; readonly facts: Facts; readonly contact: FoundContact | undefined },
): Pick<RuleVerdict, "truth" | "blocker"> & { readonly run: Omit<RunInsert, "status"> } {
  const known = facts === before ? verdicts.get(rule) : undefined;
  const { leaves, ...verdict } = known ?? verdictOf(shares, event, rule, facts);
  return { ...verdict, run: runOf(deps, event, { rule: rule.head, leaves, contactId: contact?.id ?? null }) };
}

function isOpen({ performed }: Acted): boolean {
  return performed.calls.length > 0;
}

function openRun({ rule, run, performed }: Acted): OpenRun {
  const { outcomes, calls } = performed;
  return { runId: run.id, ruleId: rule.head.id, rule: rule.head, outcomes, calls, stopped: undefined };
}
