import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER } from "../../testing/subscription.ts";
import { endDelays, makeWorkflow, stepStates } from "../../testing/workflows.ts";
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

describe("steps", () => {
  test("a condition chooses a branch by exact numbers, and its branches meet again", async () => {
    const workflow = await makeWorkflow(service, [
      {
        id: "big",
        type: "condition",
        when: {
          all: [
            { field: "data.total", op: "gt", value: 100 },
            { not: [{ field: "$.data.vip", op: "eq", value: false }] },
          ],
        },
        then: "large",
        else: "small",
      },
      { id: "large", type: "fire_event", event: "order.large", next: "end" },
      { id: "small", type: "fire_event", event: "order.small" },
      { id: "end", type: "fire_event", event: "order.seen", data: { was: "${$.steps.big.result}" } },
    ]);
    const large = await workflow.run(await workflow.fire({ total: 101, vip: true }), "completed");
    expect(stepStates(large)).toEqual(["big completed", "large completed", "end completed"]);
    expect((await service.api("GET", `/v1/events/${large.steps[2].output.event_id}`)).body.data).toEqual({ was: true });
    const small = await workflow.run(await workflow.fire({ total: 100, vip: true }), "completed");
    expect(stepStates(small)).toEqual(["big completed", "small completed", "end completed"]);
  });

  test("a delay continues after the process that began it has stopped", async () => {
    const first = await startService({ on: service });
    const workflow = await makeWorkflow(first, [{ id: "pause", type: "delay", seconds: 86_400 }, hook()]);
    const id = await workflow.fire();
    const waiting = await workflow.run(id, "waiting");
    expect(stepStates(waiting)).toEqual(["pause waiting"]);
    expect(Date.parse(waiting.continues_at) - Date.now()).toBeGreaterThan(86_000_000);
    await first.close();
    const leased = "update workflow_run set lease_id = $1 where id = $1";
    await service.database.query(leased, [uuidOf(id)]);
    // The time of a run that a worker has claimed is the end of its lease.
    expect((await service.api("GET", `/v1/workflows/runs/${id}`)).body).toMatchObject({ continues_at: null });
    await endDelays(service);
    const run = await service.until(`/v1/workflows/runs/${id}`, (body) => body.state === "completed");
    expect(stepStates(run)).toEqual(["pause completed", "hook completed"]);
  });

  test("a step fails when the workflow's author has lost the permission for it", async () => {
    const author = await mintKey(service, { role: "developer" });
    const definition = {
      name: "Orphan",
      trigger: { event: "orphan.begun" },
      steps: [
        { id: "pause", type: "delay", seconds: 86_400 },
        { id: "tell", type: "fire_event", event: "orphan.told" },
      ],
    };
    const made = await service.api("POST", "/v1/workflows", definition, { key: author.key });
    await service.fire("orphan.begun");
    const path = `/v1/workflows/${made.body.id}/runs`;
    const waiting = await service.until(path, (body) => body.data[0]?.state === "waiting");
    await service.api("POST", `/v1/keys/${author.id}/revoke`);
    await endDelays(service);
    const run = await service.until(`/v1/workflows/runs/${waiting.data[0].id}`, (body) => body.state === "failed");
    expect([stepStates(run), run.error]).toEqual([
      ["pause completed", "tell failed"],
      expect.stringContaining("key_revoked"),
    ]);
    expect((await service.api("GET", "/v1/events?event=orphan.told")).body.data).toEqual([]);
  });

  test("an event that a run led to does not start its workflow again", async () => {
    const back = await makeWorkflow(service, [{ id: "on", type: "fire_event", event: "loop.there" }]);
    const there = await service.api("POST", "/v1/workflows", {
      name: "There",
      trigger: { event: "loop.there" },
      steps: [{ id: "back", type: "fire_event", event: back.event }],
    });
    const run = await back.run(await back.fire(), "completed");
    const fired = await service.until(
      `/v1/workflows/${there.body.id}/runs`,
      (page) => page.data[0]?.state === "completed",
    );
    const second = (await service.api("GET", `/v1/workflows/runs/${fired.data[0].id}`)).body.steps[0].output.event_id;
    await service.until(`/v1/events/${second}`, (event) =>
      event.stages.every((stage: Parsed) => stage.state === "done"),
    );
    expect((await service.api("GET", `/v1/workflows/${back.id}/runs`)).body.data.map((one: Parsed) => one.id)).toEqual([
      run.id,
    ]);
  });

  test("an event that no workflow accepts has no stage", async () => {
    const workflow = await makeWorkflow(service, [hook()], { when: { field: "data.vip", op: "exists" } });
    expect((await service.fire(workflow.event, { vip: null })).subscribers).toHaveLength(1);
    expect((await service.fire(workflow.event, {})).subscribers).toEqual([]);
    expect((await service.fire(`${workflow.event}.other`, { vip: 1 })).subscribers).toEqual([]);
    await service.api("PATCH", `/v1/workflows/${workflow.id}`, { enabled: false });
    expect((await service.fire(workflow.event, { vip: 1 })).subscribers).toEqual([]);
    await service.api("PATCH", `/v1/workflows/${workflow.id}`, { enabled: true });
    expect((await service.fire(workflow.event, { vip: 1 })).subscribers).toHaveLength(1);
    await service.api("DELETE", `/v1/workflows/${workflow.id}`);
    expect((await service.fire(workflow.event, { vip: 1 })).subscribers).toEqual([]);
  });
});

describe("a run", () => {
  test("keeps its version, and the next run has the new one", async () => {
    const workflow = await makeWorkflow(service, [
      { id: "pause", type: "delay", seconds: 3600 },
      { id: "old", type: "fire_event", event: "version.old" },
    ]);
    const id = await workflow.fire();
    await workflow.run(id, "waiting");
    const steps = [{ id: "new", type: "fire_event", event: "version.new" }];
    const changed = await service.api("PATCH", `/v1/workflows/${workflow.id}`, { steps });
    expect(changed.body).toMatchObject({ version: 2, steps });
    const renamed = await service.api("PATCH", `/v1/workflows/${workflow.id}`, { name: "Renamed", steps });
    expect(renamed.body).toMatchObject({ version: 2, name: "Renamed" });
    const next = await workflow.run(await workflow.fire(), "completed");
    expect([next.workflow_version, stepStates(next)]).toEqual([2, ["new completed"]]);
    await endDelays(service);
    const first = await service.until(`/v1/workflows/runs/${id}`, (run) => run.state === "completed");
    expect([first.workflow_version, stepStates(first)]).toEqual([1, ["pause completed", "old completed"]]);
  });

  test("is started once by an event, regardless of its stage's attempts", async () => {
    const workflow = await makeWorkflow(service, [hook()]);
    const id = await workflow.fire();
    await workflow.run(id, "completed");
    const again =
      "update dispatch_stage set state = 'waiting', due_at = now(), lease_id = null where kind = 'workflow' and key = $1";
    await service.database.query(again, [workflow.id]);
    const done =
      "select 1 from dispatch_stage where kind = 'workflow' and key = $1 and state = 'done' and attempts = 2";
    await expect.poll(async () => await service.database.query(done, [workflow.id])).toHaveLength(1);
    expect((await service.api("GET", `/v1/workflows/${workflow.id}/runs`)).body.data).toHaveLength(1);
  });

  test("runs each of its steps once with two nodes", async () => {
    const other = await startService({ on: service });
    const workflow = await makeWorkflow(service, [
      { id: "one", type: "fire_event", event: "nodes.one" },
      hook({ id: "two" }),
      { id: "three", type: "fire_event", event: "nodes.three" },
    ]);
    const before = receiver.received.length;
    const fires = Array.from(
      { length: 30 },
      async (_one, at) => await (at % 2 === 0 ? service : other).fire(workflow.event),
    );
    await Promise.all(fires);
    await service.until(
      `/v1/workflows/${workflow.id}/runs?state=completed&limit=100`,
      (page) => page.data.length === 30,
    );
    expect(receiver.received.length - before).toBe(30);
    for (const name of ["nodes.one", "nodes.three"]) {
      expect((await service.api("GET", `/v1/events?event=${name}&limit=100`)).body.data).toHaveLength(30);
    }
    await other.close();
  });

  test("ends as cancelled once when it is cancelled during its delivery", async () => {
    const workflow = await makeWorkflow(service, [hook(), { id: "after", type: "fire_event", event: "cancel.after" }]);
    const ids = await Promise.all(Array.from({ length: 10 }, async () => await workflow.fire()));
    const answers = await Promise.all(
      ids.map(async (id) =>
        (await Promise.all([1, 2].map(async () => await service.api("POST", `/v1/workflows/runs/${id}/cancel`)))).map(
          ({ status }) => status,
        ),
      ),
    );
    for (const statuses of answers) expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    const runs = await Promise.all(
      ids.map(
        async (id) =>
          await service.until(`/v1/workflows/runs/${id}`, (run) => ["completed", "cancelled"].includes(run.state)),
      ),
    );
    const wanted = answers.map((statuses) => (statuses.includes(200) ? "cancelled" : "completed"));
    expect(runs.map((run) => run.state)).toEqual(wanted);
    const after = (await service.api("GET", "/v1/events?event=cancel.after&limit=100")).body.data;
    const reached = runs.filter((run) => stepStates(run).includes("after completed"));
    expect(after).toHaveLength(reached.length);
  });

  test("sends nothing more after it is cancelled during a delay", async () => {
    const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }, hook()]);
    const id = await workflow.fire();
    await workflow.run(id, "waiting");
    const cancelled = await service.api("POST", `/v1/workflows/runs/${id}/cancel`);
    expect(cancelled.body).toMatchObject({ state: "cancelled", step: "pause" });
    expect(stepStates(cancelled.body)).toEqual(["pause cancelled"]);
    await endDelays(service);
    const again = await service.api("POST", `/v1/workflows/runs/${id}/cancel`);
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  });

  test("retries a failing step, and fails after the sixth attempt", async () => {
    const workflow = await makeWorkflow(service, [{ id: "pause", type: "delay", seconds: 3600 }]);
    const id = await workflow.fire();
    await workflow.run(id, "waiting");
    // A definition that cannot be parsed is an example of an exception.
    await service.database.query("update workflow_version set steps = '[' where workflow_id = $1", [
      uuidOf(workflow.id),
    ]);
    await service.database.query("update workflow_run set attempts = 4, due_at = now() where id = $1", [uuidOf(id)]);
    await expect
      .poll(async () => await service.database.query("select attempts from workflow_run where id = $1", [uuidOf(id)]))
      .toEqual([{ attempts: 5 }]);
    await service.database.query("update workflow_run set due_at = now() where id = $1", [uuidOf(id)]);
    const run = await workflow.run(id, "failed");
    expect(run.error).toBe("Step pause failed after 6 attempts.");
  });
});

describe("the sandbox", () => {
  const fireIn = async (key: string, event: string): Promise<Parsed> =>
    (await service.api("POST", "/v1/events/fire", { event, data: {} }, { key })).body;

  covers(
    "sandbox.data.apart",
    "runs of one environment are hidden in the other, and definitions are shared",
    async () => {
      const workflow = await makeWorkflow(service, [hook()]);
      const id = await workflow.fire();
      const key = service.sandboxKey;
      expect((await service.api("GET", `/v1/workflows/${workflow.id}`, undefined, { key })).status).toBe(200);
      expect((await service.api("GET", `/v1/workflows/${workflow.id}/runs`, undefined, { key })).body.data).toEqual([]);
      const foreign = await service.api("GET", `/v1/workflows/runs/${id}`, undefined, { key });
      expect([foreign.status, foreign.body.code]).toEqual([403, "environment_mismatch"]);
    },
  );

  test("runs there send nothing for live authors, and send for sandbox authors", async () => {
    const key = service.sandboxKey;
    const runsIn = async (of: string): Promise<Parsed> => {
      for (;;) {
        const { body } = await service.api("GET", `/v1/workflows/${of}/runs?state=completed`, undefined, { key });
        if (body.data.length > 0)
          return (await service.api("GET", `/v1/workflows/runs/${body.data[0].id}`, undefined, { key })).body;
      }
    };
    const live = await makeWorkflow(service, [hook()]);
    await fireIn(key, live.event);
    expect((await runsIn(live.id)).steps[0].output).toEqual({ delivery_id: null, simulated: true });
    const body = { name: "Tried", trigger: { event: "sandbox.only" }, steps: [hook()] };
    const own = (await service.api("POST", "/v1/workflows", body, { key })).body;
    expect(own.author_environment).toBe("sandbox");
    expect((await fireIn(service.key, "sandbox.only")).subscribers).toEqual([]);
    await fireIn(key, "sandbox.only");
    expect((await runsIn(own.id)).steps[0].output).toMatchObject({ state: "delivered" });
    const taken = await service.api("PATCH", `/v1/workflows/${own.id}`, { steps: own.steps });
    expect([taken.status, taken.body.code]).toEqual([403, "environment_mismatch"]);
    for (const [method, input] of [
      ["PATCH", { enabled: false }],
      ["DELETE", undefined],
    ] as const) {
      const refused = await service.api(method, `/v1/workflows/${live.id}`, input, { key });
      expect([refused.status, refused.body.code]).toEqual([403, "environment_mismatch"]);
    }
  });
});
