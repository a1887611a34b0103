import type { Db } from "../../platform/db/db.ts";
import { fromDate } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { standingOf } from "./authors.store.ts";
import { grantedRoleOf } from "../callers/api-key.ts";
import type { ActorType, ApiKey, PermissionMode, Role } from "../callers/api-key.ts";

/** The author of a definition that runs later: a key with its lineage, or a member in the console. */
export interface Author {
  readonly kind: "key" | "member";
  /** The lineage of the key, or the id of the member. */
  readonly id: Uuid;
}

/** The author's current rights. */
export type Standing = Pick<
  ApiKey,
  | "permissionMode"
  | "blockedActions"
  | "role"
  | "actorType"
  | "memberId"
  | "people"
  | "scopes"
  | "permissions"
  | "expiresAt"
  | "revokedAt"
  | "grantedRole"
>;

/**
 * Returns the author that a caller is recorded as. A portal session acts for its maker: it sees the secrets that the maker's other
 * sessions created, and none that the maker may not see.
 */
export function authorOf(key: Pick<ApiKey, "lineageId" | "session" | "portalMaker">): Author {
  return key.portalMaker ?? requesterOf(key);
}

/**
 * Returns the author of what a caller requests and follows: the credential itself, also if it is the portal's. The MCP tokens of
 * different tenants can have one maker, and must not see each other's requests.
 */
export function requesterOf(key: Pick<ApiKey, "lineageId" | "session">): Author {
  // A session's lineage is its member.
  return { kind: key.session === undefined ? "key" : "member", id: key.lineageId };
}

/** Reads the author's current rights from the database. Returns undefined if the author no longer exists. */
export async function readStanding(db: Db, workspaceId: Uuid, author: Author): Promise<Standing | undefined> {
  const row = await standingOf(db, workspaceId, author);
  if (row === undefined) return undefined;
  return {
    permissionMode: row.permission_mode as PermissionMode,
    blockedActions: row.blocked_actions,
    role: row.role as Role,
    actorType: row.actor_type as ActorType,
    memberId: row.member_id,
    people: row.people,
    permissions: row.permissions,
    scopes: row.scopes,
    expiresAt: row.expires_at === null ? null : fromDate(row.expires_at),
    revokedAt: row.revoked_at === null ? null : fromDate(row.revoked_at),
    ...grantedRoleOf(row.granted_role),
  };
}
