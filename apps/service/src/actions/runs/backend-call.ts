import type { Id, Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import type { ParameterValue } from "../contracts/parameter-specs.ts";

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
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly actor: Pick<Actor, "type" | "id" | "display">;
  readonly requestedAt: Instant;
  /** The result of the run to undo, as JSON text. */
  readonly result?: string;
}

/** Codes of the error catalog, so that a refusal and a recorded failure use the same code. */
export type BackendErrorCode =
  | "action_endpoint_failed"
  | "action_endpoint_redirect"
  | "action_endpoint_timeout"
  | "url_blocked"
  | "secret_missing"
  | "secret_host_refused";

export type BackendOutcome =
  | {
      readonly ok: true;
      /** Nothing was called, because the run is in the sandbox and the contract has no endpoint for it. */
      readonly simulated: boolean;
      /**
       * JSON text with numbers in the backend's own notation. Secrets, and members that `expose` omits, are removed.
       */
      readonly result: string;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly errorCode: BackendErrorCode;
      /** The reason, for people. It contains no addresses and secrets. */
      readonly detail: string;
      /** Further members of the problem document, such as `reason` of `url_blocked`. */
      readonly extra: Readonly<Record<string, unknown>>;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
      /** The backend may have performed the action, because no complete response followed the request. */
      readonly outcomeUnknown: boolean;
      /**
       * The same call may be repeated: it was certainly never sent, or the contract is idempotent and the fault may be
       * temporary.
       */
      readonly retryable: boolean;
    };
