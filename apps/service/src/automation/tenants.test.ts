import { afterAll, beforeAll, expect, test } from "vitest";
import { freshEvent, ruleOn, runsOf } from "../testing/rules.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const fire = async (event: string, tenant?: string): Promise<Parsed> =>
  (await service.api("POST", "/v1/events/fire", { event, data: { n: 1 }, ...(tenant === undefined ? {} : { tenant }) }))
    .body;

async function eventsNamed(name: string, wanted: number): Promise<Parsed[]> {
  const { data } = await service.until(`/v1/events?event=${name}`, (body) => body["data"].length >= wanted);
  return (data as Parsed[]).toReversed();
}

test("a rule reads the tenant and fires its event for the same one", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  const then = [
    { type: "fire_event", event: out, data: { of: "${$.tenant}" } },
    { type: "notify", to: ["nobody@example.com"], message: "For ${tenant}" },
  ];
  const rule = await ruleOn(service, { on: [on], when: { field: "tenant", op: "ne", value: "other" }, then });
  const endpoint = async (tenant: string, events: string[]): Promise<string> =>
    (await service.api("POST", "/v1/webhook-endpoints", { url: "http://127.0.0.1:9/rules", events, tenant })).body[
      "id"
    ];
  const [a] = [await endpoint("a", [out, "notification.created"]), await endpoint("ab", [out])];
  await fire(on, "a");
  await fire(on, "other");
  await fire(on);
  expect((await runsOf(service, rule, 3)).map((run) => run.status).toSorted()).toEqual([
    "failed",
    "failed",
    "unmatched",
  ]);
  const [first, second] = await eventsNamed(out, 2);
  expect([first, second].map((one) => [one?.["tenant"], one?.["data"]])).toEqual([
    ["a", { of: "a" }],
    [null, { of: null }],
  ]);
  const shown = await service.api("GET", `/v1/events/${first?.["id"]}`);
  expect(shown.body["deliveries"].map((one: Parsed) => one["endpoint_id"])).toEqual([a]);
  // Notifications are for members, so that the tenant which they are about does not get them.
  const [notified] = await eventsNamed("notification.created", 2);
  expect([notified?.["tenant"], notified?.["data"]["message"]]).toEqual(["a", "For a"]);
  expect((await service.api("GET", `/v1/events/${notified?.["id"]}`)).body["deliveries"]).toEqual([]);
});

test("a workflow keeps the tenant of its trigger through branches and waits", async () => {
  const [on, awaited, out, inner] = [freshEvent(), freshEvent(), freshEvent(), freshEvent()];
  const steps = [
    {
      id: "both",
      type: "parallel",
      branches: [[{ id: "in", type: "fire_event", event: inner, data: { of: "${$.tenant}" } }]],
    },
    {
      id: "wait",
      type: "wait_event",
      event: awaited,
      match: { field: "tenant", op: "eq", value: "${$.tenant}" },
      timeout_seconds: 60,
    },
    { id: "out", type: "fire_event", event: out },
  ];
  const made = await service.api("POST", "/v1/workflows", {
    name: "Tenants",
    trigger: { event: on, when: { field: "tenant", op: "exists", value: true } },
    steps,
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  await fire(on, "a");
  const [branch] = await eventsNamed(inner, 1);
  expect([branch?.["tenant"], branch?.["data"]]).toEqual(["a", { of: "a" }]);
  await service.until(
    `/v1/workflows/${made.body["id"]}/runs`,
    (body) => body["data"][0]?.["step"] === "wait" && body["data"][0]?.["state"] !== "running",
  );
  await fire(awaited, "ab");
  await fire(awaited);
  await fire(awaited, "a");
  const fired = await eventsNamed(out, 1);
  expect(fired.map((one) => one["tenant"])).toEqual(["a"]);
});

test("tests of rules and workflows take a tenant", async () => {
  const on = freshEvent();
  const when = { field: "tenant", op: "eq", value: "a" };
  const rule = await ruleOn(service, { on: [on], when });
  const workflow = await service.api("POST", "/v1/workflows", {
    name: "Tried",
    trigger: { event: on, when },
    steps: [{ id: "one", type: "delay", seconds: 1 }],
  });
  for (const [tenant, is] of [
    ["a", true],
    ["ab", false],
  ] as const) {
    const event = { event: on, data: {}, tenant };
    const [ofRule, ofWorkflow] = [
      await service.api("POST", `/v1/rules/${rule}/test`, event),
      await service.api("POST", `/v1/workflows/${workflow.body["id"]}/test`, event),
    ];
    expect([ofRule.body["matched"], ofWorkflow.body["matches"]]).toEqual([is, is]);
  }
});

test("a tenant's deletion empties logs of rules and HTTP calls, and ends its runs", async () => {
  const [on, other] = [freshEvent(), freshEvent()];
  const url = "http://127.0.0.1:9/tenants/${$.tenant}";
  const when = { field: "data.n", op: "eq", value: 1 };
  const rule = await ruleOn(service, { on: [on], when, then: [{ type: "http", method: "POST", url, retries: 5 }] });
  const made = await service.api("POST", "/v1/workflows", {
    name: "Waits for a call",
    trigger: { event: on },
    steps: [
      { id: "ask", type: "http", method: "POST", url, retries: 5, on_failure: "after" },
      { id: "never", type: "fire_event", event: freshEvent() },
      { id: "after", type: "fire_event", event: other },
    ],
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  const [gone, stays] = [await fire(on, "gone"), await fire(on, "gone-2")];
  const calls = async (): Promise<string[]> =>
    (await service.api("GET", "/v1/http-calls?limit=100")).body["data"]
      .map((one: Parsed) => one["event_id"])
      .filter((id: string) => [gone["id"], stays["id"]].includes(id));
  await expect.poll(async () => (await calls()).length, { timeout: 30_000 }).toBe(4);
  await service.api("DELETE", "/v1/tenants/gone");
  await expect
    .poll(
      async () => {
        await service.database.query("update tenant_deletion set due_at = now() where phase = 'deliveries'");
        return (await service.api("GET", "/v1/tenants/gone")).body["deletion"]?.["state"];
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe("finished");
  expect(await calls()).toEqual([stays["id"], stays["id"]]);
  const runs = await runsOf(service, rule, 2);
  expect(runs.find((run) => run["event_id"] === gone["id"])).toMatchObject({ reason_code: "erased", actions: [] });
  expect(runs.find((run) => run["event_id"] === stays["id"])).toMatchObject({ reason_code: null });
  const { body } = await service.api("GET", `/v1/workflows/${made.body["id"]}/runs`);
  const states = body["data"].map((run: Parsed) => [run["event_id"], run["state"], run["error"]]);
  expect(states).toEqual([
    [stays["id"], "waiting", null],
    [gone["id"], "cancelled", "The tenant was deleted."],
  ]);
  expect((await service.api("GET", `/v1/events?event=${other}`)).body["data"]).toEqual([]);
});

test("a notification about a text with NUL is stored", async () => {
  const on = freshEvent();
  const rule = await ruleOn(service, { on: [on], then: [{ type: "notify", to: ["owner"], message: "${data.said}" }] });
  await service.api("POST", "/v1/events/fire", { event: on, data: { said: "a\0b\ud800" } });
  const [run] = await runsOf(service, rule);
  expect(run).toMatchObject({ status: "ok" });
});
