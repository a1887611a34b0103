import type { Db } from "../../platform/db/db.ts";
import {
  decodeCursor,
  encodeCursor,
  numberAsId,
  numberOfId,
  pageOf,
  paginate,
  orNotFound,
  ServiceError,
} from "../../lib/lib.ts";
import type { Page, PageInput, Uuid, t } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import {
  attemptsOf,
  cancelPending,
  findDelivery,
  hasEvent,
  hurry,
  listDeliveries,
  reopen,
  whatWaits,
} from "./deliveries.store.ts";
import type { DeliveryRow, Waiting } from "./deliveries.store.ts";
import { deliveriesOfEvent } from "./delivery-spans.ts";
import { filterOf } from "./delivery-filter.ts";
import { findAnyEndpoint, waitsOfEndpoint } from "../endpoints/endpoints.store.ts";
import { ownSchedule, waitsInSeconds } from "../endpoints/own-schedule.ts";
import { MOST_ATTEMPTS } from "./retry-schedule.ts";
import type { RetrySchedule } from "../endpoints/own-schedule.ts";
import { lockLanes } from "../endpoints/ordered-endpoints.store.ts";
import type { Lanes } from "../endpoints/ordering.ts";
import { createPayloadSearch } from "./payload-search.ts";
import type { SearchPayloads } from "./payload-search.ts";
import { readPayloadFilter } from "./payload.ts";
import { requestAsSent } from "./request-view.ts";
import type { ViewDeps } from "./request-view.ts";
import { attemptView, deliveryView } from "./delivery-views.ts";
import type { AttemptView, DeliveryView } from "./delivery-views.ts";
import type * as shapes from "./deliveries.schemas.ts";

export type DeliveryQuery = t.Static<typeof shapes.DeliveryListQuery>;

export type DeliveryDetail = t.Static<typeof shapes.DeliveryDetail>;

export interface DeliveryLog {
  list(scope: Scope, query: DeliveryQuery): Promise<Page<DeliveryView>>;
  get(scope: Scope, id: string): Promise<DeliveryDetail>;
  attempts(scope: Scope, id: string, page: PageInput): Promise<Page<AttemptView>>;
  /**
   * Makes one more attempt of an ended delivery, or the waiting retry of a pending one, due at once (contract, section
   * 5). Throws 409 `conflict` if nothing of it waits, it has had 1000 attempts, its event is no longer kept, or its
   * endpoint is inactive. With `isAnew`, the endpoint's transformation of today is run; otherwise the same bytes are
   * sent again.
   */
  replay(scope: Scope, id: string, isAnew: boolean): Promise<DeliveryView>;
  cancel(scope: Scope, id: string): Promise<DeliveryView>;
  /** Returns the newest deliveries of these endpoints, or those of one event. */
  ofEndpoints(
    scope: Scope,
    of: { readonly endpointIds: readonly Uuid[]; readonly eventId: Uuid | undefined },
    limit: number,
  ): Promise<DeliveryView[]>;
  /** Returns the deliveries of one event. */
  ofEvent(scope: Scope, eventId: Uuid): Promise<DeliveryView[]>;
}

export interface LogDeps extends ViewDeps {
  readonly retrySchedule: RetrySchedule;
  readonly wakeAll: () => void;
  readonly lanes: Pick<Lanes, "place" | "ended">;
  /** Called after a delivery of a rule or a workflow has ended. */
  readonly awaited: () => readonly (() => void)[];
}

/** Creates the delivery log with the operations on its deliveries. */
export function createLog(deps: LogDeps): DeliveryLog {
  const { db } = deps;
  const searchPayloads = createPayloadSearch(deps);

  async function existing(scope: Scope, id: string): Promise<DeliveryRow> {
    return orNotFound(await findDelivery(db.query, scope, ownUuid(scope, "dlv", id)));
  }

  return {
    list: async (scope, query) => await list({ db, searchPayloads }, scope, query),
    async get(scope, id) {
      const row = await existing(scope, id);
      const endpoint = await waitsOfEndpoint(db.query, { ...scope, id: row.endpoint_id });
      const own = endpoint === undefined ? null : ownSchedule(endpoint);
      const ladder_seconds = waitsInSeconds(own ?? deps.retrySchedule);
      return { ...deliveryView(scope, row), ...(await requestAsSent(deps, scope, row)), ladder_seconds };
    },
    async ofEndpoints(scope, of, limit) {
      const rows = of.endpointIds.length === 0 ? [] : await listDeliveries(db.query, scope, of, limit);
      return rows.map((row) => deliveryView(scope, row));
    },
    async attempts(scope, id, page) {
      const row = await existing(scope, id);
      return await paginate(page, {
        binding: [scope.tag, "attempts", row.id],
        async read(last, limit) {
          const range = { deliveryId: row.id, after: last === undefined ? 0 : numberOfId(last), limit };
          const attempts = await attemptsOf(db.query, scope, range);
          return attempts.map((attempt) => ({ id: numberAsId(attempt.number), attempt }));
        },
        view: ({ attempt }) => attemptView(scope, attempt),
      });
    },
    async replay(scope, id, isAnew) {
      const row = await existing(scope, id);
      await assertReplayable(db, scope, row);
      return await db.transaction(async (tx) => {
        if (row.lane !== null) await lockLanes(tx, scope, [row.endpoint_id]);
        const sent = (await hurry(tx, scope, row.id, isAnew)) ?? (await reopen(tx, scope, row.id, isAnew));
        if (sent === undefined) {
          const detail = whyNothingWaits(await whatWaits(tx.query, scope, row.id));
          throw new ServiceError("conflict", { detail });
        }
        tx.onCommit(() => advance(deps, row));
        return deliveryView(scope, sent);
      });
    },
    async cancel(scope, id) {
      const row = await existing(scope, id);
      const ended = await db.transaction(async (tx) => {
        for (const notify of deps.awaited()) tx.onCommit(notify);
        if (row.lane !== null) {
          await lockLanes(tx, scope, [row.endpoint_id]);
          tx.onCommit(() => advance(deps, row));
        }
        return await cancelPending(tx.query, scope, row.id);
      });
      if (ended) return deliveryView(scope, await existing(scope, id));
      throw new ServiceError("conflict", { detail: whyNotCancelled(await existing(scope, id)) });
    },
    async ofEvent(scope, eventId) {
      const rows = await deliveriesOfEvent(db.query, scope, eventId);
      return rows.map((row) => deliveryView(scope, row)).toReversed();
    },
  };
}

/** Lets the lane of a delivery that was changed continue, or a worker send it. */
function advance({ lanes, wakeAll }: LogDeps, { bucket, tag, endpoint_id: endpointId, lane }: DeliveryRow): void {
  if (lane !== null) lanes.ended({ bucket, tag, endpointId }, lane);
  wakeAll();
}

async function list(
  { db, searchPayloads }: { readonly db: Db; readonly searchPayloads: SearchPayloads },
  scope: Scope,
  query: DeliveryQuery,
): Promise<Page<DeliveryView>> {
  const { limit = 20, cursor, ...filters } = query;
  // The order in which the query names its filters is not part of them.
  const binding = [scope.tag, "deliveries", Object.entries(filters).toSorted()];
  const filter = { ...filterOf(scope, filters), before: decodeCursor(cursor, binding), ...searched(scope, filters.q) };
  if (filters.payload !== undefined) {
    const payload = readPayloadFilter(filters.payload);
    const { rows, restFrom } = await searchPayloads(scope, { filter, payload, limit });
    const data = rows.map((row) => deliveryView(scope, row));
    const next = restFrom === undefined ? null : encodeCursor(restFrom, binding);
    return { object: "list", data, has_more: next !== null, next_cursor: next };
  }
  const rows = await listDeliveries(db.query, scope, filter, limit + 1);
  return pageOf(rows, limit, binding, (row) => deliveryView(scope, row));
}

function searched(scope: Scope, q: string | undefined): { id?: Uuid; eventId?: Uuid; event?: string } {
  if (q === undefined) return {};
  if (q.startsWith("dlv_")) return { id: ownUuid(scope, "dlv", q) };
  if (q.startsWith("evt_")) return { eventId: ownUuid(scope, "evt", q) };
  return { event: q };
}

const PULLED = "Consumers pull the messages of this endpoint. To pull this one again, seek to its offset or time.";

async function assertReplayable(db: Db, scope: Scope, row: DeliveryRow): Promise<void> {
  if (row.attempt_count >= MOST_ATTEMPTS) {
    const detail = `The delivery has had ${row.attempt_count} attempts; the limit is ${MOST_ATTEMPTS}. Refire its event instead.`;
    throw new ServiceError("conflict", { detail });
  }
  if (!(await hasEvent(db.query, scope, row.event_id)))
    throw new ServiceError("conflict", {
      detail: "The event of this delivery is no longer kept, so nothing can be sent.",
    });
  const endpoint = await findAnyEndpoint(db.query, scope, row.endpoint_id);
  if (endpoint?.kind === "pull" && (row.state === "delivered" || (row.state === "pending" && row.attempt_count === 0)))
    throw new ServiceError("conflict", { detail: PULLED });
  if (endpoint?.active !== true)
    throw new ServiceError("conflict", { detail: "The endpoint is inactive or deleted. Activate it, then replay." });
}

function whyNotCancelled({ state, lane }: DeliveryRow): string {
  if (state !== "pending") return `Only a pending delivery can be cancelled; this one is ${state}.`;
  return lane === null
    ? "The delivery is in the log of its pull endpoint, where its consumers find it. Commit or seek behind it."
    : "The delivery is being sent, and others wait for it in its lane. Cancel it after its attempt.";
}

/** Returns why a delivery has neither ended nor a waiting retry. */
function whyNothingWaits(waiting: Waiting | undefined): string {
  const { is_numbered: isNumbered, in_lane: isInLane, is_leased: isLeased, is_replay: isReplay } = waiting ?? {};
  if (isNumbered === true) return PULLED;
  if (isInLane === true) return "The delivery waits for others in its lane, and is sent after them.";
  if (isLeased === true) return "An attempt of this delivery is running. Wait for its result.";
  if (isReplay === true) return "A replay of this delivery is due already, and is sent as soon as possible.";
  if (waiting?.attempt_count === 0)
    return "The first attempt of this delivery is still to come, and is made automatically.";
  return "The retry of this delivery is due already, and is sent as soon as possible.";
}
