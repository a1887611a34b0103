import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { php84, whyNoPhp84 } from "../../../tools/php/php84.ts";
import type { Document } from "./openapi.ts";
import { emitPhp } from "./php.ts";
import { readModel } from "./read.ts";

/** A contract with all cases that could go wrong in PHP. */
const document: Document = {
  info: { version: "1" },
  paths: {
    "/v1/pages/{id}/list": {
      post: {
        operationId: "listPage",
        "x-operation": "pages.list",
        summary: "Ends */ a comment",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/NewPage" } } },
        },
        responses: {
          200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Page" } } } },
          202: { content: { "application/json": { schema: { $ref: "#/components/schemas/Model" } } } },
        },
      },
    },
    "/v1/pages/export.csv": {
      get: {
        operationId: "exportPages",
        "x-operation": "pages.export",
        responses: { 200: { content: { "text/csv": { schema: { type: "string" } } } } },
      },
    },
    "/v1/pages/{id}": {
      delete: { operationId: "deletePage", "x-operation": "pages.delete", responses: { 204: {} } },
    },
  },
  components: {
    schemas: {
      NewPage: {
        type: "object",
        required: ["call"],
        properties: {
          id: { type: "string" },
          options: { type: "object" },
          this: { type: "boolean" },
          call: { type: "array", items: { $ref: "#/components/schemas/NewPage" } },
          at: { type: "string", format: "date-time", nullable: true },
          any: {},
          bag: { type: "object", nullable: true },
          event: { type: "string" },
        },
      },
      Page: {
        type: "object",
        required: ["class", "list"],
        properties: {
          raw: { type: "string" },
          response: { type: "string", nullable: true },
          class: { type: "string", enum: ["class", "unknown", "2fa", "it's"] },
          list: { type: "array", items: { type: "string", enum: ["a", "b"] } },
          parent: { $ref: "#/components/schemas/Page" },
          level: { type: "integer", enum: [7] },
          by_name: { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } },
        },
      },
      Model: { type: "object", properties: { page: { $ref: "#/components/schemas/Page" } } },
    },
  },
};
const files = emitPhp(readModel(document));
const text = (name: string): string => files.get(name) ?? "";

test("a type with the name of an SDK class is renamed everywhere", () => {
  expect([...files.keys()]).toEqual(expect.arrayContaining(["Type/PageObject.php", "Type/ModelObject.php"]));
  expect(text("Type/ModelObject.php")).toContain("public ?PageObject $page;");
  expect(text("Resource/PagesResource.php")).toContain("): PageObject|ModelObject {");
});

test("the status determines the type of the answer", () => {
  const method = text("Resource/PagesResource.php");
  expect(method).toContain("200 => new PageObject($answer->object(), $answer->response()),");
  expect(method).toContain("default => new ModelObject($answer->object(), $answer->response()),");
});

test("arguments have unique names that PHP accepts", () => {
  const method = text("Resource/PagesResource.php");
  const names = [...method.matchAll(/^ {8}(?!return)\S+ \$(\w+)(?:,| = )/gm)].map(([, name]) => name);
  expect(names).toEqual([
    "id",
    "callField",
    "idField",
    "optionsField",
    "thisField",
    "at",
    "any",
    "bag",
    "event",
    "options",
  ]);
  expect(method).toContain("\\DateTimeInterface|string|Omit|null $at = Omit::Value");
  expect(method).toContain("array|object|null $bag = Omit::Value");
  expect(method).toContain("'id' => $idField ?? Omit::Value");
  expect(method).toContain("'call' => ['*' => ['' => true]]");
});

test("a field that was required once keeps its place, and null omits it", () => {
  const known = document.components?.schemas ?? {};
  const { NewPage } = known;
  const call = { ...NewPage?.properties?.["call"], "x-was-required": true };
  const schemas = {
    ...known,
    NewPage: { ...NewPage, required: ["event"], properties: { ...NewPage?.properties, call } },
  };
  const method = emitPhp(readModel({ ...document, components: { schemas } })).get("Resource/PagesResource.php") ?? "";
  expect(method).toMatch(/ string \$id,\n\s+\?array \$callField,\n\s+EventName\|string \$event,/);
  expect(method).toContain("'call' => $callField ?? Omit::Value");
});

test("invalid case names are changed, and the fallback differs from the contract's values", () => {
  const found = text("Type/PageClass.php");
  for (const line of [
    "case Class_ = 'class';",
    "case Unknown = 'unknown';",
    "case V2fa = '2fa';",
    "case ItS = 'it\\'s';",
  ])
    expect(found).toContain(line);
  expect(found).toContain("case Unrecognized = '';");
});

test("a text answer is returned as text, and an empty one as response information", () => {
  const methods = text("Resource/PagesResource.php");
  expect(methods).toMatch(/function export\(.*\): string/);
  expect(methods).toMatch(/function delete\(.*\): ResponseInfo/);
});

const missing = await whyNoPhp84();
describe.skipIf(missing !== undefined)("with PHP", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "junction-emitted-"));
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  test("all generated files are valid PHP", async () => {
    const php = await php84();
    const names = [...files.keys()].filter((name) => name.endsWith(".php"));
    for (const name of names) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text(name));
    }
    const ran = await php.run(["-l", ...names], { cwd: folder });
    expect(ran).toMatchObject({ status: 0 });
    expect(ran.output.match(/No syntax errors/g)).toHaveLength(names.length);
  });
});
