import { ServiceError } from "../../lib/lib.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { RISKS } from "./contract.ts";
import type { Definition } from "./contract.ts";

/** Throws 403 if a definition protects its action less than the previous one and the caller is not an owner. */
export function assertNotLoosened({ key }: Caller, before: Definition, after: Definition): void {
  if (key.role === "owner") return;
  const loosened = loosenedMembers(before, after);
  if (loosened.length === 0) return;
  throw new ServiceError("role_not_allowed", {
    detail: `Only an owner can loosen a contract. Less strict than before: ${loosened.join(", ")}. Ask an owner to make this change, or keep these members unchanged.`,
  });
}

/**
 * Returns the members in which `after` protects its action less than `before`. A change of the called address counts as
 * less.
 */
export function loosenedMembers(before: Definition, after: Definition): string[] {
  const loosened: Readonly<Record<string, boolean>> = {
    requires_confirmation: before.requires_confirmation && !after.requires_confirmation,
    audit: before.audit && !after.audit,
    destructive: before.destructive && !after.destructive,
    risk: RISKS.indexOf(after.risk) < RISKS.indexOf(before.risk),
    roles: hasMore(before.roles, after.roles),
    surface: hasMore(before.surface, after.surface),
    scope: before.scope !== null && after.scope !== before.scope,
    permission: before.permission !== null && after.permission !== before.permission,
    endpoint: after.endpoint !== before.endpoint,
    "undo.endpoint": after.undo !== null && before.undo !== null && after.undo.endpoint !== before.undo.endpoint,
    "approval.four_eyes": before.approval.four_eyes && !after.approval.four_eyes,
    "approval.required": after.approval.required < before.approval.required,
    "approval.approver_roles": hasMore(before.approval.approver_roles, after.approval.approver_roles),
  };
  return Object.keys(loosened).filter((member) => loosened[member]);
}

function hasMore(before: readonly string[], after: readonly string[]): boolean {
  return after.some((one) => !before.includes(one));
}
