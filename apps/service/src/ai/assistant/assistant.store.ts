import { arrayText, bulk, definePart, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Tag, TenantKey, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

export type SettingsRow = Selectable<Tables["assistant"]>;
export type TaskRow = Selectable<Tables["assistant_task"]>;
type Home = Pick<Scope, "bucket" | "workspaceId">;

/** Selects the workspaces whose assistant is on and receives the event. `missingOf` has the same conditions. */
export const ASSISTANTS_QUERY: SubscriberQuery = {
  name: "assistant",
  text: `select a.tag, a.event, '' from asked a
    join assistant s on s.bucket = a.bucket and s.workspace_id = a.workspace_id
      and s.events && a.patterns
    join workspace w on w.id = a.workspace_id and case w.settings ->> 'assistant'
      when 'openai_compatible' then s.base_url is not null and s.model is not null
      when 'scripted' then s.script is not null end`,
};

export async function findSettings(query: Query, home: Home): Promise<SettingsRow | undefined> {
  return await query
    .selectFrom("assistant")
    .selectAll()
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .executeTakeFirst();
}

export async function saveSettings(query: Query, row: Omit<SettingsRow, "updated_at">): Promise<void> {
  const { bucket: _bucket, workspace_id: _workspace, ...changed } = row;
  await query
    .insertInto("assistant")
    .values(row)
    .onConflict((on) =>
      on.columns(["bucket", "workspace_id"]).doUpdateSet({ ...changed, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** The maximum number of events that wait for one environment's assistant. Events beyond it are not kept. */
const MAX_WAITING = 1000;

type TaskInsert = Pick<TaskRow, "bucket" | "tag" | "id" | "workspace_id" | "event_id" | "chain">;

/** Adds each event once, and never an event that follows from the assistant's own actions. Takes rows of several workspaces, and depends on no other part. */
export const tasksPart = definePart<TaskInsert>({
  name: "assistant_tasks",
  columns: [
    bulk("bucket", "smallint", (task) => task.bucket),
    bulk("tag", "text", (task) => task.tag),
    bulk("id", "uuid", (task) => task.id),
    bulk("workspace_id", "uuid", (task) => task.workspace_id),
    bulk("event_id", "uuid", (task) => task.event_id),
    bulk("chain", "text", (task) => arrayText(task.chain), "uuid[]"),
  ],
  text: ({ numberedRows, names, selected }) => `tasks as (insert into assistant_task (${names}, due_at)
      select ${selected("w")}, now()
      from (select n.*, row_number() over (partition by n.tag order by n.at) as place
        from ${numberedRows("n")}
        where not exists (select from assistant_task l where l.bucket = n.bucket and l.tag = n.tag and l.event_id = any(n.chain::uuid[]))) w
      where w.place + (select count(*) from (select from assistant_task o
        where o.bucket = w.bucket and o.tag = w.tag and o.due_at is not null limit ${MAX_WAITING}) waiting) <= ${MAX_WAITING}
      on conflict (bucket, tag, event_id) do nothing returning id)`,
});

/** Changes the task if this lease still holds it. Returns whether it did. */
async function moved(tx: Tx, task: TaskRow, change: Partial<TaskRow>): Promise<boolean> {
  const result = await tx.query
    .updateTable("assistant_task")
    .set(change)
    .$call(ofTenant(task))
    .where("id", "=", task.id)
    .where("lease_id", "=", task.lease_id)
    .where("due_at", "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function keepAnswer(
  tx: Tx,
  task: TaskRow,
  answer: { readonly sealed: Buffer; readonly historyId: Uuid },
): Promise<boolean> {
  return await moved(tx, task, { state: "answered", answer_sealed: answer.sealed, history_id: answer.historyId });
}

export async function endTask(tx: Tx, task: TaskRow, state: "done" | "failed" | "dropped"): Promise<boolean> {
  return await moved(tx, task, {
    state,
    answer_sealed: null,
    due_at: null,
    lease_id: null,
    ended_at: sql<Date>`now()` as never,
  });
}

/** `spent` says whether this attempt counts toward the maximum. */
export async function postpone(tx: Tx, task: TaskRow, seconds: number, spent: boolean): Promise<boolean> {
  return await moved(tx, task, {
    due_at: sql<Date>`now() + ${seconds} * interval '1 second'` as never,
    lease_id: null,
    ...(spent ? {} : { attempts: task.attempts - 1 }),
  });
}

export interface Spent extends Record<string, unknown> {
  readonly in_minute: number;
  readonly in_day: number;
  /** Seconds until fewer than `perMinute` requests are less than a minute old. */
  readonly minute_over_in: number;
  /** Seconds until fewer than `perDay` requests are less than a day old. */
  readonly day_over_in: number;
}

export interface Budgets {
  readonly perMinute: number;
  readonly perDay: number;
}

/**
 * Counts the model requests of the last minute and the last day, up to `perDay`. A lowered budget allows a request only
 * when enough of the newest ones are over, so that earlier ones do not matter.
 */
export async function spentOf(query: Query, home: Home, { perMinute, perDay }: Budgets): Promise<Spent> {
  const found = await sql<Spent>`select
      count(*) filter (where asked_at > now() - interval '1 minute')::int as in_minute, count(*)::int as in_day,
      coalesce(ceil(extract(epoch from min(asked_at) filter (where asked_at > now() - interval '1 minute' and place <= ${perMinute}) + interval '1 minute' - now())), 0)::int as minute_over_in,
      coalesce(ceil(extract(epoch from min(asked_at) + interval '1 day' - now())), 0)::int as day_over_in
    from (select asked_at, row_number() over (order by asked_at desc) as place from assistant_ask
      where bucket = ${home.bucket} and workspace_id = ${home.workspaceId} and asked_at > now() - interval '1 day'
      order by asked_at desc limit ${perDay}) recent`.execute(query);
  return found.rows[0] ?? { in_minute: 0, in_day: 0, minute_over_in: 0, day_over_in: 0 };
}

/** Locks the settings until the transaction ends, so that two nodes do not both spend the last of a budget. */
export async function holdSettings(tx: Tx, home: Home): Promise<SettingsRow | undefined> {
  return await tx.query
    .selectFrom("assistant")
    .selectAll()
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertAsk(tx: Tx, home: Home, id: Uuid): Promise<void> {
  await tx.query
    .insertInto("assistant_ask")
    .values({ bucket: home.bucket, workspace_id: home.workspaceId, id })
    .execute();
}

/** Counts the open tasks, and the tasks that failed in the last day. */
export async function countTasks(
  query: Query,
  place: { readonly bucket: number; readonly tag: Tag },
): Promise<{ readonly waiting: number; readonly failed: number }> {
  const found = await sql<{ waiting: number; failed: number }>`select
      (select count(*) from assistant_task where bucket = ${place.bucket} and tag = ${place.tag} and due_at is not null)::int as waiting,
      (select count(*) from assistant_task where bucket = ${place.bucket} and tag = ${place.tag}
        and state = 'failed' and ended_at > now() - interval '1 day')::int as failed`.execute(query);
  return found.rows[0] ?? { waiting: 0, failed: 0 };
}

/** Deletes records of model requests after a day, and tasks a week after their end. */
const SWEEP: readonly HotStatement[] = [
  {
    name: "assistant_sweep_asks",
    text: `delete from assistant_ask where bucket between 0 and 63 and asked_at < now() - interval '1 day'`,
  },
  {
    name: "assistant_sweep_tasks",
    text: `delete from assistant_task where bucket between 0 and 63 and ended_at < now() - interval '7 days'`,
  },
];

export async function sweep(db: Db): Promise<void> {
  for (const statement of SWEEP) await db.onEachShard(async () => await db.hot(statement, []));
}

/** Deletes what the assistant still does, or did, about these events. */
export async function deleteTasksOf(tx: Tx, place: TenantKey, eventIds: readonly Uuid[]): Promise<void> {
  if (eventIds.length === 0) return;
  await tx.query.deleteFrom("assistant_task").$call(ofTenant(place)).where("event_id", "in", eventIds).execute();
}
