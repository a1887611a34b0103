import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { php84 } from "../../../tools/php/php84.ts";
import { startService } from "../../service/src/testing/service.ts";
import { cli, home } from "./testing/cli.ts";
import type { Ran } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = join(await home(), "schema");
  await mkdir(folder);
});
afterAll(async () => await service.close());

const run = promisify(execFile);

async function ran(...args: string[]): Promise<Ran> {
  return await cli(args, { env: { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl } });
}

async function file(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
}

test("a folder is compared, pushed and compared again, with exit codes for CI", async () => {
  const schema = '{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"maximum":1.50}}}';
  await file("parcel.json", `{"name":"parcel.scanned","schema":${schema}}`);
  await file("notes.txt", "not a type");
  const first = await ran("event-types", "diff", folder);
  expect([first.status, JSON.parse(first.stdout)]).toMatchObject([1, { dry_run: true, create: ["parcel.scanned"] }]);
  expect(await ran("event-types", "push", folder)).toMatchObject({ status: 0, stderr: "" });
  expect((await service.api("GET", "/v1/event-types/parcel.scanned")).text).toContain(schema);
  expect(await ran("event-types", "diff", folder)).toMatchObject({ status: 0 });
  const stricter = schema.replace('["id"]', '["id","n"]');
  await file("parcel.json", `{"name":"parcel.scanned","schema":${stricter}}`);
  expect(JSON.parse((await ran("event-types", "diff", folder)).stdout).incompatible).toHaveLength(1);
  const refused = await ran("event-types", "push", folder);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("/types/0/schema/required")]);
  await file("parcel.json", `{"name":"parcel.scanned","version":2,"schema":${stricter}}`);
  expect(await ran("event-types", "push", folder)).toMatchObject({ status: 0 });
  await file("parcel.json", "[]");
  expect(await ran("event-types", "push", folder)).toMatchObject({ status: 65 });
  expect(await ran("event-types", "push", join(folder, "none"))).toMatchObject({ status: 65 });
  expect(await ran("types", "--lang", "cobol")).toMatchObject({ status: 64 });
});

test("a pull leaves nothing to change, and writes only files that differ", async () => {
  const at = join(await home(), "pulled", "types");
  const schema = '{"type":"object","properties":{"n":{"maximum":1.50},"big":{"const":12345678901234567890}}}';
  const made = [
    `{"name":"pull:one","title":"One","schema":${schema},"examples":[{"n":0.10}]}`,
    '{"name":"Pull:One","visibility":"private"}',
  ];
  for (const body of made) {
    const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" };
    const { status } = await fetch(`${service.baseUrl}/v1/event-types`, { method: "POST", headers, body });
    expect(status).toBe(201);
  }
  await service.api("PATCH", "/v1/event-types/order.created", { enforcement: "warn" });
  const first = await ran("event-types", "pull", at);
  expect([first.status, JSON.parse(first.stdout)]).toEqual([
    0,
    { create: expect.arrayContaining(["pull:one", "Pull:One", "order.created"]), update: [], remove: [] },
  ]);
  const files = (await readdir(at)).map((name) => name.toLowerCase());
  expect(new Set(files).size).toBe(files.length);
  expect(await readFile(join(at, "pull%3Aone~2.json"), "utf8").then(compact)).toContain(
    `"schema":${schema},"examples":[{"n":0.10}]`,
  );
  expect(await readFile(join(at, "order.created.json"), "utf8").then(compact)).toBe(
    '{"name":"order.created","enforcement":"warn"}',
  );
  expect(await ran("event-types", "diff", at, "--prune")).toMatchObject({ status: 0 });

  await rename(join(at, "pull%3Aone~2.json"), join(at, "mine.json"));
  await service.api("PATCH", "/v1/event-types/pull:one", { title: "Changed" });
  await service.api("DELETE", "/v1/event-types/Pull:One");
  const { stdout } = await ran("event-types", "pull", at, "--prune");
  // The others are equal, so they are not written.
  expect(JSON.parse(stdout)).toEqual({ create: [], update: ["pull:one"], remove: ["Pull:One"] });
  expect(await readdir(at)).not.toContain("pull%3Aone~2.json");
  expect(await readFile(join(at, "mine.json"), "utf8")).toContain('"title": "Changed"');

  await writeFile(join(at, "package.json"), '{"name":"shop","scripts":{}}');
  const refused = await ran("event-types", "pull", at, "--prune");
  expect([refused.status, refused.stderr]).toEqual([65, expect.stringContaining("package.json is not an event type")]);
  expect(await readdir(at)).toContain("package.json");
});

function compact(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

test("the types are source that each language accepts", async () => {
  const odd = {
    type: "object",
    required: ["a b", "*/"],
    properties: {
      "a b": { enum: ["it's", '"', "\\", null, 3] },
      "*/": { type: ["string", "null"] },
      nested: { type: "array", items: { type: "object", properties: { class: { $ref: "#/$defs/m" } } } },
      $x: { anyOf: [{ type: "integer" }, { type: "object", properties: { "é'": {} } }] },
    },
    $defs: { m: { type: "number" } },
  };
  for (const name of ["odd.type", "odd:type", "1.odd"])
    await service.api("POST", "/v1/event-types", { name, schema: odd });
  const at = await home();
  const sources = { typescript: "types.ts", python: "types_.py", php: "types.php" };
  for (const [lang, name] of Object.entries(sources)) {
    const { status, stdout } = await ran("types", "--lang", lang);
    expect([lang, status]).toEqual([lang, 0]);
    await writeFile(join(at, name), stdout);
  }
  await writeFile(
    join(at, "use.ts"),
    'import type { EventData } from "./types.ts";\nexport const one: EventData["odd.type"] = { "a b": "it\'s", "*/": null, nested: [{ class: 1.5 }] };\n',
  );
  const tsc = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));
  const strict = ["--strict", "--noEmit", "--allowImportingTsExtensions", "--skipLibCheck", "--types", ""];
  await run(tsc, [...strict, join(at, "types.ts"), join(at, "use.ts")], { cwd: at });
  await run("python3", ["-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", join(at, "types_.py")]);
  await (await php84()).run(["-l", join(at, "types.php")]);
});
