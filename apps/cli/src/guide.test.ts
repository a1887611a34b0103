import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareDatabase } from "../../service/src/testing/database.ts";
import type { TestDatabase } from "../../service/src/testing/database.ts";
import { MASTER_KEY, startService } from "../../service/src/testing/service.ts";
import { EXIT } from "./exit.ts";
import { BIN, home } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

const [guide, doctor] = [await pageOf("cli.md"), await pageOf("doctor.md")];
const blocks = [...blocksOf("cli.md", guide), ...blocksOf("doctor.md", doctor)];

async function pageOf(name: string): Promise<string> {
  return await readFile(fileURLToPath(new URL(`../../../docs/guide/${name}`, import.meta.url)), "utf8");
}

function blocksOf(name: string, page: string): { name: string; code: string; line: number }[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(({ 1: code = "", index }) => ({
    name,
    code,
    line: page.slice(0, index).split("\n").length,
  }));
}

let service: TestService;
let folder: string;
let other: TestDatabase;

beforeAll(async () => {
  service = await startService();
  folder = await home();
  other = await bareDatabase();
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "junction"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(folder, "bin", "junction"), 0o755);
});
afterAll(async () => {
  await service.close();
  await other.drop();
});

test("the guide shows commands, and all exit codes", () => {
  expect(blocks.length).toBeGreaterThan(5);
  const told = [...guide.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  expect(told.toSorted((a, b) => a - b)).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});

test.each(blocks)("the commands of $name, line $line, do what the guide says", async ({ code }) => {
  // The tests cannot reach the address of the guide.
  const here = code.replace("https://example.com/hook", "http://127.0.0.1:9/hook");
  const { stdout, stderr } = await promisify(execFile)("sh", ["-ec", here], {
    cwd: folder,
    env: {
      PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      XDG_CONFIG_HOME: folder,
      JUNCTION_API_KEY: service.key,
      JUNCTION_BASE_URL: service.baseUrl,
      // These are the operator's settings, on the service's machine.
      DATABASE_URL: service.database.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_DATA_DIR: folder,
      JUNCTION_PORT: new URL(service.baseUrl).port,
      OTHER_DATABASE_URL: other.url,
    },
  });
  expect(stderr).not.toContain("junction:");
  expect(stdout).not.toMatch(/undefined|NaN|\[object/);
});
