import type { wire } from "../../../api/api.ts";

/** A key while it is edited. */
export interface KeyDraft extends Omit<wire.NewApiKey, "expires_at"> {
  readonly blocked_actions: string[];
  readonly ip_allowlist: string[];
  /** The days after which it expires; empty for never. */
  readonly days: string;
}

export const emptyDraft: KeyDraft = {
  name: "",
  permission_mode: "all",
  blocked_actions: [],
  actor_type: "service",
  role: "developer",
  ip_allowlist: [],
  days: "",
};

const DAY_MS = 86_400_000;

/** Returns the body to send. Unchanged fields are left out, so that the service's defaults apply. */
export function bodyOf({ blocked_actions, role, ip_allowlist, days, ...key }: KeyDraft): wire.NewApiKey {
  return {
    ...key,
    ...(key.actor_type === "user" ? {} : { role: key.actor_type === "ai" ? "ai" : role }),
    ...(key.permission_mode === "restricted" ? { blocked_actions } : {}),
    ...(ip_allowlist.length === 0 ? {} : { ip_allowlist }),
    ...(days === "" ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
  };
}
