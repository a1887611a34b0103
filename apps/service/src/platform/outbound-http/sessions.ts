import type { Clock, Instant } from "../../lib/lib.ts";

/** A TLS session, with which a later connection skips the certificate and most of the handshake. */
export interface Session {
  readonly ticket: Buffer;
  /** The end of what the last full handshake verified. A resumed session does not extend it. */
  readonly verifiedUntil: Instant;
}

export type Sessions = ReturnType<typeof createSessions>;

const MOST = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_TICKET_BYTES = 16 * 1024;

/**
 * Keeps the newest TLS session of each receiver in memory, at most 10 000 and 16 MiB. The key names all that a session
 * was verified for. A session is used more than once, because many receivers give no new one to a resumed connection.
 */
export function createSessions(clock: Clock) {
  /** In order of last use. */
  const sessions = new Map<string, Session>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= sessions.get(key)?.ticket.length ?? 0;
    sessions.delete(key);
  }

  function keep(key: string, session: Session): void {
    drop(key);
    const { length } = session.ticket;
    if (length > MOST_TICKET_BYTES || !(session.verifiedUntil > clock.now())) return;
    for (const oldest of sessions.keys()) {
      if (sessions.size < MOST && bytes + length <= MOST_BYTES) break;
      drop(oldest);
    }
    sessions.set(key, session);
    bytes += length;
  }

  return {
    keep,
    drop,
    /** Returns the session for a new connection. A connection that it cannot establish drops it. */
    of(key: string): Session | undefined {
      const session = sessions.get(key);
      if (session !== undefined) keep(key, session);
      return sessions.get(key);
    },
  };
}
