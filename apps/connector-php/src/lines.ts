import { writeSync } from "node:fs";
import type { Readable } from "node:stream";

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Lines of the service and to it. */
export interface Lines {
  /** The next line, without its end; undefined when there will be none. */
  next(): Promise<string> | string | undefined;
  write(line: string): void;
}

/** Lines from a stream, and to standard output. */
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
    // The empty line, which the protocol has not, is the end for whoever waits.
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

/** Free text; a line where it is a text. */
export function toStandardError(what: Uint8Array | string): void {
  try {
    write(2, typeof what === "string" ? Buffer.from(`${what}\n`) : what);
  } catch {
    // Nobody reads it.
  }
}

/** Waits until all is written: PHP leaves no moment for what would be kept to be written later. */
function write(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSome(descriptor, rest));
}

function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    // A pipe that is full, and was made not to wait.
    Atomics.wait(clock, 0, 0, 1);
    return 0;
  }
}
