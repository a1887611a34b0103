import type { DeliverySubscriber, Event, EventCommit, MatchedEvent, PlannedDelivery } from "../../events/events.ts";
import { isSystem } from "../../events/events.ts";
import { ServiceError, uuidAfter, wireId } from "../../lib/lib.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { activeEndpoint, MOST_DELIVERIES } from "./endpoints.store.ts";
import type { ActiveEndpoint } from "./endpoints.store.ts";
import { LEASE_SECONDS } from "../deliveries/engine.worker.ts";
import type { Engine } from "../deliveries/engine.worker.ts";
import type { LeasedDelivery } from "../deliveries/queue.ts";
import { pendingPart } from "../deliveries/queue.store.ts";

/**
 * The maximum time between the ids of an event and its deliveries, for any firing time and any clock of the node. An
 * event's deliveries are therefore found by a range of ids, and leave the log with it.
 */
export const EVENT_SPREAD_MS = 60_000;

export interface PlanDeps {
  readonly ids: IdMaker;
  /** Null in a process that only accepts events: all deliveries are left to the workers. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
  readonly signals: Signals;
}

/** Plans one delivery for each endpoint whose filter selects the event, leased to this process while it has room. */
export function createDeliveryPlans(
  deps: PlanDeps,
): Pick<DeliverySubscriber, "endpointsFor" | "plan" | "part" | "committed"> {
  return {
    endpointsFor: (event, found) =>
      found
        .map(activeEndpoint)
        .filter((endpoint) => !isItsOwnNews(endpoint, event))
        .map(({ id }) => id),
    plan(events, foundOf) {
      const listeners = listenersOf(foundOf);
      assertFewDeliveries(events, listeners);
      const promised = new Map<Uuid, number>();
      return (event, isHeld) =>
        listeners(event)
          .filter((endpoint) => !isItsOwnNews(endpoint, event))
          .map((endpoint) => plannedOf(deps, event, endpoint, { isHeld, promised }));
    },
    part(commits) {
      const rows = commits.flatMap(({ event, request, deliveries }) =>
        deliveries.map((delivery) => ({ event, request, delivery })),
      );
      if (rows.length === 0) return undefined;
      return pendingPart(rows, { leaseId: deps.engine?.leaseId ?? deps.ids.uuid(), leaseSeconds: LEASE_SECONDS });
    },
    committed(commits) {
      const tags = commits.flatMap(({ event, deliveries }) => deliveries.map(() => event.scope.tag));
      if (tags.length > 0) deps.signals.deliveriesMade(tags);
      handOver(deps, commits);
    },
  };
}

/** Refuses too many deliveries before any is planned. If several calls share a batch, the batcher then divides it. */
function assertFewDeliveries(events: readonly Event[], listeners: (event: Event) => readonly unknown[]): void {
  const planned = events.reduce((sum, event) => sum + listeners(event).length, 0);
  if (planned <= MOST_DELIVERIES) return;
  const detail = `One call can create at most ${MOST_DELIVERIES} deliveries, one for each event and subscribed endpoint. This call would create more. Send fewer events at a time.`;
  throw new ServiceError("validation_failed", { detail });
}

/**
 * Returns a function that gives the endpoints of an event, oldest first. They are read once for all events of a name.
 */
function listenersOf(foundOf: (event: Event) => readonly string[]): (event: Event) => readonly ActiveEndpoint[] {
  const known = new Map<string, readonly ActiveEndpoint[]>();
  return (event) => {
    const key = `${event.scope.tag} ${event.name}`;
    const found = known.get(key) ?? foundOf(event).map(activeEndpoint).toSorted(byId);
    known.set(key, found);
    return found;
  };
}

function byId(a: ActiveEndpoint, b: ActiveEndpoint): number {
  return a.id < b.id ? -1 : 1;
}

/**
 * Returns true if the event is about the endpoint. Such an event cannot go to it, because its own failure would create
 * the next event.
 */
function isItsOwnNews(endpoint: ActiveEndpoint, event: MatchedEvent): boolean {
  return isSystem(event.name) && event.subject === wireId("ep", event.scope.tag, endpoint.id);
}

function plannedOf(
  { ids, engine }: PlanDeps,
  event: Event,
  endpoint: ActiveEndpoint,
  { isHeld, promised }: { readonly isHeld: boolean; readonly promised: Map<Uuid, number> },
): PlannedDelivery {
  const id = uuidAfter(ids, event.id, EVENT_SPREAD_MS);
  const { id: endpointId, max_in_flight: maxInFlight, rate_limit_per_second: rate } = endpoint;
  const isPaced = rate !== null;
  const initialState = isHeld
    ? "held"
    : isTaken(engine, { endpointId, maxInFlight, isPaced }, promised)
      ? "leased"
      : "due";
  return { id, endpointId, maxInFlight, isPaced, initialState };
}

/**
 * Returns true if this process sends an endpoint's next delivery itself. `promised` counts deliveries that it has not
 * received yet.
 */
export function isTaken(
  engine: Engine | null,
  { endpointId, maxInFlight, isPaced }: Pick<PlannedDelivery, "endpointId" | "maxInFlight" | "isPaced">,
  promised: Map<Uuid, number>,
): boolean {
  // The database decides the order of a paced endpoint for all nodes.
  if (engine === null || isPaced) return false;
  const already = promised.get(endpointId) ?? 0;
  if (engine.room(endpointId, maxInFlight) <= already) return false;
  promised.set(endpointId, already + 1);
  return true;
}

function handOver({ engine, wakeAll }: PlanDeps, commits: readonly EventCommit[]): void {
  const leasedUntilMs = engine?.leaseEndMs() ?? 0;
  let isDue = false;
  for (const { event, deliveries } of commits) {
    for (const { id, endpointId, maxInFlight, initialState } of deliveries) {
      isDue ||= initialState === "due";
      if (initialState === "leased") engine?.push(workOf(event, { id, endpointId, leasedUntilMs }), maxInFlight);
    }
  }
  if (isDue) wakeAll();
}

/** Returns the first attempt of a delivery that this process has just leased. */
export function workOf(
  event: Pick<Event, "scope" | "id" | "name" | "data" | "occurredAt" | "traceparent">,
  delivery: { readonly id: Uuid; readonly endpointId: Uuid; readonly leasedUntilMs: number },
): LeasedDelivery {
  const { bucket, tag } = event.scope;
  return {
    bucket,
    tag,
    deliveryId: delivery.id,
    eventId: event.id,
    eventName: event.name,
    occurredAt: event.occurredAt,
    traceparent: event.traceparent,
    data: event.data,
    endpointId: delivery.endpointId,
    attemptCount: 0,
    trigger: "ladder",
    restingState: null,
    leasedUntilMs: delivery.leasedUntilMs,
  };
}
