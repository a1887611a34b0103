import pg from "pg";
import type { Query } from "../../platform/db/db.ts";
import { fromDate, toRfc3339 } from "../../lib/lib.ts";

/** The newest backup that was completed. */
export interface LastBackup {
  /** RFC 3339: the moment whose data it holds. */
  readonly created_at: string;
  /** Without its folder. */
  readonly file_name: string;
}

const CONNECT_MS = 5000;

/**
 * Records a backup in the database that it was made of. Returns false where that cannot be done: on a schema older than this version's, as
 * before an upgrade, on a read-only replica, or when the connection fails. The backup is whole all the same.
 */
export async function recordBackup(
  url: string,
  { created_at: createdAt, file_name: name }: LastBackup,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "junction backup",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    // Of two that end in another order than they began, the newer data counts.
    await client.query(
      `insert into last_backup (created_at, file_name) values ($1, $2)
       on conflict (singleton) do update set created_at = excluded.created_at, file_name = excluded.file_name
       where last_backup.created_at <= excluded.created_at`,
      [createdAt, name],
    );
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Null while none was recorded. */
export async function readLastBackup(query: Query): Promise<LastBackup | null> {
  const row = await findLast(query);
  return row === undefined ? null : { created_at: toRfc3339(fromDate(row.created_at)), file_name: row.file_name };
}

/** Unix time; 0 while none was recorded. */
export async function lastBackupSeconds(query: Query): Promise<number> {
  const row = await findLast(query);
  return row === undefined ? 0 : fromDate(row.created_at) / 1000;
}

async function findLast(query: Query) {
  return await query.selectFrom("last_backup").select(["created_at", "file_name"]).executeTakeFirst();
}
