import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Subscriber } from "../../events/events.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const GOOD = `00-${TRACE}-${SPAN}-01`;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status: { code?: number };
}

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => receiver.status(200));
afterAll(async () => await receiver.close());

const body = { event: "order.created", data: { order: { id: "ord_1" } } };

describe("without an exporter", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    await service.endpoint(receiver.url);
  });
  afterAll(async () => await service.close());

  test("a caller's traceparent reaches the receiver unchanged on every attempt", async () => {
    const before = receiver.received.length;
    const fired = await service.api("POST", "/v1/events/fire", body, { headers: { traceparent: GOOD } });
    const got = (await receiver.count(before + 1)).at(-1);
    expect(got?.headers["traceparent"]).toBe(GOOD);
    const path = `/v1/deliveries/${fired.body["deliveries"][0].id}`;
    const seen = await service.until(path, ({ state }) => state === "delivered");
    expect(seen["request"].headers.traceparent).toBe(GOOD);
    await service.api("POST", `${path}/replay`);
    expect((await receiver.count(before + 2)).at(-1)?.headers["traceparent"]).toBe(GOOD);
  });

  test.each([
    ["none", undefined],
    ["another standard's", "1-5759e988-bd862e3fe1be46a994272793"],
    ["of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["of a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["of the version that is none", `ff-${TRACE}-${SPAN}-01`],
    ["in capitals", GOOD.toUpperCase()],
    ["with more than its version has", `${GOOD}-more`],
    ["with a line of its own", `${GOOD} x-injected`],
  ])("a traceparent that is %s is left out, and the event is accepted", async (_what, traceparent) => {
    const before = receiver.received.length;
    const headers = traceparent === undefined ? {} : { traceparent };
    expect((await service.api("POST", "/v1/events/fire", body, { headers })).status).toBe(202);
    expect((await receiver.count(before + 1)).at(-1)?.headers["traceparent"]).toBeUndefined();
  });

  test("a later version's traceparent is read as the first version", async () => {
    const before = receiver.received.length;
    await service.api("POST", "/v1/events/fire", body, { headers: { traceparent: `cc-${TRACE}-${SPAN}-03-more` } });
    expect((await receiver.count(before + 1)).at(-1)?.headers["traceparent"]).toBe(GOOD);
  });

  test("an endpoint's own headers cannot contain traceparent", async () => {
    const url = `${receiver.url}/own`;
    const headers = { Traceparent: GOOD };
    const refused = await service.api("POST", "/v1/webhook-endpoints", { url, events: ["*"], headers });
    expect([refused.status, refused.body["errors"][0].code]).toEqual([422, "header_reserved"]);
  });
});

describe("with a collector", () => {
  let reacting = async (): Promise<void> => await Promise.resolve();
  const mirror: Subscriber = {
    kind: "mirror",
    takes: (key) => key === "crm",
    match: ({ name }) => (name === "test.reacted" ? [{ kind: "mirror", key: "crm", priority: 20 }] : []),
    react: async () => await reacting(),
  };
  let service: TestService;
  let collector: Receiver;
  beforeAll(async () => {
    collector = await startReceiver();
    collector.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"));
    const endpoint = new URL(collector.url).origin;
    service = await startService({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, JUNCTION_RETRY_LADDER: "50ms,1h" },
      provides: { subscribers: [mirror] },
    });
    await service.endpoint(receiver.url);
  });
  afterAll(async () => {
    await service.close();
    await collector.close();
  });

  /** Returns all exported spans of one trace, once there are as many as wanted. */
  async function spansOf(traceId: string, wanted: number): Promise<Span[]> {
    const all = (): Span[] =>
      collector.received
        .filter(({ path }) => path === "/v1/traces")
        .flatMap((one) => JSON.parse(one.body).resourceSpans)
        .flatMap((resource) => resource.scopeSpans)
        .flatMap((scope) => scope.spans)
        .filter((span) => span.traceId === traceId);
    await expect.poll(() => all().length).toBe(wanted);
    return all();
  }

  test("a trace goes from the caller's span to each attempt and its receiver", async () => {
    const before = receiver.received.length;
    receiver.answer((response, { headers }) => {
      const isFirst = receiver.received.filter((one) => one.headers["webhook-id"] === headers["webhook-id"]).length < 2;
      response.writeHead(isFirst ? 503 : 200).end();
    });
    const fired = await service.api("POST", "/v1/events/fire", body, { headers: { traceparent: GOOD } });
    const attempts = (await receiver.count(before + 2)).slice(before);
    const spans = (await spansOf(TRACE, 3)).toSorted(
      (a, b) => Number(a.startTimeUnixNano) - Number(b.startTimeUnixNano),
    );
    const [sent = "", ...made] = spans.map((span) => span.spanId);
    expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ["send order.created", SPAN],
      ["deliver order.created", sent],
      ["deliver order.created", sent],
    ]);
    expect(attempts.map((one) => one.headers["traceparent"])).toEqual(made.map((id) => `00-${TRACE}-${id}-01`));
    expect(spans.map(({ status }) => status.code === 2)).toEqual([false, true, false]);
    expect(spans[1]?.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: 503 } });
    const id = { key: "messaging.message.id", value: { stringValue: fired.body["id"] } };
    expect(spans[0]?.attributes).toContainEqual(id);
    expect(spans.filter((span) => BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))).toEqual([]);
  });

  test("an event without a trace begins one, and unsampled traces are not exported", async () => {
    const before = receiver.received.length;
    await service.fire();
    const begun = String((await receiver.count(before + 1)).at(-1)?.headers["traceparent"]).split("-");
    const [send] = await spansOf(String(begun[1]), 2);
    expect(send?.parentSpanId ?? "").toBe("");
    await service.api("POST", "/v1/events/fire", body, { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } });
    const quiet = String((await receiver.count(before + 2)).at(-1)?.headers["traceparent"]);
    expect(quiet).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    await service.fire();
    const after = String((await receiver.count(before + 3)).at(-1)?.headers["traceparent"]).split("-");
    await spansOf(String(after[1]), 2);
    await spansOf(TRACE, 3);
  });

  test("reactions, their retries and the release of deliveries are in the event's trace", async () => {
    let isAway = true;
    reacting = async () => {
      if (isAway) throw new Error("canary of an error");
      await Promise.resolve();
    };
    const before = receiver.received.length;
    const headers = { traceparent: `00-${"5".repeat(32)}-${SPAN}-01` };
    const fired = await service.api("POST", "/v1/events/fire", { event: "test.reacted", data: {} }, { headers });
    await receiver.count(before + 1);
    isAway = false;
    await service.database.query("update dispatch_stage set due_at = now() where state = 'waiting'");
    const spans = await spansOf("5".repeat(32), 5);
    const [sent] = spans.filter(({ name }) => name === "send test.reacted");
    const stages = spans.filter(({ name }) => /^(?:mirror|webhook) test\.reacted$/.test(name));
    expect(stages.map(({ parentSpanId }) => parentSpanId)).toEqual([sent?.spanId, sent?.spanId, sent?.spanId]);
    const tries = stages.map(({ name, status, attributes }) => [
      name.split(" ")[0],
      attributes.find(({ key }) => key === "junction.stage.try")?.value["intValue"],
      status.code === 2,
    ]);
    expect(tries.toSorted()).toEqual([
      ["mirror", 1, true],
      ["mirror", 2, false],
      ["webhook", 1, false],
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
    const id = { key: "messaging.message.id", value: { stringValue: fired.body["id"] } };
    for (const { attributes } of stages) expect(attributes).toContainEqual(id);
  });

  test("a trace contains no data, address or secret", async () => {
    await service.fire("order.paid", { email: "canary@example.com" });
    await expect.poll(() => collector.received.some((one) => one.body.includes("order.paid"))).toBe(true);
    const told = collector.received.map((one) => one.body).join("\n");
    expect(told).not.toContain("canary");
    expect(told).not.toContain(receiver.url);
    expect(told).not.toContain("whsec_");
  });

  test("a collector that fails does not delay deliveries", async () => {
    collector.status(503);
    const before = receiver.received.length;
    await service.fire();
    await receiver.count(before + 1);
  });
});
