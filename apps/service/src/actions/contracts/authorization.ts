import { operation, assertAllowed } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Environment } from "../../lib/lib.ts";
import { callers, hasPermission, readers, unscoped } from "../../accounts/accounts.ts";
import type { Rights } from "../callers/actor.ts";
import type { Contract } from "./contract.ts";
import type { Surface } from "../callers/surface.ts";

/**
 * The contract defines the roles that may run it. In general, a caller only must not be blocked from running actions at
 * all.
 */
export const RUN: Operation = operation({ name: "actions.run", access: "write", callers: unscoped(readers) });

export type Guarded = Pick<Contract, "key" | "roles" | "surface" | "scope" | "permission">;

/**
 * Throws 403 unless these rights allow the contract from all of these surfaces: the caller's own, and the one that a
 * body narrowed the call to. Checks in the order of the access checks: mode and list, role, scope, surface, permission.
 */
export function assertPermitted(contract: Guarded, rights: Rights, surfaces: readonly Surface[]): void {
  assertAllowed(rights, RUN);
  const run = operation({ name: contract.key, access: "write", callers: unscoped(callers(contract.roles)) });
  assertAllowed(rights, run);
  // An app must not do for a person what the person may not do.
  if (rights.grantedRole !== undefined) assertAllowed({ ...rights, role: rights.grantedRole }, run);
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

/**
 * Throws 403 if a restricted key's list blocks the name, or all actions, whether or not a contract with that name
 * exists.
 */
export function assertNotBlocked(key: string, rights: Rights): void {
  assertAllowed(rights, RUN);
  assertAllowed(rights, operation({ name: key, access: "write", callers: unscoped(readers) }));
}

/** Returns the error that `assertPermitted` throws, or null. */
export function refusalFor(contract: Guarded, rights: Rights, surface: Surface): ServiceError | null {
  return contractRefusal(() => assertPermitted(contract, rights, [surface]));
}

/** Returns the error that `assertNotBlocked` throws, or null. */
export function blockFor(key: string, rights: Rights): ServiceError | null {
  return contractRefusal(() => assertNotBlocked(key, rights));
}

function contractRefusal(check: () => void): ServiceError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Returns true if these rights allow the contract and it exists in the environment. */
export function isPermitted(contract: Contract, rights: Rights, surface: Surface, environment: Environment): boolean {
  if (contract.environment === "sandbox" && environment === "live") return false;
  return refusalFor(contract, rights, surface) === null;
}

/**
 * Returns the scopes of which a key must have one: the contract's scope, or else those that cover running actions or
 * the contract's area.
 */
function scopesFor({ key, scope }: Guarded): string[] {
  return scope === null ? ["actions:write", `${key.slice(0, key.indexOf("."))}:write`] : [scope];
}

/** `write` covers `read`, as it does for the scopes of the access checks. */
function scopeCovers(held: readonly string[], wanted: string): boolean {
  if (held.includes(wanted)) return true;
  return wanted.endsWith(":read") && held.includes(`${wanted.slice(0, -":read".length)}:write`);
}
