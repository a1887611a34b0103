import { MalformedAnswerError } from "./wire.ts";

/** An answer about one topic of 100 000 partitions has some 5 MB. */
const MOST_BYTES = 8 * 1024 * 1024;
const LENGTH_BYTES = 4;
const FIRST_BYTES = 65_536;
const TLS_ALERT = 0x1503;

/**
 * Takes what a socket reads, and calls `frame` with each whole answer, which is valid during the call only. Memory grows with the bytes that came, never with
 * the length that a peer promised. Throws `MalformedAnswerError` for bytes that do not form a frame.
 */
export function createFrames(frame: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  let used = 0;

  function keep(rest: Buffer): void {
    if (used + rest.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, held.length * 2, used + rest.length));
      held.copy(larger, 0, 0, used);
      held = larger;
    }
    rest.copy(held, used);
    used += rest.length;
  }

  /** Returns what is left of bytes after their whole frames. */
  function cut(bytes: Buffer): Buffer {
    let rest = bytes;
    while (rest.length >= LENGTH_BYTES) {
      const length = frameLength(rest);
      if (rest.length < LENGTH_BYTES + length) break;
      frame(rest.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
      rest = rest.subarray(LENGTH_BYTES + length);
    }
    return rest;
  }

  return (chunk) => {
    if (used > 0) {
      keep(chunk);
      const rest = cut(held.subarray(0, used));
      held.copy(held, 0, used - rest.length, used);
      used = rest.length;
      // A large answer must not stay in memory for the life of the connection.
      if (used === 0) held = Buffer.alloc(0);
    } else {
      keep(cut(chunk));
    }
  };
}

function frameLength(bytes: Buffer): number {
  const length = bytes.readInt32BE(0);
  if (length >= LENGTH_BYTES && length <= MOST_BYTES) return length;
  if (bytes.readUInt16BE(0) === TLS_ALERT) throw new MalformedAnswerError("it speaks TLS: set `tls` to true");
  if (bytes.toString("latin1", 0, LENGTH_BYTES) === "HTTP") throw new MalformedAnswerError("it speaks HTTP");
  throw new MalformedAnswerError(`an answer of ${length} bytes cannot be`);
}
