import { writeSync } from "node:fs";
import type { Json } from "./types.ts";

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 64;

export type Message = { readonly [name: string]: Json };

export interface Wire {
  /** Sends one line, together with all others that are sent in the same turn of the event loop. */
  send(line: string): void;
  /** Sends the lines that `send` holds back. */
  flush(): void;
}

/** Thrown for a value that cannot be sent to the service. The message is for the connector's author. */
export class Unsayable extends Error {
  readonly tooLarge: boolean;

  constructor(message: string, tooLarge: boolean) {
    super(message);
    this.name = "Unsayable";
    this.tooLarge = tooLarge;
  }
}

// The connector's code may change these globals later. The copies stay unaffected.
const { parse, stringify } = JSON;
const later = setImmediate;
const bytesOf = Buffer.byteLength;
const concat = Buffer.concat;
const bufferOf = Buffer.from;
const sleep = Atomics.wait;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Opens standard output, a pipe that the service always reads. A write waits only while the service is busy. */
export function openWire(): Wire {
  let held = "";
  const flush = () => {
    if (held === "") return;
    let rest: Buffer = bufferOf(held);
    held = "";
    while (rest.length > 0) rest = rest.subarray(writeSome(rest));
  };
  return {
    send: (line) => {
      if (held === "") later(flush);
      held += `${line}\n`;
    },
    flush,
  };
}

/** Waits if the pipe is full, even if it was opened as non-blocking. */
function writeSome(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EAGAIN") throw error;
    sleep(nobody, 0, 0, 1);
    return 0;
  }
}

/** Splits the input into messages. The service sends only JSON, so an invalid line ends the process. */
export function readMessages(take: (message: Message) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = parts.length === 0 ? rest.subarray(0, end) : concat([...parts, rest.subarray(0, end)]);
      parts = [];
      take(parse(line.toString()) as Message);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  };
}

/** Returns the line of a message whose `what` came from the connector. Throws Unsayable. */
export function lineOf(message: Readonly<Record<string, unknown>>, what: string): string {
  const line = textOf(message, what);
  // A character has at most three bytes of UTF-8, so most lines need not be measured.
  if (line.length * 3 >= MAX_LINE_BYTES && bytesOf(line) >= MAX_LINE_BYTES) {
    throw new Unsayable(`${what} has more than 4 MiB.`, true);
  }
  if (isTooDeep(line)) throw new Unsayable(`${what} is nested more than 60 levels deep.`, false);
  return line;
}

function textOf(message: Readonly<Record<string, unknown>>, what: string): string {
  try {
    return stringify(message);
  } catch (error) {
    throw new Unsayable(`${what} is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}`, false);
  }
}

function isTooDeep(json: string): boolean {
  if (json.length < 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (const [part] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]/g)) {
    if (part === "[" || part === "{") depth += 1;
    else if (part === "]" || part === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
