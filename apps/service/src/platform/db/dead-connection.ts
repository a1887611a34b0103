import type { Socket } from "node:net";
import type pg from "pg";

/** A request waits at most this long for a database that has become unreachable, in addition to the time to connect. */
export const SILENCE_MS = 20_000;
/** A connection that only listens checks at this interval that the database still responds. */
const BEAT_MS = 60_000;
const MOST_BEAT_MS = 90_000;

/**
 * Ends connections in use on which no byte has passed for `silenceMs`. The database's machine is down, or the network
 * drops the packets, and TCP would report that only after a quarter of an hour. The statement fails like any statement
 * whose connection is lost, and it is unknown whether it took effect. A statement that takes this long continues at the
 * database.
 */
export function endSilent(pool: pg.Pool, silenceMs: number): void {
  const used = new WeakSet<pg.PoolClient>();
  pool.on("acquire", (client) => used.add(client));
  pool.on("release", (_error, client) => used.delete(client));
  pool.on("connect", (client) => {
    const socket = socketOf(client);
    socket.setTimeout(silenceMs, () => {
      if (used.has(client)) socket.destroy(silent(silenceMs));
    });
  });
}

/** Does the same for a connection that only listens. Returns a function that ends the watch. */
export function watchListener(client: pg.Client): () => void {
  const socket = socketOf(client);
  const beat = setInterval(() => {
    client.query("select 1").catch(() => undefined);
  }, BEAT_MS);
  socket.setTimeout(MOST_BEAT_MS, () => socket.destroy(silent(MOST_BEAT_MS)));
  return () => clearInterval(beat);
}

/** The message is that of a lost connection, which `isPassing` recognizes. */
function silent(ms: number): Error {
  return new Error(`Connection terminated: the database was silent for ${ms / 1000} s`);
}

/** Returns the connection's socket, which is missing from the driver's types. With TLS, it is the TLS socket. */
function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
