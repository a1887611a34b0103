import type { Tx } from "../platform/db/db.ts";
import type { Id } from "../lib/lib.ts";
import type { Requests } from "./request-log/request-log.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import type { Admitted, ApiKey, AuditSubject, SessionHeaders, Sessions } from "../accounts/accounts.ts";
import type { SignatureScheme, SignedParts } from "./signature.ts";
import type { IdempotencyDeps, IdempotencyRef, Write } from "./idempotency.ts";
import type { KeyInsightDeps } from "./key-insight.ts";
import type { Operation } from "./operations.ts";
import type { RateLimiter, RateState } from "./rate.ts";
import type { AskedContract } from "./contract-guard.ts";

/** A request, as the access checks see it. */
export interface AccessRequest extends SignedParts {
  /** Returns the requested operation. It may read the body, so it is called only after the credential was checked. */
  operation(): Operation;
  /** Returns the requested action contract, or null. */
  contract(): AskedContract | null;
  readonly authorization: string | undefined;
  readonly keyId: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** The headers of a console session. A key takes precedence over it. */
  readonly session: SessionHeaders;
  /** True if the route accepts access tokens of connected apps. */
  readonly takesTokens: boolean;
  readonly ip: string;
  readonly requestId: Id;
  /** Returns every id that the request names. */
  ids(): readonly string[];
}

/** The findings of the access checks about a request, one after another. They are kept if one of the checks refuses. */
export interface AccessContext {
  /** The key of the caller, once its credential is verified. */
  key?: ApiKey;
  scheme?: SignatureScheme;
  rate?: RateState;
  /** The operation, once its caller has passed the checks. Public routes have none. */
  operation?: Operation;
  /** Identifies a write, or what writes its own idempotency record. */
  ref?: IdempotencyRef;
  /** The write that is under way, until it is settled. */
  write?: Write | undefined;
}

/** An operation of a caller, for the audit log. */
export interface AuditedOperation {
  readonly caller: Admitted;
  readonly subject: AuditSubject;
  /** The operation's name. */
  readonly action: string;
  readonly parameters: object;
  /** The ids in the response. */
  readonly result: object | null;
  readonly succeeded: boolean;
  /** The tenant that the operation is about; null for none. */
  readonly tenant: string | null;
}

export interface AccessChecksDeps extends IdempotencyDeps, Omit<KeyInsightDeps, "rates" | "operations"> {
  readonly sessions: Sessions;
  readonly requests: Pick<Requests, "note">;
  readonly signals: Pick<Signals, "callerWrote">;
  /** Records an operation in the audit log. */
  readonly record: (tx: Tx, operation: AuditedOperation) => void;
}

export interface StepContext {
  readonly deps: AccessChecksDeps;
  readonly rates: RateLimiter;
  readonly request: AccessRequest;
  readonly access: AccessContext;
}
