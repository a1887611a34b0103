/** The head of a response that the parser of HTTP refuses. */
interface Head {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Record<string, string>;
}

const MAX_HEAD_BYTES = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.\d ([2-9]\d{2})(?: [^\r\n]*)?\r?\n/;
/** Receivers write a space before the colon, which HTTP/1.1 forbids. */
const FIELD = /^([!#$%&'*+\-.^`|~\w]+)[ \t]*:(.*)$/;
/** Headers that describe the body, which is not read. */
const OF_THE_BODY: ReadonlySet<string> = new Set(["content-encoding", "transfer-encoding", "content-length"]);

/**
 * Reads the status line and the whole lines of headers after it, as far as they arrived. Returns undefined without a
 * whole status line of a final response.
 */
export function readHead(bytes: Buffer): Head | undefined {
  const text = bytes.subarray(0, MAX_HEAD_BYTES).toString("latin1");
  const first = STATUS_LINE.exec(text);
  if (first === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of text.slice(first[0].length).split("\n").slice(0, -1)) {
    const field = FIELD.exec(line.replace(/\r$/, ""));
    if (field === null) break;
    const [, name = "", value = ""] = field;
    const key = name.toLowerCase();
    const before = headers.get(key);
    if (!OF_THE_BODY.has(key)) headers.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return { status: Number(first[1]), headers: Object.fromEntries(headers) };
}
