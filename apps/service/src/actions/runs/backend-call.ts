import type { ErrorCode, Id, Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import type { Parameters } from "../contracts/parameters.ts";

/** One call of a contract's backend. */
export interface BackendCall {
  /** `undo` goes to `undo.endpoint`. */
  readonly kind: "execute" | "undo";
  readonly scope: Scope;
  readonly runId: Id;
  readonly proposalId: Id | null;
  /** The tenant whose event led to the run; null for none. */
  readonly tenant: string | null;
  /** The parameters, after `checkParameters` has accepted them. */
  readonly parameters: Parameters;
  readonly actor: Pick<Actor, "type" | "id" | "display">;
  readonly requestedAt: Instant;
  /** The result of the run to undo, as JSON text. */
  readonly result?: string;
}

/** Runs the approved operation of an operator tool, by the key of its contract. Never throws. */
export type OperationHandler = (key: string, call: BackendCall) => Promise<CallOutcome>;

/** The outcome of a backend call, as the run records it. */
export interface CallOutcome {
  readonly ok: boolean;
  /** Nothing was called, because the run is in the sandbox and the contract has no endpoint for it. */
  readonly simulated: boolean;
  /**
   * JSON text with numbers in the backend's own notation. Secrets, and members that `expose` omits, are removed. Null after
   * a failure.
   */
  readonly result: string | null;
  readonly errorCode: string | null;
  /** The reason of a failure, for people. It contains no addresses and secrets. */
  readonly detail: string | null;
  /** Further members of the problem document, such as `reason` of `url_blocked`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly host: string | null;
  readonly durationMs: number | null;
  /** The backend may have performed the action, because no complete response followed the request. */
  readonly outcomeUnknown: boolean;
  /**
   * The same call may be repeated: it was certainly never sent, or the contract is idempotent and the fault may be
   * temporary.
   */
  readonly retryable: boolean;
}

const NOTHING_SENT = {
  simulated: false,
  extra: {},
  status: null,
  host: null,
  durationMs: null,
  outcomeUnknown: false,
  retryable: false,
} as const;

export function successfulCall(result: string, more: Partial<CallOutcome> = {}): CallOutcome {
  return { ...NOTHING_SENT, ok: true, result, errorCode: null, detail: null, ...more };
}

/** Codes of refusals are those of the error catalog, so that a refusal and a recorded failure use the same code. */
export function failedCall(
  errorCode: ErrorCode | "outcome_unknown" | "parameters_unreadable",
  detail: string,
  more: Partial<CallOutcome> = {},
): CallOutcome {
  return { ...NOTHING_SENT, ok: false, result: null, errorCode, detail, ...more };
}
