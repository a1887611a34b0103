import { Readable } from "node:stream";
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
  readonly stream: Readable;
  /** Returns the kinds that the caller may still read. Throws the error that the caller's next request would get. */
  recheck(): Promise<ReadonlySet<Kind>>;
  /** When the caller's access was last confirmed, in monotonic milliseconds. */
  checkedMs: number;
  /** When the stream ends on its own, in monotonic milliseconds. The client then reconnects with its position. */
  readonly endsMs: number;
  /** True if nothing more is sent. */
  ended: boolean;
}

/** The maximum size of unread messages. A slower client is disconnected, reconnects, and continues at its position. */
const MOST_BYTES = 256 * 1024;
/** How long a browser waits before it reconnects, in milliseconds. */
const RETRY_MS = 3000;

export function openStream(): Readable {
  // Pushed text stays here until the socket accepts it. `tell` limits its size.
  const stream = new Readable({ read: () => undefined });
  stream.push(`retry: ${RETRY_MS}\n\n`);
  return stream;
}

/** Sends a message. `data` is JSON text. Returns false if the client was disconnected or has gone. */
export function tell(listener: Listener, event: string, data: string): boolean {
  return push(listener, `event: ${event}\ndata: ${data}\n\n`);
}

/** Sends the position of everything sent so far. A client that disconnects before it gets this position receives some messages again. */
export function moveTo(listener: Listener, position: string): void {
  if (push(listener, `id: ${position}\n\n`)) listener.position = position;
}

/** Sends a comment that keeps the connection open. Clients see no message. */
export function beat(listener: Listener): boolean {
  return push(listener, ": here\n\n");
}

/** Sends the reason, and ends the stream. */
export function close(listener: Listener, reason: string): void {
  tell(listener, "close", JSON.stringify({ object: "stream_close", reason }));
  end(listener);
}

/** Ends the stream without a message. */
export function end(listener: Listener): void {
  if (isOver(listener)) return;
  listener.ended = true;
  listener.stream.push(null);
}

export function isOver({ ended, stream }: Listener): boolean {
  return ended || stream.destroyed;
}

function push(listener: Listener, text: string): boolean {
  const { stream } = listener;
  if (isOver(listener)) return false;
  if (stream.readableLength > MOST_BYTES) {
    stream.destroy();
    return false;
  }
  stream.push(text);
  return true;
}
