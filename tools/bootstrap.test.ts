import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const installing = "npm ci";
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A repository of one workspace without dependencies, so that the real `npm ci` needs no network. */
function repository(): string {
  const folder = mkdtempSync(join(tmpdir(), "junction-bootstrap-"));
  folders.push(folder);
  const service = { name: "service", version: "1.0.0" };
  const project = { name: "project", version: "1.0.0", workspaces: ["service"] };
  mkdirSync(join(folder, "tools"));
  mkdirSync(join(folder, "service"));
  cpSync(fileURLToPath(new URL("bootstrap.mjs", import.meta.url)), join(folder, "tools/bootstrap.mjs"));
  write(folder, "package.json", project);
  write(folder, "service/package.json", service);
  write(folder, "package-lock.json", {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: { "": project, "node_modules/service": { resolved: "service", link: true }, service },
  });
  return folder;
}

function write(folder: string, path: string, content: unknown): void {
  writeFileSync(join(folder, path), JSON.stringify(content));
}

function bootstrap(folder: string): Promise<{ status: number | null; said: string }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number | null; said: string }>();
  const child = spawn(process.execPath, ["tools/bootstrap.mjs"], { cwd: folder });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.on("close", (status) => resolve({ status, said }));
  return promise;
}

test("a fresh clone is installed once, and afterwards nothing is done", async () => {
  const folder = repository();
  const first = await bootstrap(folder);
  expect(first).toMatchObject({ status: 0, said: expect.stringContaining(installing) as string });
  const hash = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  expect(readFileSync(join(folder, "node_modules/.junction-lock"), "utf8")).toBe(`${hash}\n`);
  expect(await bootstrap(folder)).toEqual({ status: 0, said: "" });
  expect(existsSync(join(folder, ".junction-install"))).toBe(false);
});

test("a changed lockfile is installed again", async () => {
  const folder = repository();
  await bootstrap(folder);
  writeFileSync(join(folder, "package-lock.json"), `${readFileSync(join(folder, "package-lock.json"), "utf8")}\n`);
  expect((await bootstrap(folder)).said).toContain(installing);
});

test("of several processes one installs and the others wait for it", async () => {
  const folder = repository();
  const all = await Promise.all([bootstrap(folder), bootstrap(folder), bootstrap(folder)]);
  expect(all.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(all.filter(({ said }) => said.includes(installing))).toHaveLength(1);
});

test("the lock of a process that is gone holds nobody up", async () => {
  const folder = repository();
  const gone = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => gone.on("close", resolve));
  mkdirSync(join(folder, ".junction-install"));
  write(folder, ".junction-install/owner.json", { pid: gone.pid, host: hostname() });
  expect(await bootstrap(folder)).toMatchObject({
    status: 0,
    said: expect.not.stringContaining("waiting") as string,
  });
});

test("a failed install says so, is not taken for a finished one and leaves no lock", async () => {
  const folder = repository();
  write(folder, "service/package.json", {
    name: "service",
    version: "1.0.0",
    dependencies: { absent: "1.0.0" },
  });
  const failed = await bootstrap(folder);
  expect(failed).toMatchObject({
    status: 1,
    said: expect.stringContaining("npm ci failed with exit code 1") as string,
  });
  expect(existsSync(join(folder, "node_modules/.junction-lock"))).toBe(false);
  expect(existsSync(join(folder, ".junction-install"))).toBe(false);
});
