import type { Client } from "pg";

/** One statement's share of a measurement, as pg_stat_statements counts it. */
export interface StatementCost {
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly ms: number;
  /** Pages touched, in memory or not. */
  readonly blocks: number;
}

export interface DatabaseCost {
  /** Statements that the service sent; what a function runs inside counts with its call. */
  readonly calls: number;
  readonly ms: number;
  readonly blocks: number;
  readonly walBytes: number;
  readonly walSyncs: number;
  /** Ordered by cost, the most expensive first. */
  readonly statements: readonly StatementCost[];
}

/** Starts to count; call the result to stop. Needs `create extension pg_stat_statements`. */
export async function startCounting(sql: Client): Promise<() => Promise<DatabaseCost>> {
  const before = await wal(sql);
  await sql.query("select pg_stat_statements_reset()");
  return async () => {
    const { rows } = await sql.query<StatementCost>(
      `select query, calls::float8, rows::float8, total_exec_time as ms, (shared_blks_hit + shared_blks_read)::float8 as blocks
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
         and query !~ 'pg_stat|count\\(\\*\\)::int as bench' order by total_exec_time desc`,
    );
    const after = await wal(sql);
    const sum = (key: "calls" | "ms" | "blocks"): number => rows.reduce((total, row) => total + row[key], 0);
    return {
      calls: sum("calls"),
      ms: sum("ms"),
      blocks: sum("blocks"),
      walBytes: after.bytes - before.bytes,
      walSyncs: after.syncs - before.syncs,
      statements: rows,
    };
  };
}

/** The cost of the statements that take due deliveries: finding the endpoints that have some, and leasing them. */
export function claimCost(cost: DatabaseCost): {
  readonly claimed: number;
  readonly ms: number;
  readonly blocks: number;
} {
  const claims = cost.statements.filter((statement) => statement.query.includes("skip locked"));
  const heads = cost.statements.filter((statement) => statement.query.includes("with recursive head"));
  const all = [...claims, ...heads];
  return {
    claimed: claims.reduce((sum, statement) => sum + statement.rows, 0),
    ms: all.reduce((sum, statement) => sum + statement.ms, 0),
    blocks: all.reduce((sum, statement) => sum + statement.blocks, 0),
  };
}

async function wal(sql: Client): Promise<{ bytes: number; syncs: number }> {
  const { rows } = await sql.query<{ bytes: number; syncs: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes,
       (select coalesce(sum(fsyncs), 0)::float8 from pg_stat_io where object = 'wal') as syncs`,
  );
  return rows[0] ?? { bytes: 0, syncs: 0 };
}

/** Returns the size in bytes of the tables with their partitions and indexes. */
export async function sizeOf(sql: Client, tables: readonly string[]): Promise<number> {
  const { rows } = await sql.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(r))::float8 as bytes from (select t::regclass as r from unnest($1::text[]) t
      union select p.relid from unnest($1::text[]) t, pg_partition_tree(t::regclass) p) of_them`,
    [tables],
  );
  return rows[0]?.bytes ?? 0;
}

/** Prints the cost of a measurement's statements, the most expensive first. */
export function tellStatements(say: (line: string) => void, database: DatabaseCost, events: number): void {
  say("\nStatements of the saturated stretch, dearest first:");
  for (const { query, calls, rows, ms, blocks } of database.statements.slice(0, 14)) {
    const figures = [
      `${ms.toFixed(0)} ms`,
      `${calls} calls`,
      `${(ms / calls).toFixed(2)} ms each`,
      `${(rows / calls).toFixed(1)} rows each`,
      `${(blocks / events).toFixed(1)} blocks/event`,
    ];
    say(`  ${figures.join(", ")}: ${query.replaceAll(/\s+/g, " ").slice(0, 110)}`);
  }
}
