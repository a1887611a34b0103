import type { Readable, Writable } from "node:stream";

/** Lines of the service and to it. */
export interface Lines {
  /** The next line, without its end; undefined when there will be none. */
  next(): Promise<string> | string | undefined;
  write(line: string): void;
}

export function createLines(input: Readable, output: Writable): Lines {
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
    write: (line) => {
      output.write(`${line}\n`);
    },
  };
}
