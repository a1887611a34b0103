import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { NODE_SDK } from "../../../tools/package-names.ts";
import type { Api, Resource } from "./model.ts";
import { readModel } from "./read.ts";
import { generate } from "./sdk-generator.ts";
import type { Document } from "./sdk-generator.ts";

const root = new URL("../../../", import.meta.url);
const published = JSON.parse(await readFile(new URL("openapi/openapi.json", root), "utf8")) as Document;
const api = readModel(published);

for (const { language, folder, files: expected } of generate(published, { node: NODE_SDK.name })) {
  test(`${folder} matches the contract (otherwise run \`node tools/generate-sdks.ts ${language}\`)`, async () => {
    const base = fileURLToPath(new URL(folder, root));
    const committed = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = committed.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.map((file) => relative(base, file)).toSorted()).toEqual([...expected.keys()].toSorted());
    for (const [path, text] of expected) expect(await readFile(join(base, path), "utf8")).toBe(text);
  });
}

test("every key operation is in the model once, and no method hides a resource", () => {
  const operations = Object.values(published.paths).flatMap((methods) => Object.values(methods));
  const answering = operations.filter((one) => !JSON.stringify(one.responses).includes("text/event-stream"));
  const names = answering.flatMap((one) => one["x-operation"] ?? []);
  expect(api.operations.map(({ name }) => name)).toEqual(names.toSorted());
  const shown = flat(api.resources).flatMap((resource) => [
    resource.path.join("."),
    ...resource.operations.map(({ method }) => [...resource.path, method].join(".")),
  ]);
  expect(new Set(shown).size).toBe(shown.length);
  expect(flat(api.resources).flatMap((resource) => resource.operations)).toHaveLength(names.length);
});

test("the 52 names that callers fire are distinguished from system events", () => {
  expect(api.events.filter(({ canonical }) => canonical)).toHaveLength(52);
  expect(api.events.find(({ name }) => name === "key.expiring")?.canonical).toBe(false);
  expect(api.events.find(({ name }) => name === "order.created")).toMatchObject({
    data: { kind: "ref", name: "OrderCreatedData" },
    example: { order: { external_id: "ord_10482" } },
  });
});

test("every named type and enum is in the model", () => {
  const types = new Set(api.types.map(({ name }) => name));
  const enums = new Set(api.enums.map(({ name }) => name));
  const named = [...JSON.stringify(api).matchAll(/\{"kind":"(ref|enum)","name":"(\w+)"\}/g)];
  expect(named.length).toBeGreaterThan(300);
  expect(named.filter(([, kind, name = ""]) => !(kind === "ref" ? types : enums).has(name))).toEqual([]);
  expect([...types].filter((name) => enums.has(name))).toEqual([]);
});

test("a write is an operation with an idempotency key, unlike a reading POST", () => {
  expect(operation(api, "events.fire")).toMatchObject({
    write: true,
    http: { method: "POST", path: "/v1/events/fire" },
  });
  expect(operation(api, "rules.test")).toMatchObject({ write: false, http: { method: "POST" } });
});

test("an operation that is also a resource becomes the resource's get", () => {
  expect(operation(api, "webhook_endpoints.secret")).toMatchObject({
    resource: ["webhook_endpoints", "secret"],
    method: "get",
  });
});

test("the first arguments of events.fire are its name and data", () => {
  const { body } = operation(api, "events.fire");
  expect(body?.positional.map(({ name }) => name)).toEqual(["event", "data"]);
  const others = ["occurred_at", "subject", "deliver_at", "tenant", "version", "uid", "channels", "metadata"];
  expect(body?.fields.map(({ name }) => name)).toEqual(["event", "data", ...others]);
});

test("items of a list do not get another member's values", () => {
  const scheme = api.types.find(({ name }) => name === "SignatureScheme");
  const valuesOf = (member: string): readonly string[] | undefined => {
    const type = scheme?.fields.find(({ name }) => name === member)?.type;
    const item = type?.kind === "array" ? type.items : type;
    return api.enums.find(({ name }) => item?.kind === "enum" && name === item.name)?.values;
  };
  expect(valuesOf("algorithm")).toContain("sha256");
  expect(valuesOf("algorithms")).toContain("HS256");
});

test("a document with all allowed parts of OpenAPI 3.0 is read without loss", () => {
  const model = readModel(strange);
  expect(operation(model, "runs.run")).toMatchObject({
    resource: ["runs"],
    body: { type: { kind: "ref", name: "Tree" }, required: true },
    answer: {
      kind: "json",
      type: {
        kind: "union",
        of: [
          { kind: "ref", name: "Done" },
          { kind: "ref", name: "Waiting" },
        ],
      },
    },
  });
  expect(operation(model, "runs.list").page).toEqual({ item: { kind: "ref", name: "Done" }, cursor: true });
  expect(operation(model, "audit.export")).toMatchObject({
    answer: { kind: "text", mediaType: "text/csv" },
    page: null,
  });
  expect(model.operations.map(({ name }) => name)).toEqual(["audit.export", "runs.list", "runs.run"]);
  const tree = model.types.find(({ name }) => name === "Tree");
  expect(tree?.fields.map(({ name, type }) => [name, type])).toEqual([
    ["children", { kind: "array", items: { kind: "ref", name: "Tree" } }],
    ["mode", { kind: "nullable", of: { kind: "enum", name: "TreeMode" } }],
    ["done", { kind: "ref", name: "TreeDoneValue" }],
    ["level", { kind: "integer" }],
    ["any", { kind: "unknown" }],
    ["labels", { kind: "map", values: { kind: "string", format: null } }],
    ["parent", { kind: "nullable", of: { kind: "ref", name: "Done" } }],
  ]);
  expect(model.enums).toEqual([{ name: "TreeMode", values: ["a", "b"], request: true, response: true }]);
});

test("a reference to a missing part is an error", () => {
  const broken = { ...strange, components: { schemas: {} } };
  expect(() => readModel(broken)).toThrow(/refers to \w+, which it does not have/);
});

const strange: Document = {
  info: { version: "1" },
  paths: {
    "/v1/runs": {
      post: {
        operationId: "run",
        "x-operation": "runs.run",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } },
        },
        responses: {
          200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Done" } } } },
          202: { content: { "application/json": { schema: { $ref: "#/components/schemas/Waiting" } } } },
          400: { content: { "application/json": { schema: {} } } },
        },
      },
      get: {
        operationId: "listRuns",
        "x-operation": "runs.list",
        parameters: [{ name: "cursor", in: "query", schema: { type: "string" } }],
        responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/DoneList" } } } } },
      },
    },
    "/v1/audit/export.csv": {
      get: {
        operationId: "exportAudit",
        "x-operation": "audit.export",
        responses: { 200: { content: { "text/csv": { schema: { type: "string" } } } } },
      },
    },
    "/v1/stream": {
      get: {
        operationId: "stream",
        "x-operation": "stream.open",
        responses: { 200: { content: { "text/event-stream": { schema: { type: "string" } } } } },
      },
    },
    "/livez": { get: { operationId: "getLiveness", responses: { 200: {} } } },
  },
  components: {
    schemas: {
      Tree: {
        type: "object",
        properties: {
          children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
          mode: { type: "string", nullable: true, enum: ["a", "b", null] },
          done: { type: "object", properties: { at: { type: "string" } } },
          level: { type: "integer", enum: [1, 2] },
          any: {},
          labels: { type: "object", additionalProperties: { type: "string" } },
          parent: { nullable: true, allOf: [{ $ref: "#/components/schemas/Done" }] },
        },
      },
      TreeDone: { type: "object", properties: {} },
      Done: {
        allOf: [{ $ref: "#/components/schemas/Waiting" }, { type: "object", properties: { ok: { type: "boolean" } } }],
      },
      Waiting: { type: "object", properties: { tree: { $ref: "#/components/schemas/Tree" } } },
      DoneList: {
        type: "object",
        properties: {
          object: { type: "string", enum: ["list"] },
          data: { type: "array", items: { $ref: "#/components/schemas/Done" } },
        },
      },
    },
  },
};

function operation(model: Api, name: string): Api["operations"][number] {
  const found = model.operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

function flat(resources: readonly Resource[]): Resource[] {
  return resources.flatMap((resource) => [resource, ...flat(resource.children)]);
}
