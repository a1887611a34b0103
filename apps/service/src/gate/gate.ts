import type { Db, Tx } from "../platform/db/db.ts";
import { ServiceError } from "../lib/lib.ts";
import type { Id } from "../lib/lib.ts";
import type { Clock, Sealer } from "../lib/lib.ts";
import type { Requests } from "../access/request-log/request-log.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import { refuseForeign } from "../accounts/workspaces/workspaces.ts";
import type {
  Admitted,
  ApiKey,
  AuditSubject,
  KeyUsage,
  Scope,
  SessionHeaders,
  Sessions,
  Workspaces,
} from "../accounts/workspaces/workspaces.ts";
import { isElsewhere, perMinute, rateSubject, refuseCaller, refuseElsewhere, refuseSpent } from "../access/permission-checks.ts";
import { authenticate } from "../access/credentials.ts";
import { mayCall, recheck } from "../access/recheck-access.ts";
import type { StandingCaller } from "../access/recheck-access.ts";
import type { SignatureScheme, SignedParts } from "../access/signature.ts";
import { createIdempotency } from "../access/idempotency.ts";
import type { Idempotency } from "../access/idempotency.ts";
import { createKeyInsight } from "../access/key-insight.ts";
import type { KeyInsight } from "../access/key-insight.ts";
import type { Operation } from "../access/operations.ts";
import { createRateLimiter } from "../access/rate.ts";
import type { RateLimiter, RateState } from "../access/rate.ts";

export { DEFAULT_LIMITS, nearest, operation, withBody } from "../access/operations.ts";
export type { Operation } from "../access/operations.ts";
export { idempotencyPart, sealedByGate } from "../access/idempotency.ts";
export type { IdempotencyPlace } from "../access/gate.store.ts";
export type { Idempotency, IdempotencyRef, StoredAnswer, Write } from "../access/idempotency.ts";
export { refuseDead, refuseForbidden } from "../access/permission-checks.ts";
export { firstRefusal } from "../access/refusal-order.ts";
export { createRateLimiter } from "../access/rate.ts";
export type { RateLimiter, RateState } from "../access/rate.ts";
export { gateHooks, sendAnswer, sendText, sessionOf } from "./gate.routes.ts";
export { roleRoutes } from "../access/roles.routes.ts";
export { keyInsightRoutes } from "../access/key-insight.routes.ts";
export { contractOf } from "./gate.routes.ts";
export type { Asked, Switchboard, Worded, Wording } from "./gate.routes.ts";

/** One request as the gate sees it. */
export interface Knock extends SignedParts {
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
export interface Passage {
  /** Whose credential it was, once that has held. */
  key?: ApiKey;
  scheme?: SignatureScheme;
  rate?: RateState;
}

/** What a caller did, for the audit. */
export interface Deed {
  readonly caller: Admitted;
  readonly subject: AuditSubject;
  /** The operation's name. */
  readonly action: string;
  readonly parameters: object;
  /** What the answer is about. */
  readonly result: object | null;
  readonly succeeded: boolean;
}

/** A contract by its key, and how it is called, where that is not by the API or the console. */
export interface AskedContract {
  /** From MCP, the name of a tool. */
  readonly key: string;
  readonly surface?: "mcp";
}

/** Who may run the workspace's contracts: known to a module that comes after the gate. */
export interface ContractGuard {
  /** Throws 403 for a caller whom the contract does not let in, and writes that down; nothing for a key that no contract has. */
  refuse(caller: Admitted, contract: AskedContract): Promise<void>;
  /** The refusal, for a mere question: writes nothing. Null for a caller who may, undefined for a key that no contract has. */
  judge(caller: Pick<Admitted, "key" | "scope">, key: string): Promise<ServiceError | null | undefined>;
}

export interface Gate {
  /** Lets a request in, or throws the refusal of the first step that fails (contract, section 3). */
  admit(knock: Knock, passage: Passage): Promise<Admitted>;
  readonly idempotency: Idempotency;
  /** Runs what an admitted caller asked for behind the wall between tenants. */
  within<T>(scope: Scope, work: () => T): T;
  /** How often a key may call an operation in a minute. */
  perMinute(operation: Operation): number;
  /** Every operation that a route was mounted for, by its dotted name. */
  readonly operations: ReadonlyMap<string, Operation>;
  register(operation: Operation): void;
  /** To be told once, before any call. */
  guardContracts(guard: ContractGuard): void;
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
  /** Writes a deed down in the transaction of its effect. */
  recordIn(tx: Tx, deed: Deed): void;
  /** Writes a deed down that has no effect, a read. */
  record(deed: Deed): Promise<void>;
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
  readonly record: (tx: Tx, deed: Deed) => void;
  readonly log: { warn(fields: object, message: string): void };
}

export interface StepContext {
  readonly deps: GateDeps;
  readonly rates: RateLimiter;
  readonly knock: Knock;
  readonly passage: Passage;
  guard(): ContractGuard | undefined;
}

type Step = (context: StepContext) => void | Promise<void>;

/** The specification's order. Each step may rely on all before it. */
const STEPS: readonly Step[] = [authenticate, checkWorkspace, checkPermission, checkRate, checkAllowlist];

export function createGate(deps: GateDeps): Gate {
  const rates = createRateLimiter(deps.db);
  const operations = new Map<string, Operation>();
  let contracts: ContractGuard | undefined;
  const guard = (): ContractGuard | undefined => contracts;
  return {
    idempotency: createIdempotency(deps),
    within: (scope, work) => deps.db.within(scope, work),
    perMinute: (asked) => perMinute(deps.limits, asked),
    operations,
    register: (operation) => operations.set(operation.name, operation),
    noteUse: deps.usage.note,
    noteRequest: deps.requests.note,
    noteWrite: deps.signals.callerWrote,
    recheck: async (standing) => await recheck(deps, operations, standing),
    mayCall: (key, name) => mayCall(key, operations.get(name)),
    recordIn: deps.record,
    record: async (deed) => await deps.db.transaction(async (tx) => await Promise.resolve(deps.record(tx, deed))),
    guardContracts: (made) => (contracts = made),
    insight: createKeyInsight({ ...deps, rates, operations, guard }),
    async admit(knock, passage) {
      const context = { deps, rates, knock, passage, guard };
      try {
        for (const step of STEPS) await step(context);
      } catch (error) {
        await noteRate(context);
        throw error;
      }
      const key = admitted(passage);
      return { key, scope: scopeOfKey(key), ip: knock.ip, requestId: knock.requestId };
    },
  };
}

function checkWorkspace({ knock, passage }: StepContext): void {
  const key = admitted(passage);
  const { environment } = knock.session;
  if (environment !== undefined && environment !== key.environment) {
    throw new ServiceError("environment_mismatch", {
      detail: `This key is of the ${key.environment} environment, which is not what X-Service-Environment says.`,
    });
  }
  for (const id of knock.ids()) refuseForeign(key, id);
}

async function checkPermission({ knock, passage, guard }: StepContext): Promise<void> {
  const key = admitted(passage);
  refuseCaller(key, knock.operation());
  const contract = knock.contract();
  if (contract === null) return;
  const { ip, requestId } = knock;
  await guard()?.refuse({ key, scope: scopeOfKey(key), ip, requestId }, contract);
}

/** A call that the next step will refuse is only asked for, so that it takes nothing from the limit. */
async function checkRate({ deps, rates, knock, passage }: StepContext): Promise<void> {
  const key = admitted(passage);
  const subject = rateSubject(deps.limits, key, knock.operation());
  const token = isElsewhere(key, knock.ip) ? await rates.peek(subject) : await rates.take(subject);
  passage.rate = token.state;
  refuseSpent(token);
}

function checkAllowlist({ knock, passage }: StepContext): void {
  refuseElsewhere(admitted(passage), knock.ip);
}

/** A key that was refused before its limit was charged still learns what is left of it. */
async function noteRate({ deps, rates, knock, passage }: StepContext): Promise<void> {
  if (passage.key === undefined || passage.rate !== undefined) return;
  const { state } = await rates.peek(rateSubject(deps.limits, passage.key, knock.operation()));
  passage.rate = state;
}

function admitted(passage: Passage): ApiKey {
  if (passage.key === undefined) throw new Error("a gate step ran before the credential was checked");
  return passage.key;
}

function scopeOfKey(key: ApiKey): Scope {
  return { workspaceId: key.workspaceId, bucket: key.bucket, tag: key.tag, environment: key.environment };
}
