import type { Json } from "../../lib/lib.ts";

export const RUNTIMES = ["ts", "php"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** The code of a connector, for one workspace. */
export interface Program {
  /**
   * The id of the child: one child for each id. Another `digest` under the same id replaces the child after its calls
   * have ended.
   */
  readonly id: string;
  /** The digest of the verified version that runs. */
  readonly digest: string;
  readonly runtime: Runtime;
  /** The connector's key, for logs. */
  readonly key: string;
  /** Returns the verified bytes by path, with `/` between names. Called each time a child starts. */
  files(): Promise<ReadonlyMap<string, Buffer>>;
  /** The child's limit of resident memory in bytes. The default is the runtime's. */
  readonly memoryBytes?: number;
}

export type Hook = "describe" | "subscriber" | "identity" | "context" | "webhook" | "action" | "test";

/** The data that a hook gets with the call. */
export interface Facts {
  /** `{id, event, timestamp, data}`, or null if no event caused the call. */
  readonly event: Json;
  /** The settings by name. A secret is its handle, `secret:settings.<name>`. */
  readonly settings: { readonly [name: string]: Json };
  readonly environment: "live" | "sandbox";
  /** RFC 3339. */
  readonly now: string;
}

/** One call of a hook. docs/reference/connector-protocol.md describes `name` and `args` for each hook. */
export interface HookCall {
  readonly hook: Hook;
  readonly name: string;
  readonly args: readonly Json[];
  /**
   * The time limit, from the moment the child gets the call. Waiting for a place and starting the child have separate
   * limits.
   */
  readonly deadlineMs: number;
  readonly facts: Facts;
  /**
   * Answers a service request of the code, by the names and arguments of the reference. Throws HostError for an error
   * that the code should see.
   */
  service(name: string, args: readonly Json[]): Promise<Json>;
  /** Receives the lines that the code logs or prints, limited and in order. */
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

/** The error response of a service, which the connector's code receives as its `HostError`. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string) {
    super(message);
    this.name = "HostError";
    this.code = code;
  }
}

/**
 * The kinds of failure. `threw`: the code threw an error, or is invalid. `deadline`, `memory`, `crashed`, `protocol`:
 * the child was ended. `start`: there was no child. `unavailable`: too many calls are waiting, or the runtime is
 * missing, and nothing ran.
 */
export type FailureKind = "threw" | "deadline" | "memory" | "crashed" | "protocol" | "start" | "unavailable";

/**
 * The failure of a call. The message is for the connector's author and operator, and contains no path of this machine.
 */
export class HookError extends Error {
  readonly kind: FailureKind;
  /** The stack trace of the connector's code, if it threw an error. */
  readonly trace?: string;
  /** The code of the HostError, if the code threw one. */
  readonly code?: HostErrorCode;

  constructor(kind: FailureKind, message: string, more: { trace?: string; code?: HostErrorCode } = {}) {
    super(message);
    this.name = "HookError";
    this.kind = kind;
    if (more.trace !== undefined) this.trace = more.trace;
    if (more.code !== undefined) this.code = more.code;
  }
}
