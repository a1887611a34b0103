import { afterAll, beforeAll, expect, test } from "vitest";
import { bareDatabase, cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { CommandError, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import { MIGRATIONS_FOLDER } from "../../testing/template.ts";
import type { MachineReport, NodeAddress } from "../../platform/db/db.ts";
import { citusCheck, citusChecks } from "./citus-check.ts";
import type { Command, CommandResult } from "./command.ts";
import { commandOf } from "./commands.ts";
import type { CitusFacts } from "./doctor.store.ts";

let plain: TestDatabase;
/** A plain database with the functions and tables of a Citus, one of whose two machines is down. */
let stub: TestDatabase;

beforeAll(async () => {
  plain = await cloneDatabase();
  stub = await cloneDatabase();
  const { hostname, port } = new URL(stub.url);
  await stub.query("create function citus_version() returns text language sql as $$ select 'Citus 13.2.2 on x86' $$");
  await stub.query(
    "create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text, isactive boolean)",
  );
  await stub.query(
    "insert into pg_dist_node values (0, $1, $2, 'primary', true), (1, '127.0.0.1', 1, 'primary', true)",
    [hostname, port],
  );
});
afterAll(async () => {
  await plain.drop();
  await stub.drop();
});

async function run({ url }: Pick<TestDatabase, "url">, ...args: string[]): Promise<CommandResult> {
  const command: Command = await commandOf(["distribute", ...args]);
  if (command.on !== "database") throw new Error("distribute is a command on a database");
  return await command.run({
    databaseUrl: url,
    dataDir: "",
    baseUrl: "",
    masterKey: null,
    previousMasterKeys: [],
    migrations: MIGRATIONS_FOLDER,
    within: () => {
      throw new Error("distribute starts no service");
    },
  });
}

test("a PostgreSQL without Citus is refused with what to install", async () => {
  for (const args of [[], ["--dry-run"], ["--shards", "16"]]) {
    const refused = run(plain, ...args);
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(
      /no Citus\. Install the extension on every machine, run `create extension citus`/,
    );
  }
});

test("a refused command leaves an empty database empty", async () => {
  const bare = await bareDatabase();
  await expect(run(bare)).rejects.toThrow(CommandError);
  expect(await bare.query("select relname from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
  await bare.drop();
});

test("a wrong number of shards is a usage error that names the numbers", async () => {
  for (const shards of ["3", "0", "128", "8.0", "-8", "many", ""])
    await expect(commandOf(["distribute", `--shards=${shards}`])).rejects.toThrow(
      new UsageError(`--shards must be 1, 2, 4, 8, 16, 32 or 64; got "${shards}".`),
    );
  expect((await commandOf(["distribute", "--dry-run", "--shards", "64"])).on).toBe("database");
});

test("a dry run prints the plan and ends with 1 for a fault", async () => {
  const { text, exit } = await run(stub, "--dry-run", "--shards", "4");
  const plan = JSON.parse(text);
  expect([exit, plan.object, plan.citus, plan.shards, plan.already]).toEqual([1, "distribution_plan", "13.2.2", 4, []]);
  expect(plan.machines.map((machine: MachineReport) => [machine.role, machine.reached])).toEqual([
    ["coordinator", true],
    ["worker", false],
  ]);
  expect(plan.faults).toContainEqual(expect.stringContaining("127.0.0.1:1 cannot be reached from here"));
  expect(plan.faults).toEqual(plan.machines.flatMap((machine: MachineReport) => machine.faults));
  expect(plan.tables).toContainEqual({ name: "event", placement: "bucket", rows: 0 });
  expect(plan.tables.map(({ name }: { name: string }) => name)).not.toContain("schema_migration");
});

test("a fault of a machine refuses to distribute", async () => {
  await expect(run(stub)).rejects.toThrow("127.0.0.1:1 cannot be reached from here");
  await expect(run(stub)).rejects.toThrow(CommandError);
});

test("a dry run names the missing migrations and applies none", async () => {
  const [last] = await stub.query<{ name: string; checksum: string }>(
    "delete from schema_migration where name = (select max(name) from schema_migration) returning name, checksum",
  );
  await expect(run(stub, "--dry-run")).rejects.toThrow(`1 migrations are missing, starting with ${last?.name ?? ""}`);
  await stub.query("insert into schema_migration values ($1, $2)", [last?.name, last?.checksum]);
});

const MACHINES: readonly (NodeAddress & Pick<MachineReport, "role">)[] = [
  { host: "10.0.0.1", port: 5432, role: "coordinator" },
  { host: "10.0.0.2", port: 5432, role: "worker" },
  { host: "10.0.0.3", port: 5432, role: "worker" },
];

/** Returns the facts of a coordinator and two workers with this number of shards each, of 16 buckets. */
function factsOf(shards: readonly [number, number], more: Partial<MachineReport> = {}): CitusFacts {
  const settings = { postgres: "17.2", citus: "13.2.2", max_connections: 450, reached: true };
  const machines = MACHINES.map((machine) => ({ ...settings, faults: [], warnings: [], ...machine }));
  const [coordinator, ...workers] = machines.map(({ host, port }) => ({ host, port }));
  const buckets = Array.from({ length: 16 }, (_, at) => at);
  return {
    state: {
      version: "13.2.2",
      nodes: MACHINES.map(({ host, port, role }) => ({
        host,
        port,
        isCoordinator: role === "coordinator",
        isActive: true,
      })),
      placed: ["event"],
      missing: [],
    },
    machines: machines.map((machine, at) => (at === 1 ? { ...machine, ...more } : machine)),
    layout: {
      coordinator: coordinator ?? { host: "", port: 0 },
      shards: workers.flatMap((worker, at) =>
        Array.from({ length: shards[at] ?? 0 }, (_, n) => ({ ...worker, id: `${at}${n}`, buckets })),
      ),
    },
  };
}

test("the doctor shows the workers, their shards and the skew", () => {
  expect(citusCheck(factsOf([2, 2]))).toMatchObject({
    name: "citus",
    status: "ok",
    detail: [
      "Citus 13.2.2, coordinator 10.0.0.1:5432",
      "Worker 10.0.0.2:5432: 2 shards, 32 of the workspaces' buckets",
      "Worker 10.0.0.3:5432: 2 shards, 32 of the workspaces' buckets",
      "Skew (most buckets on a worker : fewest): 32:32",
    ].join("\n"),
  });
});

test("the doctor warns of an empty worker and of a machine's settings", () => {
  expect(citusCheck(factsOf([4, 0]))).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("64:0") as string,
    fix: expect.stringContaining("citus_rebalance_start()") as string,
  });
  expect(citusCheck(factsOf([2, 2], { warnings: ["wal_level = replica"] }))).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("wal_level = replica") as string,
  });
});

test("the doctor fails for a faulty machine and for tables that are not placed", () => {
  expect(citusCheck(factsOf([2, 2], { faults: ["10.0.0.2:5432 cannot be reached"] }))).toMatchObject({
    status: "failed",
    detail: expect.stringContaining("10.0.0.2:5432 cannot be reached") as string,
  });
  const { state, ...rest } = factsOf([2, 2]);
  expect(citusCheck({ ...rest, state: { ...state, missing: ["ticket"] } })).toMatchObject({
    status: "failed",
    detail: expect.stringContaining("Tables that are not placed: ticket") as string,
  });
});

test("the doctor checks Citus only in a database that has it", async () => {
  expect(await citusChecks(plain.url)).toEqual([]);
  expect(await citusChecks(stub.url)).toMatchObject([
    {
      name: "citus",
      status: "failed",
      detail: expect.stringContaining("Run `junction distribute --dry-run`") as string,
    },
  ]);
});
