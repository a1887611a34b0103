import { sql } from "../../platform/db/db.ts";
import type { Query } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";

/** The key's lineage, or the member, with which the credential of a portal session ends. */
export interface PortalMaker {
  readonly lineageId: Uuid | null;
  readonly memberId: Uuid | null;
}

/**
 * Returns the fingerprint of the present rights of a portal session's maker, for a row `r` of its columns. Null if no key of the lineage
 * is valid, or if the member was removed. A session ends when it differs, so that it never has more rights than its maker.
 */
export function makerRights(r: string): string {
  return `md5(
    case when ${r}.maker_lineage_id is null then '' else (select row(l.role, l.permission_mode, l.own_permission_mode, l.blocked_actions,
        l.own_blocked_actions, l.scopes, l.permissions)::text from api_key l
      where l.workspace_id = ${r}.workspace_id and l.lineage_id = ${r}.maker_lineage_id and l.revoked_at is null
        and (l.expires_at is null or l.expires_at > now()) order by l.id desc limit 1) end
    || case when ${r}.maker_member_id is null then '' else (select row(o.role, o.permissions)::text from member o
      where o.id = ${r}.maker_member_id and o.removed_at is null) end)`;
}

/**
 * Reads the fingerprint of a maker's rights. Null also for what a console session made before its member took the account
 * back, which waits for the transaction, so that it finds what is made in it.
 */
export async function readMakerRights(
  query: Query,
  workspaceId: Uuid,
  { lineageId, memberId, since }: PortalMaker & { readonly since: Date },
): Promise<string | null> {
  const { rows } = await sql<{ rights: string | null }>`
    select case when ${lineageId === null} and (select m.recovered_at from member m where m.id = r.maker_member_id for share) >= ${since}
      then null else ${sql.raw(makerRights("r"))} end as rights
    from (select ${workspaceId}::uuid as workspace_id, ${lineageId}::uuid as maker_lineage_id, ${memberId}::uuid as maker_member_id) r`.execute(
    query,
  );
  return rows[0]?.rights ?? null;
}
