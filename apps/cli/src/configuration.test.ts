import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../service/src/testing/keys.ts";
import { startService } from "../../service/src/testing/service.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";
import { EXIT } from "./exit.ts";
import { cli, home } from "./testing/cli.ts";
import type { Ran } from "./testing/cli.ts";

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await home();
});
afterAll(async () => {
  await service.close();
});

async function junction(args: readonly string[], { key = service.key, input = "" } = {}): Promise<Ran> {
  const env = { JUNCTION_API_KEY: key, JUNCTION_BASE_URL: service.baseUrl };
  return await cli(args, { env, input, cwd: folder });
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const configuration = {
  version: 1,
  endpoints: [{ name: "ci", url: "http://127.0.0.1:9/hook", events: ["order.*"] }],
};

test("a pipeline plans, applies and finds nothing left to do", async () => {
  const path = await file("junction.json", configuration);
  const planned = await junction(["plan", path]);
  expect(planned.status).toBe(EXIT.changes);
  expect(JSON.parse(planned.stdout)).toMatchObject({ create: [{ kind: "endpoint", name: "ci" }], update: [] });
  expect((await junction(["apply", path])).status).toBe(EXIT.usage);
  expect(await junction(["apply", path, "--yes"])).toMatchObject({ status: EXIT.done });
  expect(await junction(["plan", path])).toMatchObject({ status: EXIT.done });
  const exported = await junction(["export"]);
  expect(exported).toMatchObject({ status: EXIT.done });
  expect(JSON.parse(exported.stdout)).toMatchObject(configuration);
  expect(await junction(["plan", "-", "--prune"], { input: exported.stdout })).toMatchObject({ status: EXIT.done });
  const emptied = await file("empty.json", { version: 1, endpoints: [] });
  expect((await junction(["plan", emptied])).status).toBe(EXIT.done);
  expect((await junction(["plan", emptied, "--prune"])).status).toBe(EXIT.changes);
});

test("each refusal has its exit code, and names every place", async () => {
  const wrong = await junction(["plan", await file("wrong.json", { version: 2, colour: [] })]);
  expect(wrong.status).toBe(EXIT.data);
  for (const place of ["/configuration/version", "/configuration/colour"]) expect(wrong.stderr).toContain(place);
  expect((await junction(["plan", await file("text.json", "version: 1")])).status).toBe(EXIT.data);
  expect((await junction(["plan", join(folder, "absent.json")])).status).toBe(EXIT.data);
  const { key } = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["rules.*"] });
  const rules = [{ name: "Half", on: ["a.b"], then: [{ type: "add_tag", tag: "x" }] }];
  const half = await junction(["plan", await file("half.json", { version: 1, rules })], { key });
  expect(half.status).toBe(EXIT.denied);
  expect(half.stderr).toContain("/configuration/rules/0");
});
