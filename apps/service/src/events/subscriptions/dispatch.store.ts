import { byKey, columnOf } from "../../platform/db/db.ts";
import type { CommitPart, Db, HotReader, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
import { sha256 } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Question } from "../../dispatch/asking.ts";

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
  /** Leased from the start to the node that accepted the event; else left to whichever node looks first. */
  readonly leased: boolean;
}

/** Needs `fresh (at)` before it. */
export function stagePart(rows: readonly StageInsert[], leaseId: Uuid, leaseSeconds: number): CommitPart {
  return {
    name: "stage",
    text: (
      first,
    ) => `stages as (insert into dispatch_stage (bucket, tag, event_id, priority, kind, key, due_at, lease_id)
      select s.bucket, s.tag, s.event_id, s.priority, s.kind, s.key,
        case when s.leased then clock_timestamp() + $${first + 8} * interval '1 second' else now() end, case when s.leased then $${first + 9}::uuid end
      from unnest($${first}::smallint[], $${first + 1}::text[], $${first + 2}::uuid[], $${first + 3}::smallint[], $${first + 4}::text[],
        $${first + 5}::text[], $${first + 6}::bigint[], $${first + 7}::boolean[]) as s (bucket, tag, event_id, priority, kind, key, request, leased)
      join fresh on fresh.at = s.request)`,
    values: [
      columnOf.smallint(rows, (row) => row.bucket),
      columnOf.text(rows, (row) => row.tag),
      columnOf.uuid(rows, (row) => row.event_id),
      columnOf.smallint(rows, (row) => row.priority),
      columnOf.text(rows, (row) => row.kind),
      columnOf.text(rows, (row) => row.key),
      columnOf.bigint(rows, (row) => row.request),
      columnOf.boolean(rows, (row) => row.leased),
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

/**
 * Takes up to 100 events of one bucket whose stages are due, with all of these stages. The first due stage of an event stands for it: whoever
 * holds its row takes the event, so that no two nodes run stages of one event at a time. The index of what is due serves the innermost look
 * alone: `|| ''` leaves the others the primary key, or each event would be looked for among all that are due (docs/decisions/0256).
 */
const CLAIM: HotStatement = {
  name: "stage_claim",
  text: `update dispatch_stage s set lease_id = $2, due_at = now() + $3 * interval '1 second'
    from (select f.tag, f.event_id from (select distinct tag, event_id from (select tag, event_id from dispatch_stage
          where bucket = $1 and state in ('waiting', 'running') and due_at <= now() order by due_at limit 4 * $4::int) n where n.tag || '' = n.tag) o
        join dispatch_stage f on f.bucket = $1 and f.tag = o.tag and f.event_id = o.event_id and f.state || '' in ('waiting', 'running') and f.due_at <= now()
      where not exists (select 1 from dispatch_stage e where e.bucket = $1 and e.tag = f.tag and e.event_id = f.event_id
          and e.state || '' in ('waiting', 'running') and e.due_at <= now() and (e.priority, e.kind, e.key) < (f.priority, f.kind, f.key))
      limit $4 for update of f skip locked) d
    where s.bucket = $1 and s.tag = d.tag and s.event_id = d.event_id and s.state || '' in ('waiting', 'running') and s.due_at <= now()
    returning s.*`,
};

/** Those of these events that have less than so many seconds left, and are not being written: they are about to end. */
const RENEW: HotStatement = {
  name: "stage_renew",
  text: `update dispatch_stage s set due_at = now() + $2 * interval '1 second'
    from (select o.bucket, o.tag, o.event_id, o.priority, o.kind, o.key
      from unnest($4::smallint[], $5::text[], $6::uuid[]) as w (bucket, tag, event_id)
      join dispatch_stage o on o.bucket = w.bucket and o.tag = w.tag and o.event_id = w.event_id and ${byKey("w.bucket")}
      where o.lease_id = $1 and o.state in ('waiting', 'running') and o.due_at < now() + $3 * interval '1 second'
      for update of o skip locked) d
    where s.bucket = d.bucket and s.tag = d.tag and s.event_id = d.event_id and s.priority = d.priority and s.kind = d.kind and s.key = d.key`,
};

/** Lets others have what this lease holds; whoever still works under it can no longer write. */
const GIVE_BACK: HotStatement = {
  name: "stage_give_back",
  text: `update dispatch_stage set due_at = now(), lease_id = null where lease_id = $1 and state in ('waiting', 'running')`,
};

export async function dueStageBuckets(db: Db): Promise<number[]> {
  return (await db.hot<{ bucket: number }>(DUE_BUCKETS, [])).map((row) => row.bucket);
}

export async function claimStages(
  db: Db,
  bucket: number,
  lease: { readonly id: Uuid; readonly seconds: number },
  events: number,
): Promise<StageRow[]> {
  return await db.hot<StageRow>(CLAIM, [bucket, lease.id, lease.seconds, events]);
}

/** The stages of these events that have less than `withinSeconds` left. */
export async function renewStages(
  db: Db,
  lease: { readonly id: Uuid; readonly seconds: number },
  withinSeconds: number,
  events: readonly { readonly scope: { readonly bucket: number; readonly tag: Tag }; readonly id: Uuid }[],
): Promise<void> {
  await db.hot(RENEW, [
    lease.id,
    lease.seconds,
    withinSeconds,
    columnOf.smallint(events, ({ scope }) => scope.bucket),
    columnOf.text(events, ({ scope }) => scope.tag),
    columnOf.uuid(events, ({ id }) => id),
  ]);
}

export async function giveBackStages(db: Db, leaseId: Uuid): Promise<void> {
  await db.hot(GIVE_BACK, [leaseId]);
}

export type StageKey = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key">;

/** What became of a stage. */
export interface StageChange {
  readonly stage: StageKey;
  readonly state: "running" | "done" | "failed" | "waiting";
  /** Tries so far, this one included. */
  readonly attempts: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly error: string | null;
  /** When it is tried again: it belongs to no node until then. Null: this node keeps it. */
  readonly retryAt: Date | null;
}

/** Written for the stages alone that this lease still holds. */
export function changePart(leaseId: Uuid, changes: readonly StageChange[]): CommitPart {
  return {
    name: "stages",
    text: (
      first,
    ) => `stages as (update dispatch_stage s set state = c.state, attempts = c.attempts, started_at = c.started_at, ended_at = c.ended_at,
        error = c.error, due_at = coalesce(c.retry_at, s.due_at), lease_id = case when c.retry_at is null then s.lease_id end
      from unnest($${first + 1}::smallint[], $${first + 2}::text[], $${first + 3}::uuid[], $${first + 4}::smallint[], $${first + 5}::text[], $${first + 6}::text[],
        $${first + 7}::text[], $${first + 8}::smallint[], $${first + 9}::timestamptz[], $${first + 10}::timestamptz[], $${first + 11}::text[], $${first + 12}::timestamptz[])
        with ordinality as c (bucket, tag, event_id, priority, kind, key, state, attempts, started_at, ended_at, error, retry_at, at)
      where s.bucket = c.bucket and s.tag = c.tag and s.event_id = c.event_id and s.priority = c.priority and s.kind = c.kind and s.key = c.key
        and ${byKey("c.at")} and s.lease_id = $${first}
      returning c.at)`,
    values: [
      leaseId,
      columnOf.smallint(changes, ({ stage }) => stage.bucket),
      columnOf.text(changes, ({ stage }) => stage.tag),
      columnOf.uuid(changes, ({ stage }) => stage.event_id),
      columnOf.smallint(changes, ({ stage }) => stage.priority),
      columnOf.text(changes, ({ stage }) => stage.kind),
      columnOf.text(changes, ({ stage }) => stage.key),
      columnOf.text(changes, (change) => change.state),
      columnOf.smallint(changes, (change) => change.attempts),
      columnOf.timestamptz(changes, (change) => change.startedAt),
      columnOf.timestamptz(changes, (change) => change.endedAt),
      columnOf.text(changes, (change) => change.error),
      columnOf.timestamptz(changes, (change) => change.retryAt),
    ],
  };
}

/** Answers which of them this lease still held. */
export async function changeStages(db: Db, leaseId: Uuid, changes: readonly StageChange[]): Promise<boolean[]> {
  const rows = await db.commit<{ at: string }>([changePart(leaseId, changes)], "select at from stages");
  const changed = new Set(rows.map((row) => Number(row.at)));
  return changes.map((_change, at) => changed.has(at + 1));
}

export async function markLate(query: Query, stage: StageKey, leaseId: Uuid): Promise<void> {
  await query
    .updateTable("dispatch_stage")
    .set({ late: true })
    .where("bucket", "=", stage.bucket)
    .where("tag", "=", stage.tag)
    .where("event_id", "=", stage.event_id)
    .where("priority", "=", stage.priority)
    .where("kind", "=", stage.kind)
    .where("key", "=", stage.key)
    .where("lease_id", "=", leaseId)
    .execute();
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
