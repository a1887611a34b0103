import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, run } from "../tools/run.ts";
import { buildContext } from "./testing/image.ts";
import { cloneInto } from "./testing/machine.ts";

/** Files that people put into a clone, or that programs leave there, and that must stay on the machine. */
const SECRETS = [
  "deploy/docker/master.key",
  "deploy/docker/postgres.password",
  "deploy/docker/.env",
  "deploy/docker/connectors/own/connector.ts",
  ".env",
  ".env.local",
  "apps/service/.env.production",
  "development.key",
  "development.pub",
  "author.key",
  "old.key",
  "apps/service/author.key",
  "connectors/author.key",
  "docs/tls.pem",
  "client.p12",
  "bootstrap.json",
  "apps/bootstrap.json",
  "data/master.key",
  "data2/postgres/PG_VERSION",
  "data/connectors/blob",
  "before-upgrade.tar",
  "junction-2026-11-22.tar",
  "apps/service/junction-2026-11-22T10-00-00-000Z.tar",
  "npm-debug.log",
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-secrets-"));
  await cloneInto(folder);
  await must("git", ["init", "--quiet"], { cwd: folder });
  await must("git", ["add", "--all"], { cwd: folder });
  for (const path of SECRETS) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), "secret");
  }
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("git lists no key, password, backup or data folder put into a clone", async () => {
  const { stdout } = await must("git", ["status", "--porcelain", "--untracked-files=all"], { cwd: folder });
  expect(stdout.split("\n").filter((line) => line.startsWith("??"))).toEqual([]);
});

test("the Docker build context holds no secret, and only files that are in git", async () => {
  const context = new Set(await buildContext(folder));
  expect(SECRETS.filter((path) => context.has(path))).toEqual([]);
  const { stdout } = await must("git", ["ls-files", "-z"], { cwd: folder });
  const known = new Set(stdout.split("\0"));
  expect([...context].filter((path) => !known.has(path))).toEqual([]);
  expect(context).toContain("apps/service/src/main.ts");
  expect(context).toContain("connectors/stripe/MANIFEST.sig");
  expect([...context].filter((path) => /(?:^|\/)(?:\.git|node_modules|world)\//.test(path))).toEqual([]);
});

test("what the files of the image import is in the image", async () => {
  const context = await buildContext(folder);
  const has = new Set(context);
  const missing: string[] = [];
  for (const file of context.filter((path) => /\.(?:ts|mts|mjs)$/.test(path))) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, path = ""] of text.matchAll(/^(?:import|export) [^;]*?"(\.[^"]+\.(?:ts|mjs))";$/gm))
      if (!has.has(join(dirname(file), path))) missing.push(`${file} imports ${path}`);
  }
  expect(missing).toEqual([]);
});

test("git ignores a connector author's key pair wherever in the clone it was made", async () => {
  const main = join(import.meta.dirname, "../apps/service/src/main.ts");
  for (const cwd of [folder, join(folder, "connectors")])
    await must(process.execPath, [main, "connector", "keygen", "--name", "laptop"], { cwd });
  const { stdout } = await must("git", ["status", "--porcelain", "--untracked-files=all"], { cwd: folder });
  expect(stdout).not.toContain("laptop");
});

test("the secrets of compose.yaml are made once, for their owner alone, and kept", async () => {
  const { files, make } = await secretsFolder();
  expect(await make()).toMatchObject({ status: 0 });
  const first = await Promise.all(files.map(async (file) => await readFile(file, "utf8")));
  const [key = "", password = "", url = ""] = first.map((text) => text.trim());
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  expect(url).toBe(`postgres://junction:${password}@database/junction`);
  const { stdout } = await must("stat", ["-c", "%a", ...files]);
  expect(stdout).toBe("600\n600\n600\n");
  expect(await make()).toEqual({ status: 0, output: "", stdout: "" });
  expect(await Promise.all(files.map(async (file) => await readFile(file, "utf8")))).toEqual(first);
  expect((await must("ls", ["-A", dirname(files[0])])).stdout.trim().split("\n")).toHaveLength(3);
});

test("a lost master key is not replaced by another one while the database exists", async () => {
  const { files, make } = await secretsFolder();
  await make();
  await rm(files[0]);
  const { status, output } = await make();
  expect({ status, output }).toEqual({
    status: 78,
    output: expect.stringContaining("Put the key from your backup there."),
  });
  expect(output.trim().split("\n")).toHaveLength(1);
  expect((await run("ls", [files[0]])).status).not.toBe(0);
});

test("an interrupted start without a database password is completed by the next one", async () => {
  const { files, make } = await secretsFolder();
  await make();
  await Promise.all([rm(files[1]), rm(files[2])]);
  expect(await make()).toMatchObject({ status: 0 });
  expect((await readFile(files[2], "utf8")).trim()).toContain((await readFile(files[1], "utf8")).trim());
});

async function secretsFolder(): Promise<{
  files: [string, string, string];
  make: () => ReturnType<typeof run>;
}> {
  const own = await mkdtemp(join(folder, "volume-"));
  const files: [string, string, string] = [join(own, "master.key"), join(own, "password"), join(own, "url")];
  const script = join(import.meta.dirname, "docker/make-secrets.ts");
  return {
    files,
    make: async () => await run(process.execPath, [script, ...files, "postgres://junction@database/junction"]),
  };
}
