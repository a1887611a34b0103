import { setTimeout as sleep } from "node:timers/promises";
import {
  isRecord,
  orNotFound,
  paginateByName,
  parseId,
  parseTimestamp,
  ServiceError,
  sha256,
  timeText,
  toDate,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Id, IdMaker, Page, Uuid, t } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Db } from "../../platform/db/db.ts";
import { findEndpoint } from "../endpoints/endpoints.store.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import type { Targets } from "../endpoints/targets.ts";
import { createMessageReader } from "./messages.ts";
import type { Message, MessagesDeps, ReadMessages } from "./messages.ts";
import type { Numbering } from "./numbering.ts";
import {
  commitOffset,
  consumersAfter,
  createConsumer,
  deleteConsumer,
  moveTo,
  notePull,
  offsetAt,
  readingState,
  releaseLease,
  takeLease,
} from "./pull.store.ts";
import type { ConsumerKey, ConsumerRow, LogKey, ReadingState } from "./pull.store.ts";
import type { Waiting, WaitingPlace } from "./waiting.ts";
import type * as shapes from "./pull.schemas.ts";

export type PullInput = t.Static<typeof shapes.PullBody>;

/** The call of a pull: a repeated call of its key gets its lease again while that runs. */
export interface PullCall {
  readonly key: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Throws if the caller's next request would be refused. */
  recheck(): Promise<unknown>;
}

export interface LeaseView {
  readonly id: Id;
  readonly expires_at: string;
}

export interface Pulled {
  readonly messages: readonly Message[];
  readonly lease: LeaseView | null;
  readonly position: number;
  readonly lag: number;
  readonly epoch: string;
  readonly skipped?: number;
}

export interface Leased {
  readonly consumer: string;
  readonly lease_id: string;
}

export type SeekTo = "start" | "end" | { readonly offset: number } | { readonly time: string };

export type ConsumerView = t.Static<typeof shapes.ConsumerList>["data"][number];

/** Reads the messages of pull endpoints, in the order of their offsets (contract, section 14). */
export interface Pulls {
  /** Leases the next messages to a consumer, and waits for some if there are none. Throws 409 `consumer_busy` while another lease runs. */
  pull(scope: Scope, id: string, input: PullInput, call: PullCall): Promise<Pulled>;
  /** Moves a consumer behind an offset, by default behind the last one of its lease. Throws 409 `lease_lost`. */
  commit(scope: Scope, id: string, input: Leased & { readonly offset?: number }): Promise<void>;
  release(scope: Scope, id: string, input: Leased): Promise<void>;
  /** Moves a consumer, and ends its lease. */
  seek(scope: Scope, id: string, input: { readonly consumer: string; readonly to: SeekTo }): Promise<void>;
  consumers(
    scope: Scope,
    id: string,
    page: { readonly limit?: number; readonly cursor?: string },
  ): Promise<Page<ConsumerView>>;
  forget(scope: Scope, id: string, consumer: string): Promise<void>;
}

export interface PullsDeps extends MessagesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly targets: Targets;
  readonly numbering: Numbering;
  readonly waiting: Waiting;
}

const MOST_CONSUMERS = 100;
/** The wait of a pull for which there is no place. Without it, its client would ask again at once, all the time. */
const CROWDED_MS = 1000;
const DEFAULTS = { limit: 100, wait_seconds: 0, lease_seconds: 60, start: "start" } as const;

export function createPulls(deps: PullsDeps): Pulls {
  const { db } = deps;
  const readMessages = createMessageReader(deps);
  return {
    async pull(scope, id, input, call) {
      const key = { ...(await logOf(deps, scope, id)), consumer: input.consumer };
      const place = deps.waiting.enter(key, scope.tenant ?? null, call.signal);
      try {
        return await pull({ ...deps, readMessages, place }, key, { ...DEFAULTS, ...input }, call);
      } finally {
        place?.leave();
      }
    },
    async commit(scope, id, { consumer, lease_id: given, offset }) {
      const key = { ...(await logOf(deps, scope, id)), consumer };
      const leaseId = leaseUuid(scope, given);
      if (leaseId !== undefined && (await commitOffset(db, key, leaseId, offset ?? null))) return;
      await refuse(deps, key, leaseId);
    },
    async release(scope, id, { consumer, lease_id: given }) {
      const key = { ...(await logOf(deps, scope, id)), consumer };
      const leaseId = leaseUuid(scope, given);
      if (leaseId !== undefined && (await releaseLease(db, key, leaseId))) return;
      await refuse(deps, key, undefined);
    },
    async seek(scope, id, { consumer, to }) {
      const key = { ...(await logOf(deps, scope, id)), consumer };
      await deps.numbering.number(key);
      if (!(await moveTo(db, key, await positionOf(deps, key, to)))) throw unknownConsumer();
    },
    async consumers(scope, id, page) {
      // An endpoint of another kind is not pulled, so that it has no consumers.
      const key = keyOf(scope, await endpointOf(deps, scope, id));
      await deps.numbering.number(key);
      return await paginateByName(page, {
        binding: [scope.tag, "consumers", key.endpointId],
        read: async (after, count) => await consumersAfter(db, key, after, count),
        nameOf: ({ name }) => name,
        view: (rows) => rows.map(consumerView),
      });
    },
    async forget(scope, id, consumer) {
      if (!(await deleteConsumer(db, { ...(await logOf(deps, scope, id)), consumer }))) throw unknownConsumer();
    },
  };
}

/** Throws 404 if the endpoint does not exist, and 409 if nothing can be pulled from it. */
async function logOf(deps: PullsDeps, scope: Scope, id: string): Promise<LogKey> {
  const row = await endpointOf(deps, scope, id);
  if (row.kind === "pull") return keyOf(scope, row);
  throw new ServiceError("conflict", {
    detail: "Requests are sent to this endpoint. Create an endpoint of kind pull to pull its messages.",
  });
}

async function endpointOf({ db }: PullsDeps, scope: Scope, id: string): Promise<EndpointRow> {
  return orNotFound(await findEndpoint(db.query, scope, ownUuid(scope, "ep", id)));
}

function keyOf({ bucket, tag }: Scope, { id }: EndpointRow): LogKey {
  return { bucket, tag, endpointId: id };
}

/** Returns undefined for a text that is not the id of a lease of this environment. */
function leaseUuid({ tag }: Scope, text: string): Uuid | undefined {
  const parsed = parseId(text);
  return parsed?.prefix === "lse" && parsed.tag === tag ? parsed.uuid : undefined;
}

type RequiredPull = Required<PullInput>;

interface Pulling extends PullsDeps {
  readonly readMessages: ReadMessages;
  readonly place: WaitingPlace | undefined;
}

async function pull(deps: Pulling, key: ConsumerKey, given: RequiredPull, call: PullCall): Promise<Pulled> {
  const { clock, numbering, place } = deps;
  const endsMs = clock.monotonicMs() + given.wait_seconds * 1000;
  const keyHash = sha256(call.key);
  for (;;) {
    await numbering.number(key);
    const state = await stateOf(deps, key, given);
    const again = await runningLease(deps, { key, state, keyHash });
    if (again !== undefined) return again;
    const from = Math.max(state.position, state.first);
    const taken = await takeNext(deps, { key, state, given, from, keyHash }, call.signal);
    if (typeof taken !== "string") return taken;
    if (taken === "changed") continue;
    const leftMs = isEnded(deps, call) ? 0 : endsMs - clock.monotonicMs();
    if (place === undefined && leftMs > 0) await pause(Math.min(leftMs, CROWDED_MS), call.signal);
    if (place === undefined || leftMs <= 0) return await nothing(deps, { key, state, from });
    await place.until(from, leftMs);
    await call.recheck();
  }
}

/** Returns true if a pull must not wait. */
function isEnded({ waiting }: Pulling, { signal }: PullCall): boolean {
  return waiting.isDraining || signal.aborted;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

type KnownState = ReadingState & { readonly position: number };

/** Returns the state of the consumer, which is created by its first pull. */
async function stateOf({ db }: PullsDeps, key: ConsumerKey, { start }: RequiredPull): Promise<KnownState> {
  for (;;) {
    const state = orNotFound(await readingState(db, key));
    if (!state.active)
      throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then pull." });
    const { position } = state;
    if (position !== null) return { ...state, position };
    if (!(await createConsumer(db, key, { atEnd: start === "end", most: MOST_CONSUMERS })))
      throw new ServiceError("conflict", {
        detail: `An endpoint can have at most ${MOST_CONSUMERS} consumers. Delete one that is not in use.`,
      });
  }
}

interface Repeated {
  readonly key: ConsumerKey;
  readonly state: KnownState;
  readonly keyHash: Buffer;
}

/** Returns the messages of the lease that this call has taken before. Throws 409 while another lease runs. */
async function runningLease(deps: Pulling, { key, state, keyHash }: Repeated): Promise<Pulled | undefined> {
  const { lease_left: left, lease_id: id, lease_last: to, lease_expires_at: expiresAt } = state;
  if (left === null || left <= 0 || id === null || to === null || expiresAt === null) return undefined;
  if (state.lease_key?.equals(keyHash) !== true)
    throw new ServiceError("consumer_busy", {
      detail: `The lease of consumer ${key.consumer} runs for ${Math.ceil(left)} more seconds. Commit or release it, or use another consumer.`,
      headers: { "Retry-After": String(Math.ceil(left)) },
    });
  const target = await targetOf(deps, key);
  // Retention may have deleted all that is leased.
  const from = Math.max(state.position, state.first);
  const messages = await deps.readMessages({ key, target, from, to, limit: Math.max(0, to - from + 1) });
  return pulledOf(key, { state, from, messages, lease: { id, expiresAt }, skipped: state.lease_skipped ?? 0 });
}

interface Leasing extends Repeated {
  readonly given: RequiredPull;
  readonly from: number;
}

/** Leases the next messages. `changed`: something else has happened to the consumer, so that its state has to be read again. */
async function takeNext(
  deps: Pulling,
  { key, state, given, from, keyHash }: Leasing,
  signal: AbortSignal,
): Promise<Pulled | "changed" | "none"> {
  if (from > state.last) {
    // Before it waits, because the consumer could be ended as an idle one in that time.
    const isNoted =
      state.is_stale !== true || (await notePull(deps.db, key, { read: state.position, from: state.position }));
    return isNoted ? "none" : "changed";
  }
  const target = await targetOf(deps, key);
  const to = Math.min(state.last, from + given.limit - 1);
  const messages = await deps.readMessages({ key, target, from, to, limit: given.limit });
  const last = messages.at(-1)?.offset;
  // Retention has just moved the beginning.
  if (last === undefined) return "changed";
  if (signal.aborted) return "none";
  const id = deps.ids.uuid();
  const [read, seconds] = [state.position, given.lease_seconds];
  const wish = { id, read, from, last, seconds, key: keyHash, epoch: state.epoch };
  const expiresAt = await takeLease(deps.db, key, wish);
  if (expiresAt === undefined) return "changed";
  // Its client would not commit it.
  if (signal.aborted) await releaseLease(deps.db, key, id);
  return pulledOf(key, { state, from, messages, lease: { id, expiresAt }, skipped: from - state.position });
}

async function targetOf({ targets }: PullsDeps, key: LogKey) {
  return orNotFound(await targets.load(key));
}

interface Nothing {
  readonly key: ConsumerKey;
  readonly state: KnownState;
  readonly from: number;
}

async function nothing({ db }: PullsDeps, { key, state, from }: Nothing): Promise<Pulled> {
  if (from > state.position) await notePull(db, key, { read: state.position, from });
  return pulledOf(key, { state, from, messages: [], lease: null, skipped: from - state.position });
}

interface FoundMessages {
  readonly state: KnownState;
  readonly from: number;
  readonly messages: readonly Message[];
  readonly lease: { readonly id: Uuid; readonly expiresAt: Date } | null;
  readonly skipped: number;
}

function pulledOf({ tag }: ConsumerKey, { state, from, messages, lease: taken, skipped }: FoundMessages): Pulled {
  return {
    messages,
    lease: taken === null ? null : { id: wireId("lse", tag, taken.id), expires_at: timeText(taken.expiresAt) },
    position: from,
    lag: Math.max(0, state.last - from + 1),
    epoch: epochOf(state.epoch),
    ...(skipped > 0 && { skipped }),
  };
}

/** Throws the reason why a commit or a release was refused: with a lease id, its lease is the last one. */
async function refuse({ db }: PullsDeps, key: ConsumerKey, leaseId: Uuid | undefined): Promise<never> {
  const state = await readingState(db, key);
  if (state === undefined || state.position === null) throw unknownConsumer();
  if (leaseId === undefined || state.lease_id !== leaseId)
    throw new ServiceError("lease_lost", {
      detail: "The lease has ended, and the consumer was leased or moved since. Pull again.",
    });
  const message = `must not be beyond the lease, whose last offset is ${state.lease_last ?? 0}`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/offset", code: "beyond_lease", message }] });
}

async function positionOf({ db }: PullsDeps, key: ConsumerKey, to: SeekTo): Promise<number> {
  const state = orNotFound(await readingState(db, key));
  if (to === "start") return state.first;
  if (to === "end") return state.last + 1;
  if (isRecord(to) && "time" in to) {
    const at = parseTimestamp(to.time, "/to/time");
    return at === undefined ? state.last + 1 : await offsetAt(db, key, toDate(at));
  }
  if (to.offset <= state.last + 1) return to.offset;
  const message = `must be at most ${state.last + 1}, the offset of the next message`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/to/offset", code: "maximum", message }] });
}

function consumerView(row: ConsumerRow): ConsumerView {
  return {
    consumer: row.name,
    position: row.position,
    lag: row.lag,
    epoch: epochOf(row.epoch),
    oldest_unread_at: timeText(row.oldest_unread_at),
    lease_expires_at: timeText(row.lease_expires_at),
    last_pulled_at: timeText(row.last_pulled_at),
  };
}

/** The beginning of a UUID is enough to tell epochs apart. */
function epochOf(epoch: Uuid): string {
  return epoch.replaceAll("-", "").slice(0, 16);
}

function unknownConsumer(): ServiceError {
  return new ServiceError("not_found", {
    detail: "The endpoint has no such consumer. A consumer is created by its first pull.",
  });
}
