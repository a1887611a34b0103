import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { macHex, macStandard, unsigned } from "../../testing/signature.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { startWithReceiver } from "../../testing/with-receiver.ts";

let service: TestService;
let receiver: Receiver;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, close } = await startWithReceiver({ ...SHORT_LADDER, JUNCTION_RETRY_LADDER: "20ms" }));
});
afterEach(() => receiver.status(200));
afterAll(async () => await close());

function hook(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: "hook", type: "webhook", url: receiver.url, ...more };
}

/** Returns the requests of one delivery. */
function received(deliveryId: string): readonly { readonly body: string }[] {
  return receiver.received.filter(({ headers }) => headers["x-service-delivery"] === deliveryId);
}

describe("a webhook step", () => {
  covers("workflow.step.webhook", "creates a signed, logged delivery with its body filled in", async () => {
    const body = { order: "${$.data.order.id}", total: "${$.data.total}", note: "for ${$.data.who}", fixed: 1.5 };
    const workflow = await makeWorkflow(service, [hook({ body, headers: { "X-Team": "ops" } })]);
    const text = '{"order":{"id":"ord_7"},"total":12345678901234567890.10,"who":"A \\"B\\""}';
    const fired = await service.api("POST", "/v1/events/fire", `{"event":"${workflow.event}","data":${text}}`);
    expect(fired.body.subscribers).toEqual([{ kind: "workflow", key: workflow.id, priority: 45 }]);
    const list = await service.until(
      `/v1/workflows/${workflow.id}/runs`,
      (page) => page.data[0]?.state === "completed",
    );
    const run = await workflow.run(list.data[0].id, "completed");
    const deliveryId = run.steps[0].output.delivery_id;
    expect(run.steps).toEqual([
      {
        id: "hook",
        type: "webhook",
        state: "completed",
        error: null,
        started_at: expect.any(String),
        ended_at: expect.any(String),
        output: { delivery_id: deliveryId, state: "delivered", status_code: 200 },
      },
    ]);
    const [request] = receiver.received.filter(({ headers }) => headers["x-service-delivery"] === deliveryId);
    const sent = request?.body ?? "";
    expect(sent).toContain(
      '"data":{"order":"ord_7","total":12345678901234567890.10,"note":"for A \\"B\\"","fixed":1.5}',
    );
    expect(request?.headers).toMatchObject({ "x-service-event": "workflow.webhook", "x-team": "ops" });
    expect(request?.headers["x-service-signature"]).toBe(macHex(workflow.secret, sent));
    const { id, timestamp } = {
      id: request?.headers["webhook-id"],
      timestamp: request?.headers["webhook-timestamp"],
    };
    expect(request?.headers["webhook-signature"]).toBe(macStandard(workflow.secret, { id, timestamp, body: sent }));
    expect(unsigned(sent).signature).toBe(`sha256=${macHex(workflow.secret, unsigned(sent).before)}`);
    expect((await service.api("GET", `/v1/deliveries/${deliveryId}`)).body).toMatchObject({
      state: "delivered",
      attempt_count: 1,
    });
    expect((await service.api("GET", `/v1/deliveries/${deliveryId}/attempts`)).body.data).toHaveLength(1);
  });

  test("without a body sends the trigger's data", async () => {
    const workflow = await makeWorkflow(service, [hook()]);
    const run = await workflow.run(await workflow.fire({ a: [1, { b: null }] }), "completed");
    const [request] = received(run.steps[0].output.delivery_id);
    expect(JSON.parse(request?.body ?? "").data).toEqual({ a: [1, { b: null }] });
  });

  test("has an endpoint that callers can neither list nor read, and no events reach", async () => {
    const workflow = await makeWorkflow(service, [hook()]);
    const run = await workflow.run(await workflow.fire(), "completed");
    const delivery = (await service.api("GET", `/v1/deliveries/${run.steps[0].output.delivery_id}`)).body;
    const path = `/v1/webhook-endpoints/${delivery.endpoint_id}`;
    const calls = [
      ["GET", path],
      ["GET", `${path}/secret`],
      ["GET", `${path}/stats`],
      ["POST", `${path}/toggle`],
      ["DELETE", path],
    ] as const;
    for (const [method, of] of calls) expect([method, (await service.api(method, of)).status]).toEqual([method, 404]);
    expect((await service.api("PATCH", path, { active: false })).status).toBe(404);
    expect((await service.api("GET", "/v1/webhook-endpoints?limit=100")).text).not.toContain(delivery.endpoint_id);
    expect((await service.fire("other.event")).deliveries).toEqual([]);
  });

  test("shares an endpoint with all runs that have the same URL and headers", async () => {
    const workflow = await makeWorkflow(service, [
      hook(),
      hook({ id: "again" }),
      hook({ id: "other", headers: { "X-A": "1" } }),
    ]);
    const runs = await Promise.all([workflow.fire(), workflow.fire()]);
    const ended = await Promise.all(runs.map(async (id) => await workflow.run(id, "completed")));
    const deliveries = await Promise.all(
      ended.flatMap((run) =>
        run.steps.map(
          async (step: Parsed) => (await service.api("GET", `/v1/deliveries/${step.output.delivery_id}`)).body,
        ),
      ),
    );
    expect(deliveries).toHaveLength(6);
    expect(new Set(deliveries.map((delivery: Parsed) => delivery.endpoint_id)).size).toBe(2);
  });

  covers("replay.manual.failed", "fails its run with its delivery; a successful replay resumes the run", async () => {
    receiver.status(500);
    const workflow = await makeWorkflow(service, [hook(), { id: "after", type: "fire_event", event: "after.hook" }]);
    const failed = await workflow.run(await workflow.fire(), "failed");
    expect(failed).toMatchObject({
      step: "hook",
      error: "Step hook failed: The delivery failed, with no further attempt.",
    });
    expect(stepStates(failed)).toEqual(["hook failed"]);
    const deliveryId = failed.steps[0].output.delivery_id;
    expect(received(deliveryId)).toHaveLength(2);
    // A replay that fails changes nothing.
    await service.api("POST", `/v1/deliveries/${deliveryId}/replay`);
    await service.until(
      `/v1/deliveries/${deliveryId}`,
      (delivery) => delivery.state === "failed" && delivery.attempt_count === 3,
    );
    expect((await service.api("GET", `/v1/workflows/runs/${failed.id}`)).body).toEqual(failed);
    receiver.status(200);
    await service.api("POST", `/v1/deliveries/${deliveryId}/replay`);
    const done = await workflow.run(failed.id, "completed");
    expect(stepStates(done)).toEqual(["hook completed", "after completed"]);
    expect(done.error).toBeNull();
    // A further replay of the delivery starts nothing again.
    await service.api("POST", `/v1/deliveries/${deliveryId}/replay`);
    await service.until(
      `/v1/deliveries/${deliveryId}`,
      (delivery) => delivery.state === "delivered" && delivery.attempt_count === 5,
    );
    const left = await service.database.query("select 1 from delivery_outcome where delivery_id = $1", [
      uuidOf(deliveryId),
    ]);
    expect((await service.api("GET", `/v1/workflows/runs/${failed.id}`)).body).toEqual(done);
    expect(left.length).toBeLessThanOrEqual(1);
  });

  test("continues at on_failure when its delivery fails, which fires the usual event", async () => {
    receiver.status(410);
    const workflow = await makeWorkflow(service, [
      hook({ next: null, on_failure: "rescue" }),
      { id: "rescue", type: "fire_event", event: "hook.rescued", data: { code: "${$.steps.hook.status_code}" } },
    ]);
    const run = await workflow.run(await workflow.fire(), "completed");
    expect(stepStates(run)).toEqual(["hook failed", "rescue completed"]);
    expect((await service.api("GET", `/v1/events/${run.steps[1].output.event_id}`)).body.data).toEqual({ code: 410 });
    const id: string = run.steps[0].output.delivery_id;
    const news = await service.until("/v1/events?event=webhook.delivery.failed", (page) =>
      page.data.some((event: Parsed) => event.data.delivery_id === id),
    );
    expect(news.data.filter((event: Parsed) => event.data.delivery_id === id)).toHaveLength(1);
    // A 410 disables a caller's own endpoint, but not this one.
    receiver.status(200);
    expect(stepStates(await workflow.run(await workflow.fire(), "completed"))).toEqual(["hook completed"]);
  });

  test("does not restart its own workflow with the events of its failed deliveries", async () => {
    const deaf = await startReceiver();
    deaf.status(500);
    const told = "loop.told";
    const endpoint = await service.endpoint(deaf.url, { events: [told] });
    const looping = await service.api("POST", "/v1/workflows", {
      name: "Looping",
      trigger: { event: "webhook.delivery.failed" },
      steps: [{ id: "tell", type: "fire_event", event: told }, hook({ url: `${deaf.url}/step`, on_failure: null })],
    });
    const rule = await service.api("POST", "/v1/rules", {
      name: "Looping",
      on: ["webhook.delivery.failed"],
      then: [
        { type: "post_webhook", url: `${deaf.url}/rule`, body: { was: "${data.event}" } },
        { type: "fire_event", event: told, data: {} },
      ],
    });
    const counted = async (of: string): Promise<number> =>
      (await service.api("GET", `/v1/events?event=${of}&limit=100`)).body.data.length;
    const before = await counted("webhook.delivery.failed");
    await service.fire(told);
    // The first failure starts the workflow and the rule. Each makes two deliveries, and their failures fire events that start nothing more.
    const wanted = before + 5;
    await expect.poll(async () => await counted("webhook.delivery.failed")).toBe(wanted);
    await service.until(`/v1/rules/${rule.body.id}/runs?limit=100`, (page) => page.data.length === 5);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([await counted("webhook.delivery.failed"), await counted(told)]).toEqual([wanted, 3]);
    const runs = (await service.api("GET", `/v1/workflows/${looping.body.id}/runs?limit=100`)).body.data;
    const ran = (await service.api("GET", `/v1/rules/${rule.body.id}/runs?limit=100`)).body.data;
    expect(runs.length).toBe(1);
    const again = Array.from({ length: 4 }, () => "once_per_chain");
    expect(ran.map((one: Parsed) => one.reason_code ?? one.status).toSorted()).toEqual(["ok", ...again]);
    await service.api("DELETE", `/v1/workflows/${looping.body.id}`);
    await service.api("DELETE", `/v1/rules/${rule.body.id}`);
    await service.api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`);
    await deaf.close();
  });

  test("fails when its delivery is cancelled", async () => {
    receiver.answer((response) => response.writeHead(503, { "Retry-After": "3600" }).end());
    const slow = await startService({ on: service, env: { JUNCTION_ROLES: "api" } });
    const workflow = await makeWorkflow(slow, [hook()]);
    const id = await workflow.fire();
    const [waiting] = (await service.until(`/v1/workflows/runs/${id}`, (run) => run.steps.length > 0)).steps;
    const cancelled = await slow.api("POST", `/v1/deliveries/${waiting.output.delivery_id}/cancel`);
    // The delivery may already have had both of its attempts.
    const run = await workflow.run(id, "failed");
    const why =
      cancelled.status === 200 ? "The delivery was cancelled." : "The delivery failed, with no further attempt.";
    expect(run.steps[0].error).toBe(why);
    await slow.close();
  });
});
