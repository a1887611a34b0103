import { sql } from "../../platform/db/db.ts";
import type { Query, Tx } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { PortalMaker } from "./maker-rights.store.ts";

/** The session and the rights of a portal's credential. */
export interface PortalKeyDraft {
  readonly sessionId: Uuid;
  readonly name: string;
  /** `ai`: the credential is an MCP token, which is for /mcp alone. */
  readonly actorType: "service" | "ai";
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly tenant: string;
  readonly role: string;
  readonly blockedActions: readonly string[];
  /** The exact names of the operations that it may call, and the scopes of the operator tools. */
  readonly scopes: readonly string[];
  readonly rateLimitPerHour: number;
  readonly madeBy: readonly Uuid[];
  readonly maker: PortalMaker;
  /** See `makerRights`. */
  readonly makerRights: string;
  readonly expiresAt: Date;
}

interface KeyText {
  readonly id: Uuid;
  readonly keyHash: Buffer;
  readonly prefixHint: string;
}

export async function insertPortalKey(
  tx: Tx,
  { id, keyHash, prefixHint }: KeyText,
  draft: PortalKeyDraft,
): Promise<void> {
  await tx.query
    .insertInto("api_key")
    .values({
      id,
      workspace_id: draft.workspaceId,
      bucket: draft.bucket,
      tag: draft.tag,
      key_hash: keyHash,
      lineage_id: id,
      prefix_hint: prefixHint,
      name: draft.name,
      actor_type: draft.actorType,
      member_id: null,
      made_by: [...draft.madeBy],
      tenant: draft.tenant,
      // A node of the previous version must refuse every call.
      permission_mode: "restricted",
      blocked_actions: ["*"],
      own_permission_mode: "restricted",
      own_blocked_actions: [...draft.blockedActions],
      role: draft.role,
      scopes: [...draft.scopes],
      permissions: [],
      rate_limit_per_hour: draft.rateLimitPerHour,
      ip_allowlist: [],
      require_signature: false,
      accept_body_signature: false,
      signing_secret_sealed: null,
      expires_at: draft.expiresAt,
      // Its end is planned, so no one is warned.
      expiry_warned_at: sql<Date>`now()`,
      portal_session_id: draft.sessionId,
      maker_lineage_id: draft.maker.lineageId,
      maker_member_id: draft.maker.memberId,
      maker_rights: draft.makerRights,
    })
    .execute();
}

export async function revokePortalKeys(tx: Tx, sessionId: Uuid, now: Date): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("portal_session_id", "=", sessionId)
    .where("revoked_at", "is", null)
    .execute();
}

export interface TenantKeys {
  readonly tag: Tag;
  readonly tenant: string;
  readonly before: Uuid;
}

export async function revokePortalKeysOfTenant(tx: Tx, { tag, tenant, before }: TenantKeys, now: Date): Promise<void> {
  await tx.query
    .updateTable("api_key")
    .set({ revoked_at: now })
    .where("tag", "=", tag)
    .where("tenant", "=", tenant)
    .where("portal_session_id", "<", before)
    .where("revoked_at", "is", null)
    .execute();
}

export async function sessionOfKey(query: Query, keyId: Uuid): Promise<Uuid | undefined> {
  const row = await query.selectFrom("api_key").select("portal_session_id").where("id", "=", keyId).executeTakeFirst();
  return row?.portal_session_id ?? undefined;
}

export async function deletePortalKeys(tx: Tx, sessionIds: readonly Uuid[]): Promise<void> {
  await tx.query.deleteFrom("api_key").where("portal_session_id", "in", sessionIds).execute();
}
