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
