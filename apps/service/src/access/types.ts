import type { Db, Tx } from "../platform/db/db.ts";
import type { Clock, Id, Sealer } from "../lib/lib.ts";
import type { Requests } from "./request-log/request-log.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import type {
  Admitted,
  ApiKey,
  AuditSubject,
  KeyUsage,
  Scope,
  SessionHeaders,
  Sessions,
  Workspaces,
} from "../accounts/accounts.ts";
import type { StandingCaller } from "./recheck-access.ts";
import type { SignatureScheme, SignedParts } from "./signature.ts";
import type { Idempotency, IdempotencyRef, Write } from "./idempotency.ts";
import type { KeyInsight } from "./key-insight.ts";
import type { Operation } from "./operations.ts";
import type { RateLimiter, RateState } from "./rate.ts";
import type { AskedContract, ContractGuard } from "./contract-guard.ts";

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

/** What the access checks find out about a request, one after another. It is kept if one of them refuses. */
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

export interface AccessChecks {
  /** Lets a request in, or throws the refusal of the first step that fails (contract, section 3). */
  admit(request: AccessRequest, access: AccessContext): Promise<Admitted>;
  readonly idempotency: Idempotency;
  /** Runs the work of an admitted caller with access only to the rows of its workspace. */
  within<T>(scope: Scope, work: () => T): T;
  /** Runs work on the shard of the scope, with the rows of all workspaces. */
  at<T>(scope: Scope, work: () => T): T;
  /** Returns the number of calls of an operation that a key may make in a minute. */
  perMinute(operation: Operation): number;
  /** The operations of all mounted routes, by their dotted names. */
  readonly operations: ReadonlyMap<string, Operation>;
  register(operation: Operation): void;
  /** Counts an answered call for its key's usage. Touches memory alone. */
  noteUse: KeyUsage["note"];
  /** Adds an answered call to the request log. Touches memory alone. */
  noteRequest: Requests["note"];
  /** Signals a successful write. Touches memory alone. */
  noteWrite: Signals["callerWrote"];
  /**
   * Repeats the access checks for an admitted caller and returns its current key. Throws the refusal. Counts against no
   * limit.
   */
  recheck(standing: StandingCaller): Promise<ApiKey>;
  /** Returns true if the key's rights, environment and kind of credential allow an operation. */
  mayCall(key: ApiKey, operation: string): boolean;
  /** Records an operation in the transaction of its effect. */
  recordIn(tx: Tx, operation: AuditedOperation): void;
  /** Records an operation that has no effect, a read. */
  record(operation: AuditedOperation): Promise<void>;
  readonly insight: KeyInsight;
}

export interface AccessChecksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
  readonly usage: KeyUsage;
  readonly requests: Pick<Requests, "note">;
  readonly signals: Pick<Signals, "callerWrote">;
  readonly limits: Readonly<Record<string, number>>;
  /** Records an operation in the audit log. */
  readonly record: (tx: Tx, operation: AuditedOperation) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** Returns the guard of the workspace's action contracts. */
  readonly contracts: () => ContractGuard;
}

export interface StepContext {
  readonly deps: AccessChecksDeps;
  readonly rates: RateLimiter;
  readonly request: AccessRequest;
  readonly access: AccessContext;
}
