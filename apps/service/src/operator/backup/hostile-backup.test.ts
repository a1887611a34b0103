import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fingerprintOf, sha256 } from "../../lib/lib.ts";
import { bareDatabase } from "../../testing/database.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { createArchive, readArchive } from "./archive.ts";
import { BackupError, restoreBackup, writeBackup } from "./backup.ts";
import { MANIFEST, MANIFEST_SHA256, MASTER_KEY as MASTER_KEY_FILE } from "./manifest.ts";
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

/** Returns the backup with another end: the files after those of the rows. */
async function endingWith(name: string, ...files: (readonly [path: string, content: Buffer])[]): Promise<string> {
  const out = join(folder, name);
  const archive = await createArchive(out);
  for await (const { path, content } of readArchive(file))
    if (path.startsWith("data/")) await archive.add(path, content);
  for (const [path, content] of files) await archive.add(path, content);
  await archive.finish();
  return out;
}

async function manifestOf(): Promise<Manifest> {
  for await (const { path, content } of readArchive(file))
    if (path === MANIFEST) return JSON.parse(content.toString("utf8")) as Manifest;
  throw new Error("no manifest");
}

function digestOf(manifest: Buffer): Buffer {
  return Buffer.from(`${sha256(manifest).toString("hex")}  ${MANIFEST}\n`);
}

/** Restores a hostile backup without a key of its own. Returns the error, and checks that nothing changed. */
async function refusal(hostile: string): Promise<unknown> {
  const database = await bareDatabase();
  const dataDir = await mkdtemp(join(folder, "c-"));
  const deps = { databaseUrl: database.url, migrations: MIGRATIONS, force: false, tell: () => undefined };
  const check = async (): Promise<void> => await Promise.resolve();
  const error: unknown = await restoreBackup({ ...deps, masterKey: null, dataDir, check }, hostile).catch(
    (thrown: unknown) => thrown,
  );
  expect(await readdir(dataDir)).toEqual([]);
  expect(await database.query("select 1 from pg_class where relname = 'workspace'")).toEqual([]);
  await database.drop();
  return error;
}

test("a backup is refused unless a digest follows its only manifest", async () => {
  const manifest = Buffer.from(JSON.stringify(await manifestOf()));
  const other = Buffer.from(JSON.stringify({ ...(await manifestOf()), created_at: "1970-01-01T00:00:00.000Z" }));
  const [whole, digest] = [[MANIFEST, manifest] as const, [MANIFEST_SHA256, digestOf(manifest)] as const];
  const ends = {
    "no-digest.tar": [whole],
    "early-digest.tar": [digest, whole],
    "late-manifest.tar": [whole, digest, [MANIFEST, other] as const],
    "other-digest.tar": [whole, [MANIFEST_SHA256, digestOf(other)] as const],
  };
  for (const [name, files] of Object.entries(ends)) {
    const error = await refusal(await endingWith(name, ...files));
    expect([name, error]).toEqual([name, expect.any(BackupError)]);
    expect(String(error)).toContain("was changed: the SHA-256 digest of its manifest");
  }
});

test("a manifest that is not a backup's is refused in plain words", async () => {
  const texts = ["{", "null", "[]", "{}", '{"format":"junction-backup"}', `${JSON.stringify(await manifestOf())}}`];
  for (const [at, text] of texts.entries()) {
    const manifest = Buffer.from(text);
    const error = await refusal(
      await endingWith(`manifest-${at}.tar`, [MANIFEST, manifest], [MANIFEST_SHA256, digestOf(manifest)]),
    );
    expect([text, error]).toEqual([text, expect.any(BackupError)]);
    expect(String(error)).toContain("is not a Junction backup");
  }
});

test("a master key in a backup that is not the backup's is refused", async () => {
  const keys = { short: Buffer.alloc(5, 1), other: Buffer.alloc(32, 1) };
  for (const [name, key] of Object.entries(keys)) {
    const content = Buffer.from(`${key.toString("base64")}\n`);
    const { members, ...rest } = await manifestOf();
    const entry = { path: MASTER_KEY_FILE, bytes: content.length, sha256: sha256(content).toString("hex") };
    const fingerprint = fingerprintOf(name === "short" ? key : masterKey);
    const manifest = Buffer.from(
      JSON.stringify({ ...rest, master_key: { fingerprint, included: true }, members: [...members, entry] }),
    );
    const error = await refusal(
      await endingWith(
        `${name}-key.tar`,
        [MASTER_KEY_FILE, content],
        [MANIFEST, manifest],
        [MANIFEST_SHA256, digestOf(manifest)],
      ),
    );
    expect([name, error]).toEqual([name, expect.any(BackupError)]);
    expect(String(error)).toContain("master key");
  }
});
