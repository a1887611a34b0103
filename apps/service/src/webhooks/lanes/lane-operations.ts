import type { Db } from "../../platform/db/db.ts";
import { paginateByName, ServiceError, timeText, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Page, t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { MOST_ATTEMPTS } from "../deliveries/retry-schedule.ts";
import { storedEndpoint } from "../endpoints/endpoint.ts";
import { headOf, headsOf, retryHeads, skipHeads } from "./lane-heads.store.ts";
import type { HeadRow } from "./lane-heads.store.ts";
import { listLanes } from "./lanes.store.ts";
import { lockLanes, orderedKeyOf } from "../endpoints/ordered-endpoints.store.ts";
import type { LaneRow } from "./lanes.store.ts";
import type { Lanes } from "../endpoints/ordering.ts";
import type * as shapes from "./lanes.schemas.ts";

export type LaneView = t.Static<typeof shapes.LaneListView>["data"][number];

export type LaneListQuery = t.Static<typeof shapes.LaneListQuery>;

/** One lane, or all of an endpoint. */
export type LaneChoice = { readonly key: string } | { readonly all: true };

/** The operations of people on the lanes of an ordered endpoint (contract, section 14). */
export type LaneOperations = ReturnType<typeof createLaneOperations>;

export interface LaneOperationsDeps {
  readonly db: Db;
  readonly lanes: Pick<Lanes, "ended">;
  readonly wakeAll: () => void;
}

export function createLaneOperations(deps: LaneOperationsDeps) {
  const { db } = deps;
  return {
    /** Returns the lanes that hold deliveries, by their keys. */
    async lanes(scope: Scope, id: string, { blocked, ...page }: LaneListQuery): Promise<Page<LaneView>> {
      const row = await storedEndpoint(deps, scope, id);
      return await paginateByName(page, {
        binding: [scope.tag, "lanes", row.id, blocked ?? null],
        read: async (after, count) => await listLanes(db.query, orderedKeyOf(row), { after, blocked }, count),
        nameOf: ({ key }) => key,
        view: (lanes) => lanes.map((lane) => laneView(scope, lane)),
      });
    },
    /**
     * Sends the delivery that each lane waits for now. Throws 404 for a key that holds nothing, and 409 while the delivery is being sent, if it
     * cannot be sent, and for an inactive endpoint.
     */
    async retryLanes(scope: Scope, id: string, choice: LaneChoice): Promise<{ count: number }> {
      const row = await storedEndpoint(deps, scope, id);
      if (!row.active)
        throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then retry." });
      const key = keyIn(choice);
      return await db.transaction(async (tx) => {
        await lockLanes(tx, row, [row.id]);
        if (key !== undefined) assertRetriable(free(await headOf(tx, orderedKeyOf(row), key)));
        tx.onCommit(deps.wakeAll);
        const count = await retryHeads(tx, orderedKeyOf(row), await headsOf(tx, orderedKeyOf(row), key));
        // The retry of a named lane that is due already is sent as soon as possible too.
        return { count: key === undefined ? count : 1 };
      });
    },
    /** Cancels it, so that the next one is sent. Throws 404 and 409 as `retryLanes` does. */
    async skipLanes(scope: Scope, id: string, choice: LaneChoice): Promise<{ count: number }> {
      const row = await storedEndpoint(deps, scope, id);
      const key = keyIn(choice);
      return await db.transaction(async (tx) => {
        await lockLanes(tx, row, [row.id]);
        if (key !== undefined) free(await headOf(tx, orderedKeyOf(row), key));
        const heads = await headsOf(tx, orderedKeyOf(row), key);
        const skipped = await skipHeads(tx, orderedKeyOf(row), heads, key === undefined ? "tried" : "all");
        tx.onCommit(() => {
          for (const head of heads) if (skipped.has(head.head_id)) deps.lanes.ended(orderedKeyOf(row), head.key);
        });
        return { count: skipped.size };
      });
    },
  };
}

function keyIn(choice: LaneChoice): string | undefined {
  return "key" in choice ? choice.key : undefined;
}

function free(head: HeadRow | undefined): HeadRow {
  if (head === undefined)
    throw new ServiceError("not_found", { detail: "No deliveries wait in a lane with this key. List the lanes." });
  if (head.is_leased)
    throw new ServiceError("conflict", {
      detail: "The delivery at the head of the lane is being sent. Wait for the result of its attempt.",
    });
  return head;
}

function assertRetriable(head: HeadRow): void {
  if (head.is_held)
    throw new ServiceError("conflict", {
      detail: "The delivery waits for earlier stages of its event, and is sent as soon as they have ended.",
    });
  if (!head.has_failed) return;
  if (head.attempt_count >= MOST_ATTEMPTS)
    throw new ServiceError("conflict", {
      detail: `The delivery has had ${head.attempt_count} attempts; the limit is ${MOST_ATTEMPTS}. Skip it.`,
    });
  if (!head.has_event)
    throw new ServiceError("conflict", { detail: "The event of this delivery is no longer kept. Skip it." });
}

function laneView(scope: Scope, row: LaneRow): LaneView {
  return {
    object: "lane",
    key: row.key,
    waiting: row.waiting,
    oldest_waiting_at: row.oldest_id === null ? null : toRfc3339(uuidTime(row.oldest_id)),
    blocked_since: timeText(row.blocked_at),
    head: {
      delivery_id: wireId("dlv", scope.tag, row.head_id),
      state: row.head_state,
      attempt_count: row.attempt_count,
      last_status_code: row.last_status_code,
      last_error_class: row.last_error_class,
      next_attempt_at: timeText(row.next_attempt_at),
    },
  };
}
