import { describe, expect, test, vi } from "vitest";
import type { ItemKind } from "../item-kind.ts";
import { draftOfItem, valueOfItems } from "../items.ts";
import { added, addedToBranch, duplicated, moved, removed, replaced } from "./changes.ts";
import { listWith, nodesOf, outlineOf } from "./outline.ts";
import type { RawStep } from "./outline.ts";
import { STEPS } from "./steps.ts";

// The console's modules read it when they are loaded, and Node has none.
vi.hoisted(() => vi.stubGlobal("localStorage", { getItem: () => null }));

/** Writes an outline as indented lines. */
function linesOf(steps: readonly RawStep[]): readonly string[] {
  return outlineOf(nodesOf(steps)).map((row) => {
    const indent = "  ".repeat(row.level);
    if (row.kind === "step") return `${indent}${row.node.id}`;
    if (row.kind === "jump") return `${indent}-> ${row.to}`;
    if (row.kind === "branch") return `${indent}${row.way.label}${row.isFollowed ? "" : ` -> ${row.way.to ?? "end"}`}`;
    if (row.kind === "list") return `${indent}${row.label}:`;
    return row.kind === "inner" ? `${indent}${row.id}` : indent + row.kind;
  });
}

const WHEN = { field: "data.x", op: "eq", value: 1 };
const ASK: readonly RawStep[] = [
  { id: "look", type: "http", method: "GET", url: "https://api.example.com", on_failure: "stuck" },
  { id: "large", type: "condition", when: WHEN, then: "ask", else: "ship" },
  { id: "ask", type: "wait_approval", approver_roles: ["owner"] },
  { id: "ship", type: "webhook", url: "https://example.com", body: { who: "${steps.ask.state}" }, next: null },
  { id: "stuck", type: "fire_event", event: "order.stuck" },
];
const drafts = (steps: readonly RawStep[]) => steps.map((step) => draftOfItem(step, STEPS));
const kind = (type: string): ItemKind => one(STEPS.find((known) => known.type === type));

function one<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("missing");
  return value;
}

describe("an outline", () => {
  test("shows branches below their step, and the step where they meet", () => {
    expect(linesOf(ASK)).toEqual([
      "look",
      "  On final failure",
      "    stuck",
      "large",
      "  If met",
      "    ask",
      "  If not met -> ship",
      "ship",
      "end",
    ]);
  });

  test("shows the steps of branches and loops below their step", () => {
    const steps = [
      { id: "both", type: "parallel", branches: [[{ id: "a", type: "set" }], [{ id: "b", type: "set" }, null]] },
      { id: "loop", type: "for_each", in: [1], steps: [{ id: "c", type: "set" }] },
    ];
    expect(linesOf(steps)).toEqual([
      "both",
      "  Branch 1:",
      "    a",
      "  Branch 2:",
      "    b",
      "loop",
      "  For each item:",
      "    c",
    ]);
    expect([listWith(steps, "b"), listWith(steps, "both")]).toEqual([[{ id: "b", type: "set" }], steps]);
    expect(valueOfItems(drafts(steps.slice(1)), STEPS).values).toEqual(steps.slice(1));
  });

  test("shows every step once for ways that cross, repeat or lead nowhere", () => {
    const steps = [
      { id: "a", type: "condition", when: WHEN, then: "b", else: "c" },
      { id: "b", type: "delay", seconds: 1, next: "d" },
      { id: "c", type: "delay", seconds: 1, next: "b" },
      { id: "d", type: "delay", seconds: 1, next: "a" },
      { id: "d", type: "delay", seconds: 1, next: "gone" },
      { type: "strange", on_time: "b" },
    ];
    const shown = outlineOf(nodesOf(steps)).flatMap((row) => (row.kind === "step" ? [row.node.at] : []));
    expect(shown.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(linesOf(steps)).toContain("-> gone");
    expect(linesOf(steps)).toContain("  On time -> b");
  });
});

test("the form of an approval keeps its facts, and its way after an approval", () => {
  const step = {
    id: "ask",
    type: "wait_approval",
    approver_roles: ["owner"],
    title: "Release ${$.data.order}",
    fields: [
      { label: "Total", value: "${$.data.total} EUR" },
      { label: "Total", value: "again" },
    ],
    on_rejected: "no",
  };
  const draft = draftOfItem({ ...step, on_approved: null }, STEPS);
  expect(draft.isJson).toBe(false);
  expect(valueOfItems([draft], STEPS).values).toEqual([{ ...step, next: null }]);
  const steps = [
    { ...step, on_approved: "yes" },
    { id: "no", type: "delay", seconds: 1 },
    { id: "yes", type: "delay" },
  ];
  expect(linesOf(steps)).toEqual(["ask", "  On rejection", "    no", "yes"]);
});

describe("a change of steps", () => {
  const wrote = (steps: ReturnType<typeof drafts>) => valueOfItems(steps, STEPS).values;

  test("keeps the order of a run when a step is added", () => {
    const after = added(drafts(ASK), 2, kind("delay"));
    expect(wrote([...after.steps]).map(({ id }) => id)).toEqual(["look", "large", "ask", "step_6", "ship", "stuck"]);
    const condition = wrote([...added(drafts(ASK), 1, kind("delay")).steps]);
    expect(condition[1]).toMatchObject({ then: "step_6" });
    expect(condition[2]).toMatchObject({ id: "step_6", next: "ask" });
    const ending = wrote([...added(drafts(ASK), 3, kind("condition")).steps]);
    expect(ending[3]).not.toHaveProperty("next");
    expect(ending[4]).toMatchObject({ id: "step_6", then: null });
  });

  test("adds a step to a branch without changing another way", () => {
    const { steps } = addedToBranch(drafts(ASK), { at: 1, member: "else", to: "ship" }, kind("delay"));
    const written = wrote([...steps]);
    expect(written[1]).toMatchObject({ then: "ask", else: "step_6" });
    expect(written[4]).toMatchObject({ id: "stuck", next: null });
    expect(written[5]).toMatchObject({ id: "step_6", next: "ship" });
  });

  test("leads the ways to a removed step to the one after it", () => {
    const written = wrote([...removed(drafts(ASK), 2).steps]);
    expect(written[1]).toMatchObject({ then: "ship", else: "ship" });
    expect(removed(drafts(ASK.slice(0, 1)), 0)).toEqual({ steps: [], at: 0 });
  });

  test("keeps ways and values of the other steps when an id changes", () => {
    const before = drafts(ASK);
    const ask = one(before[2]);
    const named = replaced(before, 2, { ...ask, texts: { ...ask.texts, id: "ask-boss" } });
    const written = wrote([...named]);
    expect(written[1]).toMatchObject({ then: "ask-boss" });
    expect(written[3]).toMatchObject({ body: { who: "${steps['ask-boss'].state}" } });
    const back = one(named[2]);
    expect(wrote([...replaced(named, 2, { ...back, texts: { ...back.texts, id: "ask" } })])).toEqual(
      wrote([...before]),
    );
  });

  test("copies under a free id, and moves within the list", () => {
    const { steps, at } = duplicated(drafts(ASK), 0);
    expect([at, wrote([...steps])[1]]).toMatchObject([1, { id: "step_6", type: "http", on_failure: "stuck" }]);
    expect(moved(drafts(ASK), 0, -1).at).toBe(0);
    expect(wrote([...moved(drafts(ASK), 0, 1).steps]).map(({ id }) => id)).toEqual([
      "large",
      "look",
      "ask",
      "ship",
      "stuck",
    ]);
  });
});

describe("the form of an HTTP call", () => {
  const call = {
    id: "c",
    type: "http",
    method: "POST",
    url: "https://api.example.com/${$.data.id}",
    query: { page: "2" },
    headers: { Accept: "application/json" },
    body: ["${$.data}", 1],
    auth: { type: "oauth2_client_credentials", secret_ref: "s", token_url: "https://a.example.com", client_id: "j" },
    success_when: { all: [{ field: "body.ok", op: "eq", value: true }] },
    timeout_ms: 500,
    retries: 0,
    expose: ["id"],
    next: null,
    on_failure: "d",
  };

  test("writes the call as it was read", () => {
    for (const step of [call, { id: "c", type: "http", method: "GET", url: "https://api.example.com" }]) {
      const draft = draftOfItem(step, STEPS);
      expect(draft.isJson).toBe(false);
      expect(valueOfItems([draft], STEPS)).toEqual({ values: [step], faults: [] });
    }
    const { body: _body, ...others } = call;
    const form = { ...others, form: { a: "${$.data.a}" } };
    expect(valueOfItems([draftOfItem(form, STEPS)], STEPS).values).toEqual([form]);
  });

  test("has a form for the steps that set values and wait for an event", () => {
    const when = { all: [{ field: "data.id", op: "eq", value: "${$.data.id}" }] };
    for (const step of [
      { id: "keep", type: "set", values: { id: "${$.data.id}" } },
      { id: "paid", type: "wait_event", event: "order.*", match: when, timeout_seconds: 60, on_timeout: null },
    ]) {
      const draft = draftOfItem(step, STEPS);
      expect([draft.isJson, valueOfItems([draft], STEPS).values]).toEqual([false, [step]]);
    }
  });

  test("stays JSON for members that it cannot show", () => {
    const others = [{ method: "BREW" }, { method: "GET" }, { form: {} }, { auth: { secret_ref: "s" } }];
    for (const more of others) expect([more, draftOfItem({ ...call, ...more }, STEPS).isJson]).toEqual([more, true]);
  });
});
