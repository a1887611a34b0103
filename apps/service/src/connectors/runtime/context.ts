import type { Pinned } from "../registry/connectors.ts";
import type { Event } from "../../events/events.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Hook } from "../sandbox/hosts.ts";
import type { Json, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EffectPlace } from "./effects.store.ts";
import type { Handles } from "./handles.ts";

/** One call of a connector's hook. */
export interface HookRequest {
  readonly scope: Scope;
  readonly key: string;
  readonly hook: Exclude<Hook, "describe">;
  readonly name: string;
  readonly args: readonly Json[];
  readonly deadlineMs: number;
  readonly event: Event | null;
  /** The same value in each repeat of the call, so that its effects happen once. Null if the call is never repeated. */
  readonly cause: string | null;
  /** The ids of the events that led to the call, oldest first. Its own event comes last. */
  readonly chain: readonly Uuid[];
  /** The tenant whose event or action led to the call, which the events that it fires have too. */
  readonly tenant: string | null;
}

/** A running call, as the services see it. */
export interface CallContext {
  readonly pinned: Pinned;
  readonly request: HookRequest;
  readonly handles: Handles;
  /** The end of the call's time limit, in monotonic milliseconds. */
  readonly endsAtMs: number;
  /** True if a request was sent and its result is not known. */
  unknown: boolean;
  /** Counts one more request of a kind. Throws HostError `rate_limited` above the maximum of a call. */
  count(kind: string, most: number): number;
  /** Adds details about the current service request to the run log. */
  tell(detail: Readonly<Record<string, unknown>>): void;
}

/** Hooks that run while data is read. They must not change anything. */
const READING: ReadonlySet<Hook> = new Set(["identity", "context"]);

export function isReading(hook: Hook): boolean {
  return READING.has(hook);
}

/** Throws HostError `not_declared` for a provider hook. */
export function assertNotReading({ request }: CallContext, what: string): void {
  if (isReading(request.hook)) throw new HostError("not_declared", `A provider only returns data, and cannot ${what}.`);
}

/** Returns the place that records an effect of the call, or null if the call is never repeated. */
export function placeOf({ pinned, request }: CallContext, name: string): EffectPlace | null {
  const { bucket, tag } = pinned.scope;
  return request.cause === null ? null : { bucket, tag, key: pinned.key, cause: request.cause, name };
}
