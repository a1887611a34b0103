import type { HotStatement } from "./prepared.ts";
import { daysKept } from "./kept.ts";
import { SCHEMA_LOCK } from "./schema-lock.ts";
import { forgetByWorkspace, forgetPulled, WITHOUT_PARENT } from "./workspace-retention.ts";
import type { Db } from "./types.ts";

export interface MaintenanceDeps {
  readonly db: Db;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly retentionDays: number;
}

const HOUR_MS = 3_600_000;
const DAYS_AHEAD = 3;
const MONTHS_AHEAD = 2;
/** A sender may retry for longer than a short retention lasts. */
const SEEN_DAYS_AT_LEAST = 7;
/**
 * Tables stay as they are while a backup reads them: a change that waits for its lock would make all others wait. The
 * next hourly run makes the change.
 */
const UNREAD = `with unread as materialized (select pg_try_advisory_xact_lock(${SCHEMA_LOCK}) as is_so)`;
const ENSURE: HotStatement = {
  name: "ensure_partitions",
  text: `${UNREAD} select ensure_partitions($2::text, $1::int) as made from unread where is_so`,
};
const ENSURE_MONTHS: HotStatement = {
  name: "ensure_activity_months",
  text: `${UNREAD} select ensure_activity_months($1::int) as made from unread where is_so`,
};
const DROP: HotStatement = {
  name: "drop_partitions",
  text: `${UNREAD} select drop_partitions($2::text, $1::int) as dropped from unread where is_so`,
};
const AT_ONCE = 20_000;
const BUCKETS = Array.from({ length: 64 }, (_, bucket) => bucket);
/** Deletes a limited number of rows of one bucket, and skips rows that another process has locked. */
interface Forgetting {
  readonly table: string;
  readonly condition: string;
}
const FORGET: readonly Forgetting[] = [
  forget("idempotency", "created_at < now() - interval '7 days'"),
  forget("key_usage", "hour < now() - interval '30 days'"),
  // Codes that no one entered.
  forget("slack_link", "linked_at is null and code_expires_at < now()"),
  forget("news_interest", "expires_at < now()"),
  forget("news", "at < now() - interval '1 hour'"),
  forget("usage_day", "day < current_date - 400"),
  // Windows whose calls have all expired. The hour's window counts in minutes, the others in seconds.
  forget(
    "rate_window",
    "head < floor(extract(epoch from now()) / case when operation = '*' then 60 else 1 end)::bigint - 61",
  ),
];

/** Returns what is deleted besides partitions. */
function forgettings(retentionDays: number): readonly Forgetting[] {
  const seenDays = Math.max(SEEN_DAYS_AT_LEAST, retentionDays);
  return [
    ...FORGET,
    forget("inbound_seen", `seen_at < now() - interval '${seenDays} days'`),
    // A run that can still be undone stays longer, and so does the proposal of a run that is kept.
    forget(
      "action_run",
      `ended_at < now() - interval '${retentionDays} days' and (undo_until is null or undo_until < now())`,
    ),
    forget(
      "action_proposal",
      `ended_at < now() - interval '${retentionDays} days' and not exists (select from action_run r
        where r.bucket = action_proposal.bucket and r.tag = action_proposal.tag and r.id = action_proposal.run_id)`,
    ),
    forget("configuration_plan", "expires_at < now() - interval '1 day'"),
    forget("connector_effect", `created_at < now() - interval '${seenDays} days'`),
    forget("connector_value", "expires_at < now() - interval '1 hour'"),
    forget("connector_crash", "at < now() - interval '1 hour'"),
    // Failed webhooks may be sent again. Their bodies are personal data, and are deleted with the rest.
    forget("connector_webhook", `state <> 'waiting' and created_at < now() - interval '${seenDays} days'`),
    forget("replay_job", `coalesce(finished_at, cancelled_at) < now() - interval '${retentionDays} days'`),
    forget("tenant_deletion", `finished_at < now() - interval '${retentionDays} days'`),
    // The endpoint's deliveries have left the log by then.
    forget("endpoint", `channel_id is null and deleted_at < now() - interval '${retentionDays + 1} days'`),
    // Its messages have left the log by then.
    forget(
      "pull_log",
      `not exists (select from endpoint e where e.bucket = pull_log.bucket and e.tag = pull_log.tag and e.id = pull_log.endpoint_id)
        and first_offset > last_offset`,
    ),
    forget(
      "pull_consumer",
      `not exists (select from pull_log l where l.bucket = pull_consumer.bucket and l.tag = pull_consumer.tag
        and l.endpoint_id = pull_consumer.endpoint_id)`,
    ),
    forget("lane", `head_id is null and used_at < now() - interval '${retentionDays} days'`),
    forget(
      "ordered_endpoint",
      `not exists (select from endpoint e where e.bucket = ordered_endpoint.bucket and e.tag = ordered_endpoint.tag
        and e.id = ordered_endpoint.endpoint_id)`,
    ),
    // A label of an event that is due later has the time of its delivery.
    forget("event_label", `event_id < uuid_floor(now() - interval '${retentionDays + 1} days')`),
    forget("issue", `last_seen_at < now() - interval '${retentionDays} days'`),
    forget("issue_hour", `hour < now() - interval '${retentionDays} days' or ${withoutIssue("issue_hour")}`),
    forget("issue_tenant", withoutIssue("issue_tenant")),
    forget("mail", `ended_at < now() - interval '${retentionDays} days'`),
    // A proposal that it approved names it.
    forget(
      "standing_approval",
      `ended_at < now() - interval '${retentionDays} days' and not exists (select from action_proposal p
        where p.bucket = standing_approval.bucket and p.tag = standing_approval.tag and p.standing_approval_id = standing_approval.id)`,
    ),
    forget("ai_activity", `at < now() - interval '${retentionDays} days'`),
    forget("notification", `created_at < now() - interval '${retentionDays} days'`),
    forget("approval_announcement", `ended_at < now() - interval '${retentionDays} days'`),
    forget("http_call", `ended_at < now() - interval '${retentionDays} days'`),
    forget("scheduled_event", `ended_at < now() - interval '${retentionDays} days'`),
    forget("workflow_run", `ended_at < now() - interval '${retentionDays} days' ${WITHOUT_PARENT}`),
  ];
}

/**
 * Creates the partitions of coming days, drops those past retention, and deletes rows that are kept for a limited time.
 */
export function createMaintenance(deps: MaintenanceDeps) {
  const { db, log } = deps;
  const daily = daysKept(deps.retentionDays);
  const forgotten = forgettings(deps.retentionDays);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /** Runs one task. A task that fails does not stop the others. */
  async function part(of: string, run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) =>
      log.warn({ err: error, of }, "a maintenance task failed; the other tasks continue, and it is retried in an hour"),
    );
  }

  async function drop(table: string, days: number): Promise<void> {
    const rows = await db.hot<{ dropped: string[] }>(DROP, [days, table]);
    const names = rows.flatMap((row) => row.dropped);
    if (names.length > 0) log.info({ partitions: names }, "dropped partitions that are past retention");
  }

  async function tidy(): Promise<void> {
    for (const [table] of daily)
      await part(`days of ${table}`, async () => void (await db.hot(ENSURE, [DAYS_AHEAD, table])));
    await part("months of activity", async () => void (await db.hot(ENSURE_MONTHS, [MONTHS_AHEAD])));
    for (const [table, days] of daily) await part(`retention of ${table}`, async () => await drop(table, days));
    for (const forgetting of forgotten)
      await part(`forget_${forgetting.table}`, async () => {
        for (const bucket of BUCKETS) await db.at(bucket, async () => await drain(db, forgetting, bucket));
      });
    await part("retention of pull_message", async () => {
      for (const bucket of BUCKETS)
        await db.at(bucket, async () => await forgetPulled(db, { bucket, tag: null, days: deps.retentionDays }));
    });
    await part("retention by workspace", async () => await forgetByWorkspace(db, deps.retentionDays));
  }

  return {
    /** Runs once, then hourly. Never rejects: a node starts and works whether or not its maintenance succeeds. */
    async start(): Promise<void> {
      await tidy();
      timer = setInterval(() => {
        running = tidy();
      }, HOUR_MS);
      timer.unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}

/** Matches rows whose issue was deleted. */
function withoutIssue(table: string): string {
  return `not exists (select from issue i where i.bucket = ${table}.bucket and i.tag = ${table}.tag and i.id = ${table}.issue_id)`;
}

function forget(table: string, condition: string): Forgetting {
  return { table, condition };
}

const OWN_TABLE: HotStatement = { name: "own_table", text: "select own_table($1) as own" };

/** Returns the name under which the table's rows have a ctid. On a shard, the plain name is a view. */
async function ownTable(db: Db, table: string, bucket: number): Promise<string> {
  if ((await db.shardOf(bucket)) === "") return table;
  const [named] = await db.hot<{ own: string }>(OWN_TABLE, [table]);
  return named?.own ?? table;
}

async function drain(db: Db, { table, condition }: Forgetting, bucket: number): Promise<void> {
  const own = await ownTable(db, table, bucket);
  const statement = {
    name: `forget_${table}`,
    text: `with old as (select ctid from ${own} ${table} where bucket = $1 and ${condition} limit ${AT_ONCE} for update skip locked),
      gone as (delete from ${own} where bucket = $1 and ctid in (select ctid from old) returning 1)
      select count(*)::int as gone from gone`,
  };
  for (;;) {
    const [row] = await db.hot<{ gone: number }>(statement, [bucket]);
    if (row === undefined || row.gone < AT_ONCE) return;
  }
}
