import type { Db, HotStatement } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";

export interface StandingRow {
  readonly role: string;
  readonly permission_mode: string;
  readonly blocked_actions: string[];
  readonly scopes: string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** The key that stands for its lineage now: one that is not revoked, the newest. Bound to a person, it is as that person is. */
const OF_LINEAGE: HotStatement = {
  name: "author_of_lineage",
  text: `select coalesce(m.role, k.role) as role, k.permission_mode, k.blocked_actions, k.scopes, k.expires_at,
      coalesce(k.revoked_at, m.removed_at) as revoked_at
    from api_key k left join member m on m.id = k.member_id
    where k.workspace_id = $1 and k.lineage_id = $2
    order by k.revoked_at is not null, k.id desc limit 1`,
};
const OF_MEMBER: HotStatement = {
  name: "author_of_member",
  text: `select role, 'all' as permission_mode, '{}'::text[] as blocked_actions, null::text[] as scopes,
      null::timestamptz as expires_at, removed_at as revoked_at
    from member where workspace_id = $1 and id = $2`,
};

export async function standingOf(
  db: Db,
  workspaceId: Uuid,
  author: { readonly kind: "key" | "member"; readonly id: Uuid },
): Promise<StandingRow | undefined> {
  const [row] = await db.hot<StandingRow>(author.kind === "key" ? OF_LINEAGE : OF_MEMBER, [workspaceId, author.id]);
  return row;
}
