import type { Clock, Instant, Tag, Uuid } from "../../lib/lib.ts";
import { createPatience } from "./patience.ts";
import type { AttemptEnd, Patience } from "./patience.ts";

/** The state before a replay, to which a replay that fails returns. */
export type RestingState = "failed" | "delivered" | "filtered" | "cancelled";

export interface LanePlace {
  readonly key: string;
  /** A decimal number. */
  readonly sequence: string;
}

/** A delivery that is leased to this process. */
export interface LeasedDelivery {
  readonly bucket: number;
  readonly tag: Tag;
  readonly deliveryId: Uuid;
  readonly eventId: Uuid;
  readonly eventName: string;
  readonly occurredAt: Instant;
  /** The trace of the event's caller; null if it sent none. */
  readonly traceparent: string | null;
  /** The tenant of the event. */
  readonly tenant: string | null;
  /** The subject of the event. Undefined if it was not read with the delivery. */
  readonly subject?: string | null;
  /**
   * The source text of the data. Null if retention has deleted the event, so that there is nothing left to send. Undefined if it is
   * large: then it is read when the delivery is sent.
   */
  readonly data: string | null | undefined;
  /** The bytes of large data, which count against the bytes in flight; 0 for small data. */
  readonly bytes: number;
  readonly endpointId: Uuid;
  /** The number of attempts so far. The next attempt has the next number. */
  readonly attemptCount: number;
  readonly trigger: "ladder" | "replay";
  readonly restingState: RestingState | null;
  /** True if the request that its transformation made is kept, and is sent. */
  readonly transformed: boolean;
  /** True if the endpoint's filter was too expensive for the event: only a replay judges it again. */
  readonly isUnjudged: boolean;
  /** The lane whose head it is, and its number there; null: the endpoint has no order, or the event has no key. */
  readonly lane: LanePlace | null;
  /** The time until which the lease certainly holds, on the monotonic clock. */
  readonly leasedUntilMs: number;
}

/** A delivery whose data is in memory. */
export type ReadDelivery = LeasedDelivery & { readonly data: string };

export interface QueueLimits {
  readonly maxInFlight: number;
  /** The limit for one workspace. */
  readonly maxPerWorkspace: number;
  /** The limit of those whose receivers let them wait. They are in addition to the others. */
  readonly maxPatient: number;
  /** The limit of the bytes of large data that are being sent. Deliveries of small data never wait for it. */
  readonly maxBytes: number;
  readonly maxBytesPerWorkspace: number;
  /** The number of deliveries that may wait. Every workspace has room for its share of it. */
  readonly maxWaiting: number;
}

export interface Queue {
  push(work: LeasedDelivery, endpointMaxInFlight: number): void;
  /**
   * Returns the next delivery that may be sent now, with workspaces and their endpoints in turn; undefined if none may.
   */
  take(): LeasedDelivery | undefined;
  /** Returns the same for endpoints that hang: they have slots of their own. */
  takeHanging(): LeasedDelivery | undefined;
  /**
   * Frees the slot of a delivery that was sent. Returns the deliveries of its endpoint that may not wait in memory anymore, because the
   * receiver has begun to hang.
   */
  release(work: LeasedDelivery, end?: AttemptEnd): LeasedDelivery[];
  /** Returns true if the last attempt at the endpoint timed out. */
  hangs(endpointId: Uuid): boolean;
  /** Returns the number of waiting and running deliveries of one endpoint. */
  held(endpointId: Uuid): number;
  /** Returns how many more deliveries of a workspace may wait. */
  room(tag: Tag, promised?: Promised): number;
  /** The number of endpoints that hang and have deliveries that wait. */
  readonly hanging: number;
  /** True if there may be deliveries that wait only for the slots of others. */
  readonly isFull: boolean;
  readonly waiting: number;
  readonly inFlight: number;
}

/** Deliveries that were not pushed yet: of all workspaces, and of each. */
export interface Promised {
  readonly all: number;
  readonly of: ReadonlyMap<Tag, number>;
}

const NONE_PROMISED: Promised = { all: 0, of: new Map() };

interface EndpointQueue {
  readonly endpointId: Uuid;
  readonly share: TenantQueue;
  readonly works: LeasedDelivery[];
  head: number;
  inFlight: number;
  max: number;
  /** True while its next delivery waits for bytes. */
  blocked: boolean;
}

interface TenantQueue {
  readonly tag: Tag;
  /** The number of known endpoints. */
  lines: number;
  /** The endpoints that have something to send and room to send it, in turn. */
  readonly turn: EndpointQueue[];
  /** The endpoints whose next delivery waits for bytes, in turn. */
  readonly blocked: EndpointQueue[];
  inFlight: number;
  waiting: number;
  bytes: number;
}

interface State {
  readonly limits: QueueLimits;
  readonly shares: Map<Tag, TenantQueue>;
  readonly lines: Map<Uuid, EndpointQueue>;
  /** The workspaces that have something to send and room to send it, in turn. */
  readonly turn: TenantQueue[];
  /** The workspaces that have an endpoint that waits for bytes, in turn. */
  readonly blocked: Set<TenantQueue>;
  readonly patience: Patience<LeasedDelivery>;
  /** The endpoints that hang and have something to send, in turn. */
  readonly hanging: Set<EndpointQueue>;
  waiting: number;
  inFlight: number;
  bytes: number;
}

/**
 * Creates the in-memory order of sending. An endpoint that hangs uses only its own slots, a busy workspace only its own share, and
 * thousands of endpoints that hang only the slots for these.
 */
export function createQueue(limits: QueueLimits, clock: Pick<Clock, "monotonicMs">): Queue {
  const state: State = {
    limits,
    shares: new Map(),
    lines: new Map(),
    turn: [],
    blocked: new Set(),
    patience: createPatience(limits.maxPatient, clock),
    hanging: new Set(),
    waiting: 0,
    inFlight: 0,
    bytes: 0,
  };
  return {
    push(work, endpointMaxInFlight) {
      const share = shareOf(state, work.tag);
      const line = lineOf(state, share, work.endpointId);
      line.max = endpointMaxInFlight;
      line.works.push(work);
      share.waiting += 1;
      state.waiting += 1;
      offer(state, share, line);
    },
    take: () => take(state),
    takeHanging: () => takeHanging(state),
    release: (work, end) => release(state, work, end),
    hangs: state.patience.hangs,
    held: (endpointId) => heldBy(state.lines.get(endpointId)),
    room: (tag, promised = NONE_PROMISED) => roomOf(state, tag, promised),
    get hanging() {
      return state.hanging.size;
    },
    get isFull() {
      return state.waiting > 0 && state.inFlight >= limits.maxPerWorkspace;
    },
    get waiting() {
      return state.waiting;
    },
    get inFlight() {
      return state.inFlight + state.patience.places;
    },
  };
}

function shareOf(state: State, tag: Tag): TenantQueue {
  const known = state.shares.get(tag);
  if (known !== undefined) return known;
  const share: TenantQueue = { tag, lines: 0, turn: [], blocked: [], inFlight: 0, waiting: 0, bytes: 0 };
  state.shares.set(tag, share);
  return share;
}

function lineOf(state: State, share: TenantQueue, endpointId: Uuid): EndpointQueue {
  const known = state.lines.get(endpointId);
  if (known !== undefined) return known;
  const line: EndpointQueue = { endpointId, share, works: [], head: 0, inFlight: 0, max: 1, blocked: false };
  state.lines.set(endpointId, line);
  share.lines += 1;
  return line;
}

/** Puts the endpoint into its workspace's turn, and the workspace into the global turn, if they have work and room. */
function offer(state: State, share: TenantQueue, line: EndpointQueue): void {
  const open = line.works.length > line.head && line.inFlight < mostOf(state, line) && !line.blocked;
  if (open && state.patience.hangs(line.endpointId)) state.hanging.add(line);
  else if (open && !share.turn.includes(line)) share.turn.push(line);
  offerShare(state, share);
}

function offerShare(state: State, share: TenantQueue): void {
  const hasRoom = share.inFlight < state.limits.maxPerWorkspace;
  if (share.turn.length > 0 && hasRoom && !state.turn.includes(share)) state.turn.push(share);
}

function mostOf({ patience }: State, { endpointId, max }: EndpointQueue): number {
  return patience.hangs(endpointId) ? 1 : max;
}

function take(state: State): LeasedDelivery | undefined {
  if (state.inFlight >= state.limits.maxPerWorkspace) moveSlow(state);
  if (state.inFlight >= state.limits.maxInFlight) return undefined;
  // Before each turn, so that others do not keep the bytes from those who wait for them.
  while (unblock(state)) {
    const work = takeInTurn(state);
    if (work !== undefined) return work;
  }
  return takeInTurn(state);
}

function takeInTurn(state: State): LeasedDelivery | undefined {
  for (let share = state.turn.shift(); share !== undefined; share = state.turn.shift()) {
    const line = share.turn.shift();
    if (line === undefined) continue;
    // The limit may have been lowered since the endpoint was put into the turn, or the endpoint hangs since then.
    const mayBeSent = line.inFlight < line.max && !state.patience.hangs(line.endpointId);
    const work = mayBeSent ? shiftIfRoom(state, share, line) : undefined;
    if (work !== undefined) {
      share.inFlight += 1;
      state.inFlight += 1;
      state.patience.began(work);
    }
    offer(state, share, line);
    if (work !== undefined) return work;
  }
  return undefined;
}

function takeHanging(state: State): LeasedDelivery | undefined {
  if (!state.patience.hasRoom) return undefined;
  for (const line of state.hanging) {
    state.hanging.delete(line);
    const work = line.inFlight < mostOf(state, line) ? shiftIfRoom(state, line.share, line) : undefined;
    if (work === undefined) continue;
    state.patience.take(work);
    return work;
  }
  return undefined;
}

function moveSlow(state: State): void {
  state.patience.moveSlow(({ tag }) => {
    state.inFlight -= 1;
    const share = state.shares.get(tag);
    if (share === undefined) return;
    share.inFlight -= 1;
    offerShare(state, share);
  });
}

/** Takes the endpoint's next delivery, or lets the endpoint wait for bytes, so that small deliveries of others continue. */
function shiftIfRoom(state: State, share: TenantQueue, line: EndpointQueue): LeasedDelivery | undefined {
  if (hasBytes(state, share, line)) return shift(state, line);
  line.blocked = true;
  share.blocked.push(line);
  state.blocked.add(share);
  return undefined;
}

function hasBytes({ limits, bytes }: State, share: TenantQueue, line: EndpointQueue): boolean {
  const wanted = line.works[line.head]?.bytes ?? 0;
  if (wanted === 0 || bytes === 0) return true;
  return share.bytes + wanted <= limits.maxBytesPerWorkspace && bytes + wanted <= limits.maxBytes;
}

/** Gives the turn back to the first endpoint of each workspace whose next delivery has room now. Returns false if there is none. */
function unblock(state: State): boolean {
  let any = false;
  const blocked = Array.from(state.blocked);
  for (const share of blocked) {
    const [line] = share.blocked;
    if (line === undefined || !hasBytes(state, share, line)) continue;
    share.blocked.shift();
    line.blocked = false;
    // The workspace goes to the end of the turn.
    state.blocked.delete(share);
    if (share.blocked.length > 0) state.blocked.add(share);
    offer(state, share, line);
    any = true;
  }
  return any;
}

/** All workspaces share the places. One that came late still has its share, when others have taken all of them. */
function roomOf({ limits, waiting, shares }: State, tag: Tag, promised: Promised): number {
  const share = shares.get(tag);
  const part = Math.floor(limits.maxWaiting / (shares.size + (share === undefined ? 1 : 0)));
  const own = (share?.waiting ?? 0) + (promised.of.get(tag) ?? 0);
  return Math.max(0, limits.maxWaiting - waiting - promised.all, part - own);
}

function release(state: State, work: LeasedDelivery, end: AttemptEnd): LeasedDelivery[] {
  const share = state.shares.get(work.tag);
  const line = state.lines.get(work.endpointId);
  if (share === undefined || line === undefined) return [];
  line.inFlight -= 1;
  share.bytes -= work.bytes;
  state.bytes -= work.bytes;
  if (!state.patience.ended(work)) {
    share.inFlight -= 1;
    state.inFlight -= 1;
  }
  const left = state.patience.judge(line.endpointId, end) ? withdraw(state, line) : [];
  offer(state, share, line);
  if (isIdle(line)) {
    state.lines.delete(line.endpointId);
    state.hanging.delete(line);
    share.lines -= 1;
  }
  if (share.lines === 0) state.shares.delete(share.tag);
  return left;
}

/** Takes out the endpoint's waiting deliveries, and returns them. */
function withdraw(state: State, line: EndpointQueue): LeasedDelivery[] {
  const left = line.works.splice(line.head);
  line.share.waiting -= left.length;
  state.waiting -= left.length;
  return left;
}

/**
 * Takes the endpoint's next delivery and the endpoint's slot for it. Sent deliveries are removed in bulk, because a removal at each
 * step would copy the array each time.
 */
function shift(state: State, line: EndpointQueue): LeasedDelivery | undefined {
  const work = line.works[line.head];
  if (work === undefined) return undefined;
  line.head += 1;
  line.inFlight += 1;
  line.share.waiting -= 1;
  line.share.bytes += work.bytes;
  state.waiting -= 1;
  state.bytes += work.bytes;
  if (line.head > 64 && line.head * 2 > line.works.length) {
    line.works.splice(0, line.head);
    line.head = 0;
  }
  return work;
}

function isIdle(line: EndpointQueue): boolean {
  return line.inFlight === 0 && line.works.length === line.head;
}

function heldBy(line: EndpointQueue | undefined): number {
  return line === undefined ? 0 : line.inFlight + line.works.length - line.head;
}
