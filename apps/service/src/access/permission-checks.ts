import { ServiceError } from "../lib/lib.ts";
import type { Instant } from "../lib/lib.ts";
import { isLimited, isListed } from "../accounts/accounts.ts";
import type { ApiKey, Role } from "../accounts/accounts.ts";
import { isBlocked, scopesAllow } from "./operations.ts";
import type { Operation } from "./operations.ts";
import type { RateSubject, Token } from "./rate.ts";

/** Throws 401 for a key that was revoked or has expired. */
export function assertKeyValid(key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: Instant): void {
  if (key.revokedAt !== null)
    throw new ServiceError("key_revoked", { detail: "Create a new key, or use another one." });
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new ServiceError("key_expired", { detail: "Create a new key, or roll keys before they expire." });
}

/** Throws 403 for a key of a tenant, unless the operation is for such keys. */
function assertForTenants({ tenant }: Pick<ApiKey, "tenant">, { name, tenants }: Operation): void {
  if (tenant === null || tenants) return;
  throw new ServiceError("tenant_mismatch", { detail: `${name} is not for keys of a tenant.` });
}

/** Throws 403 unless the key's mode, role and scopes all allow the operation, in this order. */
export function assertAllowed(
  key: Pick<ApiKey, "permissionMode" | "blockedActions" | "role" | "scopes" | "grantedRole">,
  operation: Operation,
): void {
  const { name, access, scoped, does, through = name } = operation;
  if (key.permissionMode === "read_only" && access === "write")
    throw new ServiceError("key_read_only", { detail: `${name} is a write operation, and this key is read-only.` });
  const blocked = [through, name, ...does].find((one) => isBlocked(key.blockedActions, one));
  if (key.permissionMode === "restricted" && blocked !== undefined) {
    const same = does.includes(blocked) ? `, and ${name} does the same` : "";
    throw new ServiceError("action_blocked", { detail: `This key's list blocks ${blocked}${same}.` });
  }
  assertRole(key, operation);
  if (scoped && !scopesAllow(key.scopes, operation))
    throw new ServiceError("scope_missing", { detail: `${name} requires a scope that this key does not have.` });
}

function assertRole(key: Pick<ApiKey, "role" | "grantedRole">, { name, roles, namedScope }: Operation): void {
  const role = namedScope === undefined ? key.role : actingRole(key);
  if (roles.includes(role)) return;
  throw new ServiceError("role_not_allowed", {
    detail: `${name} requires one of the roles ${roles.join(", ")}; you act as ${role}.`,
  });
}

/** Returns the current role of the member who connected an app. The key of an AI without a member has its right from the person who named the scope. */
function actingRole({ role, grantedRole }: Pick<ApiKey, "role" | "grantedRole">): Role {
  return role === "ai" ? (grantedRole ?? "developer") : role;
}

/**
 * Throws 403 unless the caller's tenant, its rights, its environment and the kind of its credential all allow the operation, in
 * this order.
 */
export function assertCallerAllowed(key: ApiKey, operation: Operation): void {
  assertForTenants(key, operation);
  assertAllowed(key, operation);
  assertCredentialAllowed(key, operation);
}

function assertCredentialAllowed(key: ApiKey, { name, liveOnly, peopleOnly }: Operation): void {
  if (liveOnly && key.environment === "sandbox") {
    throw new ServiceError("environment_mismatch", {
      detail: `${name} changes data that live and sandbox share. Use a live key, or switch to the live environment.`,
    });
  }
  if (!peopleOnly) return;
  if (key.actorType !== "user" || key.memberId === null) {
    throw new ServiceError("role_not_allowed", {
      detail: `Only people can use ${name}. Use a console session, or a key that is bound to a person.`,
    });
  }
  if (isLimited(key)) {
    throw new ServiceError("action_blocked", {
      detail: `${name} requires a session, or a key without limitations, such as blocked actions, scopes, addresses or an expiry.`,
    });
  }
}

/** Throws 429 if no call is left. */
export function assertWithinRateLimit({ granted, retrySeconds, state }: Token): void {
  if (granted) return;
  throw new ServiceError("rate_limited", {
    detail: `The limit is ${state.limit} calls per ${state.reset} seconds. Wait ${retrySeconds} s.`,
    headers: { "Retry-After": String(retrySeconds) },
  });
}

/** Returns true if the key's allowlist does not contain the address. */
export function isIpForbidden(key: Pick<ApiKey, "ipAllowlist">, ip: string): boolean {
  return key.ipAllowlist.length > 0 && !isListed(key.ipAllowlist, ip);
}

export function assertIpAllowed(key: Pick<ApiKey, "ipAllowlist">, ip: string): void {
  if (isIpForbidden(key, ip))
    throw new ServiceError("ip_not_allowed", { detail: `Calls from ${ip} are not allowed for this key.` });
}

/** Returns the number of calls of an operation that a key may make in a minute. */
export function perMinute(limits: Readonly<Record<string, number>>, { limit }: Pick<Operation, "limit">): number {
  return limits[limit] ?? 600;
}

/** Returns the limits that a key's call of an operation counts against. */
export function rateSubject(
  limits: Readonly<Record<string, number>>,
  key: Pick<ApiKey, "bucket" | "lineageId" | "rateLimitPerHour">,
  operation: Pick<Operation, "limit">,
): RateSubject {
  return {
    bucket: key.bucket,
    subject: key.lineageId,
    operation: operation.limit,
    perMinute: perMinute(limits, operation),
    perHour: key.rateLimitPerHour,
  };
}
