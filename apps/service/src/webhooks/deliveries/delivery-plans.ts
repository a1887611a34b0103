import type { DeliveryPlan, DeliverySubscriber, Event, PlannedDelivery, PlannedEvent } from "../../events/events.ts";
import { uuidAfter } from "../../lib/lib.ts";
import type { Clock, IdMaker, Tag, Uuid } from "../../lib/lib.ts";
import type { FilteredSignal, Signals } from "../../platform/telemetry/telemetry.ts";
import type { ActiveEndpoint, ListenerGroup } from "../endpoints/listeners.store.ts";
import { createFilters } from "../endpoints/filters.ts";
import { endpointsFor, recipientsOf, selectAll } from "../endpoints/select-endpoints.ts";
import type { Selection } from "../endpoints/select-endpoints.ts";
import { LEASE_SECONDS } from "./engine.worker.ts";
import type { Engine } from "./engine.worker.ts";
import { leasedData } from "./event-data.ts";
import type { LeasedDelivery } from "./queue.ts";
import { isPulled } from "../endpoints/kind.ts";
import { pendingParts } from "./pending-parts.store.ts";
import type { Lanes } from "../endpoints/ordering.ts";
import type { TargetKey } from "../endpoints/targets.ts";

/**
 * The maximum time between the ids of an event and its deliveries, for any firing time and any clock of the node. An
 * event's deliveries are therefore found by a range of ids, and leave the log with it.
 */
export const EVENT_SPREAD_MS = 60_000;

/** Gives offsets to the messages of a pull endpoint soon. */
export type NumberSoon = (endpoint: TargetKey) => void;

export interface PlanDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** Null in a process that only accepts events: all deliveries are left to the workers. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
  readonly numberSoon: NumberSoon;
  readonly signals: Signals;
  readonly lanes: Pick<Lanes, "place">;
}

/** Plans one delivery for each endpoint that subscribes to the event and whose filter it passes, leased to this process while it has room. */
export function createDeliveryPlans(deps: PlanDeps): Pick<DeliverySubscriber, "endpointsFor" | "plan"> {
  const judging = { clock: deps.clock, filters: createFilters() };
  return {
    endpointsFor: async (event, found) => await endpointsFor(judging, event, found),
    async plan(events, foundOf) {
      const selections = await selectAll(judging, events, foundOf);
      const promised = new Map<Uuid, number>();
      const plan = planOf(deps, (event, isHeld) => {
        const selection = selections.get(event);
        if (selection === undefined) return [];
        const of = { isHeld, promised, lanes: selection.lanes };
        return [
          ...recipientsOf(selection.passed, event).map((endpoint) => plannedOf(deps, event, endpoint, of)),
          ...recipientsOf(selection.unjudged, event).map((endpoint) =>
            plannedOf(deps, event, endpoint, { ...of, isUnjudged: true }),
          ),
        ];
      });
      return {
        ...plan,
        start(written) {
          const filtered = filteredOf(written, selections);
          if (filtered.length > 0) deps.signals.deliveriesFiltered(filtered);
          plan.start(written);
        },
      };
    },
  };
}

/** Returns the plan of the deliveries that `of` gives. */
export function planOf(deps: PlanDeps, of: DeliveryPlan["of"]): DeliveryPlan {
  return {
    of,
    insert(events) {
      const rows = events.flatMap(({ event, request, deliveries }) =>
        deliveries.map((delivery) => ({ event, request, delivery })),
      );
      if (rows.length === 0) return [];
      return pendingParts(rows, { leaseId: deps.engine?.leaseId ?? deps.ids.uuid(), leaseSeconds: LEASE_SECONDS });
    },
    start(written) {
      const made = written.flatMap(({ event: { scope }, deliveries }) =>
        deliveries.map(({ tenant }) => ({ tag: scope.tag, tenant })),
      );
      if (made.length > 0) deps.signals.deliveriesMade(made);
      handOver(deps, written);
    },
  };
}

/** Counts the events that the filters of endpoints kept from them, once for each group of endpoints. */
function filteredOf(written: readonly PlannedEvent[], selections: ReadonlyMap<Event, Selection>): FilteredSignal[] {
  const counts = new Map<ListenerGroup, FilteredSignal & { events: number }>();
  for (const { event } of written)
    for (const group of selections.get(event)?.filtered ?? []) {
      const known = counts.get(group);
      if (known === undefined) counts.set(group, filteredSignal(event, group));
      else known.events += 1;
    }
  return [...counts.values()];
}

function filteredSignal({ scope }: Event, group: ListenerGroup): FilteredSignal & { events: number } {
  return {
    tag: scope.tag,
    events: 1,
    group: group.text,
    endpoints: group.count,
    endpointIds: () => group.endpoints().map(({ id }) => id),
  };
}

export function plannedOf(
  { ids, engine }: Pick<PlanDeps, "ids" | "engine">,
  event: Event,
  endpoint: ActiveEndpoint,
  {
    isHeld,
    promised,
    isUnjudged = false,
    lanes,
  }: {
    readonly isHeld: boolean;
    readonly promised: Map<Uuid, number>;
    readonly isUnjudged?: boolean;
    readonly lanes: Selection["lanes"];
  },
): PlannedDelivery {
  const id = uuidAfter(ids, event.id, EVENT_SPREAD_MS);
  const { id: endpointId, tenant, max_in_flight: maxInFlight } = endpoint;
  const isPaced = endpoint.rate_limit_per_second !== null;
  const lane = endpoint.ordering_key === null ? null : (lanes.get(endpoint.ordering_key)?.(endpointId) ?? null);
  const isOurs =
    !isHeld &&
    lane === null &&
    isTaken(engine, event.scope.tag, { endpointId, maxInFlight, isPaced, isUnjudged }, promised);
  const initialState = isHeld ? "held" : isOurs ? "leased" : "due";
  return { id, endpointId, tenant, maxInFlight, isPaced, isUnjudged, lane, initialState };
}

/**
 * Returns true if this process sends an endpoint's next delivery itself. `promised` counts deliveries that it has not
 * received yet.
 */
export function isTaken(
  engine: Engine | null,
  tag: Tag,
  {
    endpointId,
    maxInFlight,
    isPaced,
    isUnjudged,
  }: Pick<PlannedDelivery, "endpointId" | "maxInFlight" | "isPaced" | "isUnjudged">,
  promised: Map<Uuid, number>,
): boolean {
  // The database decides the order of a paced endpoint for all nodes.
  if (engine === null || isPaced || isUnjudged || isPulled({ maxInFlight })) return false;
  const already = promised.get(endpointId) ?? 0;
  if (engine.room(tag, endpointId, maxInFlight) <= already) return false;
  promised.set(endpointId, already + 1);
  return true;
}

function handOver(deps: PlanDeps, written: readonly PlannedEvent[]): void {
  const leasedUntilMs = deps.engine?.leaseEndMs() ?? 0;
  const pulled = new Map<Uuid, TargetKey>();
  const ways = new Set<Way>();
  for (const { event, deliveries } of written)
    for (const delivery of deliveries) {
      const { endpointId } = delivery;
      const way = wayOf(deps.engine, delivery);
      ways.add(way);
      if (way === "lane") deps.lanes.place({ ...event.scope, endpointId });
      if (way === "pulled") pulled.set(endpointId, { ...event.scope, endpointId });
      if (way === "leased") hand(deps.engine, event, delivery, leasedUntilMs);
    }
  pulled.forEach((key) => deps.numberSoon(key));
  wakeFor(deps, ways);
}

function wakeFor({ engine, wakeAll }: PlanDeps, ways: ReadonlySet<Way>): void {
  if (ways.has("due")) wakeAll();
  if (ways.has("hanging")) engine?.hangingDue();
}

type Way = PlannedDelivery["initialState"] | "hanging" | "lane" | "pulled";

/** Returns what happens to a new delivery after its commit. */
function wayOf(engine: Engine | null, delivery: PlannedDelivery): Way {
  if (delivery.lane !== null) return "lane";
  if (delivery.initialState !== "due") return delivery.initialState;
  if (isPulled(delivery)) return "pulled";
  return engine?.hangs(delivery.endpointId) === true ? "hanging" : "due";
}

/** Hands the first attempt of a delivery that this process has just leased to the engine. */
export function hand(
  engine: Engine | null,
  event: Event,
  { id, endpointId, maxInFlight }: PlannedDelivery,
  leasedUntilMs: number,
): void {
  if (engine === null) return;
  const { bucket, tag } = event.scope;
  const work: LeasedDelivery = {
    bucket,
    tag,
    deliveryId: id,
    eventId: event.id,
    eventName: event.name,
    occurredAt: event.occurredAt,
    traceparent: event.traceparent,
    tenant: event.tenant,
    subject: event.subject,
    ...leasedData(event.data),
    endpointId,
    attemptCount: 0,
    trigger: "ladder",
    restingState: null,
    transformed: false,
    isUnjudged: false,
    lane: null,
    leasedUntilMs,
  };
  if (work.data === undefined) engine.texts.keep(work, event.data);
  engine.push(work, maxInFlight);
}
