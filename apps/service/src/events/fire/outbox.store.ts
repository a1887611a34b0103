import { bulk, columnOf, defineDependentPart } from "../../platform/db/db.ts";
import type { Db, HotStatement, RequestRow, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

export type OutboxRow = Selectable<Tables["outbox"]>;

/** A system event that is fired once the transaction that writes it has committed. */
export interface Announcement {
  readonly scope: Pick<Scope, "workspaceId" | "bucket" | "tag">;
  /** The id of the fired event. */
  readonly id: Uuid;
  readonly name: string;
  readonly subject: string;
  /** The tenant whose object or event it is about, which does not see it. */
  readonly tenant: string | null;
  /** An object, or its JSON text, which keeps the digits of numbers. */
  readonly data: object | string;
  /**
   * The event that caused the announced one, whose chain is that event's chain and its id. Set only for
   * `announcementPart`.
   */
  readonly after?: Uuid;
}

/** Writes announcements together with their requests. */
export const announcementPart = defineDependentPart<Announcement & RequestRow>({
  name: "outbox",
  columns: [
    bulk("bucket", "smallint", ({ scope }) => scope.bucket),
    bulk("tag", "text", ({ scope }) => scope.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("workspace_id", "uuid", ({ scope }) => scope.workspaceId),
    bulk("name", "text", (row) => row.name),
    bulk("subject", "text", (row) => row.subject),
    bulk("tenant", "text", (row) => row.tenant),
    bulk("data", "text", (row) => dataText(row.data)),
  ],
  extras: [bulk("after", "uuid", (row) => row.after ?? null)],
  text: ({ rows, names, selected }) => `announced as (insert into outbox (${names}, chain)
      select ${selected("o")},
        (select coalesce(e.chain, '{}') || e.id from event e where e.bucket = o.bucket and e.tag = o.tag and e.id = o.after)
      from ${rows("o")})`,
});

export async function insertAnnouncement(
  tx: Tx,
  { scope, id, name, subject, tenant, data }: Announcement,
): Promise<void> {
  const { workspaceId, bucket, tag } = scope;
  const row = { bucket, tag, id, workspace_id: workspaceId, name, subject, tenant, data: dataText(data) };
  await tx.query.insertInto("outbox").values(row).execute();
}

function dataText(data: object | string): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** Returns at most `limit` rows of each shard. */
export async function unfired(db: Db, limit: number): Promise<OutboxRow[]> {
  return await db.onEachShard(
    async () => await db.query.selectFrom("outbox").selectAll().orderBy("id").limit(limit).execute(),
  );
}

const FORGET: HotStatement = {
  name: "outbox_forget",
  text: `delete from outbox o using unnest($1::smallint[], $2::text[], $3::uuid[]) as f (bucket, tag, id)
    where o.bucket = f.bucket and o.tag = f.tag and o.id = f.id`,
};

export async function forget(db: Db, rows: readonly OutboxRow[]): Promise<void> {
  await db.byShard(
    rows,
    ({ bucket }) => bucket,
    async (own) => {
      await db.hot(FORGET, [
        columnOf.smallint(own, (row) => row.bucket),
        columnOf.text(own, (row) => row.tag),
        columnOf.uuid(own, (row) => row.id),
      ]);
    },
  );
}
