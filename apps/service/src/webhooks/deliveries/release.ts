import type { CommitPart, Db } from "../../platform/db/db.ts";
import type { Event, PlannedDelivery, Releasable } from "../../events/events.ts";
import type { Uuid } from "../../lib/lib.ts";
import { LEASE_SECONDS } from "./engine.worker.ts";
import type { Engine } from "./engine.worker.ts";
import { isPulled } from "../endpoints/kind.ts";
import { hand, isTaken } from "./delivery-plans.ts";
import type { PlanDeps } from "./delivery-plans.ts";
import { releaseEventsPart, releasePart } from "./queue.store.ts";
import type { Released } from "./queue.store.ts";

export interface ReleaseDeps extends Pick<PlanDeps, "ids" | "engine" | "wakeAll" | "numberSoon"> {
  readonly db: Db;
}

/**
 * Releases the held deliveries of events, in one statement with `ended`. Deliveries that this process has room for are
 * leased to it and sent from memory. The others are due, and any node can claim them.
 */
export async function release(deps: ReleaseDeps, events: readonly Releasable[], ended: CommitPart): Promise<void> {
  const { db, engine } = deps;
  const known = knownOf(engine, events);
  const unknown = events.filter(({ deliveries }) => deliveries === undefined);
  const rows = await db.commit<{ id: Uuid }>(
    [
      releasePart(known, { leaseId: engine?.leaseId ?? deps.ids.uuid(), leaseSeconds: LEASE_SECONDS }),
      ...(unknown.length === 0 ? [] : [releaseEventsPart(unknown.map(({ event }) => event))]),
      ended,
    ],
    "select id from released where leased",
  );
  if (engine !== null) send(engine, known, new Set(rows.map((row) => row.id)));
  const [pulled, sent] = partition(known);
  const keys = new Map(
    pulled.map(({ event: { scope }, delivery: { endpointId } }) => [endpointId, { ...scope, endpointId }]),
  );
  for (const key of keys.values()) deps.numberSoon(key);
  if (unknown.length > 0 || sent.some(({ leased }) => !leased)) deps.wakeAll();
}

interface PlannedRelease extends Released {
  readonly event: Event;
  readonly delivery: PlannedDelivery;
}

function partition(known: readonly PlannedRelease[]): [pulled: PlannedRelease[], sent: PlannedRelease[]] {
  const groups = Map.groupBy(known, ({ delivery }) => isPulled(delivery));
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}

function knownOf(engine: Engine | null, events: readonly Releasable[]): PlannedRelease[] {
  const promised = new Map<Uuid, number>();
  const known = events.flatMap(({ event, deliveries = [] }) =>
    deliveries.map((delivery): PlannedRelease => ({
      event,
      delivery,
      leased: delivery.lane === null && isTaken(engine, event.scope.tag, delivery, promised),
    })),
  );
  if (!known.some(({ delivery }) => delivery.lane !== null)) return known;
  // Everything that locks deliveries of lanes does it in this order.
  return known.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
}

function send(engine: Engine, known: readonly PlannedRelease[], leased: ReadonlySet<Uuid>): void {
  const leasedUntilMs = engine.leaseEndMs();
  for (const { event, delivery } of known) if (leased.has(delivery.id)) hand(engine, event, delivery, leasedUntilMs);
}
