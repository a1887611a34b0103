import { tagOf } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import type { HotStatement } from "./prepared.ts";
import type { Db } from "./types.ts";

/** Keeps the runs of branches and items as long as the run that started them. */
export const WITHOUT_PARENT = `and (parent_id is null or not exists (select from workflow_run p
  where p.bucket = workflow_run.bucket and p.tag = workflow_run.tag and p.id = workflow_run.parent_id))`;
/** The number of rows of one workspace that a statement deletes at once. */
const AT_ONCE = 20_000;
/**
 * The logs by day, each with the id that contains a row's time. The consequences of an event are deleted before the
 * event.
 */
const LOGS = {
  attempt: "delivery_id",
  delivery_request: "delivery_id",
  delivery: "id",
  rule_run: "event_id",
  dispatch_stage: "event_id",
  connector_run: "id",
  inbound_receipt: "id",
  event_label: "event_id",
  event: "id",
} as const;
const SHORTER: HotStatement = {
  name: "workspaces_of_shorter_retention",
  text: `select bucket, tag, (settings ->> 'retention_days')::int as days from workspace
    where (settings ->> 'retention_days')::int < $1`,
};
const FORGET: readonly HotStatement[] = [
  ...Object.entries(LOGS).map(([table, id]) => log(table, id)),
  ended("action_run", "and (undo_until is null or undo_until < now())"),
  ended(
    "action_proposal",
    `and not exists (select from action_run r
      where r.bucket = action_proposal.bucket and r.tag = action_proposal.tag and r.id = action_proposal.run_id)`,
  ),
  ended("workflow_run", WITHOUT_PARENT),
  ended("http_call", ""),
  ended("approval_announcement", ""),
  ended("scheduled_event", ""),
  ended("mail", ""),
  ended("issue", "", "last_seen_at"),
  ended("lane", "and head_id is null", "used_at", "endpoint_id, key"),
  ended("ai_activity", "", "at"),
  ended("notification", "", "created_at"),
  ended(
    "standing_approval",
    `and not exists (select from action_proposal p where p.bucket = standing_approval.bucket
      and p.tag = standing_approval.tag and p.standing_approval_id = standing_approval.id)`,
  ),
];

/**
 * Deletes rows that a workspace keeps for fewer days than the installation. Workspaces share partitions, so that the
 * rows are deleted in batches, by their key. Deliveries that still wait for their event then end as they do when a
 * partition was dropped.
 */
export async function forgetByWorkspace(db: Db, installationDays: number): Promise<void> {
  const found = await db.hot<{ bucket: number; tag: Tag; days: number }>(SHORTER, [installationDays]);
  for (const { bucket, tag, days } of found) {
    for (const own of [tag, tagOf(tag, "sandbox")]) {
      for (const statement of FORGET) await db.at(bucket, async () => await drain(db, statement, [bucket, own, days]));
      await db.at(bucket, async () => await forgetPulled(db, { bucket, tag: own, days }));
    }
  }
}

const FORGET_PULLED: HotStatement = {
  name: "forget_pulled",
  text: "select forget_pulled($1::smallint, $2::text, $3::int, $4::int) as gone",
};

/** Moves the beginning of the logs of pull endpoints, of one environment or of all, and deletes the messages before it. */
export async function forgetPulled(
  db: Db,
  { bucket, tag, days }: { readonly bucket: number; readonly tag: Tag | null; readonly days: number },
): Promise<void> {
  await drain(db, FORGET_PULLED, [bucket, tag, days, AT_ONCE]);
}

async function drain(db: Db, statement: HotStatement, values: readonly unknown[]): Promise<void> {
  for (;;) {
    const [row] = await db.hot<{ gone: number }>(statement, values);
    if (row === undefined || row.gone < AT_ONCE) return;
  }
}

/**
 * Deletes the oldest `AT_ONCE` rows, and the further rows of the last one's id. Fewer rows are deleted only if no more are
 * left: `drain` relies on it.
 */
function log(table: string, id: string): HotStatement {
  const floor = "uuid_floor(now() - $3::int * interval '1 day')";
  return {
    name: `forget_of_workspace_${table}`,
    text: `with last as (select coalesce((select ${id} from ${table} where bucket = $1 and tag = $2 and ${id} < ${floor}
        order by ${id} offset ${AT_ONCE - 1} limit 1), ${floor}) as id),
      gone as (delete from ${table} where bucket = $1 and tag = $2 and ${id} < ${floor} and ${id} <= (select id from last)
        returning 1)
      select count(*)::int as gone from gone`,
  };
}

function ended(table: string, condition: string, time = "ended_at", id = "id"): HotStatement {
  return {
    name: `forget_of_workspace_${table}`,
    text: `with old as (select ${id} from ${table} where bucket = $1 and tag = $2
        and ${time} < now() - $3::int * interval '1 day' ${condition} limit ${AT_ONCE} for update skip locked),
      gone as (delete from ${table} where bucket = $1 and tag = $2 and (${id}) in (select ${id} from old) returning 1)
      select count(*)::int as gone from gone`,
  };
}
