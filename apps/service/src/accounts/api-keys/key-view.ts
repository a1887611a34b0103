import { fromDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";
import type { ActorType, PermissionMode, Role } from "../callers/api-key.ts";
import type { KeyRecord } from "./keys.store.ts";
import { scopeFields, scopeOf } from "../callers/scope.ts";
import type { KeyShape } from "./keys.schemas.ts";

/** An API key as the API shows it; never its text. */
export type KeyView = Static<typeof KeyShape>;

export function keyView(row: KeyRecord): KeyView {
  return {
    id: wireId("key", row.tag, row.id),
    object: "api_key",
    name: row.name,
    prefix_hint: row.prefix_hint,
    permission_mode: row.permission_mode as PermissionMode,
    blocked_actions: row.blocked_actions,
    role: row.role as Role,
    actor_type: row.actor_type as ActorType,
    scopes: row.scopes,
    tenant: row.tenant,
    permissions: row.permissions,
    rate_limit_per_hour: row.rate_limit_per_hour,
    ip_allowlist: row.ip_allowlist,
    require_signature: row.require_signature,
    accept_body_signature: row.accept_body_signature,
    has_signing_secret: row.signing_secret_sealed !== null,
    expires_at: time(row.expires_at),
    last_used_at: time(row.used_at ?? row.last_used_at),
    last_used_ip: row.used_ip ?? row.last_used_ip,
    revoked_at: time(row.revoked_at),
    replaced_by: row.replaced_by === null ? null : wireId("key", row.tag, row.replaced_by),
    ...scopeFields(scopeOf(row.workspace_id, row.tag)),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

function time(date: Date | null): string | null {
  return date === null ? null : toRfc3339(fromDate(date));
}
