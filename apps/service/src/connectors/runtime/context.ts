import type { Pinned } from "../registry/connectors.ts";
import type { Event } from "../../events/events.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Hook } from "../sandbox/hosts.ts";
import type { Json, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EffectPlace } from "./effects.store.ts";
import type { Handles } from "./handles.ts";

/** One call that the service wants a connector to take. */
export interface HookRequest {
  readonly scope: Scope;
  readonly key: string;
  readonly hook: Exclude<Hook, "describe">;
  readonly name: string;
  readonly args: readonly Json[];
  readonly deadlineMs: number;
  readonly event: Event | null;
  /** The same each time that the call is made again, so that its effects are there once; null where it is never made again. */
  readonly cause: string | null;
  /** The events that led to it, oldest first, its own the last. */
  readonly chain: readonly Uuid[];
}

/** A call under way, as the services see it. */
export interface CallContext {
  readonly pinned: Pinned;
  readonly request: HookRequest;
  readonly handles: Handles;
  /** When it will be ended, in monotonic milliseconds. */
  readonly endsAtMs: number;
  /** A request of it left, and nobody knows what became of it. */
  unknown: boolean;
  /** Counts one more of a kind; throws HostError `rate_limited` beyond the most that a call may ask for. */
  count(kind: string, most: number): number;
  /** Adds what is worth telling of the service that is being asked. */
  tell(detail: Readonly<Record<string, unknown>>): void;
}

/** Hooks that are asked in the middle of reading: they change nothing that others see. */
const READING: ReadonlySet<Hook> = new Set(["identity", "context"]);

export function isReading(hook: Hook): boolean {
  return READING.has(hook);
}

/** Throws HostError `not_declared` for a hook that answers a question. */
export function assertNotReading({ request }: CallContext, what: string): void {
  if (isReading(request.hook)) throw new HostError("not_declared", `A provider only returns data, and cannot ${what}.`);
}

/** Where an effect of the call is kept; null where the call is never made again. */
export function placeOf({ pinned, request }: CallContext, name: string): EffectPlace | null {
  const { bucket, tag } = pinned.scope;
  return request.cause === null ? null : { bucket, tag, key: pinned.key, cause: request.cause, name };
}
