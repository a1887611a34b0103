import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareDatabase, cloneDatabase } from "../../service/src/testing/database.ts";
import type { TestDatabase } from "../../service/src/testing/database.ts";
import { freePort, startProcess } from "../../service/src/testing/process.ts";
import { MASTER_KEY, startService } from "../../service/src/testing/service.ts";
import { atTerminal, cli, home, start } from "./testing/cli.ts";
import type { Ran } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

const PASSWORD = "correct horse battery staple";
/** Each command consists of two processes, which start slowly on a busy machine. */
const PATIENCE_MS = 300_000;
/** The number of events is large enough that a backup takes some time. */
const EVENTS = 60_000;

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-installation-"));
  service = await startService();
  await service.fire("acme.kept", { n: 1 });
  await service.database.query(
    `insert into event (bucket, tag, id, name, canonical, data, occurred_at)
     select bucket, tag, gen_random_uuid(), 'acme.many', false, '{"text":"' || repeat(md5(n::text), 8) || '"}', now()
     from workspace, generate_series(1, ${EVENTS}) n`,
  );
}, PATIENCE_MS);
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the environment of an operator with this database. */
function of(database: Pick<TestDatabase, "url">): Record<string, string> {
  return { DATABASE_URL: database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: join(folder, "data") };
}

async function restored(file: string, ...more: string[]): Promise<{ database: TestDatabase; ran: Ran }> {
  const database = await bareDatabase();
  return { database, ran: await cli(["restore", file, ...more], { env: of(database) }) };
}

test(
  "start runs the service, setup claims it, and SIGTERM ends it in order",
  async () => {
    const [port, config] = [await freePort(), await home()];
    const env = {
      JUNCTION_DATA_DIR: join(folder, "started"),
      JUNCTION_PORT: String(port),
      JUNCTION_BASE_URL: `http://127.0.0.1:${port}`,
      XDG_CONFIG_HOME: config,
    };
    const running = start(["start"], { env });
    await running.printed(/Claim this installation[^\n]*\n/);
    const weak = await cli(["setup", "--email", "ada@example.com", "--name", "Ada"], { env, input: "short" });
    expect(weak).toMatchObject({ status: 1, stdout: "" });
    expect(weak.stderr).toContain("/password");
    const [link] = /http:\/\/\S+\/setup\?token=\S+/.exec(running.stdout()) ?? [];
    const wrong = await cli(["setup", "--token", "nonsense", "--email", "a@b.c", "--name", "A"], {
      env,
      input: PASSWORD,
    });
    expect([wrong.status, wrong.stderr.includes(PASSWORD)]).toEqual([1, false]);
    const fresh = await cli(["setup", "--link"], { env });
    expect(JSON.parse(fresh.stdout)).toMatchObject({
      object: "setup_link",
      url: expect.stringContaining("/setup?token=") as string,
    });

    const asked = atTerminal(["setup", "--token", link ?? "", "--login"], { env });
    await asked.printed("Email: ");
    asked.type("ada@example.com\r");
    await asked.printed("Name: ");
    asked.type("Ada\r");
    await asked.printed("Password");
    asked.type(`${PASSWORD}\r`);
    await asked.printed("Repeat the password");
    asked.type(`${PASSWORD}\r`);
    const { status, stdout } = await asked.ended;
    expect([status, stdout.includes(PASSWORD)]).toEqual([0, false]);
    expect(stdout).toContain("jn_live_");
    expect(JSON.parse((await cli(["whoami", "--json"], { env })).stdout)).toMatchObject({ role: "owner" });
    expect((await cli(["setup", "--link"], { env })).stderr).toContain("member reset-link");
    running.terminate();
    expect((await running.ended).status).toBe(0);
  },
  PATIENCE_MS,
);

test(
  "setup sends a password only to https or to this machine",
  async () => {
    const args = ["setup", "--token", "t", "--email", "a@b.c", "--name", "A"];
    const ran = await cli(args, { env: { JUNCTION_BASE_URL: "http://example.com" }, input: PASSWORD });
    expect(ran).toMatchObject({ status: 78, stdout: "" });
    expect(ran.stderr).toContain("must start with https://");
    expect((await cli(args, { env: { JUNCTION_BASE_URL: "http://127.0.0.1:9" } })).status).toBe(78);
  },
  PATIENCE_MS,
);

test(
  "backup and restore show progress only on a terminal, and mention the key",
  async () => {
    const [shown, quiet] = [join(folder, "shown.tar"), join(folder, "quiet.tar")];
    // The planner estimates the number of rows after the database has analyzed them.
    await service.database.query("analyze");
    const terminal = await atTerminal(["backup", "--out", shown], { env: { ...of(service.database), NO_COLOR: "1" } })
      .ended;
    expect(terminal.status).toBe(0);
    expect(terminal.stdout).toMatch(/█+░* +\d+ %/);
    expect(terminal.stdout).toMatch(/rows +60\d{3}/);
    expect(terminal.stdout).toContain("The file does not contain the master key.");
    // A line is redrawn and erased; nothing is colored.
    expect(terminal.stdout.replaceAll("\u001B[K", "")).not.toContain("\u001B[");
    const piped = await cli(["backup", "--out", quiet, "--include-master-key"], { env: of(service.database) });
    expect(piped.status).toBe(0);
    expect(JSON.parse(piped.stdout)).toMatchObject({ object: "backup", file: quiet, master_key_included: true });
    expect(piped.stderr).toMatch(/^The file contains the master key\. [ -~]+\n$/);

    const { database, ran } = await restored(shown);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const told = JSON.parse(ran.stdout);
    expect(told.rows).toBeGreaterThan(EVENTS);
    expect(told.audit).toMatchObject([
      { environment: "live", ok: true },
      { environment: "sandbox", ok: true },
    ]);
    const again = await cli(["restore", shown], { env: of(database) });
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain("use --force");
    const unasked = await cli(["restore", shown, "--force"], { env: of(database) });
    expect(unasked).toMatchObject({ status: 64, stderr: expect.stringContaining("Use --yes") as string });
    expect((await cli(["restore", shown, "--force", "--yes"], { env: of(database) })).status).toBe(0);
    await database.drop();
  },
  PATIENCE_MS,
);

test(
  "a killed backup leaves only a partial file, which restore refuses",
  async () => {
    const place = await mkdtemp(join(folder, "killed-"));
    const out = join(place, "backup.tar");
    const MAIN = new URL("../../service/src/main.ts", import.meta.url).pathname;
    const running = start(["backup", "--out", out], { env: of(service.database), program: MAIN });
    let part: string | undefined;
    while (part === undefined) {
      part = (await readdir(place)).find((name) => name.includes(".part-"));
      await sleep(2);
    }
    running.pause();
    await running.kill();
    expect(await readdir(place)).toEqual([part]);
    expect((await stat(join(place, part))).mode & 0o077).toBe(0);
    const { database, ran } = await restored(join(place, part));
    expect(ran).toMatchObject({ status: 1, stdout: "" });
    expect(ran.stderr).toMatch(/is incomplete/);
    await database.drop();
  },
  PATIENCE_MS,
);

test(
  "a killed restore blocks the service, and the next restore completes it",
  async () => {
    const file = join(folder, "to-kill.tar");
    expect((await cli(["backup", "--out", file], { env: of(service.database) })).status).toBe(0);
    const database = await bareDatabase();
    const MAIN = new URL("../../service/src/main.ts", import.meta.url).pathname;
    const running = start(["restore", file], { env: of(database), program: MAIN });
    const copying = "select from pg_stat_progress_copy where relid = to_regclass('event')";
    while ((await database.query(copying)).length === 0) await sleep(2);
    await running.kill();

    const port = await freePort();
    const started = startProcess({ ...of(database), JUNCTION_LOG_LEVEL: "info" }, port);
    await expect(started.ready()).rejects.toThrow("its restore was not completed");
    const doctor = JSON.parse((await cli(["doctor"], { env: of(database) })).stdout);
    const { checks } = doctor as { checks: { name: string; status: string; detail: string }[] };
    expect(checks.find(({ name }) => name === "migrations")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("restore was not completed") as string,
    });
    const ran = await cli(["restore", file], { env: of(database) });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const [row] = await database.query<{ n: number }>("select count(*)::int as n from event where name = 'acme.many'");
    expect(row?.n).toBe(EVENTS);
    await database.drop();
  },
  PATIENCE_MS,
);

test(
  "a broken audit chain is restored unchanged and reported",
  async () => {
    const small = await startService();
    await small.api("PATCH", "/v1/workspaces/current", { name: "Changed" });
    await small.database.query("alter table audit_row disable trigger user");
    await small.database.query("update audit_row set action = 'forged' where seq = 1");
    await small.database.query("alter table audit_row enable trigger user");
    const file = join(folder, "forged.tar");
    expect((await cli(["backup", "--out", file], { env: of(small.database) })).status).toBe(0);
    const { database, ran } = await restored(file);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("It was already broken when the backup was created");
    expect(JSON.parse(ran.stdout).audit[0]).toMatchObject({ ok: false, first_bad_seq: 1 });
    expect((await cli(["migrate"], { env: of(database) })).status).toBe(0);
    await database.drop();
    await small.close();
  },
  PATIENCE_MS,
);

test(
  "migrate lists applied migrations, and reports a fault as a line or JSON",
  async () => {
    const database = await bareDatabase();
    const first = JSON.parse((await cli(["migrate"], { env: of(database) })).stdout);
    expect(first.applied[0]).toBe("0001_foundation.sql");
    expect(JSON.parse((await cli(["migrate"], { env: of(database) })).stdout).applied).toEqual([]);
    const terminal = await atTerminal(["migrate"], { env: of(database) }).ended;
    expect(terminal.stdout).toContain("The schema is up to date.");
    await database.query("insert into schema_migration (name, checksum) values ('9999_later.sql', '')");
    const newer = await cli(["migrate"], { env: of(database) });
    expect(newer).toMatchObject({ status: 1, stdout: "" });
    expect(newer.stderr).toMatch(/^junction: The database has migration 9999_later\.sql[^\n]+\n$/);
    const json = await cli(["migrate", "--json"], { env: of(database) });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit_code: 1 } });
    const misset = await cli(["migrate"], { env: { ...of(database), JUNCTION_PORT: "many", DATABASE_URL: "nowhere" } });
    expect(misset.status).toBe(78);
    expect(misset.stderr).toMatch(/JUNCTION_PORT[\s\S]*DATABASE_URL/);
    await database.drop();
  },
  PATIENCE_MS,
);

test(
  "an invalid or missing backup file changes nothing",
  async () => {
    const database = await cloneDatabase();
    const file = join(folder, "letter.txt");
    await writeFile(file, "Dear operator, ".repeat(100));
    for (const [name, text] of [
      [file, "not a Junction backup"],
      [join(folder, "none"), "cannot be read"],
    ] as const) {
      const ran = await cli(["restore", name], { env: of(database) });
      expect(ran).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(text) as string });
    }
    expect((await cli(["restore"], { env: of(database) })).status).toBe(64);
    await database.drop();
  },
  PATIENCE_MS,
);
