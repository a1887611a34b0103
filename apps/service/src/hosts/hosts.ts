import type { Log } from "../telemetry/telemetry.ts";
import type { Backend } from "./backend.ts";
import { HookFailed } from "./program.ts";
import type { FailureKind, HookCall, Json, Program, Runtime } from "./program.ts";

export { HOST_ERRORS, HookFailed, HostError, RUNTIMES } from "./program.ts";
export type { Facts, FailureKind, Hook, HookCall, HostErrorCode, Json, LogLine, Program, Runtime } from "./program.ts";

/** Processes in which connectors' code runs, one for each program, and what they are answered. */
export interface Hosts {
  /** Runs one hook. Throws HookFailed. */
  call(program: Program, call: HookCall): Promise<Json>;
  /** Ends a program's child, if it has one; its calls fail as `unavailable`. */
  end(programId: string): Promise<void>;
  /** Ends all of them. Nothing is called afterwards. */
  stop(): Promise<void>;
  report(): Promise<HostsReport>;
}

export interface HostsDeps {
  readonly log: Log;
  /** Where programs' files are laid out while they run; made if it is not there. */
  readonly directory: string;
  /** One for each runtime; the first whose probe succeeds is taken. */
  readonly backends: readonly Backend[];
  /** Children at once. The one that has been idle longest is ended first. Default 32. */
  readonly maxChildren?: number;
  /** How long a child without calls is kept. Default 60 000. */
  readonly idleMs?: number;
  /** A child was ended for what it did. May be called in the middle of a call; must not throw. */
  crashed?(program: Program, kind: Exclude<FailureKind, "threw" | "unavailable">): void;
}

export interface HostsReport {
  /** Which walls stand around children here, with the reason where one does not. */
  readonly walls: Readonly<Record<string, string>>;
  readonly runtimes: Readonly<
    Record<Runtime, { readonly backend: string; readonly version: string } | { readonly missing: string }>
  >;
  readonly children: number;
  readonly running: number;
  readonly waiting: number;
}

export function createHosts(deps: HostsDeps): Hosts {
  void deps;
  return {
    call: async () => await Promise.reject(new HookFailed("unavailable", "Not yet built.")),
    end: async () => {},
    stop: async () => {},
    report: async () => await Promise.reject(new Error("Not yet built.")),
  };
}
