import type { Socket } from "node:net";
import type pg from "pg";

/** What a request waits at most for a database that is reached by nobody any more, beside the time to connect. */
export const SILENCE_MS = 20_000;
/** So often a connection that only listens asks for a sign of life. */
const BEAT_MS = 60_000;
const MOST_BEAT_MS = 90_000;

/**
 * Ends connections in use on which not a byte has passed for so long: the database's machine is gone, or the network swallows what is sent, and
 * TCP would find out after a quarter of an hour. The statement fails as one of a lost connection does; whether it took effect is unknown.
 * A statement that takes so long at the database goes on there.
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

/** The same for a connection that only listens. Answers what ends the watch. */
export function watchListener(client: pg.Client): () => void {
  const socket = socketOf(client);
  const beat = setInterval(() => {
    client.query("select 1").catch(() => undefined);
  }, BEAT_MS);
  socket.setTimeout(MOST_BEAT_MS, () => socket.destroy(silent(MOST_BEAT_MS)));
  return () => clearInterval(beat);
}

/** The words are those of a lost connection (kernel, `isPassing`). */
function silent(ms: number): Error {
  return new Error(`Connection terminated: the database was silent for ${ms / 1000} s`);
}

/** Not among the driver's types; TLS's own, where there is TLS. */
function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
