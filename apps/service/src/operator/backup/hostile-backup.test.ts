import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../lib/lib.ts";
import { bareDatabase } from "../../testing/database.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { createArchive, readArchive } from "./archive.ts";
import { restoreBackup, writeBackup } from "./backup.ts";
import { MANIFEST, MANIFEST_SHA256 } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import type { TestService } from "../../testing/test-service.ts";

const MIGRATIONS = new URL("../../platform/db/migrations/", import.meta.url);
const masterKey = Buffer.from(MASTER_KEY, "base64");

let service: TestService;
let folder: string;
let file: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "junction-hostile-"));
  file = join(folder, "backup.tar");
  const dataDir = await mkdtemp(join(folder, "source-"));
  const deps = {
    databaseUrl: service.database.url,
    masterKey,
    dataDir,
    includesMasterKey: false,
    tell: () => undefined,
  };
  await writeBackup(deps, file);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/**
 * Returns the backup with one more file, which the manifest lists with its SHA-256. An attacker with write access can
 * create it.
 */
async function withFile(path: string, content: Buffer): Promise<string> {
  const out = join(folder, `hostile-${sha256(path).toString("hex").slice(0, 8)}.tar`);
  const archive = await createArchive(out);
  for await (const member of readArchive(file)) {
    if (member.path === MANIFEST) {
      const added = await archive.add(path, content);
      const manifest = JSON.parse(member.content.toString("utf8")) as Manifest;
      const text = Buffer.from(JSON.stringify({ ...manifest, members: [...manifest.members, added] }));
      const { sha256: digest } = await archive.add(MANIFEST, text);
      await archive.add(MANIFEST_SHA256, Buffer.from(`${digest}  ${MANIFEST}\n`));
    } else if (member.path !== MANIFEST_SHA256) await archive.add(member.path, member.content);
  }
  await archive.finish();
  return out;
}

test("13: a foreign file in a backup is refused before any change", async () => {
  const content = Buffer.from("evil");
  const hash = sha256(content).toString("hex");
  const paths = [
    "connectors/sha256/../../../../evil-from-backup",
    "connectors/sha256/../../evil-from-backup",
    "connectors/sha256/evil-from-backup",
    `connectors/sha256/${hash.slice(0, 2)}/../${hash}`,
    `connectors/sha256/00/${hash}`,
    `connectors/sha256/${hash.slice(0, 2)}/${"0".repeat(64)}`,
    `/connectors/sha256/${hash.slice(0, 2)}/${hash}`,
    "evil-from-backup",
  ];
  for (const path of paths) {
    const database = await bareDatabase();
    const dataDir = await mkdtemp(join(folder, "a-"));
    const deps = { databaseUrl: database.url, masterKey, migrations: MIGRATIONS, force: false, tell: () => undefined };
    const restored = restoreBackup(
      { ...deps, dataDir, check: async () => await Promise.resolve() },
      await withFile(path, content),
    );
    await expect(restored).rejects.toThrow(`${JSON.stringify(path)} is not a file of a backup`);
    expect(await readdir(dataDir)).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.startsWith("evil"))).toEqual([]);
    expect(await database.query("select 1 from pg_class where relname = 'workspace'")).toEqual([]);
    await database.drop();
  }
});

test("a connector's file that is named by its content is restored", async () => {
  const content = Buffer.from("export const hooks = {};\n");
  const hash = sha256(content).toString("hex");
  const path = `connectors/sha256/${hash.slice(0, 2)}/${hash}`;
  const database = await bareDatabase();
  const dataDir = await mkdtemp(join(folder, "b-"));
  await writeFile(join(dataDir, "kept"), "");
  const deps = { databaseUrl: database.url, masterKey, migrations: MIGRATIONS, force: false, tell: () => undefined };
  await restoreBackup({ ...deps, dataDir, check: async () => await Promise.resolve() }, await withFile(path, content));
  expect(await readFile(join(dataDir, path))).toEqual(content);
  expect((await stat(join(dataDir, path))).mode & 0o077).toBe(0);
  await database.drop();
});
