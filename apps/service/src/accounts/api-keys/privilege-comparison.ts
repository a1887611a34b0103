import { ServiceError } from "../../lib/lib.ts";
import type { ErrorCode, Violation } from "../../lib/lib.ts";
import { isWithin } from "./allowlist.ts";
import { DEFAULT_RATE_LIMIT_PER_HOUR, UNLIMITED } from "../callers/api-key.ts";
import type { ActorType, Rights, Role } from "../callers/api-key.ts";

/** A right by which one key exceeds another. */
interface Excess extends Violation {
  readonly code: ErrorCode;
}

type Check = (above: Rights, below: Rights) => Excess | undefined;

const ROLE_RANK: Readonly<Record<Role, number>> = { owner: 5, admin: 4, developer: 3, operator: 2, viewer: 1, ai: 0 };
const ACTOR_RANK: Readonly<Record<ActorType, number>> = { user: 2, service: 1, ai: 0 };

/** The checks in the order of the access checks, so that both give the same first refusal. */
const CHECKS: readonly Check[] = [
  ({ tenant }, below) =>
    tenant !== null && below.tenant !== tenant
      ? excess("tenant_mismatch", "/tenant", "must be this key's tenant")
      : undefined,
  ({ permissionMode }, below) =>
    permissionMode === "read_only" && below.permissionMode !== "read_only"
      ? excess("key_read_only", "/permission_mode", "must be read_only, as this key is")
      : undefined,
  ({ permissionMode }, below) =>
    // The list applies only to restricted keys, so a restricted key can create only restricted keys.
    permissionMode === "restricted" && below.permissionMode !== "restricted"
      ? excess("action_blocked", "/permission_mode", "must be restricted, as this key is")
      : undefined,
  (above, below) =>
    above.permissionMode === "restricted" && !above.blockedActions.every((one) => isCovered(one, below.blockedActions))
      ? excess("action_blocked", "/blocked_actions", "must block everything that this key's list blocks")
      : undefined,
  ({ role }, below) =>
    ROLE_RANK[below.role] > ROLE_RANK[role]
      ? excess("role_not_allowed", "/role", `must not be higher than this key's role, ${role}`)
      : undefined,
  (above, below) =>
    ACTOR_RANK[below.actorType] > ACTOR_RANK[above.actorType] || actsAsAnother(above, below)
      ? excess(
          "role_not_allowed",
          "/actor_type",
          "must not be user: only a person's own key or session can manage keys that act as that person",
        )
      : undefined,
  ({ scopes }, below) =>
    scopes !== null && !(below.scopes?.every((scope) => isScopeCovered(scope, scopes)) ?? false)
      ? excess("scope_missing", "/scopes", `must be within this key's scopes: ${scopes.join(", ") || "none"}`)
      : undefined,
  (above, below) =>
    below.permissions.every((permission) => hasPermission(above, permission))
      ? undefined
      : excess(
          "permission_required",
          "/permissions",
          "must be among this key's permissions; only an owner's key can grant all",
        ),
  (above, below) =>
    below.rateLimitPerHour > above.rateLimitPerHour && !setsLimits(above)
      ? excess("action_blocked", "/rate_limit_per_hour", `must not exceed this key's limit, ${above.rateLimitPerHour}`)
      : undefined,
  ({ ipAllowlist }, below) =>
    liesWithin(ipAllowlist, below.ipAllowlist)
      ? undefined
      : excess("ip_not_allowed", "/ip_allowlist", "must be within this key's ranges"),
  (above, below) =>
    above.requireSignature && !below.requireSignature
      ? excess(
          "action_blocked",
          "/require_signature",
          "must be true: this key must sign its requests, and so must the keys that it creates",
        )
      : undefined,
  (above, below) =>
    !above.acceptBodySignature && below.acceptBodySignature
      ? excess("action_blocked", "/accept_body_signature", "must be false, as for this key")
      : undefined,
  ({ expiresAt }, below) =>
    expiresAt !== null && (below.expiresAt === null || below.expiresAt > expiresAt)
      ? excess("action_blocked", "/expires_at", "must not be later than this key's expiry")
      : undefined,
];

/** Returns true if a key with the rights `below` may do nothing that one with `above` may not. */
export function isSubsetOf(above: Rights, below: Rights): boolean {
  return CHECKS.every((check) => check(above, below) === undefined);
}

/**
 * Returns true for a key with any limitation. Such a key must not add a member or create a workspace, because members
 * and a workspace's first key have none.
 */
export function isLimited(rights: Rights): boolean {
  return !isSubsetOf(rights, { ...rights, ...UNLIMITED });
}

/** Throws 403 with all rights by which `below` exceeds `above`, and the code of the first. Contract, section 2. */
export function assertSubsetOf(above: Rights, below: Rights): void {
  const errors = CHECKS.flatMap((check) => check(above, below) ?? []);
  const [first] = errors;
  if (first === undefined) return;
  const detail = `A key can create, change and roll only keys with the same or fewer permissions: ${first.pointer.slice(1)} ${first.message}.`;
  throw new ServiceError(first.code, { detail, errors });
}

/** Returns true if the rights include an operator permission. Owners have all; other keys have those on their list. */
export function hasPermission(rights: Pick<Rights, "role" | "permissions">, permission: string): boolean {
  return rights.role === "owner" || rights.permissions.includes(permission);
}

function excess(code: ErrorCode, pointer: string, message: string): Excess {
  return { code, pointer, message };
}

/** Returns true for an owner in person without a lowered limit, who may set any hourly limit. */
function setsLimits(above: Rights): boolean {
  return above.role === "owner" && above.actorType === "user" && above.rateLimitPerHour >= DEFAULT_RATE_LIMIT_PER_HOUR;
}

function actsAsAnother(above: Rights, below: Rights): boolean {
  return below.actorType === "user" && (below.memberId === null || below.memberId !== above.memberId);
}

/** Returns true if one of the other patterns blocks everything that a pattern blocks. */
function isCovered(pattern: string, by: readonly string[]): boolean {
  return by.some(
    (other) => other === "*" || other === pattern || (other.endsWith(".*") && pattern.startsWith(other.slice(0, -1))),
  );
}

function isScopeCovered(scope: string, by: readonly string[]): boolean {
  return by.includes(scope) || by.includes(scope.replace(/:read$/, ":write"));
}

function liesWithin(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.length === 0 || (inner.length > 0 && inner.every((entry) => isWithin(outer, entry)));
}
