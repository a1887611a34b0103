import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { startEmbedded } from "./embedded-postgres.ts";
import { locate, prepareBinaries } from "./binaries.ts";
import { processes, signal, until } from "./process.ts";
import type { Embedded } from "./embedded-postgres.ts";

const isRoot = process.getuid?.() === 0;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

test("starts from nothing, and keeps its data, password and port after a restart", async () => {
  const dataDir = folder();
  const first = await started(dataDir);
  await query(first.url, "create table kept (word text)");
  await query(first.url, "insert into kept values ('here')");
  expect(await query(first.url, "show server_version_num")).toMatch(/^18/);
  expect(await query(first.url, "show fsync")).toBe("on");
  expect(await query(first.url, "show shared_preload_libraries")).toBe("pg_stat_statements");
  expect(await query(first.url, "show listen_addresses")).toBe("127.0.0.1");
  expect(
    await query(first.url, "select datlocprovider::text || datlocale from pg_database where datname = 'junction'"),
  ).toBe("bC.UTF-8");
  expect(statSync(join(dataDir, "postgres.password")).mode & 0o777).toBe(0o600);
  await first.stop();

  const second = await started(dataDir);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, "select word from kept")).toBe("here");
});

test("accepts all connections of as many processes as the service has", async () => {
  const server = await startEmbedded({ dataDir: folder(), log: silent, processes: 4 });
  undo.push(server.stop);
  expect(Number(await query(server.url, "show max_connections"))).toBeGreaterThan(4 * 28);
});

test("a stop leaves no process and releases the folder, even when called twice", async () => {
  const dataDir = folder();
  const server = await started(dataDir);
  const idle = new Client(server.url);
  idle.on("error", () => undefined);
  await idle.connect();
  await Promise.all([server.stop(), server.stop()]);
  expect(server.pid()).toBeUndefined();
  expect(serverProcesses(dataDir)).toEqual([]);
  expect(existsSync(join(dataDir, "junction.pid"))).toBe(false);
  expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).toBe(false);
});

test("refuses a folder in use by any process, and names that process", async () => {
  const dataDir = folder();
  const owner = await service(dataDir);
  await expect(startEmbedded({ dataDir, log: silent })).rejects.toThrow(
    new RegExp(`is in use by Junction pid ${owner.pid}; stop it or set JUNCTION_DATA_DIR`),
  );
  const mine = folder();
  await started(mine);
  await expect(startEmbedded({ dataDir: mine, log: silent })).rejects.toThrow(`in use by Junction pid ${process.pid}`);
});

test("exactly one server starts when several start at once on one folder", async () => {
  const dataDir = folder();
  const outcomes = await Promise.all(Array.from({ length: 4 }, async () => await outcomeOfService(dataDir)));
  expect(outcomes.filter((outcome) => outcome.startsWith("postgres://"))).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.includes("is in use by"))).toHaveLength(3);
});

test("a killed server restarts on the same port, and its exit is reported", async () => {
  const dataDir = folder();
  let exits = 0;
  const server = await started(dataDir, () => {
    exits += 1;
  });
  await query(server.url, "create table kept (word text)");
  for (const round of [1, 2]) {
    const pid = server.pid() ?? 0;
    signal(pid, "SIGKILL");
    await expect.poll(() => server.pid() ?? pid).not.toBe(pid);
    await expect.poll(async () => await answers(server.url)).toBe(true);
    expect(exits).toBe(round);
  }
  expect(await query(server.url, "select count(*) from kept")).toBe("0");
});

test("a killed server restarts although a worker still runs a long query", async () => {
  const server = await started(folder());
  const busy = new Client(server.url);
  busy.on("error", () => undefined);
  await busy.connect();
  // The loop never waits, so that it never notices that its server is gone.
  busy.query("do $$ begin loop end loop; end $$").catch(() => undefined);
  await sleep(200);
  const pid = server.pid() ?? 0;
  signal(pid, "SIGKILL");
  await expect.poll(() => server.pid() ?? pid).not.toBe(pid);
  await expect.poll(async () => await answers(server.url)).toBe(true);
});

test("after kill -9 of the service, the next start replaces the orphaned server", async () => {
  const dataDir = folder();
  const owner = await service(dataDir);
  await query(owner.url, "create table kept (word text)");
  const orphan = owner.postgresPid;
  signal(owner.pid, "SIGKILL");
  expect(serverProcesses(dataDir)).toContain(orphan);
  const next = await started(dataDir);
  expect(serverProcesses(dataDir)).not.toContain(orphan);
  expect(next.url).toBe(owner.url);
  expect(await query(next.url, "select count(*) from kept")).toBe("0");
});

test("after kill -9 of all processes, a start restores the committed data", async () => {
  const dataDir = folder();
  const owner = await service(dataDir);
  await query(owner.url, "create table kept (word text)");
  await query(owner.url, "insert into kept values ('here')");
  signal(owner.pid, "SIGKILL");
  for (const pid of serverProcesses(dataDir)) signal(pid, "SIGKILL");
  const next = await started(dataDir);
  expect(await query(next.url, "select word from kept")).toBe("here");
});

test("a server starts although its old process id belongs to another program", async () => {
  const dataDir = folder();
  const first = await started(dataDir);
  const note = join(dataDir, "postgres", "postmaster.pid");
  const lines = readFileSync(note, "utf8").split("\n");
  await first.stop();
  const other = spawn("sleep", ["60"], accountOfData(dataDir));
  undo.push(() => other.kill("SIGKILL"));
  writeFileSync(note, [String(other.pid), ...lines.slice(1)].join("\n"));
  expect(await answers((await started(dataDir)).url)).toBe(true);
});

test("an initdb that was killed halfway is repeated", async () => {
  const dataDir = folder();
  const half = spawnService(dataDir);
  const draft = () => readdirSync(dataDir).find((name) => /^postgres\.draft-[0-9a-f]+$/.test(name));
  expect(
    await until(() => draft() !== undefined && existsSync(join(dataDir, draft() ?? "", "PG_VERSION")), 10_000),
  ).toBe(true);
  for (const { pid, argv } of processes()) {
    if (argv.some((argument) => argument.includes(dataDir))) signal(pid, "SIGKILL");
  }
  await until(() => half.exitCode !== null || half.signalCode !== null, 5_000);
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  expect(await answers((await started(dataDir)).url)).toBe(true);
  expect(draft()).toBeUndefined();
});

test("takes another port when its own is taken while it is down", async () => {
  const dataDir = folder();
  const first = await started(dataDir);
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
  await once(squatter, "listening");
  undo.push(() => squatter.close());
  const second = await started(dataDir);
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
});

test.runIf(isRoot)("as root, the server runs as another user if the parent is open", async () => {
  const dataDir = folder();
  const server = await started(dataDir);
  expect(statSync(`/proc/${server.pid()}`).uid).not.toBe(0);
  expect(statSync(join(dataDir, "postgres")).uid).toBe(statSync(`/proc/${server.pid()}`).uid);
  expect(statSync(join(dataDir, "postgres.password")).uid).toBe(0);
});

test.runIf(isRoot)("as root, a folder in a closed parent works and logs its location", async () => {
  const parent = folder();
  chmodSync(parent, 0o700);
  const dataDir = join(parent, "data");
  const said: string[] = [];
  const log = { ...silent, info: (_fields: object, message: string) => void said.push(message) };
  const first = await startEmbedded({ dataDir, log });
  undo.push(async () => await first.stop());
  const home = readFileSync(join(dataDir, "postgres.location"), "utf8").trim();
  undo.unshift(() => rmSync(home, { recursive: true }));
  expect(said.join("\n")).toContain(`the database is in ${home}, not in the data folder ${dataDir}`);
  await query(first.url, "create table kept (word text)");
  await first.stop();
  const second = await started(dataDir);
  expect(await query(second.url, "select count(*) from kept")).toBe("0");
});

test.runIf(isRoot)("as root, data owned by root is returned to the server's user", async () => {
  const dataDir = folder();
  await (await started(dataDir)).stop();
  const copy = folder();
  cpSync(dataDir, copy, { recursive: true });
  expect(statSync(join(copy, "postgres")).uid).toBe(0);
  chmodSync(join(copy, "postgres"), 0o700);
  expect(await answers((await started(copy)).url)).toBe(true);
});

test("binaries without links or out of reach are copied once and run from there", async () => {
  const closed = folder();
  const native = join(closed, "native");
  cpSync(locate().native, native, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  chmodSync(closed, 0o700);
  const home = folder();
  const account = isRoot ? accountOf("nobody") : undefined;
  const first = await prepareBinaries({ native, version: "1" }, { home, data: join(home, "postgres"), account });
  expect(first.postgres).toBe(join(home, "postgres-bin-1", "bin", "postgres"));
  const madeAt = statSync(first.postgres).ctimeMs;
  mkdirSync(join(home, "postgres-bin-0"));
  await prepareBinaries({ native, version: "1" }, { home, data: join(home, "postgres"), account });
  expect(statSync(first.postgres).ctimeMs).toBe(madeAt);
  expect(readdirSync(home)).toEqual(["postgres-bin-1"]);
});

test("a platform without a package is refused with advice", () => {
  expect(() => locate("plan9", "mips")).toThrow(/No PostgreSQL for plan9-mips.*DATABASE_URL/);
});

test("a data folder that cannot be created is refused with the setting's name", async () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  await expect(startEmbedded({ dataDir: join(file, "data"), log: silent })).rejects.toMatchObject({
    name: "EmbeddedError",
    message: expect.stringContaining("JUNCTION_DATA_DIR"),
  });
});

interface Service {
  readonly pid: number;
  readonly postgresPid: number;
  readonly url: string;
}

/** A program that only runs the embedded server, as a separate process that a test can kill. */
const PROGRAM = `
  import { startEmbedded } from ${JSON.stringify(new URL("embedded-postgres.ts", import.meta.url).href)};
  const log = { info() {}, warn() {}, error() {} };
  try {
    const { url, pid } = await startEmbedded({ dataDir: process.argv[1], log });
    console.log(JSON.stringify({ url, pid: process.pid, postgresPid: pid() }));
  } catch (error) {
    console.log(JSON.stringify({ refusal: error.message }));
  }
`;

/** Creates a folder with a short path that is open to all, like /tmp. Vitest's own temporary folders may be neither. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "junction-embedded-"));
  chmodSync(path, 0o755);
  undo.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

async function started(dataDir: string, onUnexpectedExit = () => undefined as void): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, log: silent, onUnexpectedExit });
  undo.push(async () => await server.stop());
  return server;
}

function spawnService(dataDir: string): ChildProcess {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  undo.push(async () => {
    child.kill("SIGKILL");
    for (const pid of serverProcesses(dataDir)) signal(pid, "SIGKILL");
    await until(() => serverProcesses(dataDir).length === 0, 5_000);
  });
  return child;
}

async function firstLine(child: ChildProcess): Promise<Partial<Service> & { refusal?: string }> {
  if (child.stdout === null) throw new Error("no output");
  const [line] = await once(createInterface(child.stdout), "line");
  return JSON.parse(String(line));
}

async function service(dataDir: string): Promise<Service> {
  const { pid, postgresPid, url, refusal } = await firstLine(spawnService(dataDir));
  if (pid === undefined || postgresPid === undefined || url === undefined) throw new Error(refusal);
  return { pid, postgresPid, url };
}

async function outcomeOfService(dataDir: string): Promise<string> {
  const { url, refusal } = await firstLine(spawnService(dataDir));
  return url ?? refusal ?? "";
}

/** Returns the server of a folder and its workers, which carry the tag that the server was started with. */
function serverProcesses(dataDir: string): number[] {
  const all = processes();
  const server = all.find(({ argv }) => argv.includes("-D") && argv.some((argument) => argument.startsWith(dataDir)));
  const tag = server?.argv.find((argument) => argument.startsWith("cluster_name="))?.slice("cluster_name=".length);
  if (server === undefined || tag === undefined) return [];
  return [server.pid, ...all.filter(({ argv }) => argv[0]?.startsWith(`postgres: ${tag}: `)).map(({ pid }) => pid)];
}

async function query(url: string, text: string): Promise<unknown> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function answers(url: string): Promise<boolean> {
  return await query(url, "select 1").then(
    () => true,
    () => false,
  );
}

function accountOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function accountOfData(dataDir: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(join(dataDir, "postgres"));
  return { uid, gid };
}
