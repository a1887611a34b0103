import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { dropStage, endedEvent, freshEvent, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { macHex, macStandard } from "../../testing/signature.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "20ms" } });
  receiver = await startReceiver();
});
afterEach(() => receiver.status(200));
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Creates a rule with a webhook, and returns its secret and an event of its own. */
async function posting(then: readonly object[]): Promise<{ id: string; secret: string; on: string }> {
  const on = freshEvent();
  const made = await service.api("POST", "/v1/rules", { name: "Posting", on: [on], then });
  if (made.status !== 201) throw new Error(`no rule: ${made.text}`);
  return { id: made.body.id, secret: made.body.signing_secret, on };
}

function hook(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: "post_webhook", url: receiver.url, ...more };
}

/** Returns the requests of a delivery once it is in this state. */
async function sent(deliveryId: string, state: string): Promise<readonly Received[]> {
  await service.until(`/v1/deliveries/${deliveryId}`, (body) => body.state === state);
  return receiver.received.filter(({ headers }) => headers["x-service-delivery"] === deliveryId);
}

async function delivered(deliveryId = ""): Promise<Received> {
  const [one] = await sent(deliveryId, "delivered");
  if (one === undefined) throw new Error("nothing was received");
  return one;
}

test("post_webhook sends the event or its own body, signed with the rule's secret", async () => {
  const rule = await posting([
    hook({ headers: { Authorization: "Bearer x" }, body: { total: "${data.total}" } }),
    hook(),
  ]);
  const fired = await service.api("POST", "/v1/events/fire", `{"event":"${rule.on}","data":{"total":1.10}}`);
  const [run] = await runsOf(service, rule.id);
  expect(run).toMatchObject({ status: "ok", actions: [{ status: "done" }, { status: "done" }] });
  const [own, whole]: string[] = run.actions.map((action: Parsed) => action.delivery_id);
  const first = await delivered(own);
  expect(first.body).toContain('"data":{"total":1.10}');
  expect(first.headers).toMatchObject({ authorization: "Bearer x", "x-service-event": "rule.webhook" });
  expect(first.headers["x-service-signature"]).toBe(macHex(rule.secret, first.body));
  const second = await delivered(whole);
  const { "webhook-id": id, "webhook-timestamp": timestamp } = second.headers;
  expect(second.headers["webhook-signature"]).toBe(macStandard(rule.secret, { id, timestamp, body: second.body }));
  expect(second.body).toContain('"data":{"total":1.10}');
  expect(JSON.parse(second.body)).toMatchObject({ event: rule.on, id: fired.body.id });
  const event = await service.api("GET", `/v1/events/${fired.body.id}`);
  expect(event.body.deliveries).toMatchObject([{ id: whole, state: "delivered" }]);
});

test("a rule's webhook is retried, reported when it fails, and can be replayed", async () => {
  receiver.status(500);
  const rule = await posting([hook({ body: { n: 1 } })]);
  await service.fire(rule.on, {});
  const [run] = await runsOf(service, rule.id);
  const id: string = run.actions[0].delivery_id;
  expect(await sent(id, "failed")).toHaveLength(2);
  const news = await service.until("/v1/events?event=webhook.delivery.failed", (page) =>
    page.data.some((event: Parsed) => event.data.delivery_id === id),
  );
  expect(news.data).toHaveLength(1);
  receiver.status(200);
  expect((await service.api("POST", `/v1/deliveries/${id}/replay`)).status).toBe(202);
  expect(await sent(id, "delivered")).toHaveLength(3);
  // No workflow waits for the outcome.
  expect(await service.database.query("select 1 from delivery_outcome")).toEqual([]);
});

test("the delivery is created with the run in one transaction, once for all attempts", async () => {
  const rule = await posting([hook({ body: {} }), { type: "add_tag", tag: "x" }]);
  const breaking = "alter table rule_run add constraint broken check (status = 'running' or rule_id is null) not valid";
  await service.database.query(breaking);
  const fired = await service.fire(rule.on, {});
  await service.until(`/v1/events/${fired.id}`, (body) =>
    body.stages.some((stage: Parsed) => stage.kind === "rule" && stage.state === "waiting" && stage.error !== null),
  );
  expect((await service.api("GET", "/v1/deliveries?event=rule.webhook&state=pending")).body.data).toEqual([]);
  const before = receiver.received.length;
  await service.database.query("alter table rule_run drop constraint broken");
  const other = await startService({ on: service, env: SHORT_LADDER });
  await dropStage(service, fired.id);
  const [run] = await runsOf(service, rule.id);
  await sent(run.actions[0].delivery_id, "delivered");
  await endedEvent(service, fired.id);
  await dropStage(service, fired.id);
  await endedEvent(service, fired.id);
  expect(receiver.received.length - before).toBe(1);
  await other.close();
});

test("a webhook body that is not an object is refused", async () => {
  const refused = await service.api("POST", "/v1/rules", { name: "r", on: ["a.b"], then: [hook({ body: [1] })] });
  expect(refused.body.errors).toMatchObject([{ pointer: "/then/0/body", code: "type" }]);
});
