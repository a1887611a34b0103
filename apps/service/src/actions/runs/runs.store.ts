import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import {
  arrayText,
  bulk,
  columnOf,
  ofTenant,
  pageRows,
  selected,
  sql,
  unnested,
  valuesOf,
} from "../../platform/db/db.ts";
import { dueBucketsOf } from "../../platform/tasks/tasks.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { RUN_STATUSES } from "../requests/run.schemas.ts";

export type RunRow = Selectable<Tables["action_run"]>;
export type RunKey = TenantKey & Pick<RunRow, "id">;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The columns of a run before its end. */
export const NOT_ENDED = {
  simulated: false,
  result_redacted: null,
  result_sealed: null,
  outcome_unknown: false,
  error_code: null,
  error_detail: null,
  backend_status: null,
  backend_host: null,
  duration_ms: null,
  audit_id: null,
  attempts: 1,
  due_at: null,
  undo_until: null,
  undo_actor: null,
  undone_at: null,
  ended_at: null,
} satisfies Partial<RunRow>;

/** A new run. Without a lease, it waits for a worker. */
export type RunInsert = Omit<RunRow, keyof typeof NOT_ENDED | "status"> & {
  readonly status: "queued" | "executing";
};

/** Longer than any call can take, so that an expired lease means that its node was lost. */
export const LEASE_SECONDS = 60;

const COLUMNS = [
  bulk<RunInsert, "smallint">("bucket", "smallint", (row) => row.bucket),
  bulk<RunInsert, "text">("tag", "text", (row) => row.tag),
  bulk<RunInsert, "uuid">("id", "uuid", (row) => row.id),
  bulk<RunInsert, "uuid">("workspace_id", "uuid", (row) => row.workspace_id),
  bulk<RunInsert, "text">("action", "text", (row) => row.action),
  bulk<RunInsert, "int">("contract_version", "int", (row) => row.contract_version),
  bulk<RunInsert, "uuid">("proposal_id", "uuid", (row) => row.proposal_id),
  bulk<RunInsert, "text">("status", "text", (row) => row.status),
  bulk<RunInsert, "text">("surface", "text", (row) => row.surface),
  bulk<RunInsert, "text">("actor", "text", (row) => row.actor),
  bulk<RunInsert, "text">("approver", "text", (row) => row.approver),
  bulk<RunInsert, "bytea">("parameters_sealed", "bytea", (row) => row.parameters_sealed),
  bulk<RunInsert, "text">("parameters_redacted", "text", (row) => row.parameters_redacted),
  bulk<RunInsert, "text">("prompt", "text", (row) => row.prompt),
  bulk<RunInsert, "text">("chain", "text", (row) => arrayText(row.chain), "uuid[]"),
  bulk<RunInsert, "text">("tenant", "text", (row) => row.tenant),
  bulk<RunInsert, "text">("waiter", "text", (row) => row.waiter),
  bulk<RunInsert, "uuid">("lineage_id", "uuid", (row) => row.lineage_id),
  bulk<RunInsert, "text">("idempotency_key", "text", (row) => row.idempotency_key),
  bulk<RunInsert, "text">("reply", "text", (row) => row.reply),
  bulk<RunInsert, "text">("request_id", "text", (row) => row.request_id),
  bulk<RunInsert, "uuid">("lease_id", "uuid", (row) => row.lease_id),
  bulk<RunInsert, "timestamptz">("started_at", "timestamptz", (row) => row.started_at),
] as const;

const { arrays: INSERT_ARRAYS, names: INSERT_NAMES } = unnested(COLUMNS);

/**
 * Hot. A leased run is executing at once. Its lease starts with the statement, because the transaction may have begun
 * earlier.
 */
const INSERT: HotStatement = {
  name: "action_run_insert",
  text: `insert into action_run (${INSERT_NAMES}, attempts, due_at)
    select ${selected(COLUMNS, "r")},
      case when lease_id is null then 0 else 1 end,
      case when lease_id is null then now() else clock_timestamp() + interval '${LEASE_SECONDS} seconds' end
    from unnest(${INSERT_ARRAYS}) as r (${INSERT_NAMES})`,
};

export async function insertRuns(tx: Tx, rows: readonly RunInsert[]): Promise<void> {
  if (rows.length > 0) await tx.hot(INSERT, valuesOf(COLUMNS, rows));
}

/** A run after its call, which still holds the lease, and the time of the end. */
export type RunEnd = RunRow & { readonly now: Date };

/**
 * Returns the positions of the runs that this lease still holds. The row locks prevent others from ending them until
 * the transaction ends.
 */
const HOLD: HotStatement = {
  name: "action_run_hold",
  text: `select w.at from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[]) with ordinality as w (bucket, tag, id, lease_id, at)
    join action_run r on r.bucket = w.bucket and r.tag = w.tag and r.id = w.id and r.lease_id = w.lease_id
    order by r.bucket, r.tag, r.id for update of r`,
};

export async function holdRuns(
  tx: Tx,
  runs: readonly Pick<RunRow, "bucket" | "tag" | "id" | "lease_id">[],
): Promise<ReadonlySet<number>> {
  const rows = await tx.hot<{ at: string }>(HOLD, [
    columnOf.smallint(runs, (run) => run.bucket),
    columnOf.text(runs, (run) => run.tag),
    columnOf.uuid(runs, (run) => run.id),
    columnOf.uuid(runs, (run) => run.lease_id),
  ]);
  return new Set(rows.map((row) => Number(row.at) - 1));
}

const END_COLUMNS = [
  bulk<RunEnd, "smallint">("bucket", "smallint", (row) => row.bucket),
  bulk<RunEnd, "text">("tag", "text", (row) => row.tag),
  bulk<RunEnd, "uuid">("id", "uuid", (row) => row.id),
  bulk<RunEnd, "uuid">("lease_id", "uuid", (row) => row.lease_id),
  bulk<RunEnd, "text">("status", "text", (row) => row.status),
  bulk<RunEnd, "boolean">("simulated", "boolean", (row) => row.simulated),
  bulk<RunEnd, "text">("result_redacted", "text", (row) => row.result_redacted),
  bulk<RunEnd, "bytea">("result_sealed", "bytea", (row) => row.result_sealed),
  bulk<RunEnd, "boolean">("outcome_unknown", "boolean", (row) => row.outcome_unknown),
  bulk<RunEnd, "text">("error_code", "text", (row) => row.error_code),
  bulk<RunEnd, "text">("error_detail", "text", (row) => row.error_detail),
  bulk<RunEnd, "smallint">("backend_status", "smallint", (row) => row.backend_status),
  bulk<RunEnd, "text">("backend_host", "text", (row) => row.backend_host),
  bulk<RunEnd, "int">("duration_ms", "int", (row) => row.duration_ms),
  bulk<RunEnd, "uuid">("audit_id", "uuid", (row) => row.audit_id),
  bulk<RunEnd, "timestamptz">("undo_until", "timestamptz", (row) => row.undo_until),
  bulk<RunEnd, "timestamptz">("now", "timestamptz", (row) => row.now),
] as const;
const { arrays: END_ARRAYS, names: END_NAMES } = unnested(END_COLUMNS);

/**
 * Hot. Ends runs and undos, and moves their proposals to the same state. Each row changes only from the state that
 * allows this.
 */
const END: HotStatement = {
  name: "action_run_end",
  text: `with e as (select * from unnest(${END_ARRAYS}) as e (${END_NAMES})),
    ran as (update action_run r set status = e.status, simulated = e.simulated, result_redacted = e.result_redacted, result_sealed = e.result_sealed,
        outcome_unknown = e.outcome_unknown, error_code = e.error_code,
        error_detail = e.error_detail, backend_status = e.backend_status, backend_host = e.backend_host, duration_ms = e.duration_ms,
        audit_id = e.audit_id, undo_until = e.undo_until, ended_at = e.now, lease_id = null, due_at = null
      from e where e.status in ('executed', 'failed') and r.bucket = e.bucket and r.tag = e.tag and r.id = e.id
        and r.lease_id = e.lease_id and r.status = 'executing' returning r.bucket, r.tag, r.proposal_id, r.status, r.ended_at),
    undone as (update action_run r set status = e.status, undone_at = e.now, result_sealed = null, outcome_unknown = e.outcome_unknown, error_code = e.error_code, error_detail = e.error_detail,
        lease_id = null, due_at = null
      from e where e.status in ('undone', 'undo_failed') and r.bucket = e.bucket and r.tag = e.tag and r.id = e.id
        and r.lease_id = e.lease_id and r.status = 'executed' returning r.bucket, r.tag, r.proposal_id, r.status, r.undone_at)
    update action_proposal p set state = d.status, ended_at = coalesce(p.ended_at, d.at)
      from (select bucket, tag, proposal_id, status, ended_at as at from ran union all select bucket, tag, proposal_id, status, undone_at from undone) d
      where p.bucket = d.bucket and p.tag = d.tag and p.id = d.proposal_id
        and p.state = case when d.status in ('executed', 'failed') then 'executing' else 'executed' end`,
};

export async function endRuns(tx: Tx, ends: readonly RunEnd[]): Promise<void> {
  if (ends.length > 0) await tx.hot(END, valuesOf(END_COLUMNS, ends));
}

/** A run, with the parameters of its proposal if it has none of its own. */
export interface FoundRun extends RunRow {
  readonly proposal_parameters_sealed: Buffer | null;
}

function runsWithParameters(query: Query) {
  return query
    .selectFrom("action_run as r")
    .leftJoin("action_proposal as p", (join) =>
      join.onRef("p.bucket", "=", "r.bucket").onRef("p.tag", "=", "r.tag").onRef("p.id", "=", "r.proposal_id"),
    )
    .selectAll("r")
    .select("p.parameters_sealed as proposal_parameters_sealed");
}

export async function findRun(query: Query, key: RunKey): Promise<FoundRun | undefined> {
  return await runsWithParameters(query)
    .where("r.bucket", "=", key.bucket)
    .where("r.tag", "=", key.tag)
    .where("r.id", "=", key.id)
    .executeTakeFirst();
}

export interface RunFilter {
  readonly status?: string | undefined;
  readonly action?: string | undefined;
  readonly surface?: string | undefined;
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

/** Returns the newest runs first. */
export async function listRuns(query: Query, place: TenantKey, filter: RunFilter, limit: number): Promise<RunRow[]> {
  let rows = query.selectFrom("action_run").selectAll().$call(ofTenant(place));
  if (filter.status !== undefined) rows = rows.where("status", "=", filter.status);
  if (filter.action !== undefined) rows = rows.where("action", "=", filter.action);
  if (filter.surface !== undefined) rows = rows.where("surface", "=", filter.surface);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), {
    limit,
    large: ["parameters_sealed", "parameters_redacted", "prompt", "result_redacted", "result_sealed", "reply"],
  });
}

export interface UndoMove {
  /** JSON text. */
  readonly actor: string;
  readonly leaseId: Uuid;
  readonly now: Date;
  readonly lineage_id: Uuid | null;
  readonly idempotency_key: string | null;
  readonly reply: string | null;
  readonly requestId: string | null;
}

/** Starts the undo of a run, once and within its window; undefined if that is no longer possible. */
export async function moveUndoing(tx: Tx, key: RunKey, move: UndoMove): Promise<RunRow | undefined> {
  return await tx.query
    .updateTable("action_run")
    .set({
      undo_actor: move.actor,
      lease_id: move.leaseId,
      due_at: sql<Date>`clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'`,
      lineage_id: move.lineage_id,
      idempotency_key: move.idempotency_key,
      reply: move.reply,
      request_id: move.requestId,
    })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .where("status", "=", "executed")
    .where("undo_actor", "is", null)
    .where("undo_until", ">", move.now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends queued runs of a waiter that no longer waits for them, and returns them. */
export async function dropQueued(
  tx: Tx,
  place: TenantKey,
  { waiter, now }: { readonly waiter: string; readonly now: Date },
): Promise<RunRow[]> {
  return await tx.query
    .updateTable("action_run")
    .set({
      status: "failed",
      error_code: "cancelled",
      error_detail: "The run was cancelled.",
      due_at: null,
      ended_at: now,
    })
    .$call(ofTenant(place))
    .where("status", "=", "queued")
    .where("due_at", "is not", null)
    .where("waiter", "=", waiter)
    .returningAll()
    .execute();
}

export async function linkAudit(tx: Tx, key: RunKey, auditId: Uuid): Promise<void> {
  await tx.query
    .updateTable("action_run")
    .set({ audit_id: auditId })
    .$call(ofTenant(key))
    .where("id", "=", key.id)
    .execute();
}

export const dueBuckets = dueBucketsOf("action_run");

export interface ClaimedRun extends FoundRun {
  readonly tag: Tag;
  /** The run was queued, so that its call was never made. */
  readonly is_fresh: boolean;
}

/**
 * Claims runs of one shard that wait for a worker, or whose node was lost, and hides them from other workers during the
 * lease.
 */
const CLAIM: HotStatement = {
  name: "action_claim",
  text: `with due as (select tag, id, status from action_run where bucket = $1 and due_at <= now() order by due_at limit $3 for update skip locked),
    taken as (update action_run r set lease_id = $2, due_at = clock_timestamp() + interval '${LEASE_SECONDS} seconds', attempts = r.attempts + 1,
        status = case when r.status = 'queued' then 'executing' else r.status end
      from due d where r.bucket = $1 and r.tag = d.tag and r.id = d.id returning r.*, d.status = 'queued' as is_fresh)
    select t.*, p.parameters_sealed as proposal_parameters_sealed from taken t
      left join action_proposal p on p.bucket = $1 and p.tag = t.tag and p.id = t.proposal_id`,
};

export async function claimRuns(db: Db, bucket: number, leaseId: Uuid, limit: number): Promise<ClaimedRun[]> {
  return await db.hot<ClaimedRun & Record<string, unknown>>(CLAIM, [bucket, leaseId, limit]);
}
