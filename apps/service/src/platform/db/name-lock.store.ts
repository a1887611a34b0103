import { sql } from "kysely";
import type { Tx } from "./types.ts";

/**
 * Holds the lock of this name until the transaction ends, so that each holder counts what those before it wrote. Take it before any row
 * lock, to prevent deadlocks.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx.query);
}
