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
import type { Idempotency } from "./idempotency.ts";
import type { KeyInsight } from "./key-insight.ts";
import type { Operation } from "./operations.ts";
import type { RateLimiter, RateState } from "./rate.ts";
import type { AskedContract, ContractGuard } from "./contract-guard.ts";

/** One request as the gate sees it. */
export interface AccessRequest extends SignedParts {
  /** What is asked for; a body may have to be read for it, so never before the credential was checked. */
  operation(): Operation;
  /** The contract that is asked for; null where none is. */
  contract(): AskedContract | null;
  readonly authorization: string | undefined;
  readonly keyId: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** What a console session would show; a key beats it. */
  readonly session: SessionHeaders;
  readonly ip: string;
  readonly requestId: Id;
  /** Every id that the request names, wherever it names it. */
  ids(): readonly string[];
}

/** What the gate learns on its way, for the answer's headers; kept when it refuses. */
export interface AccessContext {
  /** Whose credential it was, once that has held. */
  key?: ApiKey;
  scheme?: SignatureScheme;
  rate?: RateState;
}

/** What a caller did, for the audit. */
export interface AuditedOperation {
  readonly caller: Admitted;
  readonly subject: AuditSubject;
  /** The operation's name. */
  readonly action: string;
  readonly parameters: object;
  /** What the answer is about. */
  readonly result: object | null;
  readonly succeeded: boolean;
}

export interface Gate {
  /** Lets a request in, or throws the refusal of the first step that fails (contract, section 3). */
  admit(request: AccessRequest, access: AccessContext): Promise<Admitted>;
  readonly idempotency: Idempotency;
  /** Runs what an admitted caller asked for behind the wall between tenants. */
  within<T>(scope: Scope, work: () => T): T;
  /** How often a key may call an operation in a minute. */
  perMinute(operation: Operation): number;
  /** Every operation that a route was mounted for, by its dotted name. */
  readonly operations: ReadonlyMap<string, Operation>;
  register(operation: Operation): void;
  /** Counts an answered call for its key's usage. Touches memory alone. */
  noteUse: KeyUsage["note"];
  /** Keeps an answered call for the log of requests. Touches memory alone. */
  noteRequest: Requests["note"];
  /** A write that was answered. Touches memory alone. */
  noteWrite: Signals["callerWrote"];
  /** What a caller's next call of an operation would be let through as. Throws the gate's refusal; counts against no limit. */
  recheck(standing: StandingCaller): Promise<ApiKey>;
  /** Whether a key may call an operation, as far as its mode, role and scopes say. */
  mayCall(key: ApiKey, operation: string): boolean;
  /** Records an operation in the transaction of its effect. */
  recordIn(tx: Tx, operation: AuditedOperation): void;
  /** Records an operation that has no effect, a read. */
  record(operation: AuditedOperation): Promise<void>;
  readonly insight: KeyInsight;
}

export interface GateDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
  readonly usage: KeyUsage;
  readonly requests: Pick<Requests, "note">;
  readonly signals: Pick<Signals, "callerWrote">;
  readonly limits: Readonly<Record<string, number>>;
  /** Takes what is for the audit. */
  readonly record: (tx: Tx, operation: AuditedOperation) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** Who may run the workspace's contracts. */
  readonly contracts: () => ContractGuard;
}

export interface StepContext {
  readonly deps: GateDeps;
  readonly rates: RateLimiter;
  readonly request: AccessRequest;
  readonly access: AccessContext;
}
