import { setTimeout as sleep } from "node:timers/promises";
import { assertAccepted } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const RULED = "bench.ruled";
const RULES = 10_000;
const LIMIT_MS = 120_000;

/** A workspace whose ten thousand rules all listen to one event: each is asked and its run recorded, leaf by leaf. */
export async function rules(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await fillRules(stage);
  // Compiles each rule, and lets the code become hot.
  const first = await stage.open(custom(RULED), { perSecond: 2, forMs: 2000 });
  assertAccepted(first);
  await recorded(stage, first.accepted);
  const stopMeter = stage.meter("rules");
  const load = await stage.open(custom(RULED), { perSecond: 1, forMs: bench.seconds * 1000 });
  assertAccepted(load);
  await recorded(stage, first.accepted + load.accepted);
  const usage = stopMeter();
  const evaluations = load.accepted * RULES;
  return [
    row(
      "10 000 rules, 3 leaves each: evaluated and recorded, a second of the service's processor time",
      (evaluations / usage.serviceMs) * 1000,
      "/s",
      { goal: { atLeast: RULES } },
    ),
    row(
      "10 000 rules: evaluated and recorded, a second of service's and database's processor time",
      (evaluations / (usage.serviceMs + usage.databaseMs)) * 1000,
      "/s",
    ),
    row("10 000 rules at 1 event/s: sustained", (evaluations / usage.wallMs) * 1000, "/s"),
  ];
}

async function fillRules({ sql, place }: Stage): Promise<void> {
  const when = {
    all: [
      { field: "event", op: "eq", value: RULED },
      {
        any: [
          { field: "data.no_such.member", op: "gt", value: 10.5 },
          { field: "data", op: "eq", value: "text" },
        ],
      },
    ],
  };
  await sql.query(
    `insert into rule (bucket, workspace_id, id, name, events, condition, actions, priority, enabled, max_runs_per_minute,
       author_kind, author_id, author_environment)
     select $1, k.workspace_id, gen_random_uuid(), 'Rule ' || n, $3, $4, '[]', 100, true, 600, 'key', k.lineage_id, 'live'
     from generate_series(1, $5::int) n, (select workspace_id, lineage_id from api_key where tag = $2 limit 1) k`,
    [place.bucket, place.tag, [RULED], JSON.stringify(when), RULES],
  );
  await sql.query(
    "insert into rule_listener (bucket, workspace_id, event, rule_id, sandbox_only) select bucket, workspace_id, $1, id, false from rule",
    [RULED],
  );
  await sql.query("analyze rule");
  await sql.query("analyze rule_listener");
}

/** Waits until each rule has a run of each event; more would be a run too many. */
async function recorded({ sql }: Stage, events: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += 50) {
    const { rows } = await sql.query<{ n: number }>("select count(*)::int as n from rule_run");
    const count = rows[0]?.n ?? 0;
    if (count > events * RULES) throw new Error(`${count} runs of ${events} events`);
    if (count === events * RULES) return;
    await sleep(50);
  }
  throw new Error(`not all rules had run after ${LIMIT_MS / 1000} s`);
}
