import type { Db } from "../../platform/db/db.ts";
import {
  environmentOf,
  orNotFound,
  paginate,
  parseTimestamp,
  ServiceError,
  timeText,
  toDate,
  toRfc3339,
  uuidTime,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Page, t } from "../../lib/lib.ts";
import { ownUuid, scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { filterOf, ofCaller } from "./delivery-filter.ts";
import type { Replayer } from "./replay.worker.ts";
import { cancelReplayJob, countMatching, findReplayJob, listReplayJobs } from "./replays.store.ts";
import type { Matching, ReplayedState, ReplayJobRow } from "./replays.store.ts";
import type { RestingState } from "./queue.ts";
import type * as shapes from "./replays.schemas.ts";

export type ReplayInput = Omit<t.Static<typeof shapes.ReplayBody>, "dry_run">;

export type ReplayView = t.Static<typeof shapes.ReplayView>;

/** Replays many deliveries at once. Replays are counted first, monitored while they run, and can be stopped. */
export type Replays = ReturnType<typeof createReplays>;

export interface ReplaysDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly replayer: Pick<Replayer, "start">;
}

const MOST_COUNTED = 100_000;

export function createReplays({ db, clock, replayer }: ReplaysDeps) {
  /** Counts one more than is shown, which distinguishes a capped number from an equal one. */
  async function count(scope: Scope, input: ReplayInput): Promise<{ matching: Matching; total: number }> {
    const matching = matchingOf(scope, input);
    return { matching, total: await countMatching(db.query, matching, MOST_COUNTED + 1) };
  }

  return {
    async count(scope: Scope, input: ReplayInput): Promise<{ count: number; capped: boolean }> {
      const { total } = await count(scope, input);
      return { count: shownCount(total), capped: isCapped(total) };
    },
    async create(scope: Scope, input: ReplayInput): Promise<ReplayView> {
      const { matching, total } = await count(scope, input);
      const { filter, ids } = matching;
      const isAnew = input.retransform === true;
      return replayView(scope, await replayer.start({ scope, filter, ids, total, isAnew }));
    },
    list: async (
      scope: Scope,
      page: { readonly limit?: number; readonly cursor?: string },
    ): Promise<Page<ReplayView>> =>
      await paginate(page, {
        binding: [scope.tag, "replays"],
        read: async (before, limit) => await listReplayJobs(db.query, scope, before, limit),
        view: (row) => replayView(scope, row),
      }),
    async get(scope: Scope, id: string): Promise<ReplayView> {
      return replayView(scope, orNotFound(await findReplayJob(db.query, scope, ownUuid(scope, "job", id))));
    },
    /**
     * Cancels the replay. Deliveries that were already started are still sent. Throws 409 `conflict` once the replay has
     * ended.
     */
    async cancel(scope: Scope, id: string): Promise<ReplayView> {
      const uuid = ownUuid(scope, "job", id);
      const row = await cancelReplayJob(db.query, scope, uuid, toDate(clock.now()));
      if (row !== undefined) return replayView(scope, row);
      if ((await findReplayJob(db.query, scope, uuid)) === undefined) throw new ServiceError("not_found");
      throw new ServiceError("conflict", { detail: "The replay has already ended." });
    },
  };
}

function matchingOf(scope: Scope, { filter, delivery_ids: ids }: ReplayInput): Matching {
  if ((filter === undefined) === (ids === undefined)) {
    const message = "must have either filter or delivery_ids";
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/filter", code: "one_of", message }] });
  }
  // Times in a body get 422 at their pointers.
  parseTimestamp(filter?.created_after, "/filter/created_after");
  parseTimestamp(filter?.created_before, "/filter/created_before");
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    filter: ofCaller(scope, { ...filterOf(scope, filter ?? {}), state: stateOf(filter?.state) }),
    ids: ids === undefined ? null : ids.map((id) => ownUuid(scope, "dlv", id)),
  };
}

function stateOf(state: RestingState | "pending" = "failed"): ReplayedState {
  return state === "pending" ? "waiting" : state;
}

function shownCount(total: number): number {
  return Math.min(total, MOST_COUNTED);
}

function isCapped(total: number): boolean {
  return total > MOST_COUNTED;
}

function replayView(scope: Scope, row: ReplayJobRow): ReplayView {
  const endedAt = row.finished_at ?? row.cancelled_at;
  return {
    id: wireId("job", row.tag, row.id),
    object: "replay",
    kind: row.backfill === null ? "replay" : "backfill",
    state: row.cancelled_at === null ? (row.finished_at === null ? "running" : "finished") : "cancelled",
    total: Math.max(shownCount(row.total), row.backfill === null ? 0 : row.done),
    total_capped: isCapped(row.total) || row.backfill?.["isCapped"] === true,
    done: row.done,
    endpoint_id: row.endpoint_id === null ? null : wireId("ep", row.tag, row.endpoint_id),
    ...scopeFields({ ...scope, environment: environmentOf(row.tag) }),
    created_at: toRfc3339(uuidTime(row.id)),
    ended_at: timeText(endedAt),
  };
}
