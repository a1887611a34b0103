import { columnOf } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import { KEY_PEOPLE, KEY_PERMISSIONS } from "../api-keys/keys.store.ts";

export interface StandingRow {
  readonly role: string;
  readonly actor_type: string;
  readonly member_id: Uuid | null;
  readonly people: Uuid[];
  readonly permissions: string[];
  readonly permission_mode: string;
  readonly blocked_actions: string[];
  readonly scopes: string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  /** The role of the member who connected the app of the key. */
  readonly granted_role: string | null;
}

/** Reads the newest key of a lineage that is not revoked. If it is bound to a person, it has that person's role. */
const OF_LINEAGE: HotStatement = {
  name: "author_of_lineage",
  text: `select coalesce(m.role, k.role) as role, k.actor_type, k.member_id, ${KEY_PEOPLE} as people,
      ${KEY_PERMISSIONS} as permissions, k.permission_mode, k.blocked_actions, k.scopes, k.expires_at,
      coalesce(k.revoked_at, m.removed_at, g.removed_at) as revoked_at, g.role as granted_role
    from api_key k left join member m on m.id = k.member_id left join member g on g.id = k.granted_by
    where k.workspace_id = $1 and k.lineage_id = $2
    order by k.revoked_at is not null, k.id desc limit 1`,
};
const OF_MEMBER: HotStatement = {
  name: "author_of_member",
  text: `select role, 'user' as actor_type, id as member_id, array[person_id] as people, permissions, 'all' as permission_mode, '{}'::text[] as blocked_actions, null::text[] as scopes,
      null::timestamptz as expires_at, removed_at as revoked_at, null::text as granted_role
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

export interface CallerFacts {
  /** The name of the person, or that of the key if it is not bound to a person. */
  readonly name: string | null;
  /** The stored settings of the workspace. */
  readonly settings: Record<string, unknown>;
}

/** Runs for every action run (hot). */
const FACTS: HotStatement = {
  name: "caller_facts",
  text: `select coalesce(p.name, k.name) as name, s.settings
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as w (workspace_id, key_id, member_id, at)
    join workspace s on s.id = w.workspace_id
    left join api_key k on k.id = w.key_id and k.workspace_id = w.workspace_id
    left join member m on m.id = w.member_id and m.workspace_id = w.workspace_id
    left join person p on p.id = m.person_id order by w.at`,
};

/** Returns the facts of keys and members, in the order of `wanted`. */
export async function callerFacts(
  reader: HotReader,
  wanted: readonly { readonly workspaceId: Uuid; readonly keyId: Uuid | null; readonly memberId: Uuid | null }[],
): Promise<CallerFacts[]> {
  return await reader.hot<CallerFacts & Record<string, unknown>>(FACTS, [
    columnOf.uuid(wanted, (one) => one.workspaceId),
    columnOf.uuid(wanted, (one) => one.keyId),
    columnOf.uuid(wanted, (one) => one.memberId),
  ]);
}
