import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { arrayText, bulk, byKey, columnOf, definePart, ofTenant, pageRows, sql } from "../../platform/db/db.ts";
import { dueBucketsOf } from "../../platform/tasks/tasks.ts";
import type { CommitPart, Db, HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { DeliveryOutcome } from "../../webhooks/webhooks.ts";

export type RunRow = Selectable<Tables["workflow_run"]>;
export type StepRow = Selectable<Tables["workflow_step"]>;

export function scopeOfRun({ workspace_id: workspaceId, tag }: Pick<RunRow, "workspace_id" | "tag">): Scope {
  return scopeOf(workspaceId, tag);
}

type RunKey = TenantKey & Pick<RunRow, "id">;

export type RunInsert = Pick<
  RunRow,
  | "bucket"
  | "tag"
  | "id"
  | "workspace_id"
  | "workflow_id"
  | "version"
  | "event_id"
  | "event_name"
  | "data"
  | "tenant"
  | "occurred_at"
  | "chain"
  | "step"
  | "input"
  | "cause"
  | "started_by"
  | "contact_id"
> & {
  /** Undefined for a run that begins. */
  readonly hindrance?: Hindrance | undefined;
};

/** The reason why a run ends before its first step. */
export interface Hindrance {
  readonly state: "limited" | "failed";
  readonly error: string;
}

/**
 * Starts runs of any workspaces. A run is not started if its cause has already started it, or if an event that led here has already started
 * a run of the workflow. Those events are found by their ids alone, because an index over the workflow would lead to all of its runs.
 */
export const startsPart = definePart<RunInsert>({
  name: "workflow_starts",
  columns: [
    bulk("bucket", "smallint", (run) => run.bucket),
    bulk("tag", "text", (run) => run.tag),
    bulk("id", "uuid", (run) => run.id),
    bulk("workspace_id", "uuid", (run) => run.workspace_id),
    bulk("workflow_id", "uuid", (run) => run.workflow_id),
    bulk("version", "int", (run) => run.version),
    bulk("event_id", "uuid", (run) => run.event_id),
    bulk("event_name", "text", (run) => run.event_name),
    bulk("data", "text", (run) => run.data),
    bulk("tenant", "text", (run) => run.tenant),
    bulk("occurred_at", "timestamptz", (run) => run.occurred_at),
    bulk("chain", "text", (run) => arrayText(run.chain), "uuid[]"),
    bulk("step", "text", (run) => run.step),
    bulk("input", "text", (run) => run.input),
    bulk("cause", "text", (run) => run.cause),
    bulk("started_by", "text", (run) => run.started_by),
    bulk("contact_id", "uuid", (run) => run.contact_id),
    bulk("state", "text", (run) => run.hindrance?.state ?? "running"),
    bulk("error", "text", (run) => run.hindrance?.error ?? null),
  ],
  text: ({ rows, names, selected }) => `starts as (insert into workflow_run (${names}, due_at, ended_at)
      select ${selected("w")}, case when w.state = 'running' then now() end, case when w.state <> 'running' then now() end from ${rows("w")}
      where w.chain = '{}' or not exists (select from workflow_run l where l.bucket = w.bucket and l.event_id = any(w.chain::uuid[])
        and l.tag || '' = w.tag and l.workflow_id::text = w.workflow_id::text)
      on conflict (bucket, tag, workflow_id, event_id, cause) do nothing returning id)`,
});

/** Returns whether the run was started. */
export async function startRun(tx: Tx, run: RunInsert): Promise<boolean> {
  return (await tx.commit([startsPart([run])], "select id from starts")).length > 0;
}

/** Claims up to `$4` due runs of one bucket, and hides them from other workers until the lease ends. */
const CLAIM: HotStatement = {
  name: "workflow_claim",
  text: `update workflow_run r set lease_id = $2, due_at = now() + $3 * interval '1 second'
    from (select tag, id from workflow_run where bucket = $1 and due_at <= now() order by due_at limit $4 for update skip locked) d
    where r.bucket = $1 and r.tag = d.tag and r.id = d.id returning r.*`,
};

const GIVE_BACK: HotStatement = {
  name: "workflow_give_back",
  text: "update workflow_run set due_at = now(), lease_id = null where lease_id = $1 and due_at is not null",
};

/** Makes the runs due that wait for these deliveries. A failed run continues if its delivery succeeds after all. */
const SETTLE: HotStatement = {
  name: "workflow_settle",
  text: `update workflow_run r set outcome = o.state, status_code = o.status_code, due_at = now(), state = 'running', error = null, ended_at = null
    from unnest($2::text[], $3::uuid[], $4::text[], $5::smallint[]) as o (tag, delivery_id, state, status_code)
    where r.bucket = $1 and r.tag = o.tag and r.delivery_id = o.delivery_id
      and (r.state = 'waiting' or r.state = 'failed' and o.state = 'delivered')`,
};

export const dueBuckets = dueBucketsOf("workflow_run");

export async function claimRuns(
  db: Db,
  bucket: number,
  lease: { readonly id: Uuid; readonly seconds: number },
  limit: number,
): Promise<RunRow[]> {
  return await db.at(bucket, async () => await db.hot<RunRow>(CLAIM, [bucket, lease.id, lease.seconds, limit]));
}

export async function giveBackRuns(db: Db, leaseId: Uuid): Promise<void> {
  await db.onEachShard(async () => await db.hot(GIVE_BACK, [leaseId]));
}

export async function settleRuns(tx: Tx, bucket: number, outcomes: readonly DeliveryOutcome[]): Promise<void> {
  await tx.hot(SETTLE, [
    bucket,
    columnOf.text(outcomes, (outcome) => outcome.tag),
    columnOf.uuid(outcomes, (outcome) => outcome.delivery_id),
    columnOf.text(outcomes, (outcome) => outcome.state),
    columnOf.smallint(outcomes, (outcome) => outcome.status_code),
  ]);
}

const KEYS = "unnest($1::smallint[], $2::text[], $3::uuid[]) as k (bucket, tag, id)";

/** Locks runs in the order of their keys, so that two nodes cannot deadlock. */
const HOLD: HotStatement = {
  name: "workflow_hold",
  text: `select r.* from unnest($1::smallint[], $2::text[], $3::uuid[], $4::smallint[]) as k (bucket, tag, id, position)
    join workflow_run r on r.bucket = k.bucket and r.tag = k.tag and r.id = k.id and ${byKey("k.bucket")}
    where r.lease_id = $5 and r.position = k.position order by r.bucket, r.tag, r.id for update of r`,
};

/** Returns the runs that this lease still holds at their steps, and locks them until the transaction ends. */
export async function holdLeased(tx: Tx, runs: readonly RunRow[], leaseId: Uuid): Promise<RunRow[]> {
  return await tx.hot<RunRow>(HOLD, [...keysOf(runs), columnOf.smallint(runs, (run) => run.position), leaseId]);
}

function keysOf(runs: readonly RunKey[]): Buffer[] {
  return [
    columnOf.smallint(runs, (run) => run.bucket),
    columnOf.text(runs, (run) => run.tag),
    columnOf.uuid(runs, (run) => run.id),
  ];
}

export async function holdRun(query: Query, key: RunKey): Promise<RunRow | undefined> {
  return await query
    .selectFrom("workflow_run")
    .selectAll()
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .forUpdate()
    .executeTakeFirst();
}

export async function findRun(query: Query, key: RunKey): Promise<RunRow | undefined> {
  return await query
    .selectFrom("workflow_run")
    .selectAll()
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .executeTakeFirst();
}

export interface RunFilter {
  readonly workflowId: Uuid;
  readonly state?: string | undefined;
  readonly before?: Uuid | undefined;
}

export const LARGE = ["data", "input", "item", "error"] as const;

/** Returns runs without the child runs, newest first. */
export async function listRuns(query: Query, place: TenantKey, filter: RunFilter, limit: number): Promise<RunRow[]> {
  let rows = query
    .selectFrom("workflow_run")
    .selectAll()
    .$call(ofTenant(place))
    .where("workflow_id", "=", filter.workflowId)
    .where("parent_id", "is", null);
  if (filter.state !== undefined) rows = rows.where("state", "=", filter.state);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: LARGE });
}

const STEPS: HotStatement = {
  name: "workflow_steps_of",
  text: `select s.* from ${KEYS} join workflow_step s on s.bucket = k.bucket and s.tag = k.tag and s.run_id = k.id and ${byKey("k.bucket")}
    order by s.position`,
};

/** Returns the steps in the order in which they were begun. */
export async function stepsOfRuns(on: HotReader, runs: readonly RunKey[]): Promise<StepRow[]> {
  return await on.hot<StepRow>(STEPS, keysOf(runs));
}

export async function stepsOf(query: Query, key: RunKey): Promise<StepRow[]> {
  return await query
    .selectFrom("workflow_step")
    .selectAll()
    .$call(ofTenant(key))
    .where("run_id", "=", key.id)
    .orderBy("position")
    .execute();
}

/**
 * Makes the open runs of a deleted workflow due, so that workers cancel them with their children. A run that is leased is cancelled
 * after its step.
 */
export async function endRunsOf(query: Query, { bucket, tag }: TenantKey, workflowId: Uuid): Promise<void> {
  await query
    .updateTable("workflow_run")
    .set((eb) => ({ due_at: eb.fn<Date>("now") }))
    .$call(ofTenant({ bucket, tag }))
    .where("workflow_id", "=", workflowId)
    .where("ended_at", "is", null)
    .where("parent_id", "is", null)
    .where("lease_id", "is", null)
    .execute();
}

/** The result of a run's current step. */
export interface StepRecord extends Pick<StepRow, "step_id" | "type" | "state" | "output" | "error"> {
  readonly run: RunKey & Pick<RunRow, "position">;
}

/** Inserts or updates steps. A step that was begun before keeps its start time and, while it waits, what was noted as its error. */
const stepsPart = definePart<StepRecord>({
  name: "workflow_steps",
  columns: [
    bulk("bucket", "smallint", ({ run }) => run.bucket),
    bulk("tag", "text", ({ run }) => run.tag),
    bulk("run_id", "uuid", ({ run }) => run.id),
    bulk("position", "smallint", ({ run }) => run.position),
    bulk("step_id", "text", (step) => step.step_id),
    bulk("type", "text", (step) => step.type),
    bulk("state", "text", (step) => step.state),
    bulk("output", "text", (step) => step.output),
    bulk("error", "text", (step) => step.error),
  ],
  text: ({ rows, names, selected }) => `recorded as (insert into workflow_step as s (${names}, started_at, ended_at)
      select ${selected("w")}, now(), case when w.state <> 'waiting' then now() end from ${rows("w")}
      on conflict (bucket, tag, run_id, position)
        do update set state = excluded.state, output = excluded.output, ended_at = excluded.ended_at,
          error = coalesce(excluded.error, case when excluded.state = 'waiting' then s.error end))`,
});

/** Cancels the waiting steps of a cancelled run. */
export async function cancelSteps(query: Query, key: RunKey): Promise<void> {
  await query
    .updateTable("workflow_step")
    .set((eb) => ({ state: "cancelled", ended_at: eb.fn<Date>("now") }))
    .$call(ofTenant(key))
    .where("run_id", "=", key.id)
    .where("state", "=", "waiting")
    .execute();
}

/** The next state of a locked run. Omitted members stay unchanged. */
export interface Move {
  readonly run: RunRow;
  readonly state: "running" | "waiting" | "completed" | "failed" | "cancelled";
  readonly step: string | null;
  readonly position: number;
  readonly delivery_id?: Uuid | null;
  readonly attempts?: number;
  readonly error?: string | undefined;
  /** The lease that holds the run from now on. Null if none does. */
  readonly lease_id: Uuid | null;
  /** Seconds until the run is due. Null if it does not become due on its own. */
  readonly dueIn: number | null;
}

/** An ended child run stays due until its parent was made due: see `wakeParents`. */
function isEnd({ state }: Move): boolean {
  return state !== "running" && state !== "waiting";
}

const movesPart = definePart<Move>({
  name: "workflow_moves",
  columns: [
    bulk("bucket", "smallint", ({ run }) => run.bucket),
    bulk("tag", "text", ({ run }) => run.tag),
    bulk("id", "uuid", ({ run }) => run.id),
    bulk("state", "text", (move) => move.state),
    bulk("step", "text", (move) => move.step),
    bulk("position", "smallint", (move) => move.position),
    bulk("delivery_id", "uuid", (move) => (move.delivery_id === undefined ? move.run.delivery_id : move.delivery_id)),
    bulk("attempts", "smallint", (move) => move.attempts ?? move.run.attempts),
    bulk("error", "text", (move) => move.error ?? null),
    // A run without a tenant can become that of the event that it waited for.
    bulk("tenant", "text", ({ run }) => run.tenant),
    bulk("lease_id", "uuid", (move) => move.lease_id),
    bulk("due_in", "float8", (move) => (isEnd(move) && move.run.parent_id !== null ? 0 : move.dueIn)),
  ],
  text: ({
    rows,
  }) => `moved as (update workflow_run r set state = m.state, step = m.step, position = m.position, delivery_id = m.delivery_id, attempts = m.attempts,
        error = coalesce(m.error, r.error), tenant = m.tenant, lease_id = m.lease_id, outcome = null, status_code = null, due_at = now() + m.due_in * interval '1 second',
        ended_at = case when m.state in ('completed', 'failed', 'cancelled') then now() end
      from ${rows("m")}
      where r.bucket = m.bucket and r.tag = m.tag and r.id = m.id and ${byKey("m.bucket")})`,
});

/** Writes the results of steps and the next states of their locked runs, at most one of each per run, and other parts with them. */
export async function writeProgress(
  tx: Tx,
  steps: readonly StepRecord[],
  moves: readonly Move[],
  more: readonly CommitPart[] = [],
): Promise<void> {
  await tx.commit([stepsPart(steps), movesPart(moves), ...more], "select 1");
}

/** Postpones a retry of a locked run. Keeps the outcome of its delivery. */
export async function delayRun(query: Query, key: RunKey, attempts: number, seconds: number): Promise<void> {
  await query
    .updateTable("workflow_run")
    .set({ attempts, lease_id: null, due_at: sql<Date>`now() + ${seconds} * interval '1 second'` })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .execute();
}
