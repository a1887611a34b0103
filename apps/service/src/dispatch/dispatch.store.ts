import { columnOf } from "../db/db.ts";
import type { CommitPart, Db, HotReader, HotStatement, Query, Selectable, Tables } from "../db/db.ts";
import { sha256 } from "../kernel/kernel.ts";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Question } from "./asking.ts";

export type StageRow = Selectable<Tables["dispatch_stage"]>;

/** Who is asked about, once for all events of a batch that are alike. */
export interface Asked {
  readonly bucket: number;
  readonly tag: Tag;
  readonly workspaceId: Uuid;
  readonly event: string;
  readonly isOpen: boolean;
  readonly isSandbox: boolean;
}

interface AnswerRow extends Record<string, unknown> {
  readonly question: string;
  readonly tag: string;
  readonly event: string | null;
  readonly found: string;
}

/** Hot: once for every batch of events. */
export async function answersTo(
  reader: HotReader,
  questions: readonly Question[],
  asked: readonly Asked[],
): Promise<AnswerRow[]> {
  return await reader.hot<AnswerRow>(asking(questions), [
    columnOf.smallint(asked, (one) => one.bucket),
    columnOf.text(asked, (one) => one.tag),
    columnOf.uuid(asked, (one) => one.workspaceId),
    columnOf.text(asked, (one) => one.event),
    columnOf.boolean(asked, (one) => one.isOpen),
    columnOf.boolean(asked, (one) => one.isSandbox),
  ]);
}

function asking(questions: readonly Question[]): HotStatement {
  const parts = questions.map(
    ({ name, text }) => `select '${name}' as question, q.tag, q.event, q.found from (${text}) q (tag, event, found)`,
  );
  return {
    name: named(questions.map(({ name }) => name).join("_")),
    text: `with asked as (select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::boolean[], $6::boolean[])
        as a (bucket, tag, workspace_id, event, is_open, is_sandbox))
      ${parts.join("\n union all ")}`,
  };
}

/** PostgreSQL would cut a longer name, and two that begin alike would be one. */
function named(questions: string): string {
  const name = `ask_${questions}`;
  return name.length <= MAX_NAME ? name : `ask_${sha256(questions).toString("hex", 0, 16)}`;
}

const MAX_NAME = 63;

export interface StageInsert {
  readonly bucket: number;
  readonly tag: Tag;
  readonly event_id: Uuid;
  readonly priority: number;
  readonly kind: string;
  readonly key: string;
  readonly request: number;
}

/** Born leased to the node that accepted the event. Needs `fresh (at)` before it. */
export function stagePart(rows: readonly StageInsert[], leaseId: Uuid, leaseSeconds: number): CommitPart {
  return {
    name: "stage",
    text: (
      first,
    ) => `stages as (insert into dispatch_stage (bucket, tag, event_id, priority, kind, key, due_at, lease_id)
      select s.bucket, s.tag, s.event_id, s.priority, s.kind, s.key, clock_timestamp() + $${first + 7} * interval '1 second', $${first + 8}::uuid
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::smallint[], $${first + 4}::text[],
        $${first + 5}::text[], $${first + 6}::bigint[]) as s (bucket, tag, event_id, priority, kind, key, request)
      join fresh on fresh.at = s.request)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.event_id),
      columnOf.smallint(rows, (row) => row.priority),
      columnOf.text(rows, (row) => row.kind),
      columnOf.text(rows, (row) => row.key),
      columnOf.bigint(rows, (row) => row.request),
      leaseSeconds,
      leaseId,
    ],
  };
}

/** Which buckets have stages whose time has come: a plain read, so that the claim locks in one bucket at a time. */
const DUE_BUCKETS: HotStatement = {
  name: "stage_due_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists
    (select 1 from dispatch_stage s where s.bucket = b and s.state in ('waiting', 'running') and s.due_at <= now())`,
};

/** Takes up to 100 due stages of one bucket. An event's stages fall due together and come in their order, so that none is taken before an earlier one. */
const CLAIM: HotStatement = {
  name: "stage_claim",
  text: `update dispatch_stage s set lease_id = $2, due_at = now() + $3 * interval '1 second'
    from (select bucket, tag, event_id, priority, kind, key from dispatch_stage
      where bucket = $1 and state in ('waiting', 'running') and due_at <= now()
      order by due_at, tag, event_id, priority limit 100 for update skip locked) d
    where s.bucket = $1 and s.tag = d.tag and s.event_id = d.event_id and s.priority = d.priority and s.kind = d.kind and s.key = d.key
    returning s.*`,
};

const RENEW: HotStatement = {
  name: "stage_renew",
  text: `update dispatch_stage set due_at = now() + $2 * interval '1 second' where lease_id = $1 and state in ('waiting', 'running')`,
};

/** Lets others have what this lease holds; whoever still works under it can no longer write. */
const GIVE_BACK: HotStatement = {
  name: "stage_give_back",
  text: `update dispatch_stage set due_at = now(), lease_id = null where lease_id = $1 and state in ('waiting', 'running')`,
};

export async function dueStageBuckets(db: Db): Promise<number[]> {
  return (await db.hot<{ bucket: number }>(DUE_BUCKETS, [])).map((row) => row.bucket);
}

export async function claimStages(db: Db, bucket: number, leaseId: Uuid, leaseSeconds: number): Promise<StageRow[]> {
  return await db.hot<StageRow>(CLAIM, [bucket, leaseId, leaseSeconds]);
}

export async function renewStages(db: Db, leaseId: Uuid, leaseSeconds: number): Promise<void> {
  await db.hot(RENEW, [leaseId, leaseSeconds]);
}

export async function giveBackStages(db: Db, leaseId: Uuid): Promise<void> {
  await db.hot(GIVE_BACK, [leaseId]);
}

type StageKey = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key">;

/** Changes a stage that this lease still holds; false when another has taken it over. */
export async function setStage(
  query: Query,
  stage: StageKey,
  leaseId: Uuid,
  change: Partial<StageRow>,
): Promise<boolean> {
  const result = await query
    .updateTable("dispatch_stage")
    .set(change)
    .where("bucket", "=", stage.bucket)
    .where("tag", "=", stage.tag)
    .where("event_id", "=", stage.event_id)
    .where("priority", "=", stage.priority)
    .where("kind", "=", stage.kind)
    .where("key", "=", stage.key)
    .where("lease_id", "=", leaseId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function stagesOf(query: Query, scope: { bucket: number; tag: Tag }, eventId: Uuid): Promise<StageRow[]> {
  return await query
    .selectFrom("dispatch_stage")
    .selectAll()
    .where("bucket", "=", scope.bucket)
    .where("tag", "=", scope.tag)
    .where("event_id", "=", eventId)
    .orderBy("priority")
    .orderBy("kind")
    .orderBy("key")
    .execute();
}
