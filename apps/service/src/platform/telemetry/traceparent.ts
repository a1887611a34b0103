import { sha256 } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";

/** The origin of an event in a trace (W3C Trace Context, level 1). */
export interface TraceOrigin {
  readonly id: Uuid;
  /** The header that the caller sent, if it is valid; otherwise null. */
  readonly traceparent: string | null;
}

export interface TraceContext {
  /** The trace id and the span id have 32 and 16 hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** An id of zeros and the version `ff` are invalid. Only later versions than the first may continue after the flags. */
const REST = "((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})";
const FORM = new RegExp(`^(?:00-${REST}|(?!00|ff)[0-9a-f]{2}-${REST}(?:-.*)?)$`);
const SAMPLED = 0x01;

/** Returns the header as this version of the standard writes it; null for a header that the standard says to ignore. */
export function readTraceparent(header: string | readonly string[] | undefined): string | null {
  if (typeof header !== "string") return null;
  const [, first, later] = FORM.exec(header.trim()) ?? [];
  const [traceId, spanId, flags] = (first ?? later ?? "").split("-");
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return traceparentOf({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED });
}

export function traceparentOf({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** Returns the caller's span; undefined if the event begins its own trace. */
export function callerSpan({ traceparent }: TraceOrigin): TraceContext | undefined {
  if (traceparent === null) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return { traceId, spanId, sampled: flags === "01" };
}

/**
 * Returns the span of an event. It is derived from the event's id, so that every node can compute it without storage.
 */
export function eventSpan(event: TraceOrigin): TraceContext {
  const caller = callerSpan(event);
  return {
    traceId: caller?.traceId ?? digits(event.id),
    spanId: digits(event.id).slice(16),
    sampled: caller?.sampled ?? true,
  };
}

/** Returns the span of a delivery's attempt, 1 for the first. */
export function attemptSpan(event: TraceOrigin, deliveryId: Uuid, attempt: number): TraceContext {
  const low = BigInt(`0x${digits(deliveryId).slice(16)}`) ^ BigInt(attempt);
  return { ...eventSpan(event), spanId: low.toString(16).padStart(16, "0") };
}

/** Returns the span of a subscriber's reaction to an event, 1 for the first attempt. */
export function stageSpan(event: TraceOrigin, kind: string, key: string, number: number): TraceContext {
  const name = sha256(`${event.id} ${kind} ${key} ${number}`);
  return { ...eventSpan(event), spanId: name.toString("hex", 0, 8) };
}

function digits(uuid: Uuid): string {
  return uuid.replaceAll("-", "");
}
