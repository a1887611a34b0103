import { afterAll, beforeAll, expect, test } from "vitest";
import { freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

/** Returns a prefix that no other test uses. */
function freshPrefix(): string {
  return freshEvent().replaceAll(".", "_");
}

test("endpoints, rules and workflows take the events of a prefix", async () => {
  const prefix = freshPrefix();
  const pattern = `${prefix}.*`;
  const endpoint = await service.endpoint(receiver.url, { events: [pattern] });
  const rule = await ruleOn(service, { on: [pattern] });
  const steps = [{ id: "wait", type: "delay", seconds: 1 }];
  const workflow = await service.api("POST", "/v1/workflows", { name: "Prefix", trigger: { event: pattern }, steps });
  expect(workflow.status).toBe(201);
  const takers = async (name: string): Promise<string[]> => {
    const fired = await service.fire(name);
    const ids = fired["deliveries"].map((one: Parsed) => one["endpoint_id"]);
    return [
      ...fired["subscribers"].map((one: Parsed) => one["kind"]),
      ...(ids.includes(endpoint.id) ? ["endpoint"] : []),
    ];
  };
  for (const name of [`${prefix}.a`, `${prefix}.a.b.c`])
    expect(new Set(await takers(name))).toEqual(new Set(["rule", "workflow", "webhook", "endpoint"]));
  for (const name of [prefix, `${prefix}x.a`, `x.${prefix}.a`]) expect(await takers(name)).toEqual([]);
  const runs = await service.until(`/v1/workflows/${workflow.body.id}/runs`, ({ data }) => data.length === 2);
  expect(runs["data"].map((run: Parsed) => run["event"]).toSorted()).toEqual([`${prefix}.a`, `${prefix}.a.b.c`]);
  expect((await runsOf(service, rule)).length).toBe(2);
});

test("several patterns that select one event make one delivery and one run", async () => {
  const prefix = freshPrefix();
  const events = [`${prefix}.*`, `${prefix}.a.*`, `${prefix}.a.b`, "*"];
  const endpoint = await service.endpoint(receiver.url, { events });
  const rule = await ruleOn(service, { on: events });
  const fired = await service.fire(`${prefix}.a.b`);
  expect(fired["deliveries"].map((one: Parsed) => one["endpoint_id"])).toEqual([endpoint.id]);
  const runs = await runsOf(service, rule);
  expect(runs.filter((run) => run["event_id"] === fired["id"])).toHaveLength(1);
  await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
  await service.api("DELETE", `/v1/rules/${rule}`);
});

test("a prefix that is written out takes system events, and `*` does not", async () => {
  const failing = await startReceiver();
  failing.status(410);
  const event = freshEvent();
  const named = await service.endpoint(receiver.url, { events: ["webhook.*"] });
  const star = await service.endpoint(receiver.url, { events: ["*"] });
  const before = receiver.received.length;
  await service.endpoint(failing.url, { events: [event] });
  await service.fire(event);
  await service.until(`/v1/deliveries?endpoint_id=${named.id}`, ({ data }) => data.length > 0);
  const log = await service.api("GET", `/v1/deliveries?endpoint_id=${named.id}`);
  for (const one of log.body.data) expect(one.event).toMatch(/^webhook\./);
  const all = await service.api("GET", `/v1/deliveries?endpoint_id=${star.id}`);
  const names = all.body.data.map((one: Parsed) => one["event"]);
  expect(names).toContain(event);
  expect(names.filter((name: string) => name.startsWith("webhook."))).toEqual([]);
  expect(receiver.received.length).toBeGreaterThan(before);
  await failing.close();
});

test.each(["*.x", "a.*.b", ".", "order.", "a*"])("the pattern %j is refused on every surface", async (pattern) => {
  const fault = { code: "event_name", message: expect.stringContaining("order.*") };
  const refusals = [
    await service.api("POST", "/v1/webhook-endpoints", { url: receiver.url, events: [pattern] }),
    await service.api("POST", "/v1/rules", {
      name: "R",
      on: [pattern],
      when: { all: [] },
      then: [{ type: "add_tag", tag: "x" }],
    }),
    await service.api("POST", "/v1/workflows", {
      name: "W",
      trigger: { event: pattern },
      steps: [{ id: "a", type: "delay", seconds: 1 }],
    }),
    await service.api("PATCH", "/v1/assistant", { events: [pattern] }),
  ];
  for (const { status, body } of refusals) {
    expect(status).toBe(422);
    expect(body.errors).toEqual([expect.objectContaining(fault)]);
  }
});
