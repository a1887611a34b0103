import type { CommitPart, Db, HotReader, Tx } from "../platform/db/db.ts";
import { idempotencyPart } from "../gate/gate.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer } from "../gate/gate.ts";
import {
  createBatcher,
  decodeCursor,
  environmentOf,
  floorOf,
  fromDate,
  happenedAt,
  Overweight,
  pageOf,
  ServiceError,
  toRfc3339,
  uuidTime,
} from "../lib/lib.ts";
import type { Clock, Id, IdMaker, Instant, Page, Tag, Uuid } from "../lib/lib.ts";
import type { Log, Signals } from "../platform/telemetry/telemetry.ts";
import { ownUuid } from "../accounts/workspaces/workspaces.ts";
import type { Scope } from "../accounts/workspaces/workspaces.ts";
import { isCanonical } from "./catalogue/catalogue.ts";
import { firedView, insertOf, MOST_LISTED } from "./committing.ts";
import { eventPart, findEvent, findEvents, listEvents } from "./events.store.ts";
import type { EventRow } from "./events.store.ts";
import { insertAnnouncement } from "./fire/outbox.store.ts";
import type { Announcement, OutboxRow } from "./fire/outbox.store.ts";
import { createOutbox } from "./fire/outbox.worker.ts";
import { createWeights } from "./fire/weights.ts";
import type { Weights } from "./fire/weights.ts";
import { fireWithin } from "./within.ts";
import type { WithinInput } from "./within.ts";

export { eventTypes, filterTakes, findEventType, firingFault, isEventName, isSystem } from "./catalogue/catalogue.ts";
export type { EventType } from "./catalogue/catalogue.ts";
export { eventRoutes } from "./fire/events.routes.ts";
export { eventPart, everyPart } from "./events.store.ts";
export { announcementPart } from "./fire/outbox.store.ts";
export type { Announcement } from "./fire/outbox.store.ts";
export type { WithinInput } from "./within.ts";

/** An event that is about to be committed. */
export interface NewEvent {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly name: string;
  readonly canonical: boolean;
  /** JSON text of an object, as it came. */
  readonly data: string;
  readonly occurredAt: Instant;
  readonly subject: string | null;
  /** Events whose reactions led to this one, oldest first. */
  readonly chain: readonly Uuid[] | null;
  /** Of its caller, as `readTraceparent` gives it. */
  readonly traceparent: string | null;
}

export interface SubscriberRef {
  readonly kind: "projection" | "mirror" | "connector" | "rule" | "workflow" | "assistant" | "webhook";
  readonly key: string;
  readonly priority: number;
}

export interface DeliveryRef {
  readonly id: Id;
  readonly endpoint_id: Id;
  readonly state: string;
}

/** What will react to one event. */
export interface Reactions {
  readonly subscribers: readonly SubscriberRef[];
  readonly deliveries: readonly DeliveryRef[];
}

/** One batch's reactions: planned before the commit, written in it, set going after it. */
export interface FanoutBatch {
  readonly reactions: readonly Reactions[];
  /** `requests[i]` is the 1-based request that brought event i; a row is written only if that request is in `fresh (at)`. */
  parts(requests: readonly number[]): readonly CommitPart[];
  /** Called after the commit with the positions of the events that it holds. */
  committed(written: ReadonlySet<number>): void;
}

/** Whoever decides what reacts to an event. `dispatch` is one; this module knows only the shape. */
export interface Fanout {
  /** Inside a transaction, `reader` is it: a second connection could be one that never becomes free. */
  plan(events: readonly NewEvent[], reader: HotReader): Promise<FanoutBatch>;
}

/** What a caller fires (contract, section 5). */
export interface FireInput {
  readonly event: string;
  /** Source text of `data`. */
  readonly data: string;
  readonly occurred_at?: string | undefined;
  /** Where it stands in the body; left out: it is the body. */
  readonly pointer?: string;
  readonly subject?: string | undefined;
  /** As `readTraceparent` gives it. */
  readonly traceparent?: string | null;
}

export interface FiredEvent {
  readonly id: Id;
  readonly object: "event";
  readonly event: string;
  readonly canonical: boolean;
  readonly occurred_at: string;
  readonly status: "accepted";
  readonly subscribers: readonly SubscriberRef[];
  readonly deliveries: readonly DeliveryRef[];
  /** Left out of the answer; there are so many more. */
  readonly deliveries_omitted?: number;
}

export interface FireAnswer extends StoredAnswer {
  readonly replayed: boolean;
}

export interface EventQuery {
  readonly event?: string;
  readonly subject?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** One event as read back; `data` is its exact source text. */
export interface StoredEvent {
  readonly id: Uuid;
  readonly row: EventRow;
  readonly occurredAt: string;
  readonly createdAt: string;
}

export interface Events {
  /**
   * Commits the events of one request with their deliveries and its idempotency record, all or nothing, and answers with the bytes to send.
   * A repeat of a request gets the first answer and writes nothing. Throws 409 and 422 of the idempotency rules.
   */
  fire(
    scope: Scope,
    inputs: readonly FireInput[],
    request: { ref: IdempotencyRef; batch: boolean },
  ): Promise<FireAnswer>;
  /** Writes events in the caller's transaction: they are committed with it, or not at all. Any number, of any workspaces: one statement. */
  fireWithin(tx: Tx, inputs: readonly WithinInput[]): Promise<readonly FiredEvent[]>;
  /** Announces a system event: it is fired once the transaction has committed, whatever happens to this process then. */
  announce(tx: Tx, announcement: Announcement): Promise<void>;
  /** Fires what was announced by a statement of its own (`announcementPart`). */
  announced(): void;
  list(scope: Scope, query: EventQuery): Promise<Page<StoredEvent>>;
  get(scope: Scope, id: string): Promise<StoredEvent>;
  start(): void;
  stop(): Promise<void>;
}

export interface EventsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly idempotency: Idempotency;
  readonly fanout: Fanout;
  readonly signals: Signals;
  readonly log: Log;
}

interface Job {
  readonly ref: IdempotencyRef;
  readonly events: readonly NewEvent[];
  readonly batch: boolean;
}

const MAX_JOBS = 200;
/** Events and deliveries that calls share a commit with: written in a tenth of a second. */
const SHARED_WEIGHT = 2000;

export function createEvents(deps: EventsDeps): Events {
  const { db } = deps;
  const weights = createWeights();
  const batcher = createBatcher<Job, StoredAnswer | null>({
    maxSize: MAX_JOBS,
    weight: { of: ({ events }) => weights.of(events), max: SHARED_WEIGHT },
    heavyApart: true,
    concurrency: 2,
    shareOf: ({ ref }) => ref.tag,
    run: async (jobs) => await commit({ ...deps, weights }, jobs),
  });

  async function run(job: Job): Promise<FireAnswer> {
    const answer = await batcher.add(job);
    if (answer !== null) return { ...answer, replayed: false };
    const first = await deps.idempotency.replay(job.ref);
    if (first === undefined)
      throw new ServiceError("service_unavailable", { internal: "an idempotency record vanished" });
    return { ...first, replayed: true };
  }

  const outbox = createOutbox({
    db,
    log: deps.log,
    fire: async (row) => await run({ ref: announcedRef(row), batch: false, events: [announcedEvent(row)] }),
  });

  return {
    fire: async (scope, inputs, { ref, batch }) =>
      await run({ ref, batch, events: inputs.map((input) => newEvent(deps, scope, input)) }),
    fireWithin: async (tx, inputs) => await fireWithin(deps, tx, inputs),
    async announce(tx, announcement) {
      await insertAnnouncement(tx, announcement);
      tx.onCommit(outbox.wake);
    },
    announced: () => outbox.wake(),
    start: () => outbox.start(),
    stop: async () => await outbox.stop(),
    async list(scope, query) {
      const { limit = 20, cursor, ...filters } = query;
      const binding = [scope.tag, "events", filters];
      const rows = await listEvents(
        db.query,
        scope,
        {
          event: filters.event,
          subject: filters.subject,
          from: floorOf(filters.created_after, "created_after"),
          to: floorOf(filters.created_before, "created_before"),
          before: decodeCursor(cursor, binding),
        },
        limit + 1,
      );
      return pageOf(rows, limit, binding, stored);
    },
    async get(scope, id) {
      const row = await findEvent(db.query, scope, ownUuid(scope, "evt", id));
      if (row === undefined) throw new ServiceError("not_found");
      return stored(row);
    },
  };
}

function newEvent(deps: EventsDeps, scope: Scope, input: FireInput): NewEvent {
  const now = deps.clock.now();
  return {
    scope,
    id: deps.ids.uuid(),
    name: input.event,
    canonical: isCanonical(input.event),
    data: input.data,
    occurredAt: happenedAt(input.occurred_at, `${input.pointer ?? ""}/occurred_at`, now) ?? now,
    subject: input.subject ?? null,
    chain: null,
    traceparent: input.traceparent ?? null,
  };
}

/** Its time is its id's, so that whoever fires it fires the same event. */
function announcedEvent(row: OutboxRow): NewEvent {
  const { bucket, tag, id, name, data, subject, chain } = row;
  return {
    scope: { workspaceId: row.workspace_id, bucket, tag, environment: environmentOf(tag) },
    id,
    name,
    canonical: isCanonical(name),
    data,
    occurredAt: uuidTime(id),
    subject,
    chain,
    traceparent: null,
  };
}

function announcedRef({ bucket, tag, id, workspace_id }: OutboxRow): IdempotencyRef {
  return { bucket, tag, lineageId: workspace_id, key: `emit:${id}`, requestHash: Buffer.alloc(0) };
}

async function commit(
  deps: EventsDeps & { readonly weights: Weights },
  jobs: readonly Job[],
): Promise<(StoredAnswer | null)[]> {
  const firsts = firstOfEachKey(jobs);
  const events = firsts.flatMap((job) => job.events);
  const requests = firsts.flatMap((job, at) => job.events.map(() => at + 1));
  const fanout = await plan(deps, firsts, events);
  const answers = answersOf(firsts, fanout);
  const sealed = firsts.map((job, at) => deps.idempotency.seal(job.ref, answers[at] ?? { status: 202, body: "" }));
  const rows = await deps.db.commit<{ at: string }>(
    [
      idempotencyPart(
        firsts.map((job) => job.ref),
        sealed,
        202,
      ),
      eventPart(events.map((event, at) => insertOf(event, requests[at] ?? 0))),
      ...fanout.parts(requests),
    ],
    "select at from fresh",
  );
  const fresh = new Set(rows.map((row) => Number(row.at)));
  const written = new Set(requests.flatMap((request, at) => (fresh.has(request) ? [at] : [])));
  deps.signals.eventsAccepted(written.size === events.length ? events : events.filter((_event, at) => written.has(at)));
  fanout.committed(written);
  const byRef = new Map(firsts.map((job, at) => [job, fresh.has(at + 1) ? (answers[at] ?? null) : null]));
  return jobs.map((job) => byRef.get(job) ?? null);
}

/** What reacts to the events; learns how much that is, also of a call that is refused for it. */
async function plan(
  { fanout, db, weights }: Pick<EventsDeps, "fanout" | "db"> & { readonly weights: Weights },
  jobs: readonly Job[],
  events: readonly NewEvent[],
): Promise<FanoutBatch> {
  try {
    const planned = await fanout.plan(events, db);
    weights.learn(events, planned.reactions);
    if (jobs.length > 1 && weights.of(events) > SHARED_WEIGHT) throw new Overweight();
    return planned;
  } catch (error) {
    if (jobs.length === 1 && error instanceof ServiceError) weights.learnRefused(events, SHARED_WEIGHT + 1);
    throw error;
  }
}

/** Copies of one request that met in one batch: the first is committed, the others are told to read its answer. */
function firstOfEachKey(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ ref }) => {
    const name = `${ref.tag}\n${ref.lineageId}\n${ref.key}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function answersOf(jobs: readonly Job[], fanout: FanoutBatch): StoredAnswer[] {
  let at = 0;
  return jobs.map((job) => {
    let left = MOST_LISTED;
    const views = job.events.map((event) => {
      const view = firedView(event, fanout.reactions[at++] ?? { subscribers: [], deliveries: [] }, left);
      left -= view.deliveries.length;
      return view;
    });
    const body = JSON.stringify(job.batch ? { object: "list", data: views } : views[0]);
    return { status: 202, body: job.ref.dress?.(body, 202) ?? body };
  });
}

function stored(row: EventRow): StoredEvent {
  return { id: row.id, row, occurredAt: toRfc3339(fromDate(row.occurred_at)), createdAt: toRfc3339(uuidTime(row.id)) };
}

/** Events of one bucket, of any workspaces, read for whoever takes over their reactions: those that are still there. */
export async function readStoredEvents(
  db: Db,
  bucket: number,
  places: readonly { readonly tag: Tag; readonly id: Uuid }[],
): Promise<EventRow[]> {
  return await findEvents(db.query, bucket, places);
}
