import { parseId, ServiceError } from "../lib/lib.ts";
import { assertOwnId } from "../accounts/accounts.ts";
import type { ApiKey, Scope } from "../accounts/accounts.ts";
import {
  isIpForbidden,
  perMinute,
  rateSubject,
  assertCallerAllowed,
  assertIpAllowed,
  assertWithinRateLimit,
} from "./permission-checks.ts";
import { authenticate } from "./credentials.ts";
import { mayCall, recheck } from "./recheck-access.ts";
import { createIdempotency } from "./idempotency.ts";
import { createKeyInsight } from "./key-insight.ts";
import type { Operation } from "./operations.ts";
import { createRateLimiter } from "./rate.ts";
import type { AccessChecks, AccessChecksDeps, AccessContext, StepContext } from "./types.ts";

export type { Operation } from "./operations.ts";
export { sealedByAccess } from "./idempotency.ts";
export type { IdempotencyPlace } from "./access.store.ts";
export type { Idempotency, IdempotencyRef, StoredAnswer, Write } from "./idempotency.ts";
export type { RateLimiter, RateState } from "./rate.ts";
export type { ContractGuard } from "./contract-guard.ts";
export type { AuditedOperation, AccessChecks } from "./types.ts";

type Step = (context: StepContext) => void | Promise<void>;

/** The steps follow the order of the specification. Each step may rely on all earlier ones. */
const STEPS: readonly Step[] = [authenticate, checkWorkspace, checkPermission, checkRate, checkAllowlist];

export function createAccessChecks(deps: AccessChecksDeps): AccessChecks {
  const rates = createRateLimiter(deps.db);
  const operations = new Map<string, Operation>();
  return {
    idempotency: createIdempotency(deps),
    within: (scope, work) => deps.db.within(scope, work),
    at: ({ bucket }, work) => deps.db.at(bucket, work),
    perMinute: (asked) => perMinute(deps.limits, asked),
    operations,
    register: (operation) => operations.set(operation.name, operation),
    noteUse: deps.usage.note,
    noteRequest: deps.requests.note,
    noteWrite: deps.signals.callerWrote,
    recheck: async (standing) => await recheck(deps, operations, standing),
    mayCall: (key, name) => mayCall(key, operations.get(name)),
    recordIn: deps.record,
    record: async (audited) => await deps.db.transaction(async (tx) => await Promise.resolve(deps.record(tx, audited))),
    insight: createKeyInsight({ ...deps, rates, operations }),
    async admit(request, access) {
      const context = { deps, rates, request, access };
      try {
        for (const step of STEPS) await step(context);
      } catch (error) {
        await noteRate(context);
        throw error;
      }
      const key = admitted(access);
      return { key, scope: scopeOfKey(key), ip: request.ip, requestId: request.requestId };
    },
  };
}

function checkWorkspace({ request, access }: StepContext): void {
  const key = admitted(access);
  const { environment } = request.session;
  if (environment !== undefined && environment !== key.environment) {
    throw new ServiceError("environment_mismatch", {
      detail: `This key belongs to the ${key.environment} environment, which differs from X-Service-Environment.`,
    });
  }
  for (const id of request.ids()) assertOwnId(key, id);
  assertOwnWorkspace(key, request.session.workspace);
}

/** A caller that names another place than its own must not be served in its own. */
function assertOwnWorkspace({ workspaceId }: ApiKey, named: string | undefined): void {
  if (named === undefined) return;
  const parsed = parseId(named);
  if (parsed?.prefix !== "ws") {
    throw new ServiceError("bad_request", { detail: "X-Service-Workspace must be the id of a workspace (ws_…)." });
  }
  if (parsed.uuid === workspaceId) return;
  throw new ServiceError("workspace_mismatch", { detail: "X-Service-Workspace names no workspace of this caller." });
}

async function checkPermission({ deps, request, access }: StepContext): Promise<void> {
  const key = admitted(access);
  assertCallerAllowed(key, request.operation());
  const contract = request.contract();
  if (contract === null) return;
  const { ip, requestId } = request;
  await deps.contracts().refuse({ key, scope: scopeOfKey(key), ip, requestId }, contract);
}

/** Charges a call to its limit. A call that the next step will refuse only reads the limit. */
async function checkRate({ deps, rates, request, access }: StepContext): Promise<void> {
  const key = admitted(access);
  const subject = rateSubject(deps.limits, key, request.operation());
  const token = isIpForbidden(key, request.ip) ? await rates.peek(subject) : await rates.take(subject);
  access.rate = token.state;
  assertWithinRateLimit(token);
}

function checkAllowlist({ request, access }: StepContext): void {
  assertIpAllowed(admitted(access), request.ip);
}

/** Reads the remaining limit for a key that was refused before its limit was charged, so that the response shows it. */
async function noteRate({ deps, rates, request, access }: StepContext): Promise<void> {
  if (access.key === undefined || access.rate !== undefined) return;
  const { state } = await rates.peek(rateSubject(deps.limits, access.key, request.operation()));
  access.rate = state;
}

function admitted(access: AccessContext): ApiKey {
  if (access.key === undefined) throw new Error("an access check ran before the credential was checked");
  return access.key;
}

function scopeOfKey({ workspaceId, bucket, tag, environment, tenant }: ApiKey): Scope {
  return { workspaceId, bucket, tag, environment, tenant };
}
