import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBackup } from "../backup/backup.ts";
import { instant, systemClock } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { backupCheck } from "./backup-check.ts";
import { backupCommand } from "./backup-command.ts";
import type { TestService } from "../../testing/test-service.ts";

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-installation-"));
  service = await startService({ env: { JUNCTION_DATA_DIR: join(folder, "it's data") } });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function shown(of = service, key = of.key): Promise<Record<string, unknown>> {
  const answer = await of.api("GET", "/v1/installation", undefined, { key });
  expect(answer.status).toBe(200);
  return answer.body as Record<string, unknown>;
}

async function backUp(name: string, clock: Clock = systemClock): Promise<Awaited<ReturnType<typeof writeBackup>>> {
  const deps = { databaseUrl: service.database.url, dataDir: folder, masterKey: Buffer.from(MASTER_KEY, "base64") };
  return await writeBackup({ ...deps, clock, includesMasterKey: false, tell: () => undefined }, join(folder, name));
}

async function metric(): Promise<number> {
  const text = await service.service.telemetry.metrics();
  return Number(/^junction_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
}

describe("who may see the installation", () => {
  test("owners and admins of the operator's workspace see where the data is stored", async () => {
    const expected = {
      object: "installation",
      base_url: service.baseUrl,
      operator: { database: "external", data_folder: join(folder, "it's data"), database_folder: null },
    };
    expect(await shown()).toMatchObject(expected);
    expect(await shown(service, (await mintKey(service, { role: "admin" })).key)).toMatchObject(expected);
    const admin = await joined(service, "admin");
    expect((await admin.call("GET", "/v1/installation")).body).toMatchObject(expected);
  });

  test("no credential of the database is shown", async () => {
    const { password, host } = new URL(service.database.url);
    const text = JSON.stringify(await shown());
    expect(text).not.toContain("postgres:");
    for (const part of [password, host].filter((one) => one !== "")) expect(text).not.toContain(part);
  });

  test("other roles are refused", async () => {
    for (const role of ["developer", "operator", "viewer", "ai"]) {
      const { key } = await mintKey(service, { role });
      const answer = await service.api("GET", "/v1/installation", undefined, { key });
      expect([role, outcome(answer)]).toEqual([role, "403 role_not_allowed"]);
    }
    const viewer = await joined(service, "viewer");
    expect(outcome(await viewer.call("GET", "/v1/installation"))).toBe("403 role_not_allowed");
  });

  test("other workspaces' owners never see folders or backups", async () => {
    const own = await startService();
    const other = await otherWorkspace(own);
    const made = await own.api("POST", "/v1/workspaces", { name: "A customer's" });
    expect(made.status).toBe(201);
    expect(await shown(own, other.key)).toMatchObject({ base_url: own.baseUrl, operator: null });
    await own.database.query("update workspace set deletion_at = now(), closed_at = now() where is_operators");
    await own.database.query(
      "select erase_workspace(id, bucket, array(select distinct tag from api_key k where k.workspace_id = w.id)) from workspace w where is_operators",
    );
    expect(await own.database.query("select name from workspace order by name")).toEqual([
      { name: "A customer's" },
      { name: "Other" },
    ]);
    expect(await shown(own, other.key)).toMatchObject({ operator: null });
    await own.close();
  });
});

describe("the embedded database", () => {
  test("is shown with its folder", async () => {
    const dataDir = join(folder, "embedded");
    const embedded = await startService({ env: { DATABASE_URL: "", JUNCTION_DATA_DIR: dataDir } });
    expect(await shown(embedded)).toMatchObject({
      operator: {
        database: "embedded",
        data_folder: dataDir,
        database_folder: dataDir,
        backup_command: expect.stringContaining(
          `JUNCTION_DATA_DIR=${dataDir} node_modules/.bin/junction backup`,
        ) as string,
      },
    });
    await embedded.close();
  });

  test("is shown with its own folder if PostgreSQL cannot access the data folder", async () => {
    const [dataDir, home] = [join(folder, "pointing"), join(folder, "elsewhere")];
    await mkdir(dataDir);
    await writeFile(join(dataDir, "postgres.location"), `${home}\n`);
    const embedded = await startService({ env: { DATABASE_URL: "", JUNCTION_DATA_DIR: dataDir } });
    expect(await shown(embedded)).toMatchObject({ operator: { data_folder: dataDir, database_folder: home } });
    await embedded.close();
  });
});

describe("the backup command", () => {
  test("names and quotes the data folder unless it is the default one", () => {
    const root = folder;
    const command = (dataDir: string): string => backupCommand({ root, dataDir, isExternal: false });
    expect(command(join(root, "data"))).toBe(`cd ${root} && node_modules/.bin/junction backup`);
    expect(command("/srv/data")).toBe(`cd ${root} && JUNCTION_DATA_DIR=/srv/data node_modules/.bin/junction backup`);
    expect(command("/srv/it's $HOME")).toContain(` JUNCTION_DATA_DIR='/srv/it'\\''s $HOME' `);
    expect(backupCommand({ root, dataDir: "/srv/data", isExternal: true })).not.toContain("JUNCTION_DATA_DIR");
  });

  test("runs the program of an unpacked archive", async () => {
    const root = join(folder, "archive");
    await mkdir(root);
    await writeFile(join(root, "junction"), "");
    expect(backupCommand({ root, dataDir: join(root, "data"), isExternal: false })).toBe(
      `cd ${root} && ./junction backup`,
    );
  });

  test("writes to the data folder if the program's folder is not writable", () => {
    expect(backupCommand({ root: join(folder, "none"), dataDir: "/data", isExternal: true })).toMatch(
      / backup --out \/data\/junction-\$\(date \+%F\)\.tar$/,
    );
  });
});

describe("the last backup", () => {
  test("is shown by the API, the doctor and the metrics once it exists", async () => {
    expect(await shown()).toMatchObject({ operator: { last_backup: null } });
    expect(await backupCheck(service.service)).toMatchObject({ name: "backup", status: "warning" });
    expect(await metric()).toBe(0);

    const made = await backUp("first.tar");
    expect(made.recorded).toBe(true);
    const last = { created_at: made.created_at, file_name: "first.tar" };
    expect(await shown()).toMatchObject({ operator: { last_backup: last } });
    expect(await backupCheck(service.service)).toMatchObject({
      status: "ok",
      detail: `The last backup was completed at ${made.created_at}: first.tar.`,
    });
    expect(await metric()).toBe(Date.parse(made.created_at) / 1000);
  });

  test("is the one with the newest data, not the one that ended last", async () => {
    const newest = await backUp("newest.tar");
    const anHourAgo = { ...systemClock, now: () => instant(systemClock.now() - 3_600_000) };
    expect(await backUp("slow.tar", anHourAgo)).toMatchObject({ recorded: true });
    expect(await shown()).toMatchObject({ operator: { last_backup: { created_at: newest.created_at } } });
  });

  test("is not one that failed", async () => {
    const before = await shown();
    await expect(backUp("newest.tar")).rejects.toThrow("already exists");
    await expect(backUp("no-such-folder/x.tar")).rejects.toThrow();
    expect(await shown()).toEqual(before);
  });

  test("a backup is complete even if it cannot be recorded before an upgrade", async () => {
    await service.database.query("alter table last_backup rename to of_a_later_version");
    expect(await backUp("unrecorded.tar")).toMatchObject({ recorded: false });
    expect(await readdir(folder)).toContain("unrecorded.tar");
    await service.database.query("alter table of_a_later_version rename to last_backup");
  });
});
