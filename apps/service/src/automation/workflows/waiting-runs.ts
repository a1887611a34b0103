import type { FoundContact } from "../../contacts/contacts.ts";
import type { CommitPart, Db, Tx } from "../../platform/db/db.ts";
import { patternsOf } from "../../events/events.ts";
import type { Ended, Event, Reaction, Subscriber, Facts } from "../../events/events.ts";
import { NIL_UUID, readField, wireId } from "../../lib/lib.ts";
import type { WorkShares } from "../../lib/lib.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { savedDefinition } from "./definition.ts";
import type { Step } from "./definition.ts";
import { stepsOfRuns, writeProgress } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import { settled } from "./settle.ts";
import type { RecordedStep } from "./settle.ts";
import { awaitedFacts, awaitedOutput, isKeyText, meets } from "./wait-event.ts";
import { tenantAfter } from "./wait-tenant.ts";
import { candidatesOf, holdWaiting, keyPathsOf, noteUnjudged, waitsEnded, WAITS_QUERY } from "./waits.store.ts";
import type { Candidate, Lookup } from "./waits.store.ts";
import { pinnedDefinitions } from "./workflows.store.ts";

/** After the contact was updated, and after workflows that the event starts. */
const PRIORITY = 46;
const KEY = "waiting_runs";
/** The maximum number of waiting runs that are looked at, and continued, in one transaction. */
const PAGE = 500;
const FIRST: Pick<Candidate, "run_id" | "at"> = { run_id: NIL_UUID, at: 0 };

/** Continues the runs that wait for an event, each once. An event that no run waits for gets no stage. */
export function createWaitingRuns(deps: WorkflowsDeps): Subscriber {
  return {
    kind: "workflow",
    question: WAITS_QUERY,
    takes: (key) => key === KEY,
    match: (_event, found) => (found.length === 0 ? [] : [{ kind: "workflow", key: KEY, priority: PRIORITY }]),
    async reactAll(reactions, ended) {
      await continueAll(deps, reactions, ended);
      return reactions.map(() => undefined);
    },
  };
}

/** A run with the first event that it waits for. */
interface Match {
  readonly wait: Candidate;
  readonly event: Event;
}

/** Continues the runs page by page. Only the last page ends the stages, so that a crash repeats the pages, which finds fewer runs. */
async function continueAll(deps: WorkflowsDeps, reactions: readonly Reaction[], ended: Ended): Promise<void> {
  const events = reactions.map(({ event }) => event);
  const facts = events.map((event) => awaitedFacts(event));
  const lookups = await lookupsOf(deps.db, events, facts);
  for (let after = FIRST; ;) {
    const page = lookups.length === 0 ? [] : await candidatesOf(deps.db, lookups, after, PAGE);
    const last = page.length < PAGE ? undefined : page.at(-1);
    const { matches, unjudged } = await judged(deps.shares, page, { events, facts });
    await noteUnjudged(deps.db, unjudged);
    const done = last === undefined ? [ended([...reactions.keys()])] : [];
    await deps.db.transaction(async (tx) => await continueSome(deps, tx, matches, done));
    if (last === undefined) return;
    after = last;
  }
}

/** Returns what each event is looked up by: its texts at the paths of the waiting runs, and the runs without a path. */
async function lookupsOf(db: Db, events: readonly Event[], facts: readonly Facts[]): Promise<Lookup[]> {
  const names = events.flatMap(({ scope: { bucket, tag }, name }, at) =>
    patternsOf(name).map((event) => ({ at, bucket, tag, event })),
  );
  const paths = await keyPathsOf(db, names);
  return paths.flatMap(({ at, event: pattern, key_path: path }): Lookup[] => {
    const event = events[at];
    const value = path === "" ? "" : textAt(facts[at], path);
    if (event === undefined || value === undefined) return [];
    const { bucket, tag } = event.scope;
    return [{ at, bucket, tag, event: pattern, eventId: event.id, tenant: event.tenant, path, value }];
  });
}

function textAt(facts: Facts | undefined, text: string): string | undefined {
  const path = readField(text);
  const value = path === undefined ? undefined : facts?.at(path)?.value;
  return typeof value === "string" && isKeyText(value) ? value : undefined;
}

/**
 * Returns the first event for each run, and the waits for which an event was too expensive. The candidates of a run are in the order of
 * the events.
 */
async function judged(
  shares: WorkShares,
  page: readonly Candidate[],
  { events, facts }: { readonly events: readonly Event[]; readonly facts: readonly Facts[] },
): Promise<{ readonly matches: readonly Match[]; readonly unjudged: readonly Candidate[] }> {
  const found = new Map<string, Match>();
  const unjudged = new Map<string, Candidate>();
  for (const wait of page) {
    const [event, its] = [events[wait.at], facts[wait.at]];
    const key = `${wait.tag} ${wait.run_id}`;
    if (event === undefined || its === undefined || found.has(key)) continue;
    its.budget = shares.budgetOf(wait.tag);
    const isMet = meets(wait, its);
    if (isMet === true) found.set(key, { wait, event });
    if (isMet === "too_expensive") unjudged.set(key, wait);
    if (shares.isDue()) await shares.pause();
  }
  return { matches: [...found.values()], unjudged: [...unjudged.values()] };
}

async function continueSome(
  deps: WorkflowsDeps,
  tx: Tx,
  matches: readonly Match[],
  done: readonly CommitPart[],
): Promise<void> {
  const recorded = matches.length === 0 ? [] : await recordsOf(deps, tx, matches);
  await writeProgress(
    tx,
    recorded.map(({ record }) => record),
    recorded.map(({ move }) => move),
    // A run that has moved on since its wait was read may wait at another step.
    [...(recorded.length === 0 ? [] : [waitsEnded(recorded.map(({ move }) => move.run))]), ...done],
  );
  if (recorded.length > 0) tx.onCommit(deps.wake);
}

/** Returns the steps that end, and the next states of their locked runs. A run that was continued or cancelled before has none. */
async function recordsOf({ contacts }: WorkflowsDeps, tx: Tx, matches: readonly Match[]): Promise<RecordedStep[]> {
  const runs = await holdWaiting(
    tx,
    matches.map(({ wait }) => wait),
  );
  if (runs.length === 0) return [];
  const [people, steps, used] = [
    await contactsOf(contacts, tx, matches),
    await stepsNow(tx, runs),
    await usedEvents(tx, runs),
  ];
  const byRun = new Map(matches.map((match) => [match.wait.run_id, match]));
  return runs.flatMap((run): RecordedStep[] => {
    const [match, step] = [byRun.get(run.id), steps(run)];
    if (match === undefined || step?.type !== "wait_event" || used(run, match.event)) return [];
    const output = awaitedOutput(run, match.event, people.get(match.event));
    const tenant = tenantAfter({ run }, match.event.tenant);
    return [settled({ run, step, leaseId: null }, { kind: "done", output, next: step.next, tenant })];
  });
}

async function contactsOf(
  contacts: WorkflowsDeps["contacts"],
  tx: Tx,
  matches: readonly Match[],
): Promise<ReadonlyMap<Event, FoundContact | undefined>> {
  const events = [...new Set(matches.map(({ event }) => event))];
  const found = await contacts.reacting.findAll(tx, events);
  return new Map(events.map((event, at) => [event, found[at]]));
}

async function stepsNow(tx: Tx, runs: readonly RunRow[]): Promise<(run: RunRow) => Step | undefined> {
  const pinned = await pinnedDefinitions(tx, runs);
  const definitions = new Map(
    pinned.map((one) => [`${one.workflow_id} ${one.version}`, savedDefinition(one)] as const),
  );
  return ({ workflow_id: id, version, step }) =>
    step === null ? undefined : definitions.get(`${id} ${version}`)?.step(step);
}

/** Returns whether an event has already continued another step of the run, or started it. Clocks of nodes may differ. */
async function usedEvents(tx: Tx, runs: readonly RunRow[]): Promise<(run: RunRow, event: Event) => boolean> {
  const ended = (await stepsOfRuns(tx, runs)).filter(
    ({ type, state }) => type === "wait_event" && state === "completed",
  );
  const ids = new Set(ended.map(({ run_id: run, output }) => `${run} ${idIn(output)}`));
  return (run, event) => run.event_id === event.id || ids.has(`${run.id} ${wireId("evt", run.tag, event.id)}`);
}

function idIn(output: string | null): string {
  const head = /^\{"id":"(?<id>[a-z0-9_]+)"/.exec(output ?? "");
  return head?.groups?.["id"] ?? "";
}
