import type { Id, Instant } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../actor.ts";
import type { ParameterValue } from "../contracts/contract.ts";

/** One call of a contract's backend. */
export interface BackendCall {
  /** `undo` goes to `undo.endpoint`. */
  readonly kind: "execute" | "undo";
  readonly scope: Scope;
  readonly runId: Id;
  readonly proposalId: Id | null;
  /** As `checkParameters` let them pass. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly actor: Pick<Actor, "type" | "id" | "display">;
  readonly requestedAt: Instant;
  /** What is undone had answered with this: JSON text. */
  readonly result?: string;
}

/** Codes of the one catalogue, so that a refusal and a kept failure say the same. */
export type BackendErrorCode =
  | "action_endpoint_failed"
  | "action_endpoint_redirect"
  | "action_endpoint_timeout"
  | "url_blocked"
  | "secret_missing";

export type BackendOutcome =
  | {
      readonly ok: true;
      /** Nothing was called: a sandbox run of a contract that has no endpoint for it. */
      readonly simulated: boolean;
      /** JSON text, its numbers spelled as the backend spelled them; what `expose` leaves out and secrets are gone. */
      readonly result: string;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly errorCode: BackendErrorCode;
      /** Why, for people: without addresses and secrets. */
      readonly detail: string;
      /** Further members of the problem document, such as `reason` of `url_blocked`. */
      readonly extra: Readonly<Record<string, unknown>>;
      readonly status: number | null;
      readonly host: string | null;
      readonly durationMs: number;
      /** The backend may have done it: no whole answer came after the request was sent. */
      readonly outcomeUnknown: boolean;
      /** The same call may be made again: it was surely never sent, or the contract is idempotent and the fault may pass. */
      readonly retryable: boolean;
    };
