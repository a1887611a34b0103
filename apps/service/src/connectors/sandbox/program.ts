import type { Json } from "../../lib/lib.ts";

export const RUNTIMES = ["ts", "php"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** A connector's code, for one workspace. */
export interface Program {
  /** Whose child it is: one child each. Another `digest` under the same id replaces the child when its calls have ended. */
  readonly id: string;
  /** Of the verified bytes; names the version that runs. */
  readonly digest: string;
  readonly runtime: Runtime;
  /** The connector's key, for logs. */
  readonly key: string;
  /** The verified bytes by path, `/` between names. Asked each time a child starts. */
  files(): Promise<ReadonlyMap<string, Buffer>>;
  /** What the child may have resident, bytes; left out, what its runtime usually has. */
  readonly memoryBytes?: number;
}

export type Hook = "describe" | "subscriber" | "identity" | "context" | "webhook" | "action" | "test";

/** What a hook knows without asking. */
export interface Facts {
  /** `{id, event, timestamp, data}`, or null when no event caused the call. */
  readonly event: Json;
  /** By name; a secret is its handle, `secret:settings.<name>`. */
  readonly settings: { readonly [name: string]: Json };
  readonly environment: "live" | "sandbox";
  /** RFC 3339. */
  readonly now: string;
}

/** One call of a hook; what `name` and `args` are for each hook is in docs/reference/connector-protocol.md. */
export interface HookCall {
  readonly hook: Hook;
  readonly name: string;
  readonly args: readonly Json[];
  /** From the moment the child has the call: waiting for a place and starting the child have limits of their own. */
  readonly deadlineMs: number;
  readonly facts: Facts;
  /** Answers what the code asks for, by the names and arguments of the reference. Throw HostError for what it should be told. */
  service(name: string, args: readonly Json[]): Promise<Json>;
  /** What it logged or printed: bounded, in order. */
  log(line: LogLine): void;
}

export interface LogLine {
  readonly level: "debug" | "info" | "warning" | "error";
  /** At most 8192 characters. */
  readonly message: string;
  /** At most 8192 characters as JSON. */
  readonly fields?: { readonly [name: string]: Json };
}

export const HOST_ERRORS = [
  "egress_undeclared",
  "target_refused",
  "timeout",
  "not_declared",
  "too_large",
  "rate_limited",
  "invalid",
  "conflict",
  "failed",
] as const;
export type HostErrorCode = (typeof HOST_ERRORS)[number];

/** What a service answers instead of a value: thrown into the connector's code as its `HostError`. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string) {
    super(message);
    this.name = "HostError";
    this.code = code;
  }
}

/**
 * `threw`: the code threw, or is not what it should be. `deadline`, `memory`, `crashed`, `protocol`: the child was ended. `start`: there
 * was none. `unavailable`: too much waits already, or the runtime is not on this machine; nothing ran.
 */
export type FailureKind = "threw" | "deadline" | "memory" | "crashed" | "protocol" | "start" | "unavailable";

/** Why a call has no value. The message is for the connector's author and operator; it holds no path of this machine. */
export class HookError extends Error {
  readonly kind: FailureKind;
  /** Of the connector's code, where it threw. */
  readonly trace?: string;
  /** Where what it threw is a HostError. */
  readonly code?: HostErrorCode;

  constructor(kind: FailureKind, message: string, more: { trace?: string; code?: HostErrorCode } = {}) {
    super(message);
    this.name = "HookError";
    this.kind = kind;
    if (more.trace !== undefined) this.trace = more.trace;
    if (more.code !== undefined) this.code = more.code;
  }
}
