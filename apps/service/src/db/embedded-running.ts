import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";

const CONNECT_MS = 2000;

/** The address of the embedded PostgreSQL that another process runs on this data folder now; undefined when none does. */
export async function runningEmbedded(dataDir: string): Promise<string | undefined> {
  const [password, port] = ["postgres.password", "postgres.port"].map((name) => join(resolve(dataDir), name));
  if (password === undefined || port === undefined || !existsSync(password) || !existsSync(port)) return undefined;
  const text = (path: string): string => readFileSync(path, "utf8").trim();
  const url = `postgres://junction:${text(password)}@127.0.0.1:${text(port)}/junction`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    return url;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
