import type { BodyWarning } from "./body.ts";

/** An HTTP request that someone copied or captured. */
export interface PastedRequest {
  /** The values by lower-case name. A header that was sent twice is joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly warnings: readonly BodyWarning[];
}

const MAX_HEAD_BYTES = 65_536;
const MAX_HEADERS = 200;
const MAX_CHUNKS = 10_000;
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
const REQUEST_LINE = /^(?<method>[A-Z]{1,20}) \S+(?: HTTP\/\d(?:\.\d)?)?$/;
const HEADER = /^(?<name>[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}):(?<value>[^\0]*)$/;

/**
 * Reads a request as it came: the request line, headers, an empty line and the body. Lines of the head end in CRLF or LF, because editors
 * change them. Returns what to do about a text that is not a request.
 */
export function readPasted(bytes: Buffer): PastedRequest | Fault {
  const head = headOf(bytes);
  if (head === undefined) return { fault: "must have its headers within 64 KiB, and an empty line before the body" };
  const [first = "", ...lines] = head.lines;
  const fault = lineFault(first);
  if (fault !== undefined) return { fault };
  const headers = headersOf(lines);
  return "fault" in headers ? headers : { headers, ...bodyOf(bytes.subarray(head.end), headers) };
}

interface Fault {
  readonly fault: string;
}

function lineFault(line: string): string | undefined {
  const method = REQUEST_LINE.exec(line)?.groups?.["method"];
  if (method === undefined) return "must begin with its request line, such as POST /hook HTTP/1.1";
  return method === "POST" ? undefined : `must be a POST: ${method} sends no event`;
}

function headersOf(lines: readonly string[]): ReadonlyMap<string, string> | Fault {
  if (lines.length > MAX_HEADERS) return { fault: `must have at most ${MAX_HEADERS} headers` };
  const headers = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const { name, value = "" } = HEADER.exec(line)?.groups ?? {};
    if (name === undefined)
      return { fault: `must have a header such as "Content-Type: text/plain" in line ${index + 2}, or an empty line` };
    const lower = name.toLowerCase();
    const before = headers.get(lower);
    headers.set(lower, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return headers;
}

/** Returns the lines before the first empty one, as bytes of Latin-1 like those of any request; a text without one has no body. */
function headOf(bytes: Buffer): { readonly lines: readonly string[]; readonly end: number } | undefined {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, at);
    const end = found === -1 ? bytes.length : found;
    if (end > MAX_HEAD_BYTES) return undefined;
    const line = bytes.toString("latin1", at, bytes[end - 1] === CARRIAGE_RETURN && end > at ? end - 1 : end);
    at = end + 1;
    // Copied texts begin with empty lines.
    if (line !== "") lines.push(line);
    else if (lines.length > 0) return { lines, end: at };
  }
  return { lines, end: bytes.length };
}

function bodyOf(bytes: Buffer, headers: ReadonlyMap<string, string>): Pick<PastedRequest, "body" | "warnings"> {
  const isChunked = /(?:^|,)\s*chunked\s*$/i.test(headers.get("transfer-encoding") ?? "");
  if (isChunked) return { body: unchunked(bytes) ?? bytes, warnings: [] };
  const text = headers.get("content-length") ?? "";
  const length = /^\d{1,9}$/.test(text) ? Number(text) : bytes.length;
  const rest = bytes.subarray(length);
  // An editor ends a file with a line of its own.
  const isEdited = rest.length <= 2 && rest.every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN);
  if (bytes.length >= length && isEdited) return { body: bytes.subarray(0, length), warnings: [] };
  const message = `The body has ${bytes.length} bytes and not the ${length} of its Content-Length: copying changed it, and bytes other than text need request_base64`;
  return { body: bytes, warnings: [{ field: "request", message }] };
}

/** Returns a body without the sizes of its chunks, which tools that capture traffic keep; undefined for one that is not in whole chunks. */
function unchunked(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; chunks.length <= MAX_CHUNKS;) {
    const end = bytes.indexOf(LINE_FEED, at);
    const line = end === -1 ? "" : bytes.toString("latin1", at, Math.min(end, at + 100)).trim();
    if (!/^[\da-f]{1,8}(?:;.*)?$/i.test(line)) return undefined;
    const [start, size] = [end + 1, Number.parseInt(line, 16)];
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + (bytes[start + size] === CARRIAGE_RETURN ? 1 : 0);
    if (bytes[at] !== LINE_FEED) return undefined;
    at += 1;
  }
  return undefined;
}
