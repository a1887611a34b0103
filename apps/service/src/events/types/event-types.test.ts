import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const TYPES = "/v1/event-types";
const parcel = {
  type: "object",
  required: ["parcel"],
  properties: { parcel: { type: "string", maxLength: 20 }, weight: { type: "number", minimum: 0 } },
};
let made = 0;

async function create(more: object = {}): Promise<string> {
  made += 1;
  const name = `parcel.made_${made}`;
  const answer = await service.api("POST", TYPES, { name, schema: parcel, ...more });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return name;
}

function refusal({ status, body }: ApiAnswer): unknown[] {
  return [
    status,
    body.code,
    ...(body.errors ?? []).map((one: { pointer: string; code: string }) => `${one.code} ${one.pointer}`),
  ];
}

describe("own types", () => {
  test("a type is created, listed after the catalogue, changed and archived", async () => {
    const name = await create({ title: "Parcel made", examples: [{ parcel: "p1" }] });
    const type = await service.api("GET", `${TYPES}/${name}`);
    expect(type.body).toMatchObject({
      object: "event_type",
      name,
      domain: "custom",
      origin: "custom",
      canonical: false,
      system: false,
      enforcement: "off",
      visibility: "public",
      version: 1,
      deprecated_at: null,
      archived_at: null,
      last_seen_at: null,
      violations_24h: { refused: 0, warned: 0 },
      sample: null,
      title: "Parcel made",
      description: "",
      schema: parcel,
      example: { parcel: "p1" },
    });
    const list = (await service.api("GET", TYPES)).body.data;
    expect(list.at(-1)).toMatchObject({ name });
    expect(list[0]).toMatchObject({
      name: "order.created",
      origin: "canonical",
      enforcement: "off",
      visibility: "private",
    });
    const changed = await service.api("PATCH", `${TYPES}/${name}`, { deprecated: true, visibility: "private" });
    expect(changed.body).toMatchObject({
      visibility: "private",
      deprecated_at: expect.any(String),
      title: "Parcel made",
    });
    expect((await service.api("DELETE", `${TYPES}/${name}`)).status).toBe(204);
    expect((await service.api("GET", `${TYPES}/${name}`)).body).toMatchObject({ archived_at: expect.any(String) });
    expect((await service.api("GET", TYPES)).body.data.at(-1)).not.toMatchObject({ name });
    expect((await service.api("GET", `${TYPES}?archived=true`)).body.data).toContainEqual(
      expect.objectContaining({ name }),
    );
    expect(refusal(await service.api("PATCH", `${TYPES}/${name}`, { title: "x" }))).toEqual([404, "not_found"]);
    expect((await service.api("POST", TYPES, { name })).body).toMatchObject({ version: 2, schema: null });
  });

  test("a schema and its examples keep the digits of their numbers", async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890.0}}}';
    const examples = '[{"n": 12345678901234567889}]';
    const body = `{"name":"exact.numbers","schema":${schema},"examples":${examples}}`;
    expect((await service.api("POST", TYPES, body)).text).toContain(
      `"schema":${schema},"example":{"n": 12345678901234567889}`,
    );
    expect((await service.api("GET", `${TYPES}/exact.numbers/versions`)).text).toContain(schema);
  });

  test.each<[string, object, string]>([
    ["a canonical name", { name: "order.created" }, "event_reserved /name"],
    ["a system name", { name: "schedule.due" }, "event_reserved /name"],
    ["a malformed name", { name: "a..b" }, "event_name /name"],
    ["a bad schema", { schema: { properties: { a: { type: "text" } } } }, "type /schema/properties/a/type"],
    ["a cycle", { schema: { properties: { a: { $ref: "#" } } } }, "cycle /schema/properties/a/$ref"],
    ["a schema of 65 KiB", { schema: { description: "x".repeat(65_537) } }, "too_large /schema"],
    ["a wrong example", { schema: parcel, examples: [{ parcel: "p" }, { parcel: 1 }] }, "type /examples/1/parcel"],
  ])("%s is refused at its place", async (_what, body, expected) => {
    const answer = await service.api("POST", TYPES, { name: "refused.type", ...body });
    expect(refusal(answer)).toEqual([422, "validation_failed", expected]);
    expect((await service.api("GET", `${TYPES}/refused.type`)).status).toBe(404);
  });

  test("a name that is taken is refused, also to the slower of two callers", async () => {
    const calls = await Promise.all(
      [1, 2, 3].map(async () => await service.api("POST", TYPES, { name: "raced.type" })),
    );
    expect(calls.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  test("sandbox, read-only and AI keys cannot change types, which both environments share", async () => {
    const name = await create();
    const key = service.sandboxKey;
    expect((await service.api("GET", `${TYPES}/${name}`, undefined, { key })).status).toBe(200);
    expect(refusal(await service.api("POST", TYPES, { name: "x.y" }, { key }))).toEqual([403, "environment_mismatch"]);
    const ai = await mintKey(service, { role: "ai", actor_type: "ai" });
    expect(refusal(await service.api("DELETE", `${TYPES}/${name}`, undefined, { key: ai.key }))).toEqual([
      403,
      "role_not_allowed",
    ]);
    const scoped = await mintKey(service, { scopes: ["events:write"] });
    expect(refusal(await service.api("PATCH", `${TYPES}/${name}`, {}, { key: scoped.key }))).toEqual([
      403,
      "scope_missing",
    ]);
  });

  test("another workspace has types of its own", async () => {
    const name = await create();
    const { body } = await service.api("POST", "/v1/workspaces", { name: "Other" });
    const key = body.api_key;
    expect((await service.api("GET", `${TYPES}/${name}`, undefined, { key })).status).toBe(404);
    expect((await service.api("DELETE", `${TYPES}/${name}`, undefined, { key })).status).toBe(404);
    expect((await service.api("POST", TYPES, { name }, { key })).status).toBe(201);
    expect((await service.api("GET", `${TYPES}/${name}`)).body.schema).toEqual(parcel);
  });
});

describe("versions", () => {
  test("an incompatible schema needs a new version", async () => {
    const name = await create();
    const schema = { ...parcel, required: ["parcel", "weight"] };
    const refused = await service.api("PATCH", `${TYPES}/${name}`, { schema });
    expect(refusal(refused)).toEqual([409, "schema_incompatible", "narrowed /schema/required"]);
    const looser = { ...parcel, properties: { ...parcel.properties, note: { type: "string" } } };
    expect((await service.api("PATCH", `${TYPES}/${name}`, { schema: looser })).body).toMatchObject({ version: 1 });
    const next = await service.api("POST", `${TYPES}/${name}/versions`, { schema });
    expect([next.status, next.body]).toMatchObject([201, { version: 2, current: true, schema }]);
    const { data } = (await service.api("GET", `${TYPES}/${name}/versions`)).body;
    expect(data).toMatchObject([
      { version: 2, schema },
      { version: 1, current: false, schema: looser },
    ]);
    const page = (await service.api("GET", `${TYPES}/${name}/versions?limit=1`)).body;
    const rest = (await service.api("GET", `${TYPES}/${name}/versions?limit=1&cursor=${page.next_cursor}`)).body;
    expect([page.data, rest.data, rest.has_more]).toMatchObject([[{ version: 2 }], [{ version: 1 }], false]);
  });

  test("the schema of a type without one needs a new version", async () => {
    const name = await create({ schema: null });
    expect(refusal(await service.api("PATCH", `${TYPES}/${name}`, { schema: parcel })).slice(0, 2)).toEqual([
      409,
      "schema_incompatible",
    ]);
    expect((await service.api("POST", `${TYPES}/${name}/versions`, { schema: parcel })).status).toBe(201);
  });

  test("only enforcement and visibility of a canonical type can be changed", async () => {
    const changed = await service.api("PATCH", `${TYPES}/cart.abandoned`, { enforcement: "warn" });
    expect(changed.body).toMatchObject({ enforcement: "warn", canonical: true, version: 1 });
    expect((await service.api("GET", `${TYPES}/cart.abandoned`)).body).toMatchObject({ enforcement: "warn" });
    expect(refusal(await service.api("PATCH", `${TYPES}/cart.abandoned`, { schema: {}, title: "x" }))).toEqual([
      422,
      "validation_failed",
      "canonical /title",
      "canonical /schema",
    ]);
    for (const [method, path, body] of [
      ["PATCH", "schedule.due", { enforcement: "warn" }],
      ["DELETE", "cart.abandoned", undefined],
      ["POST", "cart.abandoned/versions", {}],
    ] as const)
      expect(refusal(await service.api(method, `${TYPES}/${path}`, body))).toEqual([409, "conflict"]);
    expect((await service.api("GET", `${TYPES}/cart.abandoned/versions`)).body.data).toEqual([]);
  });

  test("a type that was archived while private stays private when it is created again", async () => {
    const name = await create({ visibility: "private" });
    await service.api("DELETE", `${TYPES}/${name}`);
    expect((await service.api("POST", TYPES, { name })).body).toMatchObject({ version: 2, visibility: "private" });
  });

  test("the subscribers are those that react to the example, or to the last data", async () => {
    const filter = { field: "data.parcel", op: "eq", value: "p1" };
    const seen: number[] = [];
    for (const examples of [[], [{ parcel: "p1" }], [{ parcel: "p2" }, { parcel: "p1" }]]) {
      const name = await create({ examples });
      const endpoint = { url: "http://127.0.0.1:9/types", events: [name], filter };
      expect((await service.api("POST", "/v1/webhook-endpoints", endpoint)).status).toBe(201);
      const subscribers = async (): Promise<number> =>
        (await service.api("GET", `${TYPES}/${name}`)).body["reacts"].length;
      seen.push(await subscribers());
      await service.api("POST", "/v1/events/fire", { event: name, data: { parcel: "p1" } });
      seen.push(await subscribers());
    }
    expect(seen).toEqual([0, 1, 1, 1, 0, 0]);
  });

  test("properties of Object are not types", async () => {
    for (const name of ["__proto__", "constructor", "toString", "a%00b", "%F0%9F%92%A9"])
      for (const method of ["GET", "DELETE"]) expect((await service.api(method, `${TYPES}/${name}`)).status).toBe(404);
  });
});
