import { afterEach, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { MIGRATIONS_FOLDER } from "../../testing/template.ts";
import { DatabaseRefusedError, migrate } from "../db/db.ts";
import { PLACEMENT } from "./placement.ts";

interface Stub {
  /** For example `13.2.2`. */
  readonly version: string;
  readonly workers: number;
  /** The tables that are distributed or copied to every machine, as PLACEMENT says. */
  readonly placed: readonly string[];
}

let database: TestDatabase | undefined;

afterEach(async () => {
  await database?.drop();
  database = undefined;
});

/** Creates a migrated database that a start takes for a Citus, and starts on it as the service does. */
async function startOn({ version, workers, placed }: Stub): Promise<readonly string[]> {
  const made = await cloneDatabase();
  database = made;
  await made.query(
    `create function citus_version() returns text language sql as $$ select 'Citus ${version} on x86' $$`,
  );
  await made.query(
    "create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text, isactive boolean)",
  );
  await made.query(
    `create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char", colocationid int)`,
  );
  // Nothing listens on these ports: the state of the tables is checked before the machines.
  await made.query(
    "insert into pg_dist_node select n, '127.0.0.1', 1 + n, 'primary', true from generate_series(0, $1) n",
    [workers],
  );
  for (const name of placed)
    await made.query("insert into pg_dist_partition values ($1::regclass, $2, $3, 1)", [
      `public.${name}`,
      ...(PLACEMENT[name] === "bucket" ? ["h", "c"] : ["n", "t"]),
    ]);
  return await migrate(made.url, MIGRATIONS_FOLDER);
}

async function refusalOn(stub: Stub): Promise<string> {
  const refused: unknown = await startOn(stub).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(DatabaseRefusedError);
  return refused instanceof DatabaseRefusedError ? refused.message : "";
}

test("several machines on which nothing is distributed are refused", async () => {
  const refusal = await refusalOn({ version: "13.2.2", workers: 2, placed: [] });
  expect(refusal).toContain(
    "tables are not distributed. Run `junction distribute --dry-run`, then `junction distribute`.",
  );
});

test("a database that is partly distributed is refused", async () => {
  const refusal = await refusalOn({ version: "13.2.2", workers: 2, placed: ["workspace", "event"] });
  expect(refusal).toMatch(/partly distributed: `\w+`, `\w+`, `\w+` and \d+ more are missing/);
  expect(refusal).toContain("Run `junction distribute` again; it continues where it stopped.");
});

test("a single missing table is named", async () => {
  const all = Object.keys(PLACEMENT).filter((name) => PLACEMENT[name] !== "coordinator");
  const refusal = await refusalOn({ version: "13.2.2", workers: 2, placed: all.filter((name) => name !== "ticket") });
  expect(refusal).toContain("partly distributed: `ticket` is missing. Run `junction distribute` again");
});

test("a table that is placed by other means counts as missing", async () => {
  const stub = { version: "13.2.2", workers: 1, placed: ["event"] };
  await refusalOn(stub);
  await database?.query("update pg_dist_partition set partmethod = 'n', repmodel = 't'");
  await expect(migrate(database?.url ?? "", MIGRATIONS_FOLDER)).rejects.toThrow("tables are not distributed");
});

test("another major version of Citus on several machines is refused", async () => {
  for (const version of ["12.1.5", "14.0.0"]) {
    const refusal = await refusalOn({ version, workers: 2, placed: [] });
    expect(refusal).toContain(`This database has Citus ${version}, and Junction runs on Citus 13.`);
    expect(refusal).toContain("run `alter extension citus update`");
    await database?.drop();
    database = undefined;
  }
});

test("a single machine on which nothing is distributed works like PostgreSQL", async () => {
  expect(await startOn({ version: "13.2.2", workers: 0, placed: [] })).toEqual([]);
  await database?.drop();
  expect(await startOn({ version: "12.1.5", workers: 0, placed: [] })).toEqual([]);
});
