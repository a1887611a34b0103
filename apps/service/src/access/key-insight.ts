import { isIP } from "node:net";
import type { Db } from "../platform/db/db.ts";
import { after, fromDate, instant, ServiceError, tagOf, toRfc3339, wireId } from "../lib/lib.ts";
import { t } from "../lib/lib.ts";
import type { Clock, Instant } from "../lib/lib.ts";
import { workspaceWireId } from "../accounts/accounts.ts";
import type { ApiKey, Caller, KeyUsage, Scope, UsageRow, Workspaces } from "../accounts/accounts.ts";
import {
  rateSubject,
  assertCallerAllowed,
  assertKeyValid,
  assertIpAllowed,
  assertWithinRateLimit,
} from "./permission-checks.ts";
import { usedRates } from "./access.store.ts";
import type {
  CallerShape,
  LimitUsesShape,
  OutcomesShape,
  TestBody,
  TestShape,
  UsageShape,
} from "./key-insight.schemas.ts";
import { nearest } from "./operations.ts";
import type { Operation } from "./operations.ts";
import type { RateLimiter } from "./rate.ts";
import type { ContractGuard } from "./contract-guard.ts";

export type KeyInsight = ReturnType<typeof createKeyInsight>;

type Trial = t.Static<typeof TestShape>;
type LimitUses = t.Static<typeof LimitUsesShape>;
type Outcomes = t.Static<typeof OutcomesShape>;

export interface KeyInsightDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly workspaces: Workspaces;
  readonly usage: KeyUsage;
  readonly rates: RateLimiter;
  readonly limits: Readonly<Record<string, number>>;
  readonly operations: ReadonlyMap<string, Operation>;
  contracts(): ContractGuard;
}

const HOUR_MS = 3_600_000;
const HOURS_SHOWN = 24;
/** The operation that runs action contracts. */
const CONTRACTS = "actions.run";

/** Shows what a key may do and has done. Contract, section 9, row "keys". */
export function createKeyInsight(deps: KeyInsightDeps) {
  const { workspaces, clock } = deps;
  return {
    /** Returns the caller's identity, rights and remaining limits. */
    async me({ key, scope }: Caller): Promise<t.Static<typeof CallerShape>> {
      const [view, name, limits] = await Promise.all([
        key.session === undefined ? workspaces.keys.get(scope, wireId("key", key.tag, key.id)) : null,
        workspaces.nameOf(scope.workspaceId),
        limitUses(deps, key),
      ]);
      return {
        object: "caller",
        key: view,
        member_id: key.memberId === null ? null : wireId("mem", tagOf(key.tag, "live"), key.memberId),
        workspace: { id: workspaceWireId(scope.tag, scope.workspaceId), object: "workspace", name },
        environment: scope.environment,
        role: key.role,
        actor_type: key.actorType,
        scopes: key.scopes === null ? null : [...key.scopes],
        permissions: [...key.permissions],
        limits,
      };
    },
    async usage(scope: Scope, id: string): Promise<t.Static<typeof UsageShape>> {
      const key = await workspaces.keys.find(scope, id);
      const now = clock.now();
      const from = instant(now - (now % HOUR_MS) - (HOURS_SHOWN - 1) * HOUR_MS);
      const [limits, rows] = await Promise.all([limitUses(deps, key), deps.usage.read(key, from)]);
      return {
        object: "key_usage",
        key_id: wireId("key", key.tag, key.id),
        ...limits,
        last_24_hours: { from: toRfc3339(from), to: toRfc3339(now), ...summary(rows, from) },
      };
    },
    /**
     * Runs the access checks for a correctly signed call; nothing is called or counted. Without `ip`, the allowlist is
     * not checked.
     */
    async trial(scope: Scope, id: string, call: t.Static<typeof TestBody>): Promise<Trial> {
      if (call.ip !== undefined && isIP(call.ip) === 0) {
        const errors = [{ pointer: "/ip", code: "ip", message: "must be an IPv4 or IPv6 address" }];
        throw new ServiceError("validation_failed", { errors });
      }
      const key = await workspaces.keys.find(scope, id);
      const result = await tryAccessChecks(deps, {
        key,
        ip: call.ip,
        ...(await askedOf(deps, { key, scope }, call.operation)),
      });
      return { object: "key_test", key_id: wireId("key", key.tag, key.id), operation: call.operation, ...result };
    },
  };
}

/** Finds an operation by its name, or an action contract by its key, which `actions.run` runs. */
async function askedOf(deps: KeyInsightDeps, caller: Caller, name: string): Promise<ProbedOperation> {
  const operation = deps.operations.get(name);
  if (operation !== undefined) return { operation, refusal: null };
  const running = deps.operations.get(CONTRACTS);
  const refusal = await deps.contracts().refusal(caller, name);
  if (running === undefined || refusal === undefined) throw unknown(deps, name);
  return { operation: running, refusal };
}

function unknown(deps: KeyInsightDeps, name: string): ServiceError {
  const meant = nearest(name, deps.operations.keys());
  return new ServiceError("action_unknown", {
    detail:
      meant.length === 0 ? "Operations have dotted names such as events.fire." : `Did you mean ${meant.join(", ")}?`,
    extra: { did_you_mean: meant },
  });
}

interface ProbedOperation {
  readonly operation: Operation;
  /** The contract's refusal, which comes after that of the operation. */
  readonly refusal: ServiceError | null;
}

interface ProbedCall extends ProbedOperation {
  readonly key: ApiKey;
  readonly ip: string | undefined;
}

/** Runs the access checks in their order, without that of the workspace, which refuses only ids that a call names. */
async function tryAccessChecks(
  deps: KeyInsightDeps,
  { key, operation, refusal, ip }: ProbedCall,
): Promise<Pick<Trial, "allowed" | "step" | "code" | "detail">> {
  const steps: [NonNullable<Trial["step"]>, () => void | Promise<void>][] = [
    ["signature", () => assertKeyValid(key, deps.clock.now())],
    ["permission", () => assertProbeAllowed(key, { operation, refusal })],
    ["rate_limit", async () => assertWithinRateLimit(await deps.rates.peek(rateSubject(deps.limits, key, operation)))],
    ["ip_allowlist", () => (ip === undefined ? undefined : assertIpAllowed(key, ip))],
  ];
  for (const [step, check] of steps) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { allowed: false, step, code: error.code, detail: error.details.detail ?? error.kind.title };
    }
  }
  return { allowed: true };
}

function assertProbeAllowed(key: ApiKey, { operation, refusal }: ProbedOperation): void {
  assertCallerAllowed(key, operation);
  if (refusal !== null) throw refusal;
}

async function limitUses(deps: KeyInsightDeps, key: ApiKey): Promise<LimitUses> {
  const uses = await usedRates(deps.db, key.bucket, key.lineageId);
  const used = new Map(uses.map((use) => [use.operation, use.used]));
  const use = (name: string, limit: number): LimitUses["hour"] => {
    const calls = used.get(name) ?? 0;
    return { limit, used: calls, remaining: Math.max(0, limit - calls) };
  };
  return {
    hour: use("*", key.rateLimitPerHour),
    minute: Object.entries(deps.limits).map(([operation, limit]) => ({ operation, ...use(operation, limit) })),
  };
}

function summary(rows: readonly UsageRow[], from: Instant) {
  const hours = Array.from({ length: HOURS_SHOWN }, (_, at) => after(from, at * HOUR_MS));
  const byHour = Map.groupBy(rows, (row) => fromDate(row.hour));
  const byOperation = [...Map.groupBy(rows, (row) => row.operation)];
  return {
    by_outcome: outcomes(rows),
    by_hour: hours.map((hour) => ({ hour: toRfc3339(hour), ...outcomes(byHour.get(hour) ?? []) })),
    by_operation: byOperation
      .map(([operation, ofIt]) => ({ operation, ...outcomes(ofIt) }))
      .toSorted((a, b) => b.total - a.total || (a.operation < b.operation ? -1 : 1)),
  };
}

function outcomes(rows: readonly UsageRow[]): Outcomes {
  const counts = { total: 0, succeeded: 0, refused: 0, rate_limited: 0, failed: 0 };
  for (const { outcome, calls } of rows) {
    counts[outcome] += calls;
    counts.total += calls;
  }
  return counts;
}
