import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { MAX_DESCENDANTS } from "./limits.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const keep = { id: "keep", type: "set", values: {} };

async function runsOf(id: string, count: number): Promise<Parsed[]> {
  const page = await service.until(
    `/v1/workflows/${id}/runs`,
    ({ data }) => data.length === count && data.every(({ ended_at: ended }: Parsed) => ended !== null),
  );
  return page["data"].toReversed();
}

test("runs beyond a workflow's limit per minute are recorded and do nothing", async () => {
  const workflow = await makeWorkflow(service, [keep], { max_runs_per_minute: 2 });
  for (let at = 0; at < 4; at += 1) await service.fire(workflow.event, {});
  const runs = await runsOf(workflow.id, 4);
  expect(runs.map(({ state }) => state).toSorted()).toEqual(["completed", "completed", "limited", "limited"]);
  expect(runs.find(({ state }) => state === "limited")?.["error"]).toContain("at most 2 runs per minute");
  const limited = (await service.api("GET", `/v1/workflows/${workflow.id}/runs?state=limited`)).body["data"];
  expect(limited).toHaveLength(2);
  expect((await service.api("GET", "/metrics")).text).toContain(
    'junction_workflow_runs_limited_total{limit="workflow"} 2',
  );
});

test("the limit is 600 unless it is set, and changes without a new version", async () => {
  const workflow = await makeWorkflow(service, [keep]);
  const path = `/v1/workflows/${workflow.id}`;
  expect((await service.api("GET", path)).body["max_runs_per_minute"]).toBe(600);
  const changed = await service.api("PATCH", path, { max_runs_per_minute: 5 });
  expect(changed.body).toMatchObject({ max_runs_per_minute: 5, version: 1 });
  expect((await service.api("PATCH", path, { name: "Other" })).body["max_runs_per_minute"]).toBe(5);
  expect((await service.api("PATCH", path, { max_runs_per_minute: 0 })).status).toBe(422);
});

describe("what reactions cause in a workspace", () => {
  test("has a limit, over which loops fail and fired events start no run", async () => {
    const target = await makeWorkflow(service, [keep]);
    const told = { id: "tell", type: "fire_event", event: target.event, data: {} };
    const loop = { id: "loop", type: "for_each", in: "${$.data.lines}", steps: [told] };
    const source = await makeWorkflow(service, [loop]);
    const id = await source.fire({ lines: [1, 2] });
    await source.run(id, "completed");
    await runsOf(target.id, 2);
    const set = async (used: number): Promise<unknown> =>
      await service.database.query(
        "update rate_window set slots = array_fill($1::int, array[61]) where subject like 'workflow_descendants:%'",
        [used],
      );
    await set(MAX_DESCENDANTS);
    const failed = await source.run(await source.fire({ lines: [1, 2] }), "failed");
    expect(failed["error"]).toContain("rate_limited");
    const direct = await makeWorkflow(service, [told]);
    await direct.run(await direct.fire({}), "completed");
    expect((await runsOf(target.id, 3)).map(({ state }) => state)).toEqual(["completed", "completed", "limited"]);
    await set(0);
  });
});

test("the deletion of a workflow cancels its runs with their items", async () => {
  const delay = { id: "pause", type: "delay", seconds: 3600 };
  const loop = { id: "loop", type: "for_each", in: "${$.data.lines}", concurrency: 2, steps: [delay] };
  const waiting = await makeWorkflow(service, [
    { id: "wait", type: "wait_event", event: "never.comes", timeout_seconds: 3600 },
  ]);
  const looping = await makeWorkflow(service, [loop]);
  const ids = [await waiting.fire({}), await looping.fire({ lines: [1, 2, 3] })];
  const parent = await service.until(
    `/v1/workflows/runs/${ids[1]}`,
    ({ children }) => children.filter(({ step }: Parsed) => step === "pause").length >= 2,
  );
  for (const { id } of [waiting, looping])
    expect((await service.api("DELETE", `/v1/workflows/${id}`)).status).toBe(204);
  for (const id of [...ids, ...parent["children"].map((child: Parsed) => child.id)]) {
    const run = await service.until(`/v1/workflows/runs/${id}`, ({ state }) => state === "cancelled");
    expect(run["ended_at"]).not.toBeNull();
  }
  expect((await service.api("GET", `/v1/workflows/runs/${ids[0]}`)).body["error"]).toBe("The workflow was deleted.");
});
