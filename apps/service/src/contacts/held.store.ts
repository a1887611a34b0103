import { byKey, columnOf } from "../platform/db/db.ts";
import type { CommitPart } from "../platform/db/db.ts";
import type { Tag, Uuid } from "../lib/lib.ts";

/** What is done to a contact that is held; several of one contact add up. */
export interface ContactChange {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  /** Decimal text. */
  readonly scoreDelta: string | null;
  readonly occurredAt: Date | null;
  /** All of them as they are now; one change of a contact has them at most. */
  readonly tags: readonly string[] | null;
}

export function changesPart(rows: readonly ContactChange[]): CommitPart {
  return {
    name: "changes",
    text: (first) => `changes as (update contact c set score = c.score + w.score_delta,
        last_activity_at = greatest(c.last_activity_at, w.occurred_at),
        tags = case when w.tags is null then c.tags else array(select jsonb_array_elements_text(w.tags::jsonb)) end, updated_at = now()
      from (select bucket, tag, id, coalesce(sum(score_delta::numeric), 0) as score_delta, max(occurred_at) as occurred_at, max(tags) as tags
        from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::text[], $${first + 4}::timestamptz[], $${first + 5}::text[])
          as n (bucket, tag, id, score_delta, occurred_at, tags)
        where ${byKey("n.bucket")} group by bucket, tag, id) w
      where c.bucket = w.bucket and c.tag = w.tag and c.id = w.id)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.id),
      columnOf.text(rows, (row) => row.scoreDelta),
      columnOf.timestamptz(rows, (row) => row.occurredAt),
      columnOf.text(rows, (row) => (row.tags === null ? null : JSON.stringify(row.tags))),
    ],
  };
}
