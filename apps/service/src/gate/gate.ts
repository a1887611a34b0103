import type { Db } from "../db/db.ts";
import { ServiceError } from "../kernel/kernel.ts";
import type { Clock, Sealer } from "../kernel/kernel.ts";
import { isListed, refuseForeign } from "../workspaces/workspaces.ts";
import type { ApiKey, Caller, Scope, SessionHeaders, Sessions, Workspaces } from "../workspaces/workspaces.ts";
import { authenticate } from "./credentials.ts";
import type { SignatureScheme, SignedParts } from "./signature.ts";
import { createIdempotency } from "./idempotency.ts";
import type { Idempotency } from "./idempotency.ts";
import { isBlocked, scopesAllow } from "./operations.ts";
import type { Operation } from "./operations.ts";
import { createRateLimiter } from "./rate.ts";
import type { RateLimiter, RateState, RateSubject } from "./rate.ts";

export { DEFAULT_LIMITS, operation } from "./operations.ts";
export type { Operation } from "./operations.ts";
export { idempotencyPart } from "./idempotency.ts";
export type { Idempotency, IdempotencyRef, StoredAnswer, Write } from "./idempotency.ts";
export type { RateState } from "./rate.ts";
export { gateHooks, sendAnswer } from "./gate.routes.ts";
export { roleRoutes } from "./roles.routes.ts";
export type { Asked, Switchboard } from "./gate.routes.ts";

/** One request as the gate sees it. */
export interface Knock extends SignedParts {
  /** What is asked for; a body may have to be read for it, so never before the credential was checked. */
  operation(): Operation;
  readonly authorization: string | undefined;
  readonly keyId: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** What a console session would show; a key beats it. */
  readonly session: SessionHeaders;
  readonly ip: string;
  /** Every id that the request names, wherever it names it. */
  ids(): readonly string[];
}

/** What the gate learns on its way, for the answer's headers; kept when it refuses. */
export interface Passage {
  key?: ApiKey;
  scheme?: SignatureScheme;
  rate?: RateState;
}

export interface Gate {
  /** Lets a request in, or throws the refusal of the first step that fails (contract, section 3). */
  admit(knock: Knock, passage: Passage): Promise<Caller>;
  readonly idempotency: Idempotency;
  /** Runs what an admitted caller asked for behind the wall between tenants. */
  within<T>(scope: Scope, work: () => T): T;
  /** How often a key may call an operation in a minute. */
  perMinute(operation: Operation): number;
}

export interface GateDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
  readonly limits: Readonly<Record<string, number>>;
  readonly log: { warn(fields: object, message: string): void };
}

export interface StepContext {
  readonly deps: GateDeps;
  readonly rates: RateLimiter;
  readonly knock: Knock;
  readonly passage: Passage;
}

type Step = (context: StepContext) => void | Promise<void>;

/** The specification's order. Each step may rely on all before it. */
const STEPS: readonly Step[] = [checkCredential, checkWorkspace, checkPermission, checkRate, checkAllowlist];

export function createGate(deps: GateDeps): Gate {
  const rates = createRateLimiter(deps.db);
  return {
    idempotency: createIdempotency(deps),
    within: (scope, work) => deps.db.within(scope, work),
    perMinute: (asked) => perMinute(deps, asked),
    async admit(knock, passage) {
      const context = { deps, rates, knock, passage };
      try {
        for (const step of STEPS) await step(context);
      } catch (error) {
        await noteRate(context);
        throw error;
      }
      const key = admitted(passage);
      return { key, scope: scopeOfKey(key) };
    },
  };
}

async function checkCredential(context: StepContext): Promise<void> {
  await authenticate(context);
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

function checkPermission({ knock, passage }: StepContext): void {
  const key = admitted(passage);
  const operation = knock.operation();
  const { name, access, roles } = operation;
  if (key.permissionMode === "read_only" && access === "write") throw new ServiceError("key_read_only");
  if (key.permissionMode === "restricted" && isBlocked(key.blockedActions, name)) {
    throw new ServiceError("action_blocked", { detail: `This key's list blocks ${name}.` });
  }
  if (!roles.includes(key.role)) {
    throw new ServiceError("role_not_allowed", {
      detail: `${name} is for the roles ${roles.join(", ")}; you act as ${key.role}.`,
    });
  }
  if (!scopesAllow(key.scopes, operation))
    throw new ServiceError("scope_missing", { detail: `${name} needs a scope that this key lacks.` });
}

async function checkRate({ deps, rates, knock, passage }: StepContext): Promise<void> {
  const token = await rates.take(rateSubject(deps, admitted(passage), knock.operation()));
  passage.rate = token.state;
  if (!token.granted) {
    throw new ServiceError("rate_limited", {
      detail: `The limit is ${token.state.limit} calls per ${token.state.reset} seconds. Wait ${token.retrySeconds} s.`,
      headers: { "Retry-After": String(token.retrySeconds) },
    });
  }
}

async function checkAllowlist({ deps, rates, knock, passage }: StepContext): Promise<void> {
  const key = admitted(passage);
  if (key.ipAllowlist.length === 0 || isListed(key.ipAllowlist, knock.ip)) return;
  await rates.giveBack(rateSubject(deps, key, knock.operation()));
  delete passage.rate;
  throw new ServiceError("ip_not_allowed", { detail: `Calls from ${knock.ip} are not allowed for this key.` });
}

/** A key that was refused before or after its limit was charged still learns what is left of it. */
async function noteRate({ deps, rates, knock, passage }: StepContext): Promise<void> {
  if (passage.key === undefined || passage.rate !== undefined) return;
  passage.rate = await rates.peek(rateSubject(deps, passage.key, knock.operation()));
}

function perMinute(deps: GateDeps, operation: Operation): number {
  return deps.limits[operation.limit] ?? 600;
}

function rateSubject(deps: GateDeps, key: ApiKey, operation: Operation): RateSubject {
  return {
    bucket: key.bucket,
    subject: key.lineageId,
    operation: operation.limit,
    perMinute: perMinute(deps, operation),
    perHour: key.rateLimitPerHour,
  };
}

function admitted(passage: Passage): ApiKey {
  if (passage.key === undefined) throw new Error("a gate step ran before the credential was checked");
  return passage.key;
}

function scopeOfKey(key: ApiKey): Scope {
  return { workspaceId: key.workspaceId, bucket: key.bucket, tag: key.tag, environment: key.environment };
}
