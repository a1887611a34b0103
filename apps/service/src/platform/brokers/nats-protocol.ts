import type { Socket } from "node:net";
import { BrokerError } from "./broker.ts";

/** The part of NATS' protocol that a publisher needs. */
export const PING = Buffer.from("PING\r\n");
export const PONG = Buffer.from("PONG\r\n");

/** The facts that a server states about itself first. */
export interface Info {
  readonly tls_required?: boolean;
  readonly headers?: boolean;
  readonly max_payload?: number;
  readonly nonce?: string;
}

export interface Said {
  /** `PING`, `PONG`, `-ERR`, `MSG`, `HMSG`, `INFO` or `+OK`. */
  readonly verb: string;
  /** The rest of the line after the verb. */
  readonly rest: string;
  /** The headers of a message, and its body; empty for others. */
  readonly head: string;
  readonly body: string;
}

const LINE_BYTES = 65_536;
const MESSAGE_BYTES = 1_048_576;
const END = "\r\n";

/** Returns a function that takes bytes as they arrive and returns what is complete. Throws for bytes that are not NATS. */
export function createNatsReader(): (bytes: Buffer) => Said[] {
  let parts: Buffer[] = [];
  let length = 0;
  let needed = 0;
  return (bytes) => {
    parts.push(bytes);
    length += bytes.length;
    if (length < needed) return [];
    let rest = parts.length === 1 ? bytes : Buffer.concat(parts);
    const said: Said[] = [];
    for (;;) {
      const end = rest.indexOf(END);
      if ((end === -1 ? rest.length : end) > LINE_BYTES) throw new Error("a line is too long");
      needed = 0;
      if (end === -1) break;
      const line = lineOf(rest.toString("utf8", 0, end));
      needed = end + END.length + line.bytes;
      if (rest.length < needed) break;
      said.push(withBody(line, rest.subarray(end + END.length, needed)));
      rest = rest.subarray(needed);
    }
    parts = rest.length === 0 ? [] : [rest];
    length = rest.length;
    return said;
  };
}

interface Line {
  readonly verb: string;
  readonly rest: string;
  readonly headBytes: number;
  /** The bytes after the line, with their end. */
  readonly bytes: number;
}

const VERBS = ["PING", "PONG", "-ERR", "MSG", "HMSG", "INFO", "+OK"];

function lineOf(text: string): Line {
  const space = text.indexOf(" ");
  const verb = space === -1 ? text : text.slice(0, space);
  if (!VERBS.includes(verb)) throw new Error(`it said ${JSON.stringify(text.slice(0, 40))}`);
  const rest = text.slice(verb.length).trim();
  if (verb !== "MSG" && verb !== "HMSG") return { verb, rest, headBytes: 0, bytes: 0 };
  const numbers = rest.split(" ").slice(-2).map(Number);
  const bytes = sizeWithin(numbers[1], MESSAGE_BYTES);
  const headBytes = verb === "HMSG" ? sizeWithin(numbers[0], bytes) : 0;
  return { verb, rest, headBytes, bytes: bytes + END.length };
}

function sizeWithin(size: number | undefined, most: number): number {
  if (size === undefined || !Number.isInteger(size) || size < 0 || size > most)
    throw new Error("a message has a strange size");
  return size;
}

function withBody({ verb, rest, headBytes }: Line, bytes: Buffer): Said {
  const body = bytes.toString("utf8", headBytes, Math.max(headBytes, bytes.length - END.length));
  return { verb, rest, head: bytes.toString("utf8", 0, headBytes), body };
}

/** Returns the headers of a message as NATS writes them. */
export function headOf(headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, " ")}${END}`);
  return Buffer.from(`NATS/1.0${END}${lines.join("")}${END}`);
}

/** Returns a publication. `reply` is the subject of the answer; empty for none. */
export function publication(subject: string, reply: string, head: Buffer, body: Buffer): Buffer {
  const line = `HPUB ${subject} ${reply === "" ? "" : `${reply} `}${head.length} ${head.length + body.length}${END}`;
  return Buffer.concat([Buffer.from(line), head, body, Buffer.from(END)]);
}

/** How long a server that speaks TLS from the start is waited for. Others greet at once. */
const GREETING_MS = 1000;

export interface Greeted {
  readonly withinMs: number;
  /** True if the server may wait for TLS before it says anything. */
  readonly mayBeSilent: boolean;
}

export interface Greeting {
  readonly info: Info;
  /** The bytes that came after it. */
  readonly rest: Buffer;
}

/** Reads INFO from a socket that nothing listens to yet, and leaves it so. Returns null if the server says nothing and may. Throws `BrokerError`. */
export async function readInfo(socket: Socket, { withinMs, mayBeSilent }: Greeted): Promise<Greeting | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>();
  let seen = Buffer.alloc(0);
  const hear = (bytes: Buffer): void => {
    seen = Buffer.concat([seen, bytes]);
    if (seen.includes(END) || seen.length > LINE_BYTES) resolve(seen);
  };
  const lost = (): void =>
    reject(
      new BrokerError(
        "connect",
        `The server closed the connection before it said who it is${spoke(seen)}. Check the port: NATS is 4222.`,
      ),
    );
  const timer = setTimeout(
    () => {
      if (mayBeSilent && seen.length === 0) resolve(null);
      else
        reject(
          new BrokerError(
            "connect",
            `The server did not say who it is in time${spoke(seen)}. Check the port: NATS is 4222.`,
          ),
        );
    },
    mayBeSilent ? Math.min(GREETING_MS, withinMs) : withinMs,
  );
  socket.on("data", hear).on("error", lost).on("close", lost).on("end", lost);
  try {
    const line = await promise;
    return line === null ? null : greetingOf(line);
  } finally {
    clearTimeout(timer);
    socket.pause();
    socket.off("data", hear).off("error", lost).off("close", lost).off("end", lost);
  }
}

function spoke(seen: Buffer): string {
  return seen.length === 0 ? "" : ` (it said ${JSON.stringify(seen.toString("latin1", 0, 40))})`;
}

function greetingOf(seen: Buffer): Greeting {
  const end = seen.indexOf(END);
  const text = seen.toString("utf8", 0, Math.max(end, 0));
  const info = text.startsWith("INFO ") ? parsed(text.slice(5)) : null;
  if (info !== null) return { info, rest: seen.subarray(end + END.length) };
  throw new BrokerError(
    "connect",
    `The port does not speak NATS, or NATS has no room${spoke(seen)}. Check the port: NATS is 4222.`,
  );
}

function parsed(json: string): Info | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null) return null;
    const { tls_required: tls, headers, max_payload: maxPayload, nonce } = value as Record<string, unknown>;
    return {
      tls_required: tls === true,
      headers: headers === true,
      ...(typeof maxPayload === "number" ? { max_payload: maxPayload } : {}),
      ...(typeof nonce === "string" ? { nonce } : {}),
    };
  } catch {
    return null;
  }
}
