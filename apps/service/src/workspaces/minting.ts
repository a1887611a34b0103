import { ServiceError } from "../kernel/kernel.ts";
import type { Violation } from "../kernel/kernel.ts";
import { isRange, isWithin } from "./allowlist.ts";
import type { ActorType, ApiKey, PermissionMode, Role } from "./keys.ts";

export interface KeySpec {
  readonly name: string;
  readonly permission_mode: PermissionMode;
  readonly blocked_actions?: string[];
  readonly role?: Exclude<Role, "owner">;
  readonly actor_type?: ActorType;
  readonly ip_allowlist?: string[];
  readonly require_signature?: boolean;
  readonly rate_limit_per_hour?: number;
}

/** What a new key will be, defaults filled in and nothing beyond its maker. */
export interface MintedKey {
  readonly role: Role;
  readonly actorType: ActorType;
  readonly scopes: string[] | null;
  readonly spec: KeySpec;
}

const RANK: Readonly<Record<Role, number>> = { owner: 5, admin: 4, developer: 3, operator: 2, viewer: 1, ai: 0 };

/**
 * The key that `maker` may make of the spec. A key can mint only keys that may do no more than itself (contract, section 2):
 * what the spec leaves open is the maker's; what it asks beyond is refused with 403, what makes no sense with 422.
 */
export function minted(maker: ApiKey, spec: KeySpec): MintedKey {
  const actorType = spec.actor_type ?? (spec.role === "ai" ? "ai" : "service");
  const role = spec.role ?? (actorType === "ai" ? "ai" : maker.role === "owner" ? "developer" : maker.role);
  refuseNonsense(spec, role, actorType);
  refuseMoreThanMaker(maker, spec, { role, actorType });
  return {
    role,
    actorType,
    scopes: maker.scopes === null ? null : [...maker.scopes],
    spec: {
      ...spec,
      ip_allowlist: spec.ip_allowlist ?? [...maker.ipAllowlist],
      require_signature: spec.require_signature ?? maker.requireSignature,
    },
  };
}

function refuseNonsense(spec: KeySpec, role: Role, actorType: ActorType): void {
  const errors: Violation[] = (spec.ip_allowlist ?? []).flatMap((entry, at) =>
    isRange(entry)
      ? []
      : [{ pointer: `/ip_allowlist/${at}`, code: "cidr", message: "must be an IP address or a CIDR range" }],
  );
  if ((role === "ai") !== (actorType === "ai"))
    errors.push({ pointer: "/role", code: "role", message: "an AI's key has the role ai, and no other key has it" });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

function refuseMoreThanMaker(
  maker: ApiKey,
  spec: KeySpec,
  { role, actorType }: Pick<MintedKey, "role" | "actorType">,
): void {
  if (RANK[role] > RANK[maker.role])
    throw new ServiceError("role_not_allowed", {
      detail: `A key of role ${maker.role} cannot make one of role ${role}.`,
    });
  if (actorType === "user" && maker.memberId === null) {
    throw new ServiceError("role_not_allowed", {
      detail: "A key that acts as a person is made by that person's own key or session.",
    });
  }
  if (escapesBlocks(maker, spec))
    throw new ServiceError("action_blocked", {
      detail: "The new key must be restricted and block at least what this key blocks.",
    });
  if (maker.requireSignature && spec.require_signature === false)
    throw new ServiceError("signature_required", { detail: "This key must sign, and so must a key that it makes." });
  if (escapesAllowlist(maker, spec))
    throw new ServiceError("ip_not_allowed", { detail: "The new key's ranges must lie within this key's." });
}

/** Only a restricted key obeys its list, so that a restricted one makes restricted ones. */
function escapesBlocks(maker: ApiKey, spec: KeySpec): boolean {
  if (maker.permissionMode !== "restricted") return false;
  if (spec.permission_mode !== "restricted") return true;
  return !maker.blockedActions.every((name) => spec.blocked_actions?.includes(name));
}

function escapesAllowlist(maker: ApiKey, spec: KeySpec): boolean {
  if (maker.ipAllowlist.length === 0 || spec.ip_allowlist === undefined) return false;
  return spec.ip_allowlist.length === 0 || !spec.ip_allowlist.every((entry) => isWithin(maker.ipAllowlist, entry));
}
