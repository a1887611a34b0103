import type pg from "pg";
import { PLACEMENT } from "./placement.ts";

type Queryable = Pick<pg.Client | pg.Pool, "query">;

/** The major version of Citus that the service was run on. */
const SUPPORTED = 13;

/** The version, the machines and the placed tables of a database with Citus. */
export interface CitusState {
  /** For example `13.2.2`. */
  readonly version: string;
  /** The machines that may hold shards. Undefined if they cannot be read. */
  readonly nodes: readonly CitusNode[] | undefined;
  /** The tables of PLACEMENT that exist and are where they belong. */
  readonly placed: readonly string[];
  /** The tables of PLACEMENT that exist and are not yet where they belong. */
  readonly missing: readonly string[];
}

export interface CitusNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
  readonly isActive: boolean;
}

/** Returns undefined for a PostgreSQL without Citus. */
export async function readCitusState(on: Queryable): Promise<CitusState | undefined> {
  const { rows: found } = await on.query<{ citus: boolean; nodes: boolean; partitions: boolean }>(
    `select to_regprocedure('citus_version()') is not null as citus, to_regclass('pg_dist_node') is not null as nodes,
      to_regclass('pg_dist_partition') is not null as partitions`,
  );
  if (found[0]?.citus !== true) return undefined;
  const { rows: versions } = await on.query<{ version: string }>("select citus_version() as version");
  const placed = found[0].partitions ? await placedTables(on) : [];
  const { rows: tables } = await on.query<{ name: string }>(
    `select c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname = any($1::text[]) order by 1`,
    [distributable()],
  );
  return {
    version: /\d+(?:\.\d+)*/.exec(versions[0]?.version ?? "")?.[0] ?? "",
    nodes: found[0].nodes ? await readNodes(on) : undefined,
    placed,
    missing: tables.map(({ name }) => name).filter((name) => !placed.includes(name)),
  };
}

function distributable(): string[] {
  return Object.entries(PLACEMENT).flatMap(([name, placement]) => (placement === "coordinator" ? [] : [name]));
}

async function placedTables(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ name: string; method: string }>(
    `select c.relname::text as name, p.partmethod::text as method from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where c.relnamespace = 'public'::regnamespace and c.relname = any($1::text[])
        and (p.partmethod = 'h' or p.repmodel = 't') order by 1`,
    [distributable()],
  );
  return rows
    .filter(({ name, method }) => method === (PLACEMENT[name] === "bucket" ? "h" : "n"))
    .map(({ name }) => name);
}

async function readNodes(on: Queryable): Promise<CitusNode[]> {
  const { rows } = await on.query<CitusNode>(
    `select nodename::text as host, nodeport::int as port, groupid = 0 as "isCoordinator", isactive as "isActive" from pg_dist_node
      where noderole::text = 'primary' order by groupid`,
  );
  return rows;
}

/**
 * Returns why the service cannot run on the database and which command to run; undefined if it can. A Citus of one
 * machine on which nothing is distributed is a plain PostgreSQL.
 */
export function faultOfState({ version, nodes, placed, missing }: CitusState): string | undefined {
  const workers = nodes?.filter(({ isCoordinator }) => !isCoordinator);
  const isPlain = placed.length === 0 && workers?.length === 0;
  if (isPlain) return undefined;
  const otherVersion = versionFault({ version });
  if (otherVersion !== undefined) return otherVersion;
  if (placed.length === 0)
    return `This database is a Citus of several machines, and Junction's tables are not distributed. Run \`junction distribute --dry-run\`, then \`junction distribute\`. ${PAGE}`;
  if (missing.length > 0)
    return `This database is only partly distributed: ${listed(missing)} ${missing.length === 1 ? "is" : "are"} missing. Run \`junction distribute\` again; it continues where it stopped. ${PAGE}`;
  return undefined;
}

export function versionFault({ version }: Pick<CitusState, "version">): string | undefined {
  if (Number(version.split(".")[0]) === SUPPORTED) return undefined;
  return `This database has Citus ${version}, and Junction runs on Citus ${SUPPORTED}. Install Citus ${SUPPORTED} on every machine and run \`alter extension citus update\`. ${PAGE}`;
}

const PAGE = "See docs/scaling.md#several-databases-with-citus.";

/** Lists the first names. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, 3).map((name) => `\`${name}\``);
  return names.length > 3 ? `${first.join(", ")} and ${names.length - 3} more` : first.join(", ");
}
