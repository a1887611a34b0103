import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../apps/service/src/testing/service.ts";
import type { TestService } from "../apps/service/src/testing/test-service.ts";
import { blocksOf } from "../tools/docs/page.ts";
import { builtProvider, goRun, workspace } from "./testing/workspace.ts";
import type { Workspace } from "./testing/workspace.ts";

const MINUTES_60 = 3_600_000;

let service: TestService;
let provider: Awaited<ReturnType<typeof builtProvider>>;
let space: Workspace;

beforeAll(async () => {
  service = await startService();
  provider = await builtProvider();
  space = await workspace({ provider: provider.folder, baseUrl: service.baseUrl, key: service.key });
}, MINUTES_60);
afterAll(async () => {
  await space.end();
  await provider.end();
  await service.close();
});

test("the examples of the guide work as they are, one after the other", async () => {
  const blocks = (await blocksOf("guide/terraform.md")).filter(({ language }) => language === "hcl");
  expect(blocks).toHaveLength(5);
  expect((await service.api("POST", "/v1/event-types", { name: "shop.refunded" })).status).toBe(201);
  for (const [at, { code }] of blocks.entries()) {
    await writeFile(join(space.folder, `part${at}.tf`), code);
    expect(await space.run("fmt", "-check", "-no-color")).toMatchObject({ status: 0 });
    await space.apply();
    expect(await space.plan()).toEqual({});
  }
  expect((await space.run("output", "-raw", "health")).stdout).toBe("green");
  expect(await space.stored()).not.toContain("a-token-of-the-crm");
  await rm(join(space.folder, "part3.tf"));
  await space.apply("-destroy");
  expect(await space.state()).toEqual({});
});

test("a filesystem mirror installs the provider, as the guide says", async () => {
  const path = "registry.opentofu.org/junction-platform/junction/0.1.0";
  const { stdout } = await goRun(["env", "GOOS", "GOARCH"]);
  const platform = stdout.trim().split("\n").join("_");
  const program = join(space.folder, "mirror", path, platform, "terraform-provider-junction_v0.1.0");
  await goRun(["build", "-o", program, "."]);
  const mirror = `provider_installation {\n  filesystem_mirror {\n    path = "${join(space.folder, "mirror")}"\n  }\n}\n`;
  await writeFile(join(space.folder, "tofu.tfrc"), mirror);
  expect((await space.run("init", "-no-color", "-input=false")).output).toContain(
    "Installed junction-platform/junction v0.1.0",
  );
  expect(await space.run("validate", "-no-color")).toMatchObject({ status: 0 });
});
