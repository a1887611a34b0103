import { columnOf } from "../../platform/db/db.ts";
import type { CommitPart, Db, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";

export type OutboxRow = Selectable<Tables["outbox"]>;

/** A system event that is to be fired once the transaction it is written in has committed. */
export interface Announcement {
  readonly scope: Pick<Scope, "workspaceId" | "bucket" | "tag">;
  /** Becomes the event's. */
  readonly id: Uuid;
  readonly name: string;
  readonly subject: string;
  readonly data: object;
  /** The event that led to it: its chain, and it, are the announced event's. Only where it is written by `announcementPart`. */
  readonly after?: Uuid;
}

/** Announcements as part of a commit: the one at `at` is written only if that is in `fresh (at)`, which stands before it. */
export function announcementPart(rows: readonly (Announcement & { readonly at: number })[]): CommitPart {
  return {
    name: "outbox",
    text: (first) => `announced as (insert into outbox (bucket, tag, id, workspace_id, name, subject, data, chain)
      select o.bucket, o.tag, o.id, o.workspace_id, o.name, o.subject, o.data,
        (select coalesce(e.chain, '{}') || e.id from event e where e.bucket = o.bucket and e.tag = o.tag and e.id = o.after)
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::uuid[], $${first + 4}::text[],
        $${first + 5}::text[], $${first + 6}::text[], $${first + 7}::uuid[], $${first + 8}::bigint[])
        as o (bucket, tag, id, workspace_id, name, subject, data, after, at)
      join fresh using (at))`,
    values: [
      columnOf.smallint(rows, (row) => row.scope.bucket),
      columnOf.text(rows, (row) => row.scope.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.uuid(rows, (row) => row.scope.workspaceId),
      columnOf.text(rows, (row) => row.name),
      columnOf.text(rows, (row) => row.subject),
      columnOf.text(rows, (row) => JSON.stringify(row.data)),
      columnOf.uuid(rows, (row) => row.after ?? null),
      columnOf.bigint(rows, (row) => row.at),
    ],
  };
}

export async function insertAnnouncement(tx: Tx, { scope, id, name, subject, data }: Announcement): Promise<void> {
  const { workspaceId, bucket, tag } = scope;
  const row = { bucket, tag, id, workspace_id: workspaceId, name, subject, data: JSON.stringify(data) };
  await tx.query.insertInto("outbox").values(row).execute();
}

export async function unfired(query: Query, limit: number): Promise<OutboxRow[]> {
  return await query.selectFrom("outbox").selectAll().orderBy("id").limit(limit).execute();
}

export async function forget(db: Db, rows: readonly OutboxRow[]): Promise<void> {
  await db.hot(
    {
      name: "outbox_forget",
      text: `delete from outbox o using unnest($1::smallint[], $2::text[], $3::uuid[]) as f (bucket, tag, id)
        where o.bucket = f.bucket and o.tag = f.tag and o.id = f.id`,
    },
    [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
    ],
  );
}
