import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { databaseHome, originalOf } from "./home.ts";

const CONNECT_MS = 2000;

/** Returns true if a service has created its embedded database in this data folder. */
export function hasEmbedded(dataDir: string): boolean {
  const place = databaseHome(dataDir);
  return place !== undefined && existsSync(join(place.home, "postgres"));
}

/**
 * Returns the address of the embedded PostgreSQL that another process runs on this data folder; undefined if none does.
 * A copy of the folder has the password and the port of the original, so the server must confirm that it runs on this
 * folder's database.
 */
export async function runningEmbedded(dataDir: string): Promise<string | undefined> {
  const place = databaseHome(dataDir);
  if (place === undefined || originalOf(place) !== undefined) return undefined;
  const [password, port] = [join(place.dataDir, "postgres.password"), join(place.dataDir, "postgres.port")];
  if (!existsSync(password) || !existsSync(port)) return undefined;
  const text = (path: string): string => readFileSync(path, "utf8").trim();
  const url = `postgres://junction:${text(password)}@127.0.0.1:${text(port)}/junction`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    return rows[0]?.data_directory === join(place.home, "postgres") ? url : undefined;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
