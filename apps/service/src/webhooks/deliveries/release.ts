import type { CommitPart, Db } from "../../platform/db/db.ts";
import type { DispatchedEvent, HeldDelivery, Releasable } from "../../dispatch/dispatch.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import { LEASE_SECONDS } from "../../deliver/engine.worker.ts";
import type { Engine } from "../../deliver/engine.worker.ts";
import { isTaken, workOf } from "../../deliver/plan.ts";
import { releaseEventsPart, releasePart } from "./queue.store.ts";
import type { Released } from "./queue.store.ts";

export interface ReleaseDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  /** Null in a process that only accepts. */
  readonly engine: Engine | null;
  readonly wakeAll: () => void;
}

/**
 * Lets the held deliveries of events go, in one statement with `ended`. Those that this process has room for are leased to it and sent from
 * memory; the others are due, for whoever comes first.
 */
export async function release(deps: ReleaseDeps, events: readonly Releasable[], ended: CommitPart): Promise<void> {
  const { db, engine } = deps;
  const known = knownOf(engine, events);
  const unknown = events.filter(({ deliveries }) => deliveries === undefined);
  const rows = await db.commit<{ id: Uuid }>(
    [
      releasePart(known, engine?.leaseId ?? deps.ids.uuid(), LEASE_SECONDS),
      ...(unknown.length === 0 ? [] : [releaseEventsPart(unknown.map(releasedEvent))]),
      ended,
    ],
    "select id from released where leased",
  );
  if (engine !== null) send(engine, known, new Set(rows.map((row) => row.id)));
  if (unknown.length > 0 || known.some(({ leased }) => !leased)) deps.wakeAll();
}

interface Known extends Released {
  readonly event: DispatchedEvent;
  readonly delivery: HeldDelivery;
}

function knownOf(engine: Engine | null, events: readonly Releasable[]): Known[] {
  const promised = new Map<Uuid, number>();
  return events.flatMap(({ event, deliveries = [] }) =>
    deliveries.map((delivery): Known => {
      const { bucket, tag } = event.scope;
      const leased = isTaken(engine, { ...delivery, id: delivery.endpointId }, promised);
      return { bucket, tag, id: delivery.id, leased, event, delivery };
    }),
  );
}

function send(engine: Engine, known: readonly Known[], leased: ReadonlySet<Uuid>): void {
  const leasedUntilMs = engine.leaseEndMs();
  for (const { id, event, delivery } of known) {
    if (!leased.has(id)) continue;
    engine.push(workOf(event, { id, endpointId: delivery.endpointId, leasedUntilMs }), delivery.maxInFlight);
  }
}

function releasedEvent({ event }: Releasable) {
  const { bucket, tag } = event.scope;
  return { bucket, tag, eventId: event.id };
}
