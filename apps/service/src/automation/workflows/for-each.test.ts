import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow, stepStates } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const tell = { id: "tell", type: "fire_event", event: "loop.told", data: { sku: "${item.sku}", at: "${index}" } };
const loop = { id: "loop", type: "for_each", in: "${$.data.lines}", steps: [tell] };

async function ended(steps: readonly object[], data: unknown, state: string): Promise<Parsed> {
  const workflow = await makeWorkflow(service, steps);
  return await workflow.run(await workflow.fire(data), state);
}

async function childOf(run: Parsed, index: number): Promise<Parsed> {
  return (await service.api("GET", `/v1/workflows/runs/${run.children[index].id}`)).body;
}

describe("a loop", () => {
  test("runs its steps for each item, in order, and outputs what each did", async () => {
    const steps = [
      { id: "keep", type: "set", values: { vat: 19 } },
      {
        ...loop,
        steps: [
          { id: "mine", type: "set", values: { sku: "${item.sku}", vat: "${steps.keep.vat}", at: "${index}" } },
          { ...tell, data: { sku: "${steps.mine.sku}" } },
        ],
      },
      { id: "after", type: "set", values: { first: "${steps.loop.items[0].mine.sku}", n: "${steps.loop.count}" } },
    ];
    const run = await ended(steps, { lines: [{ sku: "a" }, { sku: "b" }, { sku: "c" }] }, "completed");
    expect(stepStates(run)).toEqual(["keep completed", "loop completed", "after completed"]);
    const [, { output }, after] = run.steps;
    expect(output).toMatchObject({ count: 3, completed: 3, failed: 0, failures: [] });
    expect(output.items.map(({ mine }: Parsed) => mine)).toEqual([
      { sku: "a", vat: 19, at: 0 },
      { sku: "b", vat: 19, at: 1 },
      { sku: "c", vat: 19, at: 2 },
    ]);
    expect(after.output).toEqual({ first: "a", n: 3 });
    const second = await childOf(run, 1);
    expect(second).toMatchObject({
      state: "completed",
      parent: { run_id: run.id, index: 1 },
      item: { value: { sku: "b" } },
      children: [],
    });
    expect(stepStates(second)).toEqual(["mine completed", "tell completed"]);
    const told = await service.database.query<{ data: string }>(
      "select data from event where name = 'loop.told' order by id",
    );
    expect(told.map(({ data }) => JSON.parse(data))).toEqual([{ sku: "a" }, { sku: "b" }, { sku: "c" }]);
  });

  test("keeps all digits of an item", async () => {
    const steps = [{ ...loop, steps: [{ id: "mine", type: "set", values: { n: "${item}" } }] }];
    const workflow = await makeWorkflow(service, steps);
    const body = `{"event":"${workflow.event}","data":{"lines":[12345678901234567890.10]}}`;
    await service.api("POST", "/v1/events/fire", body);
    const list = await service.until(
      `/v1/workflows/${workflow.id}/runs?state=completed`,
      ({ data }) => data.length === 1,
    );
    const { text } = await service.api("GET", `/v1/workflows/runs/${list.data[0].id}`);
    expect(text).toContain('"items":[{"mine":{"n":12345678901234567890.10}}]');
  });

  test("of 1 000 items runs each of them once", async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => ({ sku: `s${at}` }));
    const workflow = await makeWorkflow(service, [
      { ...loop, steps: [{ ...tell, event: "loop.many" }], concurrency: 10 },
    ]);
    const id = await workflow.fire({ lines });
    const path = `/v1/workflows/${workflow.id}/runs`;
    const other = await makeWorkflow(service, [{ id: "end", type: "set", values: {} }]);
    await other.run(await other.fire(), "completed");
    expect((await service.api("GET", `/v1/workflows/runs/${id}`)).body.state).toBe("waiting");
    await expect
      .poll(async () => (await service.api("GET", `/v1/workflows/runs/${id}`)).body.state, {
        timeout: 240_000,
        interval: 500,
      })
      .toBe("completed");
    const { body } = await service.api("GET", `/v1/workflows/runs/${id}`);
    expect(body.steps[0].output).toMatchObject({ count: 1000, completed: 1000, failed: 0 });
    expect(body.steps[0].output.items).toHaveLength(1000);
    expect(body.children).toHaveLength(100);
    expect((await service.api("GET", path)).body.data.map((run: Parsed) => run.id)).toEqual([id]);
    const indexes: number[] = [];
    for (let cursor = ""; ;) {
      const page = (await service.api("GET", `${path}?parent_run_id=${id}&limit=100${cursor}`)).body;
      indexes.push(...page.data.map((run: Parsed) => run.parent.index));
      if (!page.has_more) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(indexes).toEqual(lines.map((_line, at) => at));
    const [told] = await service.database.query<{ n: number; skus: number }>(
      "select count(*)::int as n, count(distinct data::jsonb ->> 'sku')::int as skus from event where name = 'loop.many'",
    );
    expect(told).toEqual({ n: 1000, skus: 1000 });
  });

  test.each([
    [{ lines: Array.from({ length: 1001 }, () => 1) }, "The list has 1001 items; at most 1000 are allowed."],
    [{}, "The list is missing: $.data.lines has no value."],
    [{ lines: null }, "The value of $.data.lines must be a list; it is null."],
    [{ lines: { 0: "a" } }, "The value of $.data.lines must be a list; it is an object."],
    [{ lines: "a,b" }, "The value of $.data.lines must be a list; it is a text."],
  ])("fails clearly for an unusable list: %#", async (data, error) => {
    const run = await ended([loop], data, "failed");
    expect(run).toMatchObject({ error: `Step loop failed: ${error}`, children: [] });
  });

  test("continues at on_failure after an unusable list", async () => {
    const steps = [
      { ...loop, on_failure: "sorry", next: null },
      { id: "sorry", type: "set", values: { said: true } },
    ];
    expect(stepStates(await ended(steps, {}, "completed"))).toEqual(["loop failed", "sorry completed"]);
  });

  test("of no items is completed at once", async () => {
    const run = await ended([loop], { lines: [] }, "completed");
    expect(run.steps[0].output).toEqual({ items: [], count: 0, completed: 0, failed: 0, failures: [] });
  });

  test("without collect outputs counts only", async () => {
    const run = await ended([{ ...loop, collect: false }], { lines: [{ sku: "a" }] }, "completed");
    expect(run.steps[0].output).toEqual({ count: 1, completed: 1, failed: 0, failures: [] });
  });

  test("with outputs of more than 256 KiB fails, and says what to do", async () => {
    const big = { id: "big", type: "set", values: { a: "${$.data.text}", b: "${$.data.text}" } };
    const run = await ended([{ ...loop, steps: [big] }], { text: "x".repeat(60_000), lines: [1, 2, 3] }, "failed");
    expect(run.error).toContain("more than 262144 bytes together. Set collect to false");
    expect(run.steps[0].output).toMatchObject({ count: 3, completed: 3 });
  });

  test("takes a list in its definition, with templates", async () => {
    const steps = [
      { ...loop, in: ["${$.data.a}", "b"], steps: [{ id: "mine", type: "set", values: { v: "${item}" } }] },
    ];
    const run = await ended(steps, { a: 1 }, "completed");
    expect(run.steps[0].output.items).toEqual([{ mine: { v: 1 } }, { mine: { v: "b" } }]);
  });
});

/** Fails for the items without a name, because a wait needs it. */
const picky = {
  ...loop,
  steps: [
    { id: "check", type: "condition", when: { field: "item.ok", op: "eq", value: true }, then: null, else: "bad" },
    {
      id: "bad",
      type: "wait_event",
      event: "loop.never",
      timeout_seconds: 60,
      match: { field: "data.x", op: "eq", value: "${item.none}" },
    },
  ],
};
const lines = [{ ok: true }, { ok: false }, { ok: true }, { ok: false }];
const reason = "Step bad failed: The match needs a value for $.item.none.";

describe("a failed item", () => {
  test("fails the loop after all items have ended", async () => {
    const run = await ended([picky], { lines }, "failed");
    expect(run.error).toBe(`Step loop failed: Item 1 failed: ${reason} 1 other items failed too.`);
    expect(run.children.map((child: Parsed) => child.state)).toEqual(["completed", "failed", "completed", "failed"]);
    expect(run.steps[0].output).toMatchObject({ count: 4, completed: 2, failed: 2 });
  });

  test("is counted with on_item_failure continue", async () => {
    const run = await ended([{ ...picky, on_item_failure: "continue" }], { lines }, "completed");
    expect(run.steps[0].output).toMatchObject({
      count: 4,
      completed: 2,
      failed: 2,
      failures: [
        { index: 1, error: reason },
        { index: 3, error: reason },
      ],
    });
  });
});
