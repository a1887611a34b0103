import type { Answers, DeliveryBatch, HeldDelivery } from "../dispatch/dispatch.ts";
import { isSystem } from "../events/events.ts";
import type { DeliveryRef, NewEvent } from "../events/events.ts";
import { ServiceError, uuidAfter, wireId } from "../lib/lib.ts";
import type { IdMaker, Uuid } from "../lib/lib.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import { activeEndpoint, MOST_DELIVERIES } from "../webhooks/endpoints/endpoints.store.ts";
import type { ActiveEndpoint } from "../webhooks/endpoints/endpoints.store.ts";
import { LEASE_SECONDS } from "./engine.worker.ts";
import type { Engine } from "./engine.worker.ts";
import type { Work } from "../webhooks/deliveries/queue.ts";
import { pendingPart } from "../webhooks/deliveries/queue.store.ts";
import type { PendingInsert } from "../webhooks/deliveries/queue.store.ts";

/**
 * A delivery's id lies within this after its event's, however late the event is fired and whatever its node's clock says: so an event's
 * deliveries are found by a range of ids, and leave the log with it.
 */
export const EVENT_SPREAD_MS = 60_000;

interface Planned {
  /** Position of the event in its batch. */
  readonly at: number;
  readonly event: NewEvent;
  readonly endpoint: ActiveEndpoint;
  readonly id: Uuid;
  readonly birth: PendingInsert["birth"];
}

export interface PlanDeps {
  readonly ids: IdMaker;
  /** Null in a process that only accepts: everything is left for the workers. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
  readonly signals: Signals;
}

/** One delivery for each endpoint whose filter takes the event, leased to this process while it has room. */
export function planDeliveries(
  deps: PlanDeps,
  events: readonly NewEvent[],
  held: readonly boolean[],
  answers: Answers,
): DeliveryBatch {
  const listeners = listenersOf(answers);
  refuseTooMany(events, listeners);
  const promised = new Map<Uuid, number>();
  const planned = events.flatMap((event, at) =>
    listeners(event)
      .filter((endpoint) => !isItsOwnNews(endpoint, event))
      .map((endpoint): Planned => ({
        at,
        event,
        endpoint,
        id: uuidAfter(deps.ids, event.id, EVENT_SPREAD_MS),
        birth: birthOf(deps, endpoint, held[at] === true, promised),
      })),
  );
  const byEvent = Map.groupBy(planned, (one) => one.at);
  return {
    deliveries: events.map((_event, at) => (byEvent.get(at) ?? []).map(refOf)),
    held: (at) => (byEvent.get(at) ?? []).filter(({ birth }) => birth === "held").map(heldOf),
    part: (requests) => {
      if (planned.length === 0) return undefined;
      const rows = planned.map((one) => insertOf(one, requests[one.at] ?? 0));
      return pendingPart(rows, deps.engine?.leaseId ?? deps.ids.uuid(), LEASE_SECONDS);
    },
    committed: (written) => {
      const made = planned.filter((one) => written.has(one.at));
      if (made.length > 0) deps.signals.deliveriesMade(made.map((one) => one.event.scope.tag));
      handOver(deps, made);
    },
  };
}

/** Refuses before anything is made for a delivery. Where several calls share a batch, the batcher then divides it. */
function refuseTooMany(events: readonly NewEvent[], listeners: (event: NewEvent) => readonly unknown[]): void {
  const planned = events.reduce((sum, event) => sum + listeners(event).length, 0);
  if (planned <= MOST_DELIVERIES) return;
  const detail = `One call makes at most ${MOST_DELIVERIES} deliveries, one for each event and endpoint that takes it; this one would make more. Send fewer events at a time.`;
  throw new ServiceError("validation_failed", { detail });
}

/** Of an event, oldest first; read once for all events of its name. */
function listenersOf(answers: Answers): (event: NewEvent) => readonly ActiveEndpoint[] {
  const known = new Map<string, readonly ActiveEndpoint[]>();
  return (event) => {
    const key = `${event.scope.tag} ${event.name}`;
    const found = known.get(key) ?? answers.found(event).map(activeEndpoint).toSorted(byId);
    known.set(key, found);
    return found;
  };
}

function byId(a: ActiveEndpoint, b: ActiveEndpoint): number {
  return a.id < b.id ? -1 : 1;
}

/** News about an endpoint cannot go to itself: its own failure would make the next one. */
function isItsOwnNews(endpoint: ActiveEndpoint, event: NewEvent): boolean {
  return isSystem(event.name) && event.subject === wireId("ep", event.scope.tag, endpoint.id);
}

function birthOf(
  { engine }: PlanDeps,
  endpoint: ActiveEndpoint,
  held: boolean,
  promised: Map<Uuid, number>,
): PendingInsert["birth"] {
  if (held) return "held";
  const { id, max_in_flight: maxInFlight, rate_limit_per_second: rate } = endpoint;
  return isTaken(engine, { id, maxInFlight, isPaced: rate !== null }, promised) ? "leased" : "due";
}

/** Whether this process sends an endpoint's next delivery itself; `promised` counts those that it has not got yet. */
export function isTaken(
  engine: Engine | null,
  endpoint: { readonly id: Uuid; readonly maxInFlight: number; readonly isPaced: boolean },
  promised: Map<Uuid, number>,
): boolean {
  // A paced endpoint's order of sending is the database's business, shared by all nodes.
  if (engine === null || endpoint.isPaced) return false;
  const already = promised.get(endpoint.id) ?? 0;
  if (engine.room(endpoint.id, endpoint.maxInFlight) <= already) return false;
  promised.set(endpoint.id, already + 1);
  return true;
}

function refOf({ event, endpoint, id }: Planned): DeliveryRef {
  const { tag } = event.scope;
  return { id: wireId("dlv", tag, id), endpoint_id: wireId("ep", tag, endpoint.id), state: "pending" };
}

function heldOf({ endpoint, id }: Planned): HeldDelivery {
  const { max_in_flight: maxInFlight, rate_limit_per_second: rate } = endpoint;
  return { id, endpointId: endpoint.id, maxInFlight, isPaced: rate !== null };
}

function insertOf({ event, endpoint, id, birth }: Planned, request: number): PendingInsert {
  const { bucket, tag } = event.scope;
  return { bucket, tag, id, eventId: event.id, eventName: event.name, endpointId: endpoint.id, request, birth };
}

function handOver(deps: PlanDeps, written: readonly Planned[]): void {
  const { engine } = deps;
  const leasedUntilMs = engine?.leaseEndMs() ?? 0;
  for (const { event, endpoint, id, birth } of written) {
    if (birth !== "leased") continue;
    engine?.push(workOf(event, { id, endpointId: endpoint.id, leasedUntilMs }), endpoint.max_in_flight);
  }
  if (written.some((one) => one.birth === "due")) deps.wakeAll();
}

/** The first attempt of a delivery that this process has just leased. */
export function workOf(
  event: Pick<NewEvent, "scope" | "id" | "name" | "data" | "occurredAt" | "traceparent">,
  of: { readonly id: Uuid; readonly endpointId: Uuid; readonly leasedUntilMs: number },
): Work {
  const { bucket, tag } = event.scope;
  return {
    bucket,
    tag,
    deliveryId: of.id,
    eventId: event.id,
    eventName: event.name,
    occurredAt: event.occurredAt,
    traceparent: event.traceparent,
    data: event.data,
    endpointId: of.endpointId,
    attemptCount: 0,
    trigger: "ladder",
    restingState: null,
    leasedUntilMs: of.leasedUntilMs,
  };
}
