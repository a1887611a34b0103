import { bulk, byKey, columnOf, defineDependentPart, definePart } from "../../platform/db/db.ts";
import type { Db, HotReader, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
import { sha256 } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { patternText } from "../catalogue/catalogue.ts";
import type { PlannedEvent, SubscriberQuery, SubscriberRef } from "../event/event.ts";

export type StageRow = Selectable<Tables["dispatch_stage"]>;

/** A workspace and an event name that the questions are about, once for all equal events of a batch. */
export interface MatchInput {
  readonly bucket: number;
  readonly tag: Tag;
  readonly workspaceId: Uuid;
  readonly event: string;
  readonly isSandbox: boolean;
  readonly tenants: Set<string>;
}

interface AnswerRow extends Record<string, unknown> {
  readonly question: string;
  readonly tag: string;
  readonly event: string | null;
  readonly found: string;
}

/** Runs the questions. Hot: once for every batch of events. */
export async function answersTo(
  reader: HotReader,
  questions: readonly SubscriberQuery[],
  asked: readonly MatchInput[],
): Promise<AnswerRow[]> {
  return await reader.hot<AnswerRow>(asking(questions), [
    columnOf.smallint(asked, (one) => one.bucket),
    columnOf.text(asked, (one) => one.tag),
    columnOf.uuid(asked, (one) => one.workspaceId),
    columnOf.text(asked, (one) => one.event),
    columnOf.text(asked, (one) => patternText(one.event)),
    columnOf.boolean(asked, (one) => one.isSandbox),
    // A tenant has no spaces.
    columnOf.text(asked, (one) => [...one.tenants].join(" ")),
  ]);
}

function asking(questions: readonly SubscriberQuery[]): HotStatement {
  const parts = questions.map(
    ({ name, text }) => `select '${name}' as question, q.tag, q.event, q.found from (${text}) q (tag, event, found)`,
  );
  return {
    name: named(questions.map(({ name }) => name).join("_")),
    text: `with asked as (select bucket, tag, workspace_id, event, string_to_array(patterns, '|') as patterns, is_sandbox,
          string_to_array(tenants, ' ') as tenants
        from unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::boolean[], $7::text[])
        as a (bucket, tag, workspace_id, event, patterns, is_sandbox, tenants))
      ${parts.join("\n union all ")}`,
  };
}

/**
 * Shortens the statement's name: PostgreSQL would truncate a longer one, and two names with the same beginning would
 * collide.
 */
function named(questions: string): string {
  const name = `ask_${questions}`;
  return name.length <= MAX_NAME ? name : `ask_${sha256(questions).toString("hex", 0, 16)}`;
}

const MAX_NAME = 63;

/** A stage that is written with its event. */
interface StageInsert extends Pick<PlannedEvent, "event" | "request" | "isAdmitted"> {
  readonly stage: SubscriberRef;
}

/**
 * Writes the stages. Those of admitted events are leased to the node that accepted the events; any node can claim the
 * others.
 */
export const stagePart = defineDependentPart<StageInsert, { readonly leaseId: Uuid; readonly leaseSeconds: number }>({
  name: "stage",
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("event_id", "uuid", ({ event }) => event.id),
    bulk("priority", "smallint", ({ stage }) => stage.priority),
    bulk("kind", "text", ({ stage }) => stage.kind),
    bulk("key", "text", ({ stage }) => stage.key),
  ],
  extras: [bulk("leased", "boolean", ({ isAdmitted }) => isAdmitted)],
  parameters: { leaseId: "uuid", leaseSeconds: "float8" },
  text: ({ rows, names, selected, $ }) => `stages as (insert into dispatch_stage (${names}, due_at, lease_id)
      select ${selected("s")},
        case when s.leased then clock_timestamp() + ${$.leaseSeconds} * interval '1 second' else now() end, case when s.leased then ${$.leaseId} end
      from ${rows("s")})`,
});

/** Finds the buckets that have due stages. It is a plain read, so that the claim locks rows in one bucket at a time. */
const DUE_BUCKETS: HotStatement = {
  name: "stage_due_buckets",
  text: `select b::smallint as bucket from generate_series(0, 63) b where exists
    (select 1 from dispatch_stage s where s.bucket = b and s.state in ('waiting', 'running') and s.due_at <= now())`,
};

/**
 * Claims up to 100 events of one bucket whose stages are due, with all of these stages. The first due stage of an event
 * represents it: the node that locks its row gets the event, so that no two nodes run stages of one event at a time.
 * Only the innermost query uses the index of due stages. `|| ''` makes the other queries use the primary key; otherwise
 * each event would be searched among all that are due (docs/decisions/0256).
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

/**
 * Renews the leases of these events that end within `$3` seconds. Skips locked rows: they are being written and about
 * to end.
 */
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

/** Releases everything that this lease holds. A node that still works under the lease can no longer write. */
const GIVE_BACK: HotStatement = {
  name: "stage_give_back",
  text: `update dispatch_stage set due_at = now(), lease_id = null where lease_id = $1 and state in ('waiting', 'running')`,
};

export async function dueStageBuckets(db: Db): Promise<number[]> {
  return (await db.onEachShard(async () => await db.hot<{ bucket: number }>(DUE_BUCKETS, []))).map((row) => row.bucket);
}

export async function claimStages(
  db: Db,
  bucket: number,
  lease: { readonly id: Uuid; readonly seconds: number },
  events: number,
): Promise<StageRow[]> {
  return await db.hot<StageRow>(CLAIM, [bucket, lease.id, lease.seconds, events]);
}

/** Renews the stages of these events that have less than `withinSeconds` left. */
export async function renewStages(
  db: Db,
  lease: { readonly id: Uuid; readonly seconds: number },
  withinSeconds: number,
  events: readonly { readonly scope: { readonly bucket: number; readonly tag: Tag }; readonly id: Uuid }[],
): Promise<void> {
  await db.byShard(
    events,
    ({ scope }) => scope.bucket,
    async (own) => {
      await db.hot(RENEW, [
        lease.id,
        lease.seconds,
        withinSeconds,
        columnOf.smallint(own, ({ scope }) => scope.bucket),
        columnOf.text(own, ({ scope }) => scope.tag),
        columnOf.uuid(own, ({ id }) => id),
      ]);
    },
  );
}

export async function giveBackStages(db: Db, leaseId: Uuid): Promise<void> {
  await db.onEachShard(async () => await db.hot(GIVE_BACK, [leaseId]));
}

export type StageKey = Pick<StageRow, "bucket" | "tag" | "event_id" | "priority" | "kind" | "key">;

/** The new state of a stage. */
export interface StageChange {
  readonly stage: StageKey;
  readonly state: "running" | "done" | "failed" | "waiting";
  /** The number of attempts so far, including this one. */
  readonly attempts: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly error: string | null;
  /** The time of the next attempt; until then the stage belongs to no node. Null: this node keeps it. */
  readonly retryAt: Date | null;
}

/** Writes only the stages that this lease still holds. */
export const changePart = definePart<StageChange, { readonly leaseId: Uuid }>({
  name: "stages",
  columns: [
    bulk("bucket", "smallint", ({ stage }) => stage.bucket),
    bulk("tag", "text", ({ stage }) => stage.tag),
    bulk("event_id", "uuid", ({ stage }) => stage.event_id),
    bulk("priority", "smallint", ({ stage }) => stage.priority),
    bulk("kind", "text", ({ stage }) => stage.kind),
    bulk("key", "text", ({ stage }) => stage.key),
    bulk("state", "text", (change) => change.state),
    bulk("attempts", "smallint", (change) => change.attempts),
    bulk("started_at", "timestamptz", (change) => change.startedAt),
    bulk("ended_at", "timestamptz", (change) => change.endedAt),
    bulk("error", "text", (change) => change.error),
    bulk("retry_at", "timestamptz", (change) => change.retryAt),
  ],
  parameters: { leaseId: "uuid" },
  text: ({
    numberedRows,
    $,
  }) => `stages as (update dispatch_stage s set state = c.state, attempts = c.attempts, started_at = c.started_at, ended_at = c.ended_at,
        error = c.error, due_at = coalesce(c.retry_at, s.due_at), lease_id = case when c.retry_at is null then s.lease_id end
      from ${numberedRows("c")}
      where s.bucket = c.bucket and s.tag = c.tag and s.event_id = c.event_id and s.priority = c.priority and s.kind = c.kind and s.key = c.key
        and ${byKey("c.at")} and s.lease_id = ${$.leaseId}
      returning c.at)`,
});

/** Returns for each change whether this lease still held the stage. */
export async function changeStages(db: Db, leaseId: Uuid, changes: readonly StageChange[]): Promise<boolean[]> {
  const rows = await db.commit<{ at: string }>([changePart(changes, { leaseId })], "select at from stages");
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
