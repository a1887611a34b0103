import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { arrayText, bulk, byKey, columnOf, definePart, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Tx } from "../../platform/db/db.ts";
import { LARGE } from "./runs.store.ts";
import type { RunRow, StepRow } from "./runs.store.ts";

type RunKey = TenantKey & Pick<RunRow, "id">;
/** A run at a step that waits for its child runs. */
export type Parent = RunKey & Pick<RunRow, "position">;

/** A branch or an item, which starts at once unless it is queued. */
export interface ChildInsert {
  readonly parent: RunRow;
  readonly id: Uuid;
  readonly index: number;
  readonly step: string | null;
  /** JSON text; null for a branch. */
  readonly item: string | null;
  readonly queued: boolean;
}

/** The cause makes a child unique, so that none is started twice. */
const childrenPart = definePart<ChildInsert>({
  name: "workflow_children",
  columns: [
    bulk("bucket", "smallint", ({ parent }) => parent.bucket),
    bulk("tag", "text", ({ parent }) => parent.tag),
    bulk("id", "uuid", (child) => child.id),
    bulk("workspace_id", "uuid", ({ parent }) => parent.workspace_id),
    bulk("workflow_id", "uuid", ({ parent }) => parent.workflow_id),
    bulk("version", "int", ({ parent }) => parent.version),
    bulk("event_id", "uuid", ({ parent }) => parent.event_id),
    bulk("event_name", "text", ({ parent }) => parent.event_name),
    bulk("data", "text", () => "{}"),
    bulk("tenant", "text", ({ parent }) => parent.tenant),
    bulk("occurred_at", "timestamptz", ({ parent }) => parent.occurred_at),
    bulk("chain", "text", ({ parent }) => arrayText(parent.chain), "uuid[]"),
    bulk("step", "text", (child) => child.step),
    bulk("cause", "text", ({ parent, index }) => `${parent.id}:${parent.position}:${index}`),
    bulk("started_by", "text", ({ parent }) => parent.started_by),
    bulk("contact_id", "uuid", ({ parent }) => parent.contact_id),
    bulk("parent_id", "uuid", ({ parent }) => parent.id),
    bulk("parent_position", "smallint", ({ parent }) => parent.position),
    bulk("child_index", "smallint", (child) => child.index),
    bulk("item", "text", (child) => child.item),
    bulk("state", "text", (child) => (child.queued ? "waiting" : "running")),
    bulk("queued", "boolean", (child) => child.queued),
  ],
  text: ({ rows, names, selected }) => `children as (insert into workflow_run (${names}, due_at)
      select ${selected("w")}, case when not w.queued then now() end from ${rows("w")}
      on conflict (bucket, tag, workflow_id, event_id, cause) do nothing)`,
});

export async function insertChildren(tx: Tx, children: readonly ChildInsert[]): Promise<void> {
  await tx.commit([childrenPart(children)], "select 1");
}

const PARENTS: HotStatement = {
  name: "workflow_parents",
  text: `select r.* from unnest($1::smallint[], $2::text[], $3::uuid[]) as k (bucket, tag, id)
    join workflow_run r on r.bucket = k.bucket and r.tag = k.tag and r.id = k.id and ${byKey("k.bucket")}`,
};

/** Returns the parents of child runs. They are not locked. */
export async function parentsOf(on: HotReader, runs: readonly RunRow[]): Promise<RunRow[]> {
  const keys = parentKeys(runs);
  return keys.length === 0 ? [] : await on.hot<RunRow>(PARENTS, columnsOf(keys));
}

function parentKeys(runs: readonly RunRow[]): RunKey[] {
  const keys = new Map<Uuid, RunKey>();
  for (const { bucket, tag, parent_id: id } of runs) if (id !== null) keys.set(id, { bucket, tag, id });
  return [...keys.values()];
}

function columnsOf(keys: readonly RunKey[]): Buffer[] {
  return [
    columnOf.smallint(keys, (key) => key.bucket),
    columnOf.text(keys, (key) => key.tag),
    columnOf.uuid(keys, (key) => key.id),
  ];
}

/** Locks the parents in the order of their keys, before their children, as every transaction does that locks both. */
const HOLD_PARENTS: HotStatement = {
  name: "workflow_hold_parents",
  text: `${PARENTS.text}
    order by r.bucket, r.tag, r.id for update of r`,
};

/** A parent that failed because of a child continues if the child succeeds after all. */
const WAKE_PARENTS: HotStatement = {
  name: "workflow_wake_parents",
  text: `update workflow_run r set due_at = now(), state = 'waiting', error = null, ended_at = null
    from unnest($1::smallint[], $2::text[], $3::uuid[], $4::smallint[], $5::text[]) as k (bucket, tag, id, position, state)
    where r.bucket = k.bucket and r.tag = k.tag and r.id = k.id and r.position = k.position and ${byKey("k.bucket")}
      and (r.state = 'waiting' or r.state = 'failed' and k.state = 'completed')`,
};

const NOT_DUE: HotStatement = {
  name: "workflow_children_not_due",
  text: `update workflow_run r set due_at = null, lease_id = null
    from unnest($1::smallint[], $2::text[], $3::uuid[]) as k (bucket, tag, id)
    where r.bucket = k.bucket and r.tag = k.tag and r.id = k.id and ${byKey("k.bucket")} and r.lease_id = $4 and r.ended_at is not null`,
};

/** Makes the parents of ended runs due, and these runs no longer due. The lease holds the runs. */
export async function wakeParents(tx: Tx, ended: readonly RunRow[], leaseId: Uuid): Promise<void> {
  const keys = parentKeys(ended);
  if (keys.length > 0) {
    await tx.hot(HOLD_PARENTS, columnsOf(keys));
    const waking = ended.filter((run) => run.parent_id !== null);
    await tx.hot(WAKE_PARENTS, [
      columnOf.smallint(waking, (run) => run.bucket),
      columnOf.text(waking, (run) => run.tag),
      columnOf.uuid(waking, (run) => run.parent_id),
      columnOf.smallint(waking, (run) => run.parent_position),
      columnOf.text(waking, (run) => run.state),
    ]);
  }
  await tx.hot(NOT_DUE, [...columnsOf(ended), leaseId]);
}

export interface ChildCounts {
  readonly queued: number;
  /** Started, and not ended. */
  readonly open: number;
  readonly completed: number;
  /** Failed or cancelled. */
  readonly failed: number;
}

export async function countChildren(query: Query, { bucket, tag, id, position }: Parent): Promise<ChildCounts> {
  const { rows } = await sql<ChildCounts>`select
      count(*) filter (where ended_at is null and queued)::int as queued,
      count(*) filter (where ended_at is null and not queued)::int as open,
      count(*) filter (where state = 'completed')::int as completed,
      count(*) filter (where ended_at is not null and state <> 'completed')::int as failed
    from workflow_run where bucket = ${bucket} and tag = ${tag} and parent_id = ${id} and parent_position = ${position}`.execute(
    query,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error("an aggregate returned no row");
  return counts;
}

/**
 * Starts the next queued items. The caller holds the parent's lock, so that no other one starts any. The expressions keep the planner from
 * reading all runs of the workspace before it knows the items: while statistics are old, both look equally cheap.
 */
export async function startQueued(query: Query, { bucket, tag, id, position }: Parent, count: number): Promise<void> {
  await sql`update workflow_run r set queued = false, state = 'running', due_at = now()
    from (select bucket + 0 as bucket, tag || '' as tag, id from workflow_run
        where bucket = ${bucket} and tag = ${tag} and parent_id = ${id} and parent_position = ${position}
          and queued and ended_at is null order by child_index limit ${count}) n
    where r.bucket = n.bucket and r.tag = n.tag and r.id = n.id and r.queued and r.ended_at is null`.execute(query);
}

/** Cancels the items that have not started. */
export async function cancelQueued(query: Query, { bucket, tag, id }: RunKey): Promise<void> {
  await sql`update workflow_run set state = 'cancelled', ended_at = now(), due_at = null, queued = false
    where bucket = ${bucket} and tag = ${tag} and parent_id = ${id} and queued and ended_at is null`.execute(query);
}

/** Keeps replayed deliveries from continuing child runs whose parent no longer waits for them. */
export async function detachChildren(query: Query, { bucket, tag, id }: RunKey): Promise<void> {
  await sql`update workflow_run set delivery_id = null
    where bucket = ${bucket} and tag = ${tag} and parent_id = ${id} and delivery_id is not null and ended_at is not null`.execute(
    query,
  );
}

export async function openChildren(query: Query, { bucket, tag, id }: RunKey): Promise<Uuid[]> {
  const rows = await query
    .selectFrom("workflow_run")
    .select("id")
    .$call(ofTenant({ bucket, tag }))
    .where("parent_id", "=", id)
    .where("ended_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Returns child runs in the order of their steps and their indexes. Their ids are in this order. */
export async function childrenOf(
  query: Query,
  { bucket, tag, id }: RunKey,
  page: { readonly after?: Uuid | undefined; readonly state?: string | undefined; readonly limit: number },
): Promise<RunRow[]> {
  let rows = query.selectFrom("workflow_run").selectAll().$call(ofTenant({ bucket, tag })).where("parent_id", "=", id);
  if (page.after !== undefined) rows = rows.where("id", ">", page.after);
  if (page.state !== undefined) rows = rows.where("state", "=", page.state);
  return await pageRows(query, rows.orderBy("id"), { limit: page.limit, large: LARGE });
}

export type FailedChild = Pick<RunRow, "child_index" | "state" | "error">;

export async function failedChildren(
  query: Query,
  { bucket, tag, id, position }: Parent,
  limit: number,
): Promise<FailedChild[]> {
  return await query
    .selectFrom("workflow_run")
    .select(["child_index", "state", "error"])
    .$call(ofTenant({ bucket, tag }))
    .where("parent_id", "=", id)
    .where("parent_position", "=", position)
    .where("ended_at", "is not", null)
    .where("state", "<>", "completed")
    .orderBy("child_index")
    .limit(limit)
    .execute();
}

export type ChildOutput = Pick<StepRow, "step_id" | "output"> & { readonly child_index: number };

/** Returns the outputs of the children's steps, in order. Undefined if they have more bytes than the limit. */
export async function childOutputs(
  query: Query,
  { bucket, tag, id, position }: Parent,
  limit: number,
): Promise<ChildOutput[] | undefined> {
  const from = sql`workflow_run r join workflow_step s on s.bucket = r.bucket and s.tag = r.tag and s.run_id = r.id
    where r.bucket = ${bucket} and r.tag = ${tag} and r.parent_id = ${id} and r.parent_position = ${position} and s.output is not null`;
  const sized = await sql<{
    bytes: string;
  }>`select coalesce(sum(octet_length(s.output)), 0) as bytes from ${from}`.execute(query);
  if (Number(sized.rows[0]?.bytes) > limit) return undefined;
  const found = await sql<ChildOutput>`select r.child_index, s.step_id, s.output from ${from}
    order by r.child_index, s.position`.execute(query);
  return found.rows;
}
