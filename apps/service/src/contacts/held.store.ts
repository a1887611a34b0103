import { bulk, byKey, definePart } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

/** A change of a locked contact. Several changes of one contact add up. */
export interface ContactChange {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  /** Decimal text. */
  readonly scoreDelta: string | null;
  readonly occurredAt: Date | null;
  /** All tags after the change. At most one change of a contact has them. */
  readonly tags: readonly string[] | null;
}

export const changesPart = definePart<ContactChange>({
  name: "changes",
  columns: [
    bulk("bucket", "smallint", (row) => row.bucket),
    bulk("tag", "text", (row) => row.tag),
    bulk("id", "uuid", (row) => row.id),
    bulk("score_delta", "text", (row) => row.scoreDelta),
    bulk("occurred_at", "timestamptz", (row) => row.occurredAt),
    bulk("tags", "text", (row) => (row.tags === null ? null : JSON.stringify(row.tags))),
  ],
  text: ({ rows }) => `changes as (update contact c set score = c.score + w.score_delta,
        last_activity_at = greatest(c.last_activity_at, w.occurred_at),
        tags = case when w.tags is null then c.tags else array(select jsonb_array_elements_text(w.tags::jsonb)) end, updated_at = now()
      from (select bucket, tag, id, coalesce(sum(score_delta::numeric), 0) as score_delta, max(occurred_at) as occurred_at, max(tags) as tags
        from ${rows("n")}
        where ${byKey("n.bucket")} group by bucket, tag, id) w
      where c.bucket = w.bucket and c.tag = w.tag and c.id = w.id)`,
});
