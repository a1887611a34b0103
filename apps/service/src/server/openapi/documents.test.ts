import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../../../tools/run.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "junction-documents-"));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const LINTER = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
const CONFIG = fileURLToPath(new URL("../../../../../tools/contract/documents.yaml", import.meta.url));

/** Returns what a linter of others finds in a document. */
async function findings(name: string, document: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, document);
  const { status, output } = await run(
    process.execPath,
    [LINTER, "lint", file, "--config", CONFIG, "--format", "stylish", "--max-problems", "20"],
    { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  return status === 0 ? "" : output.slice(0, 10_000);
}

async function read(path: string, key: string | null): Promise<{ text: string; body: Parsed }> {
  const { status, text, body } = await service.api("GET", path, undefined, { key });
  expect(status).toBe(200);
  return { text, body };
}

test("both versions of OpenAPI contain the public URL", async () => {
  for (const path of ["/openapi.json", "/openapi-3.1.json"]) {
    const { servers } = (await read(path, null)).body;
    expect(servers).toEqual([{ url: service.baseUrl, description: expect.any(String) as string }]);
  }
});

test("OpenAPI 3.1 has the same routes, and the events as webhooks", async () => {
  const [old, now] = [await read("/openapi.json", null), await read("/openapi-3.1.json", null)];
  expect(Object.keys(now.body.paths)).toEqual(Object.keys(old.body.paths));
  expect(Object.keys(now.body.webhooks)).toEqual(Object.keys(old.body["x-webhooks"]));
  expect(now.body.openapi).toBe("3.1.0");
  expect(now.text).not.toContain('"nullable":true');
  expect(await findings("openapi31.json", now.text)).toBe("");
});

test("AsyncAPI 3.0 has the catalogue, and the types of the key's workspace", async () => {
  const schema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { type: ["string", "null"] } },
  };
  for (const name of ["parcel.scanned", "parcel:scanned"])
    await service.api("POST", "/v1/event-types", { name, schema, examples: [{ a: "x" }] });
  const [open, own] = [await read("/asyncapi.json", null), await read("/asyncapi.json", service.key)];
  expect(Object.keys(open.body.channels)).toContain("order_created");
  expect(open.text).not.toContain("parcel");
  expect(Object.keys(own.body.channels)).toEqual([
    ...Object.keys(open.body.channels),
    "parcel_scanned",
    "parcel_scanned_2",
  ]);
  expect(own.body.components.schemas.parcel_scanned.properties.a).toEqual({
    $ref: "#/components/schemas/parcel_scanned/definitions/a",
  });
  expect((await read("/asyncapi.json", "jn_live_wrong")).text).toBe(open.text);
  const other = (await service.api("POST", "/v1/workspaces", { name: "Other" })).body.api_key;
  expect((await read("/asyncapi.json", other)).text).not.toContain("parcel");
  expect(await findings("asyncapi.json", own.text)).toBe("");
});
