import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { otherWorkspace } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

const RUNS = 4;
const URLS = ["http://127.0.0.1:9/hook", "http://127.0.0.1:9/a?b=c", "http://127.0.0.1:9/ä"];

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9 ().:_/~"\\-]{1,24}$/),
  fc.constantFrom("Größe", "日本", "🚀", "__proto__"),
);
const events = fc.uniqueArray(fc.constantFrom("*", "order.created", "order.*", "a.b", "parcel.scanned"), {
  minLength: 1,
  maxLength: 4,
});
const text = fc.string({ unit: "grapheme", maxLength: 30 }).filter((one) => !one.includes("\u0000"));
const value = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), text);
const leaf = fc.record({ field: fc.constantFrom("event", "data.total", "data.a.b"), op: fc.constant("eq"), value });
const { condition } = fc.letrec((tie) => ({
  condition: fc.oneof(
    // Deeper ones are refused (events/expressions/condition.test.ts).
    { depthSize: "small", maxDepth: 5 },
    leaf,
    fc.record({ all: fc.array(tie("condition"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

/** Objects whose names differ. */
function section<One extends object>(object: fc.Arbitrary<One>, names: fc.Arbitrary<string> = name, maxLength = 4) {
  return fc
    .uniqueArray(fc.tuple(names, object), { selector: ([one]) => one, maxLength })
    .map((all) => all.map(([own, one]) => ({ name: own, ...one })));
}

/** Keeps all members of the object, or leaves any of them out. */
function some<Members extends Record<string, fc.Arbitrary<unknown>>>(
  members: Members,
  requiredKeys: (keyof Members & string)[],
) {
  return fc.record(members, { requiredKeys, noNullPrototype: true });
}

const endpoint = some(
  {
    url: fc.constantFrom(...URLS),
    events,
    active: fc.boolean(),
    description: text,
    rate_limit_per_second: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 99 })),
    max_in_flight: fc.integer({ min: 1, max: 256 }),
    filter: fc.oneof(fc.constant(null), condition),
    transform: fc.constantFrom(null, { kind: "template", body: { text: "${$.event}", n: 1.5 } }),
    ordering: fc.constantFrom(null, { key: "subject" }, { key: "$.data.id", on_failed: "skip" }),
    retry_schedule: fc.constantFrom(null, [1, 60]),
    signatures: fc.constantFrom(["service", "standard"], ["standard"], ["standard", "ed25519"]),
    channels: fc.constantFrom([], ["red", "blue"]),
    metadata: fc.constantFrom({}, { a: "1", b: "" }),
  },
  ["url", "events"],
);
const source = some(
  {
    preset: fc.constantFrom("custom", "payment_processor", "scheduling_tool"),
    active: fc.boolean(),
    description: text,
    event_type_path: fc.constantFrom(null, "$.type", ["$.a", "$.b"]),
    summary_template: fc.constantFrom(null, "Paid ${$.total}"),
    score: fc.constantFrom({ default: 3 }, { by_event_type: { paid: 2 } }),
    event_name: fc.constantFrom(null, "payment.received"),
  },
  [],
);
const sent = some({ sender: fc.constantFrom("github", "stripe", "shopify"), active: fc.boolean() }, ["sender"]);
const workflow = some(
  {
    trigger: fc.constantFrom(
      { event: "order.created" },
      { event: "a.*", when: { field: "data.n", op: "gt", value: 1.25 } },
      { schedule: { cron: "0 9 * * MON", time_zone: "Europe/Berlin" } },
    ),
    steps: fc.constantFrom(
      [{ id: "pause", type: "delay", seconds: 60 }],
      [{ id: "post", type: "webhook", url: "http://127.0.0.1:9/w", body: { deep: [1.5, null, "ü"] } }],
    ),
    enabled: fc.boolean(),
    max_runs_per_minute: fc.integer({ min: 1, max: 600 }),
  },
  ["trigger", "steps"],
);

function rule(workflows: readonly string[]) {
  const start = workflows.map((one) => ({ type: "start_workflow", workflow: one, input: { a: 1 } }));
  return some(
    {
      on: events,
      when: condition,
      then: fc.array(
        fc.constantFrom(
          { type: "add_tag", tag: "big" },
          { type: "fire_event", event: "test.fired", data: { a: [1, { b: "${$.data.x}" }] } },
          { type: "post_webhook", url: "http://127.0.0.1:9/r" },
          ...start,
        ),
        { minLength: 1, maxLength: 3 },
      ),
      priority: fc.integer({ min: 0, max: 1000 }),
      enabled: fc.boolean(),
    },
    ["on", "then"],
  );
}

const eventType = some(
  {
    title: text,
    description: text,
    enforcement: fc.constantFrom("off", "warn", "refuse"),
    visibility: fc.constantFrom("public", "private"),
    deprecated: fc.boolean(),
    versions: fc.constantFrom(
      [{}],
      [{ schema: { type: "object", required: ["id"] } }, { examples: [{ id: 1.5 }] }],
      [{ examples: [{ a: "ü" }] }, { schema: { properties: { n: { maximum: 2.5 } } } }, { schema: {} }],
    ),
  },
  [],
);
const channel = fc.constantFrom(
  { kind: "slack", slack_channel_id: "C0123456789" },
  { kind: "slack", slack_channel_id: "C0123456789", risks: ["high"], after_minutes: 5, active: false },
);

const workspace = section(workflow).chain((workflows) =>
  fc.record({
    version: fc.constant(1),
    event_types: section(eventType, fc.stringMatching(/^own\.[a-z]{1,9}$/)),
    inboxes: section(fc.constant({}), fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/), 2),
    workflows: fc.constant(workflows),
    rules: section(rule(workflows.map((one) => one.name))),
    sources: section(fc.oneof(source, sent)),
    endpoints: section(endpoint),
    channels: section(channel, name, 2),
    settings: fc.constantFrom({}, { time_zone: "Asia/Tokyo" }, { retention_days: 7 }),
  }),
);

async function post(key: string, path: string, body: string): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/configuration/${path}`, body, { key });
}

async function exported(key: string): Promise<string> {
  return (await service.api("GET", "/v1/configuration", undefined, { key })).text;
}

/** Applies a configuration to a new workspace, and returns the export of that. */
async function moved(configuration: string): Promise<{ readonly key: string; readonly text: string }> {
  const { key } = await otherWorkspace(service);
  const plan = await post(key, "plans", `{"configuration":${configuration}}`);
  expect(plan.text).toContain("configuration_plan");
  expect((await post(key, `plans/${plan.body["id"]}/apply`, "{}")).status).toBe(200);
  return { key, text: await exported(key) };
}

test("any workspace's export makes an empty workspace whose export has the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(workspace, async (configuration) => {
      const first = await moved(JSON.stringify(configuration));
      const second = await moved(first.text);
      expect(second.text).toBe(first.text);
      const drift = await post(second.key, "drift", `{"configuration":${first.text},"prune":true}`);
      expect(drift.body).toMatchObject({ create: [], update: [], delete: [] });
    }),
    { numRuns: RUNS },
  );
}, 600_000);

test("numbers keep their digits", async () => {
  const filter = '{"field":"data.total","op":"gt","value":12345678901234567890.10}';
  const endpoints = `[{"name":"a","url":"${URLS[0]}","events":["*"],"filter":${filter}}]`;
  const { key, text: shown } = await moved(`{"version":1,"endpoints":${endpoints}}`);
  expect(shown).toContain("12345678901234567890.10");
  const changed = `{"version":1,"endpoints":${endpoints.replace("890.10", "891.10")}}`;
  const drift = await post(key, "drift", `{"configuration":${changed}}`);
  expect(drift.text).toContain("12345678901234567891.10");
  expect(drift.body["update"]).toHaveLength(1);
});
