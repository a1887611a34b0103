import type { Db } from "../db/db.ts";
import type { DeliverySubscriber } from "../dispatch/dispatch.ts";
import { after, decodeCursor, floorOf, pageOf, ServiceError, uuidFloor, uuidTime } from "../kernel/kernel.ts";
import type { Clock, IdMaker, Page, Sealer, Uuid } from "../kernel/kernel.ts";
import type { Net } from "../net/net.ts";
import type { Log, Signals } from "../telemetry/telemetry.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { createClaimer } from "./claim.worker.ts";
import { attemptsOf, cancelPending, findDelivery, listDeliveries, oldestDueAge, pendingEstimate, reopen } from "./deliveries.store.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { createEndpoints } from "./endpoints.ts";
import type { Endpoints } from "./endpoints.ts";
import { findEndpoint } from "./endpoints.store.ts";
import { createEngine } from "./engine.worker.ts";
import type { Engine, SystemEvent } from "./engine.worker.ts";
import type { Ladder } from "./ladder.ts";
import { planDeliveries } from "./plan.ts";
import { releaseHeld } from "./queue.store.ts";
import { createReplayer } from "./replay.worker.ts";
import { requestAsSent } from "./request-view.ts";
import type { RequestView } from "./request-view.ts";
import { createTargets } from "./targets.ts";
import { attemptView, deliveryView } from "./views.ts";
import type { AttemptView, DeliveryView } from "./views.ts";

export type { Ladder } from "./ladder.ts";
export type { SystemEvent } from "./engine.worker.ts";
export type { AttemptView, DeliveryView, EndpointView } from "./views.ts";
export type { EndpointInput, Endpoints, WithSecret } from "./endpoints.ts";
export { signedRequest, bodyBeforeSignature } from "./envelope.ts";
export type { Message, SignedRequest } from "./envelope.ts";
export { snippet } from "./attempt.ts";
export { deliverRoutes } from "./deliver.routes.ts";

export interface DeliveryQuery {
  readonly state?: string;
  readonly endpoint_id?: string;
  readonly event?: string;
  readonly status_code?: number;
  readonly created_after?: string;
  readonly created_before?: string;
  /** A delivery's or event's id, or an event name. */
  readonly q?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Deliver extends DeliverySubscriber {
  readonly endpoints: Endpoints;
  list(scope: Scope, query: DeliveryQuery): Promise<Page<DeliveryView>>;
  get(scope: Scope, id: string): Promise<DeliveryView & { readonly request: RequestView | null }>;
  attempts(scope: Scope, id: string): Promise<AttemptView[]>;
  /** One more attempt of a finished delivery, due at once. Throws 409 `conflict` when it is waiting, cancelled, or its endpoint is inactive. */
  replay(scope: Scope, id: string): Promise<DeliveryView>;
  cancel(scope: Scope, id: string): Promise<DeliveryView>;
  /** The deliveries of one event. */
  ofEvent(scope: Scope, eventId: Uuid): Promise<DeliveryView[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  stats(): { waiting: number; inFlight: number };
  oldestDueAgeSeconds(): Promise<number>;
  pendingDeliveries(): Promise<number>;
}

export interface DeliverDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly log: Log;
  readonly signals: Signals;
  readonly ladder: Ladder;
  /** False in a process that only accepts. */
  readonly works: boolean;
  readonly emit: SystemEvent;
}

const CHANNEL = "junction_due";
/** A delivery is made with its event, so its id lies within this of the event's. */
const EVENT_SPREAD_MS = 60_000;

export function createDeliver(deps: DeliverDeps): Deliver {
  const { db, clock } = deps;
  const targets = createTargets(deps);
  const engine: Engine | null = deps.works ? createEngine({ ...deps, targets }) : null;
  const claimer = engine === null ? null : createClaimer({ db, clock, engine, log: deps.log });
  const wakeAll = (): void => {
    claimer?.wake();
    db.notify(CHANNEL).catch((error: unknown) => deps.log.warn({ err: error }, "other nodes could not be woken; they look by themselves"));
  };
  const replayer = createReplayer({ ...deps, wakeAll });
  const endpoints = createEndpoints({ ...deps, wakeAll, startReplay: replayer.start });
  let unlisten: (() => Promise<void>) | undefined;

  async function existing(scope: Scope, id: string): Promise<DeliveryRow> {
    const row = await findDelivery(db.query, scope, ownUuid(scope, "dlv", id));
    if (row === undefined) throw new ServiceError("not_found");
    return row;
  }

  return {
    endpoints,
    plan: async (events, held) => await planDeliveries({ db, ids: deps.ids, engine, wakeAll }, events, held),
    async release(scope, eventId) {
      await releaseHeld(db, scope, eventId, uuidFloor(after(uuidTime(eventId), EVENT_SPREAD_MS)));
      wakeAll();
    },
    list: async (scope, query) => await list(db, scope, query),
    async get(scope, id) {
      const row = await existing(scope, id);
      return { ...deliveryView(scope, row), request: await requestAsSent(deps, scope, row) };
    },
    async attempts(scope, id) {
      const row = await existing(scope, id);
      return (await attemptsOf(db.query, scope, row.id)).map((attempt) => attemptView(scope, attempt));
    },
    async replay(scope, id) {
      const row = await existing(scope, id);
      return await db.transaction(async (tx) => {
        await refuseReplay(deps, scope, row);
        const reopened = await reopen(tx, scope, row.id);
        if (reopened === undefined) throw new ServiceError("conflict", { detail: "The delivery is already being sent." });
        tx.onCommit(wakeAll);
        return deliveryView(scope, reopened);
      });
    },
    async cancel(scope, id) {
      const row = await existing(scope, id);
      const ended = await db.transaction(async (tx) => await cancelPending(tx, scope, { id: row.id }));
      if (ended === 0) throw new ServiceError("conflict", { detail: `Only a pending delivery can be cancelled; this one is ${row.state}.` });
      return deliveryView(scope, await existing(scope, id));
    },
    async ofEvent(scope, eventId) {
      const to = uuidFloor(after(uuidTime(eventId), EVENT_SPREAD_MS));
      const rows = await listDeliveries(db.query, scope, { eventId, from: eventId, to }, 1000);
      return rows.map((row) => deliveryView(scope, row)).toReversed();
    },
    async start() {
      if (claimer === null) return;
      unlisten = await db.listen(CHANNEL, () => claimer.wake());
      claimer.start();
      replayer.resume();
    },
    async stop() {
      await unlisten?.();
      await replayer.stop();
      await claimer?.stop();
      await engine?.stop();
    },
    stats: () => engine?.stats() ?? { waiting: 0, inFlight: 0 },
    oldestDueAgeSeconds: async () => await oldestDueAge(db.query),
    pendingDeliveries: async () => await pendingEstimate(db.query),
  };
}

async function list(db: Db, scope: Scope, query: DeliveryQuery): Promise<Page<DeliveryView>> {
  const { limit = 20, cursor, ...filters } = query;
  const binding = [scope.tag, "deliveries", filters];
  const rows = await listDeliveries(db.query, scope, {
    state: filters.state,
    endpointId: filters.endpoint_id === undefined ? undefined : ownUuid(scope, "ep", filters.endpoint_id),
    event: filters.event,
    statusCode: filters.status_code,
    from: floorOf(filters.created_after, "created_after"),
    to: floorOf(filters.created_before, "created_before"),
    before: decodeCursor(cursor, binding),
    ...searched(scope, filters.q),
  }, limit + 1);
  return pageOf(rows, limit, binding, (row) => deliveryView(scope, row));
}

function searched(scope: Scope, q: string | undefined): { id?: Uuid; eventId?: Uuid; event?: string } {
  if (q === undefined) return {};
  if (q.startsWith("dlv_")) return { id: ownUuid(scope, "dlv", q) };
  if (q.startsWith("evt_")) return { eventId: ownUuid(scope, "evt", q) };
  return { event: q };
}

async function refuseReplay(deps: DeliverDeps, scope: Scope, row: DeliveryRow): Promise<void> {
  if (row.state === "pending") throw new ServiceError("conflict", { detail: "A pending delivery is retried by itself." });
  if (row.state === "cancelled") throw new ServiceError("conflict", { detail: "A cancelled delivery is not sent again. Refire its event instead." });
  const endpoint = await findEndpoint(deps.db.query, scope, row.endpoint_id);
  if (endpoint?.active !== true) throw new ServiceError("conflict", { detail: "The endpoint is inactive or deleted. Activate it, then replay." });
}
