import { oneRequest } from "../../platform/db/db.ts";
import type { CommitPart, Db, RequestRow, Tx } from "../../platform/db/db.ts";
import { firstOfEachKey, idempotencyPart } from "../../access/access.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer } from "../../access/access.ts";
import { Overweight, ServiceError } from "../../lib/lib.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { signalsOf } from "../event/event.ts";
import type { Event, PlannedEvent } from "../event/event.ts";
import { eventPart } from "../event/events.store.ts";
import { firedView, MOST_LISTED } from "../event/fired-event.ts";
import type { FiredEvent } from "../event/fired-event.ts";
import { labelPart } from "../event/labels.store.ts";
import { scheduledView } from "../scheduled/scheduled.ts";
import { scheduledPart } from "../scheduled/scheduled.store.ts";
import type { ScheduledEvent } from "../scheduled/scheduled.store.ts";
import type { Dispatch, ReactionPlan } from "../subscriptions/dispatch.ts";
import { countRefusals, countWarnings, refusalsOf } from "./refusals.ts";
import type { Refused } from "./refusals.ts";
import { SHARED_WEIGHT } from "./weights.ts";
import type { Weights } from "./weights.ts";

/** A call that fires events. */
export interface FireCall {
  readonly ref: IdempotencyRef;
  /** The events to fire now. */
  readonly events: readonly Event[];
  readonly scheduled: readonly ScheduledEvent[];
  /** True for a call with a list of events, whose response is a list. */
  readonly batch: boolean;
  /** The tenant to which the response is limited; null for none. */
  readonly tenant: string | null;
}

export interface AcceptDeps {
  readonly db: Db;
  readonly dispatch: Dispatch;
  readonly idempotency: Idempotency;
  readonly signals: Signals;
  readonly weights: Weights;
}

/** The response to a call; null for a repeated call, and the error of a call that is refused. */
type Accepted = StoredAnswer | null | ServiceError;

/**
 * Accepts the events of some calls: plans the reactions to them, writes everything in one statement, and starts the
 * reactions. One event that does not match its type refuses its whole call.
 */
export async function acceptEvents(deps: AcceptDeps, calls: readonly FireCall[]): Promise<Accepted[]> {
  const firsts = firstOfEachKey(calls);

  // Plan.
  const plan = await planReactions(deps, firsts);
  const refusals = refusalsOf(firsts, plan.requests);
  if (refusals.size > 0) return await acceptOthers(deps, calls, refusals);

  // Write.
  const answered = firsts.map((call, at) => {
    const answer = answerOf(call, plan.requests[at] ?? []);
    return { ref: call.ref, answer, sealed: deps.idempotency.seal(call.ref, answer) };
  });
  const scheduled = firsts.flatMap((call, request) => call.scheduled.map((one) => ({ ...one, request })));
  const rows = await deps.db.commit<{ at: string }>(
    [idempotencyPart(answered, { status: 202 }), ...insert(plan, scheduled)],
    "select at from fresh",
  );
  const fresh = new Set(rows.map((row) => Number(row.at) - 1));

  // Start.
  start(deps, plan, plan.requests.filter((_events, at) => fresh.has(at)).flat());
  const answers = new Map(firsts.map((call, at) => [call, fresh.has(at) ? answered[at]?.answer : undefined]));
  return calls.map((call) => answers.get(call) ?? null);
}

/** Accepts events in the transaction of what causes them, which starts their reactions once it has committed. */
export async function acceptWithin(
  deps: Pick<AcceptDeps, "dispatch" | "signals">,
  tx: Tx,
  events: readonly Event[],
): Promise<readonly FiredEvent[]> {
  const plan = await deps.dispatch.plan([events], tx);
  await tx.commit([oneRequest, ...insert(plan, [])], "select 1");
  const planned = plan.requests.flat();
  tx.onCommit(() => start(deps, plan, planned));
  return planned.map((one) => firedView(one));
}

/**
 * Plans the reactions to the events. Records how many there are, also for a call that is refused because it has too
 * many.
 */
async function planReactions(
  { dispatch, db, weights }: Pick<AcceptDeps, "dispatch" | "db" | "weights">,
  calls: readonly FireCall[],
): Promise<ReactionPlan> {
  const requests = calls.map(({ events }) => events);
  try {
    const plan = await dispatch.plan(requests, db);
    weights.learn(plan.requests.flat());
    if (calls.length > 1 && weights.of(requests.flat()) > SHARED_WEIGHT) throw new Overweight();
    return plan;
  } catch (error) {
    if (calls.length === 1 && error instanceof ServiceError) weights.learnRefused(requests.flat(), SHARED_WEIGHT + 1);
    throw error;
  }
}

/** Accepts the calls that are not refused. Calls with the key of a refused one are judged again, on their own. */
async function acceptOthers(
  deps: AcceptDeps,
  calls: readonly FireCall[],
  refusals: ReadonlyMap<FireCall, Refused>,
): Promise<Accepted[]> {
  for (const { events } of refusals.values()) countRefusals(deps.signals, events);
  const others = calls.filter((call) => !refusals.has(call));
  const results = others.length === 0 ? [] : await acceptEvents(deps, others);
  const byCall = new Map(others.map((call, at) => [call, results[at] ?? null]));
  return calls.map((call) => refusals.get(call)?.error ?? byCall.get(call) ?? null);
}

/** Returns the parts that write the events with their reactions, and those that are fired later. */
function insert(
  plan: ReactionPlan,
  scheduled: readonly (ScheduledEvent & RequestRow)[],
): readonly CommitPart<"dependent">[] {
  const events = plan.requests.flat();
  const labelled = [
    ...events.filter(({ event }) => event.labels !== null),
    ...scheduled.flatMap(({ draft: { labels = null, ...draft }, id, request }) =>
      labels === null ? [] : [{ event: { ...draft, id, labels }, request }],
    ),
  ];
  return [
    eventPart(events),
    ...plan.insert(),
    ...(scheduled.length === 0 ? [] : [scheduledPart(scheduled)]),
    ...(labelled.length === 0 ? [] : [labelPart(labelled)]),
  ];
}

/** Starts the reactions to the events that were written, and counts these. */
function start({ signals }: Pick<AcceptDeps, "signals">, plan: ReactionPlan, written: readonly PlannedEvent[]): void {
  const events = written.map(({ event }) => event);
  signals.eventsAccepted(signalsOf(events));
  countWarnings(signals, events);
  plan.start(written);
}

/** Returns the response to a call: its events in their order, with what reacts to them. */
export function answerOf(
  { ref, batch, tenant, scheduled }: Omit<FireCall, "events">,
  events: readonly PlannedEvent[],
): StoredAnswer {
  let left = MOST_LISTED;
  const views = events.map((one) => {
    const view = firedView(one, left, tenant);
    left -= view.deliveries.length;
    return view;
  });
  for (const one of scheduled) views.splice(one.position, 0, scheduledView(one));
  const body = JSON.stringify(batch ? { object: "list", data: views } : views[0]);
  return { status: 202, body: ref.wrapBody?.(body, 202) ?? body };
}
