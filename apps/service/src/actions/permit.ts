import { operation, refuseForbidden } from "../gate/gate.ts";
import type { Operation } from "../gate/gate.ts";
import { ServiceError } from "../kernel/kernel.ts";
import { hasPermission } from "../workspaces/workspaces.ts";
import type { Rights } from "./actor.ts";
import type { Contract, Surface } from "./contract.ts";

/** The contract says who may run it; what is asked of everyone is that nothing blocks running actions at all. */
export const ACTION_ROLES = ["owner", "admin", "developer", "operator", "viewer", "ai"] as const;
export const RUN: Operation = operation({ name: "actions.run", access: "write", roles: ACTION_ROLES });

export type Guarded = Pick<Contract, "key" | "roles" | "surface" | "scope" | "permission">;

/**
 * Throws 403 unless these rights allow the contract, from every one of these surfaces: its own, and what a body narrowed
 * it to. In the gate's order: mode and list, role, scope, surface, permission.
 */
export function refuseUnpermitted(contract: Guarded, rights: Rights, surfaces: readonly Surface[]): void {
  refuseForbidden(rights, RUN);
  refuseForbidden(rights, operation({ name: contract.key, access: "write", roles: contract.roles, scoped: false }));
  if (!scopeCovers(rights.scopes, contract.scope)) {
    throw new ServiceError("scope_missing", { detail: `${contract.key} needs the scope ${contract.scope ?? ""}.` });
  }
  const closed = surfaces.find((surface) => !contract.surface.includes(surface));
  if (closed !== undefined) {
    throw new ServiceError("surface_not_allowed", {
      detail: `${contract.key} may not be run from the surface ${closed}; its contract lists ${contract.surface.join(", ")}.`,
    });
  }
  if (contract.permission !== null && !hasPermission(rights, contract.permission)) {
    throw new ServiceError("permission_required", {
      detail: `${contract.key} needs the operator permission ${contract.permission}.`,
    });
  }
}

/** Throws 403 where a restricted key's list blocks the contract, or running actions at all. */
export function refuseBlocked(key: string, rights: Rights): void {
  refuseForbidden({ ...rights, scopes: null }, RUN);
  refuseForbidden(rights, operation({ name: key, access: "write", roles: ACTION_ROLES, scoped: false }));
}

/** `write` covers `read`, as with the gate's own scopes. */
function scopeCovers(held: readonly string[] | null, wanted: string | null): boolean {
  if (held === null || wanted === null || held.includes(wanted)) return true;
  return wanted.endsWith(":read") && held.includes(`${wanted.slice(0, -":read".length)}:write`);
}
