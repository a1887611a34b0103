import { sql } from "../../platform/db/db.ts";
import type { Db, Query } from "../../platform/db/db.ts";

/** Returns for how many seconds the oldest due delivery has waited for a worker; 0 if none is due. */
export async function oldestDueAge(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await oldestOnShard(db.query));
  return Math.max(0, ...rows.map(({ age }) => age ?? 0));
}

async function oldestOnShard(query: Query): Promise<{ readonly age: number | null }[]> {
  const { rows } = await sql<{
    age: number | null;
  }>`select extract(epoch from now() - min(p.due_at))::float8 as age from pending_delivery p
    join endpoint e on e.bucket = p.bucket and e.tag = p.tag and e.id = p.endpoint_id and e.active where p.due_at <= now()`.execute(
    query,
  );
  return rows;
}

export async function pendingEstimate(db: Db): Promise<number> {
  const rows = await db.onEachShard(async () => await estimatesOnShard(db.query));
  return rows.reduce((total, { n }) => total + n, 0);
}

async function estimatesOnShard(query: Query): Promise<{ readonly n: number }[]> {
  const { rows } = await sql<{
    n: number;
  }>`select greatest(0, reltuples)::float8 as n from pg_class where oid = own_table('pending_delivery')::regclass`.execute(
    query,
  );
  return rows;
}
