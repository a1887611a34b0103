import type { Dispatcher } from "undici";
import { inflate } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { ConnectError, outboundFault, faultOfStatus, isPeerClose } from "./outbound-fault.ts";
import type { ErrorClass, Fault } from "./outbound-fault.ts";
import { readHead } from "./head.ts";
import type { Route } from "./connections.ts";
import type { BlockReason } from "./target.ts";
import { wireOf } from "./connector.ts";
import type { Wire } from "./connector.ts";

/** The reason why a body did not end: our size limit, our time limit, or the peer. */
export type Cut = "size" | "time" | "broken";

/** The result of one request. Contract section 5, verdict. */
export interface Exchange {
  /** The status of the final status line; null if none arrived. */
  readonly status: number | null;
  /** The class of the error; null exactly for a 2xx. */
  readonly errorClass: ErrorClass | null;
  readonly errorDetail: string | null;
  /** Headers by lower-case name. Repeated ones are joined by ", ". */
  readonly headers: Record<string, string>;
  /** The decoded body, at most `maxBodyBytes`. */
  readonly body: Buffer;
  /** True if the body did not end within its limits of size and time. */
  readonly truncated: boolean;
  /** The reason for the truncation; null exactly if the body is not truncated. */
  readonly cut: Cut | null;
  /** True if the request was written, at least in part: the receiver may have acted on it. */
  readonly sent: boolean;
  /** The reason of a `target_refused`. */
  readonly blockReason?: BlockReason;
  readonly latency: Latency;
  /** The address of the connection; null if the target was refused or not found. */
  readonly resolvedIp: string | null;
}

/**
 * Latencies in milliseconds, rounded to 0.01. `connect` and `tls` are 0 on a connection that was already open.
 * `first_byte` counts from the writing of the request, and `total` covers everything.
 */
export interface Latency {
  readonly dns: number;
  readonly connect: number;
  readonly tls: number;
  readonly first_byte: number;
  readonly total: number;
}

/** One request along a vetted route. Times are monotonic milliseconds. */
export interface Order {
  readonly route: Route;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
  readonly startedAt: number;
  readonly dnsMs: number;
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly once: boolean;
}

/** An order in progress. It ends once, and later callbacks are ignored. */
export interface RequestAttempt {
  readonly order: Order;
  readonly clock: Clock;
  readonly timer: NodeJS.Timeout;
  readonly onLanded: (landing: Promise<Exchange>) => void;
  controller: Dispatcher.DispatchController | null;
  wire: Wire | null;
  connectFailure: ConnectError | null;
  reused: boolean;
  landed: boolean;
  sentAt: number;
  interim: number;
  status: number | null;
  headers: IncomingHeaders;
  chunks: Buffer[];
  /** The number of bytes that are still accepted, before decoding. */
  room: number;
  cut: Cut | null;
}

type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** Starts the one timer that limits the whole attempt. `onLanded` is called once, with the pending result. */
export function startAttempt(order: Order, clock: Clock, onLanded: RequestAttempt["onLanded"]): RequestAttempt {
  const remainingMs = Math.max(1, Math.ceil(order.totalTimeoutMs - (clock.monotonicMs() - order.startedAt)));
  const flight: RequestAttempt = {
    order,
    clock,
    onLanded,
    timer: setTimeout(() => noteExpired(flight), remainingMs),
    controller: null,
    wire: null,
    connectFailure: null,
    reused: false,
    landed: false,
    sentAt: 0,
    interim: 0,
    status: null,
    headers: {},
    chunks: [],
    room: order.maxBodyBytes,
    cut: null,
  };
  return flight;
}

/** Records the socket to which the request is being written. */
export function onSocket(flight: RequestAttempt, socket: object): void {
  const wire = wireOf(socket);
  if (wire === undefined) return;
  wire.uses += 1;
  wire.awaiting = true;
  wire.firstByteAt = null;
  wire.head = null;
  flight.wire = wire;
  flight.reused = wire.uses > 1;
  flight.sentAt = flight.clock.monotonicMs();
}

export function receiveHead(flight: RequestAttempt, status: number, headers: IncomingHeaders): void {
  if (status < 200) {
    flight.interim += 1;
    // Responses such as 103 are skipped, but not without limit.
    if (flight.interim > MAX_INTERIM) flight.controller?.abort(new Error("too many interim responses"));
    return;
  }
  flight.status = status;
  flight.headers = headers;
  if (flight.wire !== null) flight.wire.head = null;
  if ("content-encoding" in headers) flight.room += CODING_OVERHEAD_BYTES;
}

export function receiveBody(flight: RequestAttempt, chunk: Buffer): void {
  if (flight.landed) return;
  if (chunk.length <= flight.room) {
    flight.chunks.push(chunk);
    flight.room -= chunk.length;
    return;
  }
  flight.chunks.push(chunk.subarray(0, flight.room));
  flight.cut = "size";
  finishAttempt(flight, null);
  flight.controller?.abort(new Error("body too large"));
}

/** Returns true if the peer only closed an idle connection just as the request was written, which is not an error. */
export function canRetry(flight: RequestAttempt, error: Error): boolean {
  if (flight.landed) return false;
  const untouched = flight.wire !== null && flight.wire.firstByteAt === null;
  return flight.reused && untouched && isPeerClose(error);
}

export function failAttempt(flight: RequestAttempt, error: Error): void {
  if (flight.landed) return;
  if (error instanceof ConnectError) flight.connectFailure = error;
  readUnfinishedHead(flight);
  if (flight.status !== null) flight.cut = "broken";
  finishAttempt(flight, outboundFault(error));
}

/** Ends an attempt once and for all. If a status arrived, it decides, and `fault` is ignored. */
export function finishAttempt(flight: RequestAttempt, fault: Fault | null): void {
  if (flight.landed) return;
  flight.landed = true;
  clearTimeout(flight.timer);
  const decided = flight.status === null ? fault : faultOfStatus(flight.status);
  flight.onLanded(conclude(flight, decided, flight.clock.monotonicMs()));
}

const MAX_INTERIM = 16;

/** The overhead that a coding adds to bytes that cannot be compressed. */
const CODING_OVERHEAD_BYTES = 1024;

/**
 * Takes the status of a head that did not end, or that is not quite HTTP/1.1, and such headers as it has: the status
 * line decides (contract, section 5). Nothing more is read, and the connection is closed.
 */
function readUnfinishedHead(flight: RequestAttempt): void {
  const chunks = flight.wire?.head ?? null;
  if (flight.status !== null || chunks === null) return;
  const head = readHead(Buffer.concat(chunks));
  if (head === undefined) return;
  flight.status = head.status;
  flight.headers = head.headers;
}

/** Attempts whose time is over. */
const expired: RequestAttempt[] = [];
/** Those that end in one turn of the event loop: attempts that began together expire together, and each takes up to a millisecond. */
const AT_ONCE = 8;

function noteExpired(flight: RequestAttempt): void {
  if (expired.push(flight) === 1) setImmediate(endExpired);
}

function endExpired(): void {
  for (const flight of expired.splice(0, AT_ONCE)) if (!flight.landed) expire(flight);
  if (expired.length > 0) setImmediate(endExpired);
}

function expire(flight: RequestAttempt): void {
  readUnfinishedHead(flight);
  if (flight.status !== null) flight.cut = "time";
  const seconds = flight.order.totalTimeoutMs / 1000;
  finishAttempt(flight, { errorClass: "timeout", detail: `no response within ${seconds} s` });
  flight.controller?.abort(new Error("timed out"));
}

async function conclude(flight: RequestAttempt, fault: Fault | null, endedAt: number): Promise<Exchange> {
  await connectionFreed();
  const headers = flatten(flight.headers);
  const coding = headers["content-encoding"] ?? "";
  // The chunks are copied, because each is a view of a 64 KiB slab that it would keep alive.
  const raw = Buffer.concat(flight.chunks);
  const inflated =
    coding === "" ? { body: raw, truncated: false } : await inflate(raw, coding, flight.order.maxBodyBytes);
  const isFull = inflated.body.length >= flight.order.maxBodyBytes;
  const cut = flight.cut ?? (inflated.truncated ? (isFull ? "size" : "broken") : null);
  return {
    status: flight.status,
    errorClass: fault?.errorClass ?? null,
    errorDetail: fault?.detail ?? null,
    headers,
    body: inflated.body,
    truncated: cut !== null,
    cut,
    sent: flight.wire !== null,
    latency: latencyOf(flight, endedAt),
    resolvedIp: flight.order.route.address,
  };
}

/**
 * undici offers a connection again one turn of the event loop after its response ended. With an earlier result, a
 * caller that posts at once would open a second connection, and one of the two would stay idle from then on.
 */
async function connectionFreed(): Promise<void> {
  await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

function latencyOf(flight: RequestAttempt, endedAt: number): Latency {
  const { order, wire } = flight;
  const fresh = flight.connectFailure ?? (flight.reused ? null : wire);
  const firstByteAt = wire?.firstByteAt ?? null;
  return {
    dns: round(order.dnsMs),
    connect: round(fresh?.connectMs ?? 0),
    tls: round(fresh?.tlsMs ?? 0),
    first_byte: firstByteAt === null ? 0 : round(firstByteAt - flight.sentAt),
    total: round(endedAt - order.startedAt),
  };
}

/** Rounds to 0.01. */
export function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function flatten(incoming: IncomingHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value === undefined || name === "__proto__") continue;
    flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}
