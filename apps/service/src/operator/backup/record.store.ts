import pg from "pg";
import type { Query } from "../../platform/db/db.ts";
import { fromDate, timeText } from "../../lib/lib.ts";

/** The newest backup that was completed. */
export interface LastBackup {
  /** The time of the backed-up data, in RFC 3339. */
  readonly created_at: string;
  /** The file name, without the folder. */
  readonly file_name: string;
}

const CONNECT_MS = 5000;

/**
 * Records a backup in its database. Returns false if that fails: on a schema older than this version's, as before an
 * upgrade, on a read-only replica, or without a connection. The backup is complete nevertheless.
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
    // If two backups end in another order than they began, the one with the newer data counts.
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

/** Returns the last backup, or null if none was recorded. */
export async function readLastBackup(query: Query): Promise<LastBackup | null> {
  const row = await findLast(query);
  return row === undefined ? null : { created_at: timeText(row.created_at), file_name: row.file_name };
}

/** Returns the Unix time of the last backup, or 0 if none was recorded. */
export async function lastBackupSeconds(query: Query): Promise<number> {
  const row = await findLast(query);
  return row === undefined ? 0 : fromDate(row.created_at) / 1000;
}

async function findLast(query: Query) {
  return await query.selectFrom("last_backup").select(["created_at", "file_name"]).executeTakeFirst();
}
