import { operation, assertAllowed } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Environment } from "../../lib/lib.ts";
import { callers, hasPermission, readers, unscoped } from "../../accounts/accounts.ts";
import type { Rights } from "../actor.ts";
import type { Contract, Surface } from "../contracts/contract.ts";

/** The contract says who may run it; what is asked of everyone is that nothing blocks running actions at all. */
export const ACTION_ROLES = ["owner", "admin", "developer", "operator", "viewer", "ai"] as const;
export const RUN: Operation = operation({ name: "actions.run", access: "write", callers: unscoped(readers) });

export type Guarded = Pick<Contract, "key" | "roles" | "surface" | "scope" | "permission">;

/**
 * Throws 403 unless these rights allow the contract, from every one of these surfaces: its own, and what a body narrowed
 * it to. In the gate's order: mode and list, role, scope, surface, permission.
 */
export function assertPermitted(contract: Guarded, rights: Rights, surfaces: readonly Surface[]): void {
  assertAllowed(rights, RUN);
  assertAllowed(rights, operation({ name: contract.key, access: "write", callers: unscoped(callers(contract.roles)) }));
  const scopes = scopesFor(contract);
  const held = rights.scopes;
  if (held !== null && !scopes.some((scope) => scopeCovers(held, scope)))
    throw new ServiceError("scope_missing", { detail: `${contract.key} requires the scope ${scopes.join(" or ")}.` });
  const closed = surfaces.find((surface) => !contract.surface.includes(surface));
  if (closed !== undefined) {
    throw new ServiceError("surface_not_allowed", {
      detail: `${contract.key} cannot be run from the surface ${closed}; its contract lists ${contract.surface.join(", ")}.`,
    });
  }
  if (contract.permission !== null && !hasPermission(rights, contract.permission)) {
    throw new ServiceError("permission_required", {
      detail: `${contract.key} requires the operator permission ${contract.permission}.`,
    });
  }
}

/** Throws 403 where a restricted key's list blocks the name, or running actions at all, whether or not a contract has that name. */
export function assertNotBlocked(key: string, rights: Rights): void {
  assertAllowed(rights, RUN);
  assertAllowed(rights, operation({ name: key, access: "write", callers: unscoped(readers) }));
}

/** What `assertPermitted` throws, or null. */
export function refusalFor(contract: Guarded, rights: Rights, surface: Surface): ServiceError | null {
  return refusalOf(() => assertPermitted(contract, rights, [surface]));
}

/** What `assertNotBlocked` throws, or null. */
export function blockFor(key: string, rights: Rights): ServiceError | null {
  return refusalOf(() => assertNotBlocked(key, rights));
}

function refusalOf(check: () => void): ServiceError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Whether these rights allow it, and the environment has it. */
export function isPermitted(contract: Contract, rights: Rights, surface: Surface, environment: Environment): boolean {
  if (contract.environment === "sandbox" && environment === "live") return false;
  return refusalFor(contract, rights, surface) === null;
}

/** One of these must be held: what the contract names; else whatever covers running actions, or those of its area. */
function scopesFor({ key, scope }: Guarded): string[] {
  return scope === null ? ["actions:write", `${key.slice(0, key.indexOf("."))}:write`] : [scope];
}

/** `write` covers `read`, as with the gate's own scopes. */
function scopeCovers(held: readonly string[], wanted: string): boolean {
  if (held.includes(wanted)) return true;
  return wanted.endsWith(":read") && held.includes(`${wanted.slice(0, -":read".length)}:write`);
}
