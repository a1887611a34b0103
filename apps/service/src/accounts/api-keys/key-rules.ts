import { parseTimestamp, ServiceError } from "../../lib/lib.ts";
import type { Instant, Violation, t } from "../../lib/lib.ts";
import { isRange } from "./allowlist.ts";
import { DEFAULT_RATE_LIMIT_PER_HOUR } from "../callers/api-key.ts";
import type { ActorType, ApiKey, Rights, Role } from "../callers/api-key.ts";
import { isSubsetOf, assertSubsetOf } from "./privilege-comparison.ts";
import type * as shapes from "./keys.schemas.ts";

export type KeySpec = t.Static<typeof shapes.KeyBody>;

export type KeyPatch = t.Static<typeof shapes.KeyPatchBody>;

/**
 * Returns the rights of a new key. Settings that the spec omits are the maker's. Throws 403 for rights that the maker
 * does not have, and 422 for inconsistent settings. Contract, section 2; decision 0015.
 */
export function minted(maker: ApiKey, spec: KeySpec, now: Instant): Rights {
  const actorType = spec.actor_type ?? (spec.role === "ai" ? "ai" : "service");
  const rights: Rights = {
    ...maker,
    rateLimitPerHour: Math.min(DEFAULT_RATE_LIMIT_PER_HOUR, maker.rateLimitPerHour),
    ...given(spec),
    tenant: spec.tenant ?? maker.tenant,
    actorType,
    role: spec.role ?? defaultRole(maker, actorType),
    memberId: actorType === "user" ? maker.memberId : null,
  };
  assertConsistent(spec, rights, now);
  assertSubsetOf(maker, rights);
  // A key that acts as a person has that person's role, so that another role in the body would have no effect.
  if (actorType === "user" && rights.role !== maker.role)
    throw invalid([
      {
        pointer: "/role",
        code: "role",
        message: "must be omitted for a key that acts as a person: the key has that person's role",
      },
    ]);
  return rights;
}

/**
 * Returns the rights of a key after a change. Any right may be removed, but added rights must not exceed the caller's.
 */
export function changed(caller: ApiKey, key: ApiKey, patch: KeyPatch, now: Instant): Rights {
  const rights: Rights = { ...key, ...given(patch), role: patch.role ?? key.role };
  assertConsistent(patch, rights, now);
  if (key.actorType === "user" && rights.role !== key.role)
    throw invalid([
      {
        pointer: "/role",
        code: "role",
        message: "cannot be changed for a key that acts as a person: change the role of the person",
      },
    ]);
  if (!isSubsetOf(key, rights)) assertSubsetOf(caller, rights);
  return rights;
}

/** Returns the rights that the body sets. */
function given(fields: KeyPatch): Partial<Rights> {
  const entries: [keyof Rights, unknown][] = [
    ["permissionMode", fields.permission_mode],
    ["blockedActions", fields.blocked_actions],
    ["scopes", fields.scopes],
    ["permissions", fields.permissions],
    ["rateLimitPerHour", fields.rate_limit_per_hour],
    ["ipAllowlist", fields.ip_allowlist],
    ["requireSignature", fields.require_signature],
    ["acceptBodySignature", fields.accept_body_signature],
    ["expiresAt", fields.expires_at === null ? null : parseTimestamp(fields.expires_at, "/expires_at")],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function defaultRole(maker: ApiKey, actorType: ActorType): Role {
  if (actorType === "ai") return "ai";
  return actorType === "service" && maker.role === "owner" ? "developer" : maker.role;
}

function assertConsistent(fields: KeyPatch, rights: Rights, now: Instant): void {
  const errors: Violation[] = (fields.ip_allowlist ?? []).flatMap((entry, at) =>
    isRange(entry)
      ? []
      : [{ pointer: `/ip_allowlist/${at}`, code: "cidr", message: "must be an IP address or a CIDR range" }],
  );
  if ((rights.role === "ai") !== (rights.actorType === "ai"))
    errors.push({
      pointer: "/role",
      code: "role",
      message: "must be ai for a key of actor type ai, and only for such a key",
    });
  if (typeof fields.expires_at === "string" && rights.expiresAt !== null && rights.expiresAt <= now)
    errors.push({ pointer: "/expires_at", code: "past", message: "must be in the future" });
  if (errors.length > 0) throw invalid(errors);
}

function invalid(errors: readonly Violation[]): ServiceError {
  return new ServiceError("validation_failed", { errors });
}
