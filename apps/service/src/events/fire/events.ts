import { createShardBatcher } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { IdempotencyRef, SentAnswer, StoredAnswer } from "../../access/access.ts";
import { ServiceError, uuidTime } from "../../lib/lib.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventOf } from "../event/event.ts";
import type { EventDraft } from "../event/event.ts";
import type { EventReader } from "../event/event-reader.ts";
import type { FiredEvent } from "../event/fired-event.ts";
import { eventsBetween } from "../event/events.store.ts";
import type { EventRow, Interval } from "../event/events.store.ts";
import { assertUidsFree, isUidTaken, repeatedUids, uidTaken } from "../event/labels.ts";
import { divided } from "../scheduled/scheduled.ts";
import { createScheduledWorker } from "../scheduled/scheduled.worker.ts";
import { acceptEvents, acceptWithin } from "./accept-events.ts";
import type { AcceptDeps, FireCall } from "./accept-events.ts";
import { createEventLog } from "./event-log.ts";
import type { EventLog } from "./event-log.ts";
import { insertAnnouncement } from "./outbox.store.ts";
import type { Announcement, OutboxRow } from "./outbox.store.ts";
import { createOutbox } from "./outbox.worker.ts";
import { countRefusals, faultsOf, isRefusal, refusalError } from "./refusals.ts";
import { sendTo } from "./send-to-one.ts";
import type { Sent } from "./send-to-one.ts";
import { createWeights, SHARED_WEIGHT } from "./weights.ts";

interface Firing extends Pick<FireCall, "ref" | "batch"> {
  /** The tenant of the caller's key. */
  readonly tenant?: string | null | undefined;
}

export interface Events extends EventLog {
  /**
   * Commits the events of one request with their deliveries and its idempotency record, all or nothing, and returns the
   * bytes to send. A repeated request gets the first response and writes nothing. Throws the 409 and 422 errors of the
   * idempotency rules. With a tenant, the response contains only what is that tenant's.
   */
  fire(drafts: readonly EventDraft[], call: Firing): Promise<SentAnswer>;
  /**
   * Writes events in the caller's transaction, which commits all of them or none. One statement writes any number of
   * events of any workspaces.
   */
  fireWithin(tx: Tx, drafts: readonly EventDraft[]): Promise<readonly FiredEvent[]>;
  /**
   * Commits one more delivery of a stored event, to one endpoint, with the idempotency record of its request, and
   * returns the bytes to send. Throws 404, 409 and 422 if the endpoint may not get the event.
   */
  sendTo(scope: Scope, what: Sent, ref: IdempotencyRef): Promise<SentAnswer>;
  /** Announces a system event. It is fired after the transaction has committed, even if this process stops then. */
  announce(tx: Tx, announcement: Announcement): Promise<void>;
  /** Fires events that a statement of another module announced (`announcementPart`). */
  announced(): void;
  /** Returns up to 1000 events of one name or of all names, in the order in which they were accepted. The interval should be short. */
  acceptedBetween(
    tx: Tx,
    scope: Scope,
    between: Interval,
  ): Promise<readonly Pick<EventRow, "id" | "name" | "data" | "tenant">[]>;
  start(): void;
  stop(): Promise<void>;
}

export interface EventsDeps extends Omit<AcceptDeps, "weights"> {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly readEvents: EventReader;
  readonly log: Log;
  readonly tasks: Tasks;
}

const MAX_CALLS = 200;
const MOST_BETWEEN = 1000;
/**
 * The weight of a call that shares a commit with other workspaces, and the size of its data. More takes milliseconds at each step: to judge,
 * to send, to compress, to write.
 */
const LIGHT_WEIGHT = 500;
const LIGHT_CHARACTERS = 64 * 1024;

export function createEvents(deps: EventsDeps): Events {
  const { db, idempotency } = deps;
  const weights = createWeights();
  const weightOf = ({ events, scheduled }: FireCall): number => weights.of(events) + scheduled.length;
  const batcher = createShardBatcher<FireCall, StoredAnswer | null>(db, {
    bucketOf: ({ ref }) => ref.bucket,
    maxSize: MAX_CALLS,
    weight: { of: weightOf, max: SHARED_WEIGHT },
    apart: (call) => weightOf(call) > LIGHT_WEIGHT || charactersOf(call) > LIGHT_CHARACTERS,
    concurrency: 2,
    shareOf: ({ ref }) => ref.tag,
    favorsFew: true,
    run: async (calls) => await acceptEvents({ ...deps, weights }, calls),
  });

  const fire: Events["fire"] = async (drafts, { ref, batch, tenant = null }) => {
    const repeated = repeatedUids(drafts);
    if (repeated.length > 0) throw new ServiceError("validation_failed", { errors: repeated });
    const { now, later } = divided(deps, drafts);
    const call = { ref, batch, tenant, events: now.map((draft) => eventOf(deps, draft)), scheduled: later };
    try {
      await assertScheduledValid(deps, call);
      await assertUidsFree(db, drafts);
      const answer = await batcher.add(call);
      if (answer !== null) return { ...answer, replayed: false };
    } catch (thrown) {
      const error = isUidTaken(thrown) ? uidTaken() : thrown;
      // A repeated request gets the first response, also if its data would be refused now.
      const mayRepeat = isRefusal(error) || (error instanceof ServiceError && error.code === "conflict");
      if (!mayRepeat || (await idempotency.replay(ref)) === undefined) throw error;
    }
    return await idempotency.first(ref);
  };
  const fireWithin: Events["fireWithin"] = async (tx, drafts) => {
    const events = drafts.map((draft) => eventOf(deps, draft));
    return events.length === 0 ? [] : await acceptWithin(deps, tx, events);
  };
  const outbox = createOutbox({
    db,
    log: deps.log,
    fire: async (row) => await fire([announcedDraft(row)], { ref: announcedRef(row), batch: false }),
  });
  const scheduled = createScheduledWorker({ ...deps, fireWithin });

  return {
    fire,
    fireWithin,
    sendTo: async (scope, what, ref) => await sendTo(deps, scope, what, ref),
    async announce(tx, announcement) {
      await insertAnnouncement(tx, announcement);
      tx.onCommit(outbox.wake);
    },
    announced: () => outbox.wake(),
    acceptedBetween: async (tx, scope, between) => await eventsBetween(tx.query, scope, between, MOST_BETWEEN),
    start() {
      outbox.start();
      scheduled.start();
    },
    async stop() {
      await Promise.all([outbox.stop(), scheduled.stop()]);
    },
    ...createEventLog(db),
  };
}

function charactersOf({ events, scheduled }: FireCall): number {
  const drafts = [...events, ...scheduled.map(({ draft }) => draft)];
  return drafts.reduce((sum, { data }) => sum + data.length, 0);
}

/** Derives the time from the id, so that every node that fires the event fires the same one. */
function announcedDraft({ id, workspace_id, tag, name, data, subject, tenant, chain }: OutboxRow): EventDraft {
  const scope = scopeOf(workspace_id, tag);
  return { scope, id, name, data, occurredAt: uuidTime(id), subject, tenant, isInternal: true, chain: chain ?? [] };
}

function announcedRef({ bucket, tag, id, workspace_id }: OutboxRow): IdempotencyRef {
  return { bucket, tag, lineageId: workspace_id, key: `emit:${id}`, requestHash: Buffer.alloc(0) };
}

/** Throws 422 if an event of the call that is fired later does not match its type. */
async function assertScheduledValid(
  { dispatch, db, signals, ...deps }: EventsDeps,
  { batch, scheduled }: FireCall,
): Promise<void> {
  if (scheduled.length === 0) return;
  const events = await dispatch.typed(
    scheduled.map(({ draft }) => eventOf(deps, draft)),
    db,
  );
  const faults = events.flatMap((event, at) => faultsOf(event, batch ? (scheduled[at]?.position ?? 0) : null));
  if (faults.length === 0) return;
  countRefusals(signals, events);
  throw refusalError(faults);
}
