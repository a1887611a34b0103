import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../service/src/testing/service.ts";
import type { TestService } from "../../service/src/testing/service.ts";
import { EXIT } from "./exit.ts";
import { BIN, home } from "./testing/cli.ts";

const guide = await readFile(fileURLToPath(new URL("../../../docs/guide/cli.md", import.meta.url)), "utf8");
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(({ 1: code = "", index }) => ({
  code,
  line: guide.slice(0, index).split("\n").length,
}));

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await home();
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "junction"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(folder, "bin", "junction"), 0o755);
});
afterAll(async () => await service.close());

test("the guide shows commands, and all exit codes", () => {
  expect(blocks.length).toBeGreaterThan(5);
  const told = [...guide.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  expect(told.toSorted((a, b) => a - b)).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});

test.each(blocks)(
  "the commands of line $line do what the guide says",
  async ({ code }) => {
    // In place of an address that the tests cannot reach.
    const here = code.replace("https://example.com/hook", "http://127.0.0.1:9/hook");
    const { stdout, stderr } = await promisify(execFile)("sh", ["-ec", here], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
        XDG_CONFIG_HOME: folder,
        JUNCTION_API_KEY: service.key,
        JUNCTION_BASE_URL: service.baseUrl,
      },
    });
    expect(stderr).not.toContain("junction:");
    expect(stdout).not.toMatch(/undefined|NaN|\[object/);
  },
  120_000,
);
