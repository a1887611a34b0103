import { Readable } from "node:stream";
import type { Scope } from "../../accounts/accounts.ts";

export const KINDS = ["delivery", "receipt", "proposal", "health"] as const;
export type Kind = (typeof KINDS)[number];

/** One open stream. */
export interface Listener {
  readonly scope: Scope;
  /** What it is told of; less, once its caller may read less. */
  kinds: ReadonlySet<Kind>;
  /** The snapshot that sees all that was told. */
  position: string;
  readonly stream: Readable;
  /** What the caller may still read; throws what the gate would say to its next request. */
  recheck(): Promise<ReadonlySet<Kind>>;
  /** When the caller was last known to be in good standing, monotonic milliseconds. */
  checkedMs: number;
  /** When it ends by itself, monotonic milliseconds; it comes back with its position. */
  readonly endsMs: number;
  /** Nothing is said any more. */
  ended: boolean;
}

/** Of what waits to be read. Who reads so slowly comes back, and reads on where it was. */
const MOST_BYTES = 256 * 1024;
/** How long a browser waits before it comes back, milliseconds. */
const RETRY_MS = 3000;

export function openStream(): Readable {
  // What is pushed is held here until the socket takes it: `tell` bounds it.
  const stream = new Readable({ read: () => undefined });
  stream.push(`retry: ${RETRY_MS}\n\n`);
  return stream;
}

/** Says one thing; `data` is JSON text. False where the listener was cut off, or has gone. */
export function tell(listener: Listener, event: string, data: string): boolean {
  return push(listener, `event: ${event}\ndata: ${data}\n\n`);
}

/** Says that all up to here was told: who breaks off before it is told some of it once more. */
export function moveTo(listener: Listener, position: string): void {
  if (push(listener, `id: ${position}\n\n`)) listener.position = position;
}

/** Keeps the connection fresh; no message comes of it. */
export function beat(listener: Listener): boolean {
  return push(listener, ": here\n\n");
}

/** Says why, and ends. */
export function close(listener: Listener, reason: string): void {
  tell(listener, "close", JSON.stringify({ object: "stream_close", reason }));
  end(listener);
}

/** Ends without a word. */
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
