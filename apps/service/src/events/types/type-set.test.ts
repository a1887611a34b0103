import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const TYPES = "/v1/event-types";
const schema = { type: "object", properties: { id: { type: "string" } } };

async function put(types: object[], more: object = {}): Promise<ApiAnswer> {
  return await service.api("PUT", TYPES, { types, ...more });
}

async function own(): Promise<string[]> {
  const { data } = (await service.api("GET", TYPES)).body;
  return data.flatMap((one: { origin: string; name: string }) => (one.origin === "custom" ? [one.name] : []));
}

test("a set creates, changes and archives types, and says which", async () => {
  const first = await put([
    { name: "a.one", schema },
    { name: "a.two" },
    { name: "order.created", enforcement: "warn" },
  ]);
  expect([first.status, first.body]).toMatchObject([
    200,
    { dry_run: false, create: ["a.one", "a.two", "order.created"], update: [], archive: [], incompatible: [] },
  ]);
  expect(await own()).toEqual(["a.one", "a.two"]);
  const second = [{ name: "a.one", title: "One" }, { name: "a.three" }];
  const dry = await put(second, { prune: true, dry_run: true });
  expect(dry.body).toMatchObject({ dry_run: true, create: ["a.three"], update: ["a.one"], archive: ["a.two"] });
  expect(await own()).toEqual(["a.one", "a.two"]);
  expect((await put(second, { prune: true })).body).toMatchObject({ create: ["a.three"], archive: ["a.two"] });
  expect(await own()).toEqual(["a.one", "a.three"]);
  expect((await put(second, { prune: true })).body).toMatchObject({ create: [], update: [], archive: [] });
  const [kept] = (await service.api("GET", `${TYPES}/a.one/versions`)).body.data;
  expect(kept.schema).toEqual(schema);
});

test("an incompatible schema refuses the set, unless it has the next version", async () => {
  await put([{ name: "b.one", schema }]);
  const stricter = { name: "b.one", schema: { ...schema, required: ["id"] } };
  const dry = await put([{ name: "b.two" }, stricter], { dry_run: true });
  expect(dry.body).toMatchObject({
    create: ["b.two"],
    incompatible: [{ name: "b.one", errors: [{ pointer: "/schema/required", code: "narrowed" }] }],
  });
  const refused = await put([{ name: "b.two" }, stricter]);
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    409,
    "schema_incompatible",
    "/types/1/schema/required",
  ]);
  expect(await own()).not.toContain("b.two");
  expect((await put([{ ...stricter, version: 2 }])).body).toMatchObject({ update: ["b.one"] });
  expect((await service.api("GET", `${TYPES}/b.one`)).body.version).toBe(2);
  expect((await put([{ ...stricter, version: 2 }])).body).toMatchObject({ update: [] });
});

test("the faults of all types of a set are reported together", async () => {
  const { status, body } = await put([
    { name: "c.one", schema: { type: "text" } },
    { name: "c.two", version: 3 },
    { name: "c.three", schema: { properties: { a: { $ref: "#/x" } } } },
  ]);
  expect([status, ...body.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
    422,
    "/types/0/schema/type",
    "/types/1/version",
    "/types/2/schema/properties/a/$ref",
  ]);
  const names = await put([{ name: "c.one" }, { name: "c.one" }, { name: "c..x" }]);
  expect(names.body.errors.map((one: { code: string }) => one.code)).toEqual(["duplicate", "event_name"]);
  expect((await put([{ name: "schedule.due", enforcement: "warn" }])).status).toBe(409);
});

test("two sets at the same time are written one after the other", async () => {
  const [a, b] = [
    ["d.one", "d.two"],
    ["d.one", "d.three"],
  ].map((names) => names.map((name) => ({ name })));
  const both = await Promise.all([put(a ?? [], { prune: true }), put(b ?? [], { prune: true })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect([
    ["d.one", "d.three"],
    ["d.one", "d.two"],
  ]).toContainEqual(await own());
});
