import type pg from "pg";
import { ANCHOR } from "./placement.ts";

/** The address of a machine of the database, as Citus has it in `pg_dist_node`. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The rows of some buckets, which Citus keeps together on one machine and moves together. */
export interface Shard extends NodeAddress {
  /** The number that Citus gave to the shard of ANCHOR. */
  readonly id: string;
  readonly buckets: readonly number[];
}

/** Where the buckets are. */
export interface Layout {
  readonly coordinator: NodeAddress;
  readonly shards: readonly Shard[];
}

type Queryable = Pick<pg.Client | pg.Pool, "query">;

/** Returns undefined for a database whose tables are not distributed: every plain PostgreSQL. */
export async function readLayout(on: Queryable): Promise<Layout | undefined> {
  if (!(await isDistributed(on))) return undefined;
  const { rows } = await on.query<{ id: string; host: string; port: number; buckets: number[] }>(
    `select s.id::text as id, n.nodename as host, n.nodeport as port, array_agg(s.bucket order by s.bucket) as buckets
      from (select b as bucket, get_shard_id_for_distribution_column($1::regclass, b::smallint) as id from generate_series(0, 63) b) s
      join pg_dist_placement p on p.shardid = s.id and p.shardstate = 1
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      group by 1, 2, 3 order by 1`,
    [`public.${ANCHOR}`],
  );
  const { rows: nodes } = await on.query<NodeAddress>(
    "select nodename as host, nodeport as port from pg_dist_node where groupid = 0 and noderole = 'primary'",
  );
  const [coordinator] = nodes;
  if (coordinator === undefined) throw new Error("pg_dist_node has no coordinator");
  return { coordinator, shards: rows };
}

async function isDistributed(on: Queryable): Promise<boolean> {
  const { rows } = await on.query("select to_regclass('pg_catalog.pg_dist_partition') as found");
  if (rows[0]?.found === null) return false;
  const { rows: found } = await on.query(
    "select from pg_dist_partition where logicalrelid = to_regclass($1) and partmethod = 'h'",
    [`public.${ANCHOR}`],
  );
  return found.length > 0;
}
