import pg from "pg";

/** A connection to one machine of the database, as the owner of the tables. */
export type Connection = pg.Client;

const PATIENCE_MS = 10_000;

/** Runs work on a connection of its own to the database at `url`. */
export async function connectedTo<T>(url: string, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "junction distribute",
    connectionTimeoutMillis: PATIENCE_MS,
  });
  // A connection that ends between two statements reports it only here. Its next statement fails.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs statements in one transaction, which is rolled back when one of them fails. */
export async function inTransaction(client: Connection, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
