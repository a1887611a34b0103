import { readdirSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMaintenance, migrate } from "../../platform/db/db.ts";
import { instant, sha256, systemClock } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import { registerContract } from "../../testing/contracts.ts";
import { bareDatabase, cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { dump } from "../../testing/dump.ts";
import { hexMac, inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import { pullEndpoint } from "../../testing/pull-endpoint.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { restoreBackup, writeBackup } from "./backup.ts";
import type { RestoreDeps } from "./backup.ts";
import { openSnapshot } from "./snapshot.store.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const MIGRATIONS = new URL("../../platform/db/migrations/", import.meta.url);
const masterKey = Buffer.from(MASTER_KEY, "base64");
const CONNECTOR_FILE = Buffer.from("export const hooks = {};\n");
const CONNECTOR_PATH = `connectors/sha256/${nameOf(CONNECTOR_FILE).slice(0, 2)}/${nameOf(CONNECTOR_FILE)}`;

let folder: string;
let service: TestService;
let receiver: Receiver;

/** The times at which the migrations were applied differ, and the epochs and leases of pull endpoints. */
const CHANGED: ReadonlySet<string> = new Set(["schema_migration", "pull_log", "pull_consumer"]);

/** The objects that `fill` creates in a service. */
interface Made {
  readonly endpoint: { readonly id: string; readonly secret: string };
  readonly source: string;
  readonly sourceSecret: string;
  readonly delivery: string;
  /** A pull endpoint, whose only message is leased. */
  readonly pull: { readonly path: string; readonly epoch: string; readonly lease: string };
}

/** The backup of `service` with all objects. */
let file: string;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-backup-"));
  service = await startService();
  receiver = await startReceiver();
  await fill(service);
  await mkdir(join(folder, CONNECTOR_PATH, ".."), { recursive: true });
  await writeFile(join(folder, CONNECTOR_PATH), CONNECTOR_FILE);
  await writeFile(join(folder, `${CONNECTOR_PATH}.draft`), "half");
  file = await backUp("whole.tar");
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a row in every table that a backup contains. */
async function fill(on: TestService): Promise<Made> {
  const endpoint = await on.endpoint(receiver.url, { events: ["test.kept"], headers: { "X-Team": "Ünï\t\\N" } });
  const fired = await on.fire("test.kept", {
    text: '\\. \\N\ttab \u2028 "quoted" \\\\n',
    big: 12345678901234567890n.toString(),
  });
  const delivery = fired.deliveries[0].id as string;
  await on.until(`/v1/deliveries/${delivery}`, ({ state }) => state === "delivered");
  await on.endpoint("http://127.0.0.1:9/", { events: ["test.waits"] });
  await on.fire("test.waits", {});
  const source = await makeSource(on, MAPPING);
  await source.send(inboundBody());
  await registerContract(on, { key: "test.refund", requires_confirmation: true });
  await on.api("POST", "/v1/actions/run", { action: "test.refund", parameters: { reason: "twice" } });
  const pulled = await pullEndpoint(on);
  await pulled.fire({ n: 1 });
  const { body } = await pulled.pull();
  const pull = { path: pulled.path, epoch: body["epoch"] as string, lease: body["lease"]["id"] as string };
  return { endpoint, source: source.target, sourceSecret: source.secret, delivery, pull };
}

function nameOf(bytes: Buffer): string {
  return sha256(bytes).toString("hex");
}

async function backUp(name: string, includesMasterKey = false, of = service): Promise<string> {
  const out = join(folder, name);
  const place = { databaseUrl: of.database.url, dataDir: folder };
  const deps = { ...place, masterKey, includesMasterKey, tell: () => undefined };
  const told = await writeBackup(deps, out);
  expect(told).toMatchObject({ object: "backup", file: out, master_key_included: includesMasterKey });
  expect(told.bytes).toBe((await stat(out)).size);
  return out;
}

async function bare(): Promise<TestDatabase> {
  const database = await bareDatabase();
  databases.push(database);
  return database;
}

async function restoreInto(database: TestDatabase, from: string, more: Partial<RestoreDeps> = {}): Promise<string> {
  const dataDir = more.dataDir ?? (await mkdtemp(join(folder, "data-")));
  const check = async (): Promise<void> => await Promise.resolve();
  const deps = {
    databaseUrl: database.url,
    masterKey,
    migrations: MIGRATIONS,
    force: false,
    tell: () => undefined,
    check,
  };
  await restoreBackup({ ...deps, ...more, dataDir }, from);
  return dataDir;
}

async function tableNames(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  );
  return rows.map(({ name }) => name);
}

test("a restored installation has the same rows, secrets, signatures and audit log", async () => {
  const source = await startService();
  const made = await fill(source);
  // A running service writes counters and its request log late, so rows would appear between the two dumps.
  await source.service.stop();
  databases.push(source.database);
  const before = await dump(source);
  const database = await bare();
  const dataDir = await restoreInto(database, await backUp("stopped.tar", false, source));
  const restored: TestService = { ...source, database };
  const after = await dump(restored);
  const sorted = (text = ""): string[] => text.split("\n").toSorted();
  for (const [table, rows] of before)
    if (!CHANGED.has(table)) expect([table, sorted(after.get(table))]).toEqual([table, sorted(rows)]);
  expect(await readFile(join(dataDir, CONNECTOR_PATH))).toEqual(CONNECTOR_FILE);
  expect(await tableNames(database)).not.toContain("restore_unfinished");

  const second = await startService({ on: restored });
  const shown = await second.api("GET", `/v1/webhook-endpoints/${made.endpoint.id}/secret`);
  expect(shown.body.secret).toBe(made.endpoint.secret);
  expect((await second.api("GET", `/v1/deliveries/${made.delivery}`)).body.state).toBe("delivered");
  const { path, epoch, lease: lease_id } = made.pull;
  const lost = await second.api("POST", `${path}/commit`, { consumer: "c", lease_id });
  expect([lost.status, lost.body.code]).toEqual([409, "lease_lost"]);
  const again = await second.api("POST", `${path}/pull`, { consumer: "c" });
  expect(again.body).toMatchObject({ position: 1, lag: 1, messages: [{ offset: 1 }] });
  expect(again.body.epoch).not.toBe(epoch);
  const had = receiver.received.length;
  await second.fire("test.kept", { n: 2 });
  const received = (await receiver.count(had + 1)).at(-1);
  expect(received?.headers["x-service-signature"]).toBe(hexMac(made.endpoint.secret, received?.body ?? ""));
  const body = inboundBody();
  const inbound = await fetch(second.baseUrl + made.source, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Inbound-Signature": hexMac(made.sourceSecret, body) },
    body,
  });
  expect([inbound.status, await inbound.json()]).toMatchObject([200, { status: "ok" }]);
  const verified = await second.api("GET", "/v1/audit/verify");
  expect(verified.body).toMatchObject({ ok: true, first_bad_seq: null });
  expect(verified.body.checked).toBeGreaterThan(3);
  await second.close();
});

test("a restored lane is blocked as before, and continues in its order", async () => {
  const source = await startService();
  const laned = await startReceiver();
  laned.status(410);
  const { id } = await source.endpoint(laned.url, { events: ["test.laned"], ordering: { key: "endpoint" } });
  const events = [1, 2].map((n) => ({ event: "test.laned", data: { n } }));
  const fired = await source.api("POST", "/v1/events/batch", { events });
  const [first, next] = fired.body["data"].map(({ deliveries }: Parsed) => deliveries[0].id as string);
  const path = `/v1/webhook-endpoints/${id}`;
  await expect.poll(async () => (await source.api("GET", `${path}/lanes?blocked=true`)).body["data"].length).toBe(1);
  await source.service.stop();
  databases.push(source.database);
  const database = await bare();
  await restoreInto(database, await backUp("laned.tar", false, source));
  const restored = await startService({ on: { ...source, database } });
  const lanes = await restored.api("GET", `${path}/lanes`);
  expect(lanes.body["data"]).toMatchObject([{ waiting: 1, head: { delivery_id: first, state: "failed" } }]);
  laned.status(200);
  await restored.api("POST", `${path}/toggle`);
  expect((await restored.api("POST", `${path}/lanes/retry`, { all: true })).body).toEqual({ count: 1 });
  await restored.until(`/v1/deliveries/${next}`, ({ state }) => state === "delivered");
  expect(laned.received.map(({ headers }) => headers["x-service-sequence"])).toEqual(["1", "1", "2"]);
  await restored.close();
  await laned.close();
});

test("triggers, foreign keys, policies and rights are those of a migrated database", async () => {
  const [database, template] = [await bare(), await cloneDatabase()];
  databases.push(template);
  await restoreInto(database, file);
  const facts = async (of: TestDatabase): Promise<unknown> => [
    await of.query(
      "select tgrelid::regclass::text as t, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2",
    ),
    await of.query(
      "select conrelid::regclass::text as t, conname, pg_get_constraintdef(oid) as d from pg_constraint where conrelid <> 0 order by 1, 2",
    ),
    await of.query("select tablename, policyname, roles, qual, with_check from pg_policies order by 1, 2"),
    await of.query(
      "select relname::text, relrowsecurity, relacl::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r','p') order by 1",
    ),
    await of.query("select indexdef from pg_indexes where schemaname = 'public' order by 1"),
  ];
  expect(await facts(database)).toEqual(await facts(template));
  await expect(database.query("delete from audit_row")).rejects.toThrow("append-only");
});

test("the schema has no sequences, large objects or types that a backup misses", async () => {
  const [row] = await service.database.query(
    `select (select count(*)::int from pg_sequences) as sequences, (select count(*)::int from pg_largeobject_metadata) as objects,
       (select count(*)::int from pg_type t where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')) as types,
       (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'f')) as others`,
  );
  expect(row).toEqual({ sequences: 0, objects: 0, types: 0, others: 0 });
});

test("a backup under load contains one moment: no delivery without its event", async () => {
  let isFiring = true;
  const firing = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; isFiring; n += 1) await service.fire("test.kept", { lane, n });
  });
  const files = [await backUp("load-1.tar"), await backUp("load-2.tar")];
  isFiring = false;
  await Promise.all(firing);
  for (const one of files) {
    const database = await bare();
    await restoreInto(database, one);
    const [row] = await database.query<{ events: number; orphans: number; unlogged: number }>(
      `select (select count(*)::int from event) as events,
         (select count(*)::int from delivery d where not exists (select from event e where e.id = d.event_id)) as orphans,
         (select count(*)::int from event e where e.name = 'test.kept' and not exists (select from delivery d where d.event_id = e.id)
           and not exists (select from pending_delivery p where p.event_id = e.id)) as unlogged`,
    );
    expect(row).toMatchObject({ orphans: 0, unlogged: 0 });
    expect(row?.events).toBeGreaterThan(2);
  }
});

test("maintenance skips tables during a backup instead of blocking the service", async () => {
  const database = await cloneDatabase();
  const another = await startService({ env: { DATABASE_URL: database.url }, on: { ...service, database } });
  const parts = async (): Promise<string[]> =>
    (await tableNames(database)).filter((name) => /^event_\d{8}$/.test(name)).toSorted();
  const all = await parts();
  await database.query(`drop table ${all.at(-1) ?? ""}`);
  const log = { info: () => undefined, warn: () => undefined };
  const maintenance = createMaintenance({ db: another.service.db, log, retentionDays: 30 });
  const snapshot = await openSnapshot(database.url);
  await maintenance.start();
  await maintenance.stop();
  expect(await parts()).toEqual(all.slice(0, -1));
  await another.service.db.transaction(async ({ query }) => await query.deleteFrom("event").execute());
  await snapshot.close();
  await maintenance.start();
  await maintenance.stop();
  expect(await parts()).toEqual(all);
  await another.close();
  await database.drop();
});

test("a damaged or cut file is refused before the database is touched", async () => {
  const whole = await readFile(file);
  const database = await bare();
  const target = join(folder, "damaged.tar");
  const refused = async (content: Buffer, reason: RegExp): Promise<void> => {
    await writeFile(target, content);
    await expect(restoreInto(database, target)).rejects.toThrow(reason);
  };
  for (const part of [0, 0.1, 0.5, 0.9, 0.99])
    await refused(whole.subarray(0, Math.floor(whole.length * part)), /is incomplete/);
  // The file ends before the manifest, as an interrupted backup leaves it.
  await refused(
    Buffer.concat([whole.subarray(0, whole.indexOf("manifest.json")), Buffer.alloc(1024)]),
    /is incomplete/,
  );
  for (const part of [0.01, 0.3, 0.6, 0.95]) {
    const flipped = Buffer.from(whole);
    const at = nextByte(flipped, Math.floor(whole.length * part));
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await refused(flipped, /changed|damaged|incomplete|not a Junction backup/);
  }
  await refused(Buffer.from("SQLite format 3\0".repeat(64)), /not a Junction backup/);
  await expect(restoreInto(database, join(folder, "none.tar"))).rejects.toThrow("cannot be read");
  expect(await tableNames(database)).toEqual([]);
});

/** Returns the next byte that is not padding, because padding is never read. */
function nextByte(content: Buffer, from: number): number {
  return content.findIndex((byte, at) => at >= from && byte !== 0);
}

test("existing data is lost only with --force, and other tables never", async () => {
  const used = await bare();
  await restoreInto(used, file);
  await expect(restoreInto(used, file)).rejects.toThrow("use --force");
  await used.query("update workspace set name = 'changed'");
  await restoreInto(used, file, { force: true });
  expect(await used.query("select name from workspace")).toEqual([{ name: "Test" }]);

  const other = await bare();
  await other.query("create table customer (id int)");
  await expect(restoreInto(other, file, { force: true })).rejects.toThrow("do not belong to Junction");
  expect(await tableNames(other)).toEqual(["customer"]);

  await expect(restoreInto(service.database, file, { force: true })).rejects.toThrow("Stop every node first");
});

test("an unfinished restore blocks the service until a second restore completes it", async () => {
  const database = await bare();
  const check = async (): Promise<void> => await Promise.reject(new Error("the power went"));
  await expect(restoreInto(database, file, { check })).rejects.toThrow("the power went");
  await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow("its restore was not completed");
  await expect(openSnapshot(database.url)).rejects.toThrow("unfinished restore");
  await restoreInto(database, file);
  expect(await migrate(database.url, MIGRATIONS)).toEqual([]);
});

test("a backup of an older schema is migrated; a newer one is refused", async () => {
  const older = await mkdtemp(join(folder, "migrations-"));
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(older, name));
  await writeFile(join(older, "9999_later.sql"), "create table later (tag text not null);");
  const later = new URL(`file://${older}/`);
  const database = await bare();
  await restoreInto(database, file, { migrations: later });
  expect(await tableNames(database)).toContain("later");

  const newer = join(folder, "newer.tar");
  const deps = { dataDir: folder, masterKey, includesMasterKey: false, tell: () => undefined };
  await writeBackup({ ...deps, databaseUrl: database.url }, newer);
  const fresh = await bare();
  await expect(restoreInto(fresh, newer)).rejects.toThrow(/schema of a newer version of Junction .*9999_later\.sql/);
  expect(await tableNames(fresh)).toEqual([]);
});

test("a backup contains the master key only on request; restoring requires the key", async () => {
  const text = masterKey.toString("base64");
  expect((await readFile(file)).includes(text)).toBe(false);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const database = await bare();
  await expect(restoreInto(database, file, { masterKey: null })).rejects.toThrow("does not contain the master key");
  await expect(restoreInto(database, file, { masterKey: Buffer.alloc(32, 1) })).rejects.toThrow(
    "a different master key",
  );
  expect(await tableNames(database)).toEqual([]);

  const including = await backUp("with-key.tar", true);
  const dataDir = await mkdtemp(join(folder, "data-"));
  await writeFile(join(dataDir, "master.key"), `${Buffer.alloc(32, 2).toString("base64")}\n`);
  await restoreInto(database, including, { masterKey: null, dataDir });
  expect((await readFile(join(dataDir, "master.key"), "utf8")).trim()).toBe(text);
  expect((await stat(join(dataDir, "master.key"))).mode & 0o777).toBe(0o600);
  expect((await readdir(dataDir)).filter((name) => name.startsWith("master.key.before-"))).toHaveLength(1);
});

test("a backup's time is not later than its data", async () => {
  const deps = { databaseUrl: service.database.url, dataDir: folder, masterKey, includesMasterKey: false };
  const seen: boolean[] = [];
  const now = (): Instant => {
    // The file is created only after the snapshot was taken.
    seen.push(readdirSync(folder).some((name) => name.startsWith("timed.tar")));
    return instant(Date.parse("2026-01-02T03:04:05.678Z"));
  };
  const clock = { ...systemClock, now };
  const { created_at: createdAt } = await writeBackup(
    { ...deps, tell: () => undefined, clock },
    join(folder, "timed.tar"),
  );
  expect([createdAt, seen]).toEqual(["2026-01-02T03:04:05.678Z", [false]]);
});

test("an existing file is not overwritten, and a failed backup leaves no file", async () => {
  await expect(backUp("whole.tar")).rejects.toThrow("already exists");
  await expect(backUp("no/such/folder.tar")).rejects.toThrow("cannot be written");
  const deps = { dataDir: folder, masterKey, includesMasterKey: false, tell: () => undefined };
  const empty = await bare();
  const out = join(folder, "empty.tar");
  await expect(writeBackup({ ...deps, databaseUrl: empty.url }, out)).rejects.toThrow("nothing to back up");
  const tell = (): void => {
    throw new Error("ended in the middle");
  };
  await expect(writeBackup({ ...deps, databaseUrl: service.database.url, tell }, out)).rejects.toThrow("in the middle");
  const left = (await readdir(folder)).filter((name) => name.startsWith("empty") || name.includes(".part-"));
  expect(left).toEqual([]);
});
