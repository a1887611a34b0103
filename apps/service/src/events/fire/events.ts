import { createShardBatcher } from "../../platform/db/db.ts";
import type { CommitPart, Db, Tx } from "../../platform/db/db.ts";
import { firstOfEachKey, idempotencyPart } from "../../access/access.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer } from "../../access/access.ts";
import { Overweight, ServiceError, uuidTime } from "../../lib/lib.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { firedView, MOST_LISTED } from "../event/fired-event.ts";
import type { FiredEvent } from "../event/fired-event.ts";
import { eventPart, eventsBetween } from "../event/events.store.ts";
import type { EventRow, Interval } from "../event/events.store.ts";
import { insertAnnouncement } from "./outbox.store.ts";
import type { Announcement, OutboxRow } from "./outbox.store.ts";
import { createOutbox } from "./outbox.worker.ts";
import { sendTo } from "./send-to-one.ts";
import type { FireAnswer, Sent } from "./send-to-one.ts";
import { createWeights } from "./weights.ts";
import type { Weights } from "./weights.ts";
import { faultsOf, isRefusal, refusalError, refusalsOf, countRefusals, countWarnings } from "./refusals.ts";
import type { Refused } from "./refusals.ts";
import { fireWithin } from "./fire-in-transaction.ts";
import { eventOf, signalsOf } from "../event/event.ts";
import { createEventLog } from "./event-log.ts";
import type { EventLog } from "./event-log.ts";
import { divided, scheduledView } from "../scheduled/scheduled.ts";
import { assertUidsFree, isUidTaken, repeatedUids, uidTaken } from "../event/labels.ts";
import { labelPart } from "../event/labels.store.ts";
import type { Labelled } from "../event/labels.store.ts";
import { scheduledPart } from "../scheduled/scheduled.store.ts";
import type { ScheduledEvent } from "../scheduled/scheduled.store.ts";
import { createScheduledWorker } from "../scheduled/scheduled.worker.ts";
import type { Event, EventCommit, EventDraft, EventReader, Fanout } from "../event/event.ts";

export interface FireRequest {
  readonly ref: IdempotencyRef;
  readonly batch: boolean;
  /** The tenant of the caller's key. */
  readonly tenant?: string | null | undefined;
}

export interface Events extends EventLog {
  /**
   * Commits the events of one request with their deliveries and its idempotency record, all or nothing, and returns the
   * bytes to send. A repeated request gets the first response and writes nothing. Throws the 409 and 422 errors of the
   * idempotency rules. With a tenant, the response contains only what is that tenant's.
   */
  fire(drafts: readonly EventDraft[], request: FireRequest): Promise<FireAnswer>;
  /**
   * Writes events in the caller's transaction, which commits all of them or none. One statement writes any number of
   * events of any workspaces.
   */
  fireWithin(tx: Tx, drafts: readonly EventDraft[]): Promise<readonly FiredEvent[]>;
  /**
   * Commits one more delivery of a stored event, to one endpoint, with the idempotency record of its request, and
   * returns the bytes to send. Throws 404, 409 and 422 if the endpoint may not get the event.
   */
  sendTo(scope: Scope, what: Sent, ref: IdempotencyRef): Promise<FireAnswer>;
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

export interface EventsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly idempotency: Idempotency;
  readonly fanout: Fanout;
  readonly readEvents: EventReader;
  readonly signals: Signals;
  readonly log: Log;
  readonly tasks: Tasks;
}

interface Job {
  readonly ref: IdempotencyRef;
  readonly events: readonly Event[];
  readonly scheduled: readonly ScheduledEvent[];
  readonly batch: boolean;
  /** The tenant to which the response is limited; null for none. */
  readonly tenant: string | null;
}

type Committed = StoredAnswer | null | ServiceError;

const MAX_JOBS = 200;
const MOST_BETWEEN = 1000;
/** The maximum number of events and deliveries in a shared commit, which is written in a tenth of a second. */
const SHARED_WEIGHT = 2000;
/**
 * The weight of a request that shares a commit with other workspaces, and the size of its data. More takes milliseconds at each step: to judge,
 * to send, to compress, to write.
 */
const LIGHT_WEIGHT = 500;
const LIGHT_CHARACTERS = 64 * 1024;

export function createEvents(deps: EventsDeps): Events {
  const { db } = deps;
  const weights = createWeights();
  const weightOf = ({ events, scheduled }: Job): number => weights.of(events) + scheduled.length;
  const batcher = createShardBatcher<Job, StoredAnswer | null>(db, {
    bucketOf: ({ ref }) => ref.bucket,
    maxSize: MAX_JOBS,
    weight: { of: weightOf, max: SHARED_WEIGHT },
    apart: (job) => weightOf(job) > LIGHT_WEIGHT || charactersOf(job) > LIGHT_CHARACTERS,
    concurrency: 2,
    shareOf: ({ ref }) => ref.tag,
    run: async (jobs) => await commit({ ...deps, weights }, jobs),
  });

  async function run(job: Job): Promise<FireAnswer> {
    const answer = await accepted(job);
    if (answer !== null) return { ...answer, replayed: false };
    const first = await deps.idempotency.replay(job.ref);
    if (first === undefined)
      throw new ServiceError("service_unavailable", { internal: "an idempotency record vanished" });
    return { ...first, replayed: true };
  }

  /** A repeated request gets the first response, also if its data would be refused now. */
  async function accepted(job: Job): Promise<StoredAnswer | null> {
    try {
      await assertScheduledValid(deps, job);
      await assertUidsFree(db, labelledOf(job));
      return await batcher.add(job);
    } catch (thrown) {
      const error = isUidTaken(thrown) ? uidTaken() : thrown;
      const mayRepeat = isRefusal(error) || (error instanceof ServiceError && error.code === "conflict");
      if (!mayRepeat || (await deps.idempotency.replay(job.ref)) === undefined) throw error;
      return null;
    }
  }

  const outbox = createOutbox({
    db,
    log: deps.log,
    fire: async (row) =>
      await run({
        ref: announcedRef(row),
        batch: false,
        tenant: null,
        events: [announcedEvent(deps, row)],
        scheduled: [],
      }),
  });
  const later = createScheduledWorker({
    ...deps,
    fireWithin: async (tx, drafts) => await fireWithin(deps, tx, drafts),
  });

  return {
    async fire(drafts, { ref, batch, tenant = null }) {
      const repeated = repeatedUids(drafts.map((draft) => ({ ...draft, labels: draft.labels ?? null })));
      if (repeated.length > 0) throw new ServiceError("validation_failed", { errors: repeated });
      const { now, later: scheduled } = divided(deps, drafts);
      return await run({ ref, batch, tenant, events: now.map((draft) => eventOf(deps, draft)), scheduled });
    },
    fireWithin: async (tx, drafts) => await fireWithin(deps, tx, drafts),
    sendTo: async (scope, what, ref) => await sendTo(deps, scope, what, ref),
    async announce(tx, announcement) {
      await insertAnnouncement(tx, announcement);
      tx.onCommit(outbox.wake);
    },
    announced: () => outbox.wake(),
    acceptedBetween: async (tx, scope, between) => await eventsBetween(tx.query, scope, between, MOST_BETWEEN),
    start() {
      outbox.start();
      later.start();
    },
    async stop() {
      await Promise.all([outbox.stop(), later.stop()]);
    },
    ...createEventLog(db),
  };
}

function charactersOf({ events, scheduled }: Job): number {
  const drafts = [...events, ...scheduled.map(({ draft }) => draft)];
  return drafts.reduce((sum, { data }) => sum + data.length, 0);
}

/** Derives the time from the id, so that every node that fires the event fires the same one. */
function announcedEvent(deps: EventsDeps, row: OutboxRow): Event {
  const { id, name, data, subject, tenant, chain } = row;
  const scope = scopeOf(row.workspace_id, row.tag);
  const occurredAt = uuidTime(id);
  return eventOf(deps, { scope, id, name, data, occurredAt, subject, tenant, isInternal: true, chain: chain ?? [] });
}

function announcedRef({ bucket, tag, id, workspace_id }: OutboxRow): IdempotencyRef {
  return { bucket, tag, lineageId: workspace_id, key: `emit:${id}`, requestHash: Buffer.alloc(0) };
}

async function commit(deps: EventsDeps & { readonly weights: Weights }, jobs: readonly Job[]): Promise<Committed[]> {
  const firsts = firstOfEachKey(jobs);
  const commits = await plan(deps, firsts);
  const refusals = refusalsOf(firsts, commits);
  if (refusals.size > 0) return await commitOthers(deps, jobs, refusals);
  const byRequest = Map.groupBy(commits, ({ request }) => request);
  const answered = firsts.map((job, at) => {
    const { ref } = job;
    const answer = answerOf(job, byRequest.get(at + 1) ?? []);
    return { job, ref, answer, sealed: deps.idempotency.seal(ref, answer) };
  });
  const scheduled = firsts.flatMap((job, at) => job.scheduled.map((one) => ({ ...one, at: at + 1 })));
  const rows = await deps.db.commit<{ at: string }>(
    [
      idempotencyPart(answered, { status: 202 }),
      eventPart(commits),
      ...deps.fanout.parts(commits),
      ...(scheduled.length === 0 ? [] : [scheduledPart(scheduled)]),
      ...labelParts(commits, scheduled),
    ],
    "select at from fresh",
  );
  const fresh = new Set(rows.map((row) => Number(row.at)));
  const written = commits.filter(({ request }) => fresh.has(request));
  const events = written.map(({ event }) => event);
  deps.signals.eventsAccepted(signalsOf(events));
  countWarnings(deps.signals, events);
  deps.fanout.committed(written);
  const answers = new Map(answered.map(({ job, answer }, at) => [job, fresh.has(at + 1) ? answer : null]));
  return jobs.map((job) => answers.get(job) ?? null);
}

/** Returns the part that writes the labels of events; none if no event has some. */
function labelParts(
  commits: readonly EventCommit[],
  scheduled: readonly (ScheduledEvent & { readonly at: number })[],
): CommitPart<"dependent">[] {
  const now = commits.filter(({ event }) => event.labels !== null);
  const later = scheduled.filter(({ draft }) => draft.labels != null).map(laterLabelled);
  return now.length + later.length === 0 ? [] : [labelPart([...now, ...later])];
}

function laterLabelled({ draft, id, at }: ScheduledEvent & { readonly at: number }): Labelled {
  return { event: { scope: draft.scope, id, tenant: draft.tenant, labels: draft.labels ?? null }, request: at };
}

function labelledOf({ events, scheduled }: Job): readonly Labelled["event"][] {
  return [...events, ...scheduled.map((one) => laterLabelled({ ...one, at: 0 }).event)];
}

/** Commits the jobs that are not refused. Jobs with the key of a refused one are judged again, on their own. */
async function commitOthers(
  deps: EventsDeps & { readonly weights: Weights },
  jobs: readonly Job[],
  refusals: ReadonlyMap<Job, Refused>,
): Promise<Committed[]> {
  for (const { events } of refusals.values()) countRefusals(deps.signals, events);
  const others = jobs.filter((job) => !refusals.has(job));
  const results = others.length === 0 ? [] : await commit(deps, others);
  const byJob = new Map(others.map((job, at) => [job, results[at] ?? null]));
  return jobs.map((job) => refusals.get(job)?.error ?? byJob.get(job) ?? null);
}

/** Throws 422 if an event of the request that is fired later does not match its type. */
async function assertScheduledValid({ fanout, db, signals, ...deps }: EventsDeps, job: Job): Promise<void> {
  if (job.scheduled.length === 0) return;
  const events = await fanout.typed(
    job.scheduled.map(({ draft }) => eventOf(deps, draft)),
    db,
  );
  const faults = events.flatMap((event, at) => faultsOf(event, job.batch ? (job.scheduled[at]?.position ?? 0) : null));
  if (faults.length === 0) return;
  countRefusals(signals, events);
  throw refusalError(faults);
}

/**
 * Plans the reactions to the events. Records how many there are, also for a call that is refused because it has too
 * many.
 */
async function plan(
  { fanout, db, weights }: Pick<EventsDeps, "fanout" | "db"> & { readonly weights: Weights },
  jobs: readonly Job[],
): Promise<readonly EventCommit[]> {
  const requests = jobs.map(({ events }) => events);
  try {
    const commits = await fanout.plan(requests, db);
    weights.learn(commits);
    if (jobs.length > 1 && weights.of(requests.flat()) > SHARED_WEIGHT) throw new Overweight();
    return commits;
  } catch (error) {
    if (jobs.length === 1 && error instanceof ServiceError) weights.learnRefused(requests.flat(), SHARED_WEIGHT + 1);
    throw error;
  }
}

function answerOf({ ref, batch, tenant, scheduled }: Job, commits: readonly EventCommit[]): StoredAnswer {
  let left = MOST_LISTED;
  const views = commits.map((one) => {
    const view = firedView(one, left, tenant);
    left -= view.deliveries.length;
    return view;
  });
  for (const one of scheduled) views.splice(one.position, 0, scheduledView(one));
  const body = JSON.stringify(batch ? { object: "list", data: views } : views[0]);
  return { status: 202, body: ref.wrapBody?.(body, 202) ?? body };
}
