import { parseId, ServiceError } from "../lib/lib.ts";
import { assertOwnId } from "../accounts/accounts.ts";
import type { Admitted, ApiKey, Scope } from "../accounts/accounts.ts";
import {
  isIpForbidden,
  perMinute,
  rateSubject,
  assertCallerAllowed,
  assertIpAllowed,
  assertWithinRateLimit,
} from "./permission-checks.ts";
import { authenticate } from "./credentials.ts";
import { assertStillAllowed, mayCall, recheck } from "./recheck-access.ts";
import type { StandingCaller } from "./recheck-access.ts";
import type { AnsweredRequest } from "./request-log/request-log.ts";
import { createIdempotency } from "./idempotency.ts";
import { createKeyInsight } from "./key-insight.ts";
import type { Operation } from "./operations.ts";
import { createRateLimiter } from "./rate.ts";
import type { AccessChecksDeps, AccessContext, AccessRequest, AuditedOperation, StepContext } from "./types.ts";

export type AccessChecks = ReturnType<typeof createAccessChecks>;

type Step = (context: StepContext) => void | Promise<void>;

/** The steps follow the order of the specification. Each step may rely on all earlier ones. */
const STEPS: readonly Step[] = [authenticate, checkWorkspace, checkPermission, checkRate, checkAllowlist];

export function createAccessChecks(deps: AccessChecksDeps) {
  const rates = createRateLimiter(deps.db);
  const operations = new Map<string, Operation>();
  return {
    idempotency: createIdempotency(deps),
    /** Runs the work of an admitted caller with access only to the rows of its workspace. */
    within: <T>(scope: Scope, work: () => T): T => deps.db.within(scope, work),
    /** Runs work on the shard of the scope, with the rows of all workspaces. */
    at: <T>({ bucket }: Scope, work: () => T): T => deps.db.at(bucket, work),
    /** Returns the number of calls of an operation that a key may make in a minute. */
    perMinute: (asked: Operation): number => perMinute(deps.limits, asked),
    /** The operations of all mounted routes, by their dotted names. */
    operations: operations as ReadonlyMap<string, Operation>,
    register: (operation: Operation) => operations.set(operation.name, operation),
    /** Adds an answered call to its key's usage and to the request log, and signals a successful write. Touches memory alone. */
    note(call: AnsweredRequest & Pick<Operation, "access">): void {
      const { key, operation, ip, status } = call;
      if (key.session === undefined) deps.usage.note({ key, operation, ip, status });
      if (call.access === "write" && status < 400) deps.signals.callerWrote(key.tag);
      deps.requests.note(call);
    },
    /**
     * Repeats the access checks for an admitted caller and returns its current key. Throws the refusal. Counts against no
     * limit.
     */
    recheck: async (standing: StandingCaller): Promise<ApiKey> => await recheck(deps, operations, standing),
    /** Returns true if the key's rights, environment and kind of credential allow an operation. */
    mayCall: (key: ApiKey, name: string): boolean => mayCall(key, operations.get(name)),
    /** Throws the refusal of a key that was revoked, has expired or may not call an operation at this moment. */
    assertStillAllowed: (key: ApiKey, asked: Operation): void => assertStillAllowed(deps, key, asked),
    /** Does the same for an operation with other conditions than those of its route. */
    permits: (key: ApiKey, asked: Operation): boolean => mayCall(key, asked),
    /** Records an operation in the transaction of its effect. */
    recordIn: deps.record,
    /** Records an operation that has no effect, a read. */
    record: async (audited: AuditedOperation): Promise<void> =>
      await deps.db.transaction(async (tx) => await Promise.resolve(deps.record(tx, audited))),
    insight: createKeyInsight({ ...deps, rates, operations }),
    /** Lets a request in, or throws the refusal of the first step that fails (contract, section 3). */
    async admit(request: AccessRequest, access: AccessContext): Promise<Admitted> {
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
