import { writeSync } from "node:fs";
import type { Readable } from "node:stream";

const clock = new Int32Array(new SharedArrayBuffer(4));

/** The lines from the service and to it. */
export interface Lines {
  /** Returns the next line without its end, or undefined after the last one. */
  next(): Promise<string> | string | undefined;
  write(line: string): void;
}

/** Reads lines from a stream, and writes lines to standard output. */
export function createLines(input: Readable): Lines {
  const ready: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  let parts: string[] = [];
  let ended = false;

  const give = (line: string): void => {
    if (waiting === undefined) ready.push(line);
    else waiting(line);
    waiting = undefined;
  };
  input.setEncoding("utf8");
  input.on("data", (text: string) => {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      parts.push(text.slice(from, end));
      give(parts.join(""));
      parts = [];
      from = end + 1;
    }
    if (from < text.length) parts.push(text.slice(from));
  });
  input.on("end", () => {
    ended = true;
    // An empty line, which the protocol does not use, signals the end to the waiting reader.
    if (waiting !== undefined) waiting("");
  });

  return {
    next: () => {
      const line = ready.shift();
      if (line !== undefined || ended) return line;
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    write: (line) => write(1, Buffer.from(`${line}\n`)),
  };
}

/** Writes free text. A string is written as a line. */
export function toStandardError(what: Uint8Array | string): void {
  try {
    write(2, typeof what === "string" ? Buffer.from(`${what}\n`) : what);
  } catch {
    // No process reads the output.
  }
}

/** Waits until everything is written, because PHP leaves no time for a later write. */
function write(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSome(descriptor, rest));
}

function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    // The pipe is full and does not block.
    Atomics.wait(clock, 0, 0, 1);
    return 0;
  }
}
