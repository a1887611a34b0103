import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { runningEmbedded, startEmbedded } from "../../platform/db/db.ts";
import type { Embedded } from "../../platform/db/db.ts";
import { dataFolderCheck } from "./machine-checks.ts";

const isRoot = process.getuid?.() === 0;
/** The messages of the last start. */
let said: string[] = [];
const log = {
  info: (_fields: object, message: string) => void said.push(message),
  warn: () => undefined,
  error: () => undefined,
};
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

function folder(mode: number): string {
  const path = mkdtempSync(join(tmpdir(), "junction-home-"));
  chmodSync(path, mode);
  undo.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

async function started(dataDir: string): Promise<Embedded> {
  said = [];
  const server = await startEmbedded({ dataDir, log, settings: { fsync: "off" } });
  undo.push(async () => await server.stop());
  return server;
}

/** Adds a word to a table and returns the number of words. */
async function addWord(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query("create table if not exists kept (word text)");
    await client.query("insert into kept values ('here')");
    return (await client.query("select from kept")).rows.length;
  } finally {
    await client.end();
  }
}

const settings = {
  host: "127.0.0.1",
  port: 1,
  baseUrl: "http://127.0.0.1:1",
  masterKey: null,
  isExternal: false,
  mail: null,
  dnsServers: null,
  egress: null,
};

test("a command on a copied data folder does not reach the original that runs", async () => {
  const parent = folder(0o755);
  const original = join(parent, "data");
  const server = await started(original);
  const copy = join(parent, "copy");
  execFileSync("cp", ["-a", original, copy]);
  expect(await runningEmbedded(original)).toBe(server.url);
  expect(await runningEmbedded(copy)).toBeUndefined();
  const link = join(parent, "link");
  symlinkSync(original, link);
  expect(await runningEmbedded(link)).toBe(server.url);
});

describe.runIf(isRoot)("a database outside the data folder", () => {
  /** A data folder that the server's user cannot enter. */
  async function outside(): Promise<{ parent: string; original: string; home: string }> {
    const parent = folder(0o700);
    const original = join(parent, "data");
    const server = await started(original);
    const home = readFileSync(join(original, "postgres.location"), "utf8").trim();
    undo.unshift(() => rmSync(home, { recursive: true }));
    await addWord(server.url);
    await server.stop();
    return { parent, original, home };
  }

  test("a copied data folder is refused with both paths and what to do", async () => {
    const { parent, original, home } = await outside();
    const copy = join(parent, "copy");
    cpSync(original, copy, { recursive: true });
    const refusal = { name: "EmbeddedError", message: expect.stringContaining(`${copy} is a copy of ${original}`) };
    await expect(startEmbedded({ dataDir: copy, log })).rejects.toMatchObject(refusal);
    await expect(startEmbedded({ dataDir: copy, log })).rejects.toThrow(/junction backup.*junction restore/);
    expect(await dataFolderCheck({ ...settings, dataDir: copy })).toMatchObject({
      status: "failed",
      detail: `${copy} is a copy of ${original}; the database of both is ${home}.`,
    });
    expect(await addWord((await started(original)).url)).toBe(2);
    await expect(startEmbedded({ dataDir: copy, log })).rejects.toMatchObject(refusal);
    expect(await runningEmbedded(copy)).toBeUndefined();
  });

  test("a copy becomes the data folder once the original points elsewhere or is gone", async () => {
    const { parent, original } = await outside();
    const copy = join(parent, "copy");
    cpSync(original, copy, { recursive: true });
    rmSync(join(original, "postgres.location"));
    const server = await started(copy);
    expect(said).toContain(`the data folder was moved from ${original} to ${copy}`);
    expect(await addWord(server.url)).toBe(2);
  });

  test("a moved data folder keeps its database and says so once", async () => {
    const { parent, original, home } = await outside();
    const moved = join(parent, "moved");
    renameSync(original, moved);
    const first = await started(moved);
    expect(said.join("\n")).toContain(`the database is in ${home}, not in the data folder ${moved}`);
    expect(said).toContain(`the data folder was moved from ${original} to ${moved}`);
    expect(await addWord(first.url)).toBe(2);
    await first.stop();
    await started(moved);
    expect(said.join("\n")).not.toContain("was moved");
  });

  test("a folder that was renamed and copied back is refused under its new path", async () => {
    const { parent, original } = await outside();
    const renamed = join(parent, "renamed");
    renameSync(original, renamed);
    cpSync(renamed, original, { recursive: true });
    await (await started(original)).stop();
    await expect(startEmbedded({ dataDir: renamed, log })).rejects.toThrow(`is a copy of ${original}`);
  });

  test("a symbolic link or a bind mount is the same data folder", async ({ skip }) => {
    const { parent, original } = await outside();
    const link = join(parent, "link");
    symlinkSync(original, link);
    await (await started(link)).stop();
    const mounted = join(parent, "mounted");
    mkdirSync(mounted);
    try {
      execFileSync("mount", ["--bind", original, mounted], { stdio: "ignore" });
    } catch {
      skip("bind mounts are not allowed here");
    }
    undo.push(() => execFileSync("umount", [mounted]));
    const server = await started(mounted);
    expect(await addWord(server.url)).toBe(2);
    await server.stop();
    expect(await addWord((await started(original)).url)).toBe(3);
  });

  test("the doctor shows the free space of the disk that the database is on", async () => {
    const { original, home } = await outside();
    const check = await dataFolderCheck({ ...settings, dataDir: original });
    expect(check.detail).toMatch(new RegExp(`Its database is in ${home}, with [0-9.]+ GiB free`));
    renameSync(home, `${home}.away`);
    expect(await dataFolderCheck({ ...settings, dataDir: original })).toMatchObject({ status: "failed" });
    renameSync(`${home}.away`, home);
  });
});
