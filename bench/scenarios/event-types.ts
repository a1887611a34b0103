import { costOf, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const TYPED = "bench.typed";
/** The most processor time that the check of an event may add, in milliseconds. */
const MOST_MS = 0.02;

/** The cost of an event without a type, and of the same event with a type that refuses what does not match its schema. */
export async function eventTypes(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "typed", events: [TYPED], maxInFlight: 256 });
  await warm(stage, custom(TYPED));
  const without = await costOf(stage, custom(TYPED), { name: "without a type", forMs: bench.seconds * 1000 });
  await stage.sql.query(TYPE, [TYPED]);
  await stage.sql.query(VERSION, [TYPED, JSON.stringify(SCHEMA)]);
  await warm(stage, custom(TYPED));
  const typed = await costOf(stage, custom(TYPED), { name: "event types", forMs: bench.seconds * 1000 });
  return [
    row("An event without a type: service's processor time", without, "ms"),
    row("The same with a type that refuses: service's processor time", typed, "ms"),
    row("What the enforcement of a typical schema adds", Math.max(0, typed - without), "ms", {
      goal: { atMost: MOST_MS },
    }),
  ];
}

const customer = {
  type: "object",
  required: ["external_id"],
  properties: {
    external_id: { type: "string", pattern: "^cus_[0-9#]+$" },
    email: { type: "string", maxLength: 320 },
    name: { type: ["string", "null"] },
  },
};
const SCHEMA = {
  type: "object",
  required: ["sent_us"],
  properties: {
    sent_us: { type: "string", minLength: 16, maxLength: 16 },
    customer,
    ticket: { type: "object", properties: { subject: { type: "string" }, status: { type: "string" } } },
    order: {
      type: "object",
      properties: {
        external_id: { type: "string" },
        currency: { type: "string", pattern: "^[A-Z]{3}$" },
        total_minor: { type: "integer", minimum: 0 },
      },
    },
  },
};
const TYPE = `insert into event_type (bucket, workspace_id, name, title, description, enforcement, visibility, version, revision)
  select bucket, workspace_id, $1, '', '', 'refuse', 'private', 1, 1 from endpoint limit 1`;
const VERSION = `insert into event_type_version (bucket, workspace_id, name, version, schema, examples)
  select bucket, workspace_id, $1, 1, $2, '[]' from endpoint limit 1`;
