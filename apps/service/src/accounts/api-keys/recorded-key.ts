import { environmentOf, fromDate } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import { grantedRoleOf } from "../callers/api-key.ts";
import type { ActorType, ApiKey, PermissionMode, Role } from "../callers/api-key.ts";
import type { KeyRecord, KeyRow } from "./keys.store.ts";

export function secretPlace(keyId: string): string {
  return `key:${keyId}`;
}

export function recordedKey(sealer: Sealer, row: KeyRecord): ApiKey {
  return toKey(sealer, { ...row, display: row.name, people: row.made_by });
}

export function toKey(sealer: Sealer, row: KeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    bucket: row.bucket,
    tag: row.tag,
    environment: environmentOf(row.tag),
    lineageId: row.lineage_id,
    display: row.display,
    permissionMode: row.permission_mode as PermissionMode,
    blockedActions: row.blocked_actions,
    role: row.role as Role,
    actorType: row.actor_type as ActorType,
    memberId: row.member_id,
    people: row.people,
    scopes: row.scopes,
    permissions: row.permissions,
    rateLimitPerHour: row.rate_limit_per_hour,
    ipAllowlist: row.ip_allowlist,
    requireSignature: row.require_signature,
    acceptBodySignature: row.accept_body_signature,
    signingSecret:
      row.signing_secret_sealed === null ? null : sealer.open(row.signing_secret_sealed, secretPlace(row.id)),
    expiresAt: row.expires_at === null ? null : fromDate(row.expires_at),
    tenant: row.tenant,
    ...(row.audience === undefined ? {} : { audience: row.audience }),
    ...grantedRoleOf(row.granted_role),
    revokedAt: row.revoked_at === null ? null : fromDate(row.revoked_at),
    ...ofPortal(row),
  };
}

function ofPortal({
  maker_lineage_id: lineageId,
  maker_member_id: memberId,
  actor_type: actorType,
}: KeyRow): Pick<ApiKey, "portalMaker" | "audience"> {
  // Only an MCP token is the portal's and an AI's.
  const audience = actorType === "ai" ? ({ audience: "mcp" } as const) : {};
  if (lineageId !== null) return { portalMaker: { kind: "key", id: lineageId }, ...audience };
  return memberId === null ? {} : { portalMaker: { kind: "member", id: memberId }, ...audience };
}
