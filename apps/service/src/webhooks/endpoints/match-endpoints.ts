import type { DeliverySubscriber, Event, EventCommit, PlannedDelivery } from "../../events/events.ts";
import { uuidAfter } from "../../lib/lib.ts";
import type { Clock, IdMaker, Tag, Uuid } from "../../lib/lib.ts";
import type { FilteredSignal, Signals } from "../../platform/telemetry/telemetry.ts";
import type { ActiveEndpoint, ListenerGroup } from "./listeners.store.ts";
import { createFilters } from "./filters.ts";
import { endpointsFor, recipientsOf, selectAll } from "./select-endpoints.ts";
import type { Selection } from "./select-endpoints.ts";
import { LEASE_SECONDS } from "../deliveries/engine.worker.ts";
import type { Engine } from "../deliveries/engine.worker.ts";
import { leasedData } from "../deliveries/event-data.ts";
import type { LeasedDelivery } from "../deliveries/queue.ts";
import { pendingPart } from "../deliveries/queue.store.ts";

/**
 * The maximum time between the ids of an event and its deliveries, for any firing time and any clock of the node. An
 * event's deliveries are therefore found by a range of ids, and leave the log with it.
 */
export const EVENT_SPREAD_MS = 60_000;

export interface PlanDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** Null in a process that only accepts events: all deliveries are left to the workers. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
  readonly signals: Signals;
}

/** Plans one delivery for each endpoint that subscribes to the event and whose filter it passes, leased to this process while it has room. */
export function createDeliveryPlans(
  deps: PlanDeps,
): Pick<DeliverySubscriber, "endpointsFor" | "plan" | "part" | "committed"> {
  const { clock } = deps;
  const filters = createFilters();
  // Belongs to an event that is being committed, and goes with it.
  const selections = new WeakMap<Event, Selection>();
  return {
    endpointsFor: async (event, found) => await endpointsFor({ clock, filters }, event, found),
    async plan(events, foundOf) {
      const selected = await selectAll({ clock, filters }, events, foundOf);
      const promised = new Map<Uuid, number>();
      return (event, isHeld) => {
        const selection = selected.get(event);
        if (selection === undefined) return [];
        selections.set(event, selection);
        const of = { isHeld, promised };
        return [
          ...recipientsOf(selection.passed, event).map((endpoint) => plannedOf(deps, event, endpoint, of)),
          ...recipientsOf(selection.unjudged, event).map((endpoint) =>
            plannedOf(deps, event, endpoint, { ...of, isUnjudged: true }),
          ),
        ];
      };
    },
    part(commits) {
      const rows = commits.flatMap(({ event, request, deliveries }) =>
        deliveries.map((delivery) => ({ event, request, delivery })),
      );
      if (rows.length === 0) return undefined;
      return pendingPart(rows, { leaseId: deps.engine?.leaseId ?? deps.ids.uuid(), leaseSeconds: LEASE_SECONDS });
    },
    committed(commits) {
      const made = commits.flatMap(({ event: { scope }, deliveries }) =>
        deliveries.map(({ tenant }) => ({ tag: scope.tag, tenant })),
      );
      if (made.length > 0) deps.signals.deliveriesMade(made);
      const filtered = filteredOf(commits.map(({ event }) => ({ event, selection: selections.get(event) })));
      if (filtered.length > 0) deps.signals.deliveriesFiltered(filtered);
      handOver(deps, commits);
    },
  };
}

/** Counts the events that the filters of endpoints kept from them, once for each group of endpoints. */
function filteredOf(
  selected: readonly { readonly event: Event; readonly selection: Selection | undefined }[],
): FilteredSignal[] {
  const counts = new Map<ListenerGroup, FilteredSignal & { events: number }>();
  for (const { event, selection } of selected)
    for (const group of selection?.filtered ?? []) {
      const known = counts.get(group);
      if (known === undefined) counts.set(group, { tag: event.scope.tag, events: 1, ...groupSignal(group) });
      else known.events += 1;
    }
  return [...counts.values()];
}

function groupSignal(group: ListenerGroup): Pick<FilteredSignal, "group" | "endpoints" | "endpointIds"> {
  return {
    group: group.text,
    endpoints: group.count,
    endpointIds: () => group.endpoints().map(({ id }) => id),
  };
}

function plannedOf(
  { ids, engine }: PlanDeps,
  event: Event,
  endpoint: ActiveEndpoint,
  {
    isHeld,
    promised,
    isUnjudged = false,
  }: { readonly isHeld: boolean; readonly promised: Map<Uuid, number>; readonly isUnjudged?: boolean },
): PlannedDelivery {
  const id = uuidAfter(ids, event.id, EVENT_SPREAD_MS);
  const { id: endpointId, tenant, max_in_flight: maxInFlight, rate_limit_per_second: rate } = endpoint;
  const isPaced = rate !== null;
  const initialState = isHeld
    ? "held"
    : isTaken(engine, event.scope.tag, { endpointId, maxInFlight, isPaced, isUnjudged }, promised)
      ? "leased"
      : "due";
  return { id, endpointId, tenant, maxInFlight, isPaced, isUnjudged, initialState };
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
  if (engine === null || isPaced || isUnjudged) return false;
  const already = promised.get(endpointId) ?? 0;
  if (engine.room(tag, endpointId, maxInFlight) <= already) return false;
  promised.set(endpointId, already + 1);
  return true;
}

function handOver({ engine, wakeAll }: PlanDeps, commits: readonly EventCommit[]): void {
  const leasedUntilMs = engine?.leaseEndMs() ?? 0;
  let isDue = false;
  for (const { event, deliveries } of commits) {
    for (const { id, endpointId, maxInFlight, initialState } of deliveries) {
      isDue ||= initialState === "due";
      if (initialState === "leased") hand(engine, event, { id, endpointId, leasedUntilMs }, maxInFlight);
    }
  }
  if (isDue) wakeAll();
}

type NewWork = { readonly id: Uuid; readonly endpointId: Uuid; readonly leasedUntilMs: number };

/** Hands the first attempt of a delivery that this process has just leased to the engine. */
export function hand(engine: Engine | null, event: Event, delivery: NewWork, maxInFlight: number): void {
  if (engine === null) return;
  const work = workOf(event, delivery);
  if (work.data === undefined) engine.texts.keep(work, event.data);
  engine.push(work, maxInFlight);
}

function workOf(event: Event, delivery: NewWork): LeasedDelivery {
  const { bucket, tag } = event.scope;
  return {
    bucket,
    tag,
    deliveryId: delivery.id,
    eventId: event.id,
    eventName: event.name,
    occurredAt: event.occurredAt,
    traceparent: event.traceparent,
    tenant: event.tenant,
    ...leasedData(event.data),
    endpointId: delivery.endpointId,
    attemptCount: 0,
    trigger: "ladder",
    restingState: null,
    transformed: false,
    isUnjudged: false,
    leasedUntilMs: delivery.leasedUntilMs,
  };
}
