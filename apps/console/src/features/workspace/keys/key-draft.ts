import type { wire } from "../../../api/api.ts";

/** A key as the form has it: texts, until it is sent. */
export interface KeyDraft {
  readonly name: string;
  readonly mode: string;
  readonly blocked: readonly string[];
  readonly actorType: string;
  readonly role: string;
  /** The customer to which the key is limited; empty for none. */
  readonly tenant: string;
  readonly perHour: string;
  readonly addresses: readonly string[];
  readonly requiresSignature: boolean;
  readonly expiresInDays: string;
}

export const emptyDraft: KeyDraft = {
  name: "",
  mode: "all",
  blocked: [],
  actorType: "service",
  role: "developer",
  tenant: "",
  perHour: "",
  addresses: [],
  requiresSignature: false,
  expiresInDays: "",
};

const DAY_MS = 86_400_000;

/** Returns the body to send. Unchanged fields are left out, so that the service's defaults apply. */
export function bodyOf(draft: KeyDraft): wire.NewApiKey {
  const { name, mode, blocked, actorType, role, tenant, perHour, addresses, requiresSignature, expiresInDays } = draft;
  return {
    name,
    permission_mode: mode,
    actor_type: actorType,
    ...(actorType === "user"
      ? {}
      : { role: (actorType === "ai" ? "ai" : role) as NonNullable<wire.NewApiKey["role"]> }),
    ...(mode === "restricted" ? { blocked_actions: [...blocked] } : {}),
    ...(tenant === "" ? {} : { tenant }),
    ...(perHour === "" ? {} : { rate_limit_per_hour: Number(perHour) }),
    ...(addresses.length === 0 ? {} : { ip_allowlist: [...addresses] }),
    ...(requiresSignature ? { require_signature: true } : {}),
    ...(expiresInDays === ""
      ? {}
      : { expires_at: new Date(Date.now() + Number(expiresInDays) * DAY_MS).toISOString() }),
  };
}
