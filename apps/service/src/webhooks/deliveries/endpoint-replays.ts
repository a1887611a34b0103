import {
  createTurns,
  inTurn,
  instant,
  parseTimestamp,
  ServiceError,
  toRfc3339,
  uuidFloor,
  wireId,
} from "../../lib/lib.ts";
import type { Instant, Uuid, Violation, t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { coversEvents, EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { existingEndpoint, storedEndpoint } from "../endpoints/endpoint.ts";
import type { EndpointsDeps } from "../endpoints/endpoint.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import { missedEvents } from "./missed-events.ts";
import type { Missing } from "./missed-events.ts";
import { subscriptionsOf } from "../endpoints/tenant-patterns.ts";
import { ofCaller } from "./delivery-filter.ts";
import { countMatching } from "./replays.store.ts";
import type { Matching } from "./replays.store.ts";
import type { Replayer } from "./replay.worker.ts";
import type * as shapes from "./endpoint-replays.schemas.ts";

export type ReplayFailed = t.Static<typeof shapes.ReplayFailedBody>;

/** The issue of an endpoint whose deliveries are replayed. */
export interface ReplayedIssue {
  readonly endpointId: Uuid;
  readonly since: Instant;
  /** True if transformations failed. They are made again. */
  readonly isOfTransform: boolean;
}

export type BackfillWish = Omit<t.Static<typeof shapes.BackfillBody>, "dry_run">;

/** The number of deliveries that a backfill makes. `capped`: it may be higher. */
export type MissedCount = t.Static<typeof shapes.BackfillCount>;

export type EndpointReplays = ReturnType<typeof createEndpointReplays>;

interface EndpointReplaysDeps extends Pick<EndpointsDeps, "db" | "clock" | "inboxes"> {
  readonly replayer: Pick<Replayer, "start">;
}

const EVERY = 2_000_000_000;
const MOST_COUNTED = 100_000;
const MOST_COUNTING_MS = 5000;
/** The number of backfills of one workspace that one node counts at the same time. */
const MOST_COUNTS = 1;
const PATIENCE_MS = 10_000;
/** The number of subscriptions that an error names. */
const MOST_NAMED = 10;

export function createEndpointReplays(deps: EndpointReplaysDeps) {
  const { db } = deps;
  const turns = createTurns({ most: MOST_COUNTS, patienceMs: PATIENCE_MS, late: tooManyCounts });

  async function failed(
    scope: Scope,
    id: string,
    range: ReplayFailed,
  ): Promise<{ matching: Matching; active: boolean }> {
    const { id: endpointId, active } = await existingEndpoint(deps, scope, id);
    const { bucket, tag } = scope;
    const [from, to] = [bound(range.since, "/since"), bound(range.until, "/until")];
    const withWaiting = range.include_pending;
    const filter = ofCaller(scope, { state: "failed" as const, endpointId, from, to, withWaiting });
    return { matching: { bucket, tag, ids: null, filter }, active };
  }

  const ofIssue = (scope: Scope, { endpointId, since, isOfTransform }: ReplayedIssue): Matching => {
    const cause = { failedSince: toRfc3339(since), isOfTransform };
    const filter = ofCaller(scope, { state: "failed" as const, endpointId, withWaiting: true, ...cause });
    return { bucket: scope.bucket, tag: scope.tag, ids: null, filter };
  };

  return {
    /** Counts the failed deliveries of an issue, and those whose retry waits. */
    countOfIssue: async (scope: Scope, issue: ReplayedIssue): Promise<number> =>
      await countMatching(db.query, ofIssue(scope, issue), EVERY),
    /** Replays them in the background, and returns their number at once. Throws 409 `conflict` for an inactive endpoint. */
    async replayIssue(scope: Scope, issue: ReplayedIssue): Promise<{ count: number; job_id: string }> {
      const { active } = await existingEndpoint(deps, scope, wireId("ep", scope.tag, issue.endpointId));
      if (!active) throw inactive();
      const matching = ofIssue(scope, issue);
      const total = await countMatching(db.query, matching, EVERY);
      const isAnew = issue.isOfTransform;
      const job = await deps.replayer.start({ scope, filter: matching.filter, ids: null, total, isAnew });
      return { count: total, job_id: wireId("job", scope.tag, job.id) };
    },
    /** Counts the failed deliveries of the endpoint in the range. */
    async countFailed(scope: Scope, id: string, range: ReplayFailed): Promise<number> {
      return await countMatching(db.query, (await failed(scope, id, range)).matching, EVERY);
    },
    /** Replays them in the background, and returns their number at once. */
    async replayFailed(scope: Scope, id: string, range: ReplayFailed): Promise<{ count: number; job_id: string }> {
      const { matching, active } = await failed(scope, id, range);
      if (!active) throw inactive();
      const total = await countMatching(db.query, matching, EVERY);
      const isAnew = range.retransform === true;
      const job = await deps.replayer.start({ scope, filter: matching.filter, ids: null, total, isAnew });
      return { count: total, job_id: wireId("job", scope.tag, job.id) };
    },
    /** Counts the stored events of the range that a backfill would send. Throws 422 for events that the endpoint does not subscribe to. */
    async countMissed(scope: Scope, id: string, wish: BackfillWish): Promise<MissedCount> {
      return await inTurn(turns, scope, async () =>
        countView(await countMissed(deps, await missing(deps, scope, id, wish))),
      );
    },
    /** Sends them in the background, and returns their number at once. Throws 409 `conflict` for an inactive endpoint. */
    async backfill(scope: Scope, id: string, wish: BackfillWish): Promise<MissedCount & { job_id: string }> {
      const meant = await missing(deps, scope, id, wish);
      const { row, backfill, after: from, to } = meant;
      if (!row.active)
        throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then backfill." });
      const counted = await inTurn(turns, scope, async () => await countMissed(deps, meant));
      const job = await deps.replayer.start({
        scope,
        filter: { state: "failed", endpointId: row.id, from, to },
        ids: null,
        total: counted.count,
        isAnew: false,
        backfill: { ...backfill, isCapped: counted.isCapped },
      });
      return { ...countView(counted), job_id: wireId("job", scope.tag, job.id) };
    },
  };
}

function inactive(): ServiceError {
  return new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then replay." });
}

type Meant = Omit<Missing, "most">;

async function missing(
  deps: Pick<EndpointsDeps, "db" | "clock">,
  scope: Scope,
  id: string,
  wish: BackfillWish,
): Promise<Meant> {
  const row = await storedEndpoint(deps, scope, id);
  const now = deps.clock.now();
  const from = timeOf(wish.from, "/from");
  const to = wish.to === undefined ? now : timeOf(wish.to, "/to");
  const errors = unsubscribed(row, wish.events ?? []);
  if (from >= to)
    errors.push({ pointer: "/from", code: "range", message: "must be earlier than `to`, which is now by default" });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  const backfill = { events: wish.events ?? null, missingOnly: wish.missing_only ?? true };
  return { row, backfill, after: uuidFloor(from), to: uuidFloor(instant(Math.min(to, now))) };
}

/** Returns the faults of patterns that select events to which the endpoint does not subscribe. */
function unsubscribed(row: EndpointRow, patterns: readonly string[]): Violation[] {
  const subscribed = subscriptionsOf(row);
  return patterns.flatMap((pattern, at): Violation[] => {
    const pointer = `/events/${at}`;
    if (!isEventPattern(pattern)) return [{ pointer, code: "event_name", message: EVENT_PATTERN_FAULT }];
    if (coversEvents(subscribed, pattern)) return [];
    const message = `must be within the events that the endpoint subscribes to: ${subscribed.slice(0, MOST_NAMED).join(", ")}`;
    return [{ pointer, code: "not_subscribed", message }];
  });
}

interface Counted {
  readonly count: number;
  readonly isCapped: boolean;
}

/** Counts for a limited time: the filter of the endpoint may have to judge many events. */
async function countMissed({ db, clock }: Pick<EndpointsDeps, "db" | "clock">, meant: Meant): Promise<Counted> {
  const endMs = clock.monotonicMs() + MOST_COUNTING_MS;
  let [count, position] = [0, meant.after];
  for (;;) {
    const page = await missedEvents({ query: db.query, clock }, { ...meant, after: position, most: MOST_COUNTED });
    count += page.events.length;
    if (page.isLast) return { count, isCapped: false };
    if (count > MOST_COUNTED || clock.monotonicMs() > endMs) return { count, isCapped: true };
    position = page.examined?.last ?? position;
  }
}

function countView({ count, isCapped }: Counted): MissedCount {
  return { count, ...(isCapped && { capped: true as const }) };
}

function tooManyCounts(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail: "Other backfills of this workspace are being counted. Repeat the call later.",
    headers: { "Retry-After": "1" },
  });
}

function bound(text: string, pointer: string): Uuid {
  return uuidFloor(timeOf(text, pointer));
}

function timeOf(text: string, pointer: string): Instant {
  const at = parseTimestamp(text, pointer);
  if (at !== undefined) return at;
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "required", message: "is required" }] });
}
