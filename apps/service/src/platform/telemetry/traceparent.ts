import { sha256 } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";

/** Where an event comes from, in what one calls a trace (W3C Trace Context, level 1). */
export interface TraceOrigin {
  readonly id: Uuid;
  /** What its caller sent, if it can be read; else null. */
  readonly traceparent: string | null;
}

export interface TraceContext {
  /** 32 and 16 hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** All zeros are none, `ff` is no version, and only a later version than the first may go on after the flags. */
const REST = "((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})";
const FORM = new RegExp(`^(?:00-${REST}|(?!00|ff)[0-9a-f]{2}-${REST}(?:-.*)?)$`);
const SAMPLED = 0x01;

/** The header as this version of the standard writes it; null for what it tells to ignore. */
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

/** The caller's span; undefined where the event is the beginning of its own trace. */
export function callerSpan({ traceparent }: TraceOrigin): TraceContext | undefined {
  if (traceparent === null) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return { traceId, spanId, sampled: flags === "01" };
}

/** The span of an event: made of its id, so that every node knows it and nobody has to keep it. */
export function eventSpan(event: TraceOrigin): TraceContext {
  const caller = callerSpan(event);
  return {
    traceId: caller?.traceId ?? digits(event.id),
    spanId: digits(event.id).slice(16),
    sampled: caller?.sampled ?? true,
  };
}

/** The span of a delivery's attempt, 1 for the first. */
export function attemptSpan(event: TraceOrigin, deliveryId: Uuid, attempt: number): TraceContext {
  const low = BigInt(`0x${digits(deliveryId).slice(16)}`) ^ BigInt(attempt);
  return { ...eventSpan(event), spanId: low.toString(16).padStart(16, "0") };
}

/** The span of what a subscriber does about an event, 1 for the first try. */
export function stageSpan(event: TraceOrigin, kind: string, key: string, number: number): TraceContext {
  const name = sha256(`${event.id} ${kind} ${key} ${number}`);
  return { ...eventSpan(event), spanId: name.toString("hex", 0, 8) };
}

function digits(uuid: Uuid): string {
  return uuid.replaceAll("-", "");
}
