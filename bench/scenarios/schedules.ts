import { setTimeout as sleep } from "node:timers/promises";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const SCHEDULES = 10_000;
const LIMIT_MS = 300_000;
const TRIGGER = JSON.stringify({ schedule: { cron: "0 0 1 1 *" } });
const STEPS = JSON.stringify([
  { id: "check", type: "condition", when: { field: "data.missed", op: "eq", value: 0 }, then: null },
]);

/** Ten thousand schedules of one minute on two processes: each fires once, and its workflow starts. */
export async function schedules(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench, { environment: { JUNCTION_PROCESSES: "2" } });
  await fill(stage);
  const stopMeter = stage.meter("schedules");
  const began = performance.now();
  await stage.sql.query("update workflow_schedule set next_at = now(), due_at = now()");
  const firedMs = (await reached(stage, "event where name = 'schedule.due'")) - began;
  const startedMs = (await reached(stage, "workflow_run")) - began;
  const usage = stopMeter();
  return [
    row("Schedules: 10 000 due at once on two processes, until the last one is fired", firedMs / 1000, "s", {
      goal: { atMost: 60 },
    }),
    row("Schedules: 10 000 due at once, until the last workflow is started", startedMs / 1000, "s"),
    row(
      "Schedules: processor time of service and database for each",
      (usage.serviceMs + usage.databaseMs) / SCHEDULES,
      "ms",
    ),
  ];
}

/** Copies the workflow of the reactions with a schedule. */
async function fill(stage: Stage): Promise<void> {
  await stage.reactions();
  await stage.sql.query(
    `with made as (insert into workflow (workspace_id, id, name, enabled, version, event)
        select workspace_id, gen_random_uuid(), name, true, 1, '@schedule' from workflow, generate_series(1, $1::int)
        returning workspace_id, id),
      version as (insert into workflow_version (workspace_id, workflow_id, version, trigger, steps, author_environment, author_kind, author_id)
        select m.workspace_id, m.id, 1, $2, $3, v.author_environment, v.author_kind, v.author_id from made m, workflow_version v)
      insert into workflow_schedule (bucket, workspace_id, workflow_id, environment, cron, time_zone, missed, next_at)
        select $4::smallint, m.workspace_id, m.id, v.author_environment, '0 0 1 1 *', 'UTC', 'skip', now() + interval '1 day'
        from made m, workflow_version v`,
    [SCHEDULES, TRIGGER, STEPS, stage.place.bucket],
  );
}

/** Returns when a table has a row for each schedule. Throws if it has more, or not all after the limit. */
async function reached(stage: Stage, from: string): Promise<number> {
  for (const end = performance.now() + LIMIT_MS; ;) {
    const { rows } = await stage.sql.query<{ n: number }>(`select count(*)::int as n from ${from}`);
    const n = rows[0]?.n ?? 0;
    const now = performance.now();
    if (n === SCHEDULES) return now;
    if (n > SCHEDULES || now > end) throw new Error(`${n} instead of ${SCHEDULES} rows in ${from}`);
    await sleep(100);
  }
}
