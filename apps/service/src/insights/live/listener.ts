import { SHORT_GRACE_MS } from "../../lib/lib.ts";
import type { PooledStream } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

export const KINDS = ["delivery", "receipt", "proposal", "health"] as const;
export type Kind = (typeof KINDS)[number];

/** One open stream. */
export interface Listener {
  readonly scope: Scope;
  /** The kinds that the stream contains. They become fewer if the caller loses access to some. */
  kinds: ReadonlySet<Kind>;
  /** The snapshot that sees every change that was sent. */
  position: string;
  readonly stream: PooledStream;
  /** Returns the kinds that the caller may still read. Throws the error that the caller's next request would get. */
  recheck(): Promise<ReadonlySet<Kind>>;
  /** When the caller's access was last confirmed, in monotonic milliseconds. */
  checkedMs: number;
  /** When the stream ends on its own, in monotonic milliseconds. The client then reconnects with its position. */
  readonly endsMs: number;
}

/** How long a browser waits before it reconnects, in milliseconds. */
const RETRY_MS = 3000;

/** The first text of a stream. */
export const OPENING = `retry: ${RETRY_MS}\n\n`;

/** Sends a message. `data` is JSON text. Returns false if the client was disconnected or has gone. */
export function tell(listener: Listener, event: string, data: string): boolean {
  return listener.stream.push(`event: ${event}\ndata: ${data}\n\n`);
}

/** Sends the position of everything sent so far. A client that disconnects before it gets this position receives some messages again. */
export function moveTo(listener: Listener, position: string): void {
  if (listener.stream.push(`id: ${position}\n\n`)) listener.position = position;
}

/** Sends a comment that keeps the connection open. Clients see no message. */
export function beat({ stream }: Listener): boolean {
  return stream.push(": here\n\n");
}

/** Sends the reason, and ends the stream. */
export function close(listener: Listener, reason: string): void {
  tell(listener, "close", JSON.stringify({ object: "stream_close", reason }));
  listener.stream.end(SHORT_GRACE_MS);
}
