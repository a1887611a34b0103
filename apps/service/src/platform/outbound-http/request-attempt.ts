import type { Dispatcher } from "undici";
import type { Clock } from "../../lib/lib.ts";
import { ConnectError, faultOf, faultOfStatus, isPeerClose } from "./fault.ts";
import type { ErrorClass, Fault } from "./fault.ts";
import { inflate } from "./inflate.ts";
import type { Route } from "./pools.ts";
import type { BlockReason } from "./target.ts";
import { wireOf } from "./connector.ts";
import type { Wire } from "./connector.ts";

/** What kept a body from ending: our bound of size, our bound of time, or the other side. */
export type Cut = "size" | "time" | "broken";

/** How one request went. Contract section 5, verdict. */
export interface Exchange {
  /** Of the final status line; null when none came. */
  readonly status: number | null;
  /** Null exactly for a 2xx. */
  readonly errorClass: ErrorClass | null;
  readonly errorDetail: string | null;
  /** Lower-case names; repeated ones joined by ", ". */
  readonly headers: Record<string, string>;
  /** Inflated, at most `maxBodyBytes`. */
  readonly body: Buffer;
  /** The body did not end within its bounds of size and time. */
  readonly truncated: boolean;
  /** Why it did not; null exactly where it is not truncated. */
  readonly cut: Cut | null;
  /** The request was written, in part at least: the other side may have acted on it. */
  readonly sent: boolean;
  /** With `target_refused`. */
  readonly blockReason?: BlockReason;
  readonly latency: Latency;
  /** The address that was connected to; null when the target was refused or not found. */
  readonly resolvedIp: string | null;
}

/**
 * Milliseconds, rounded to 0.01. `connect` and `tls` are 0 on a connection that was open already; `first_byte` counts
 * from the request's being written; `total` spans everything.
 */
export interface Latency {
  readonly dns: number;
  readonly connect: number;
  readonly tls: number;
  readonly first_byte: number;
  readonly total: number;
}

/** One request along a vetted route. Moments are monotonic milliseconds. */
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

/** An order under way. It lands once; what comes after that is ignored. */
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
  /** Bytes still accepted, before inflation. */
  room: number;
  cut: Cut | null;
}

type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** Starts the one timer that bounds everything. `onLanded` is called once, with what will become of it. */
export function startAttempt(order: Order, clock: Clock, onLanded: RequestAttempt["onLanded"]): RequestAttempt {
  const remainingMs = Math.max(1, Math.ceil(order.totalTimeoutMs - (clock.monotonicMs() - order.startedAt)));
  const flight: RequestAttempt = {
    order,
    clock,
    onLanded,
    timer: setTimeout(() => expire(flight), remainingMs),
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

/** The request is being written to this socket. */
export function onSocket(flight: RequestAttempt, socket: object): void {
  const wire = wireOf(socket);
  if (wire === undefined) return;
  wire.uses += 1;
  wire.awaiting = true;
  wire.firstByteAt = null;
  flight.wire = wire;
  flight.reused = wire.uses > 1;
  flight.sentAt = flight.clock.monotonicMs();
}

export function receiveHead(flight: RequestAttempt, status: number, headers: IncomingHeaders): void {
  if (status < 200) {
    flight.interim += 1;
    // 103 and its like are skipped, but not without end.
    if (flight.interim > MAX_INTERIM) flight.controller?.abort(new Error("too many interim responses"));
    return;
  }
  flight.status = status;
  flight.headers = headers;
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

/** Whether the peer merely closed an idle connection just as it was written to: no fault of anybody's. */
export function canRetry(flight: RequestAttempt, error: Error): boolean {
  if (flight.landed) return false;
  const untouched = flight.wire !== null && flight.wire.firstByteAt === null;
  return flight.reused && untouched && isPeerClose(error);
}

export function failAttempt(flight: RequestAttempt, error: Error): void {
  if (flight.landed) return;
  if (error instanceof ConnectError) flight.connectFailure = error;
  if (flight.status !== null) flight.cut = "broken";
  finishAttempt(flight, faultOf(error));
}

/** Ends a flight once and for all. Where a status came, it decides, and `fault` says nothing more. */
export function finishAttempt(flight: RequestAttempt, fault: Fault | null): void {
  if (flight.landed) return;
  flight.landed = true;
  clearTimeout(flight.timer);
  const decided = flight.status === null ? fault : faultOfStatus(flight.status);
  flight.onLanded(conclude(flight, decided, flight.clock.monotonicMs()));
}

const MAX_INTERIM = 16;

/** What coding adds to bytes that cannot be compressed. */
const CODING_OVERHEAD_BYTES = 1024;

function expire(flight: RequestAttempt): void {
  if (flight.status !== null) flight.cut = "time";
  const seconds = flight.order.totalTimeoutMs / 1000;
  finishAttempt(flight, { errorClass: "timeout", detail: `no response within ${seconds} s` });
  flight.controller?.abort(new Error("timed out"));
}

async function conclude(flight: RequestAttempt, fault: Fault | null, endedAt: number): Promise<Exchange> {
  await connectionFreed();
  const headers = flatten(flight.headers);
  const coding = headers["content-encoding"] ?? "";
  // Copied, because a chunk is a window on a 64 KiB slab that it would keep alive.
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
 * undici offers a connection again one turn of the loop after its response ended. Answering earlier would have a caller
 * that posts at once open a second connection, and one in two stand idle from then on.
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

/** To 0.01. */
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
