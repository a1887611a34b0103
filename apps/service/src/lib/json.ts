import { isUtf8 } from "node:buffer";
import { answerTextOf } from "./charset.ts";
import {
  CHARS_PER_UNIT,
  childrenOf,
  countNames,
  findSyntaxFault,
  MAX_JSON_DEPTH,
  measure,
  readTree,
  spanFrom,
  wholeSpan,
  withPlainNames,
} from "./json-scan.ts";
import type { Children, Duplicate, Shape, Span, Tree } from "./json-scan.ts";
import type { WorkBudget } from "./work-budget.ts";

export { childrenOf, elementReader, spanFrom, wholeSpan } from "./json-scan.ts";

export interface ScannedJson {
  /**
   * The parsed value. A member named `__proto__` is an own property; never copy with Object.assign or `target[name] =`.
   */
  readonly value: unknown;
  readonly text: string;
  /**
   * Returns the source text of the value at a path of names and indexes, spelled as received; `[]` is the whole.
   * Returns undefined if the path finds nothing. Charges the search if the path or the text is a customer's.
   */
  slice(path: readonly (string | number)[], budget?: WorkBudget): string | undefined;
}

export type JsonFaultReason = "utf8" | "syntax" | "depth" | "duplicate_name";

/** Reports why a body is refused as `malformed_json` (contract, section 4). The message is suitable for the caller. */
export class JsonError extends Error {
  readonly reason: JsonFaultReason;
  /** Byte offset for `utf8`, UTF-16 offset for the others. */
  readonly at: number;
  /** The RFC 6901 pointer to the repeated member; absent if it would be longer than 256 characters. */
  readonly pointer?: string;

  constructor(reason: JsonFaultReason, at: number, message: string, pointer?: string) {
    super(message);
    this.name = "JsonError";
    this.reason = reason;
    this.at = at;
    if (pointer !== undefined) this.pointer = pointer;
  }
}

/**
 * Reads a raw body: strict UTF-8, RFC 8259 without byte order mark, at most 64 levels (or `maxDepth`, if less), no
 * repeated name in one object (contract, section 4). Throws JsonError for the first check that fails: UTF-8, depth,
 * syntax, names. Throws TooExpensiveError if a text with a repeated name, or one spelled with an escape, is too long for the budget.
 */
export function scanJson(raw: Uint8Array, maxDepth: number = MAX_JSON_DEPTH, budget?: WorkBudget): ScannedJson {
  const text = decode(raw);
  return { value: strictValue(text, maxDepth, budget), text, slice: slicer(text) };
}

/**
 * Reads JSON text that `scanJson` accepted before. It is parsed when `value` is first read, because a reader of the whole text
 * alone does not need it: that throws JsonError for any text that `scanJson` refuses.
 */
export function scanKnownJson(text: string): ScannedJson {
  return new KnownJson(text);
}

/** A class, because an object literal with a getter takes a microsecond to make. */
class KnownJson implements ScannedJson {
  readonly text: string;
  readonly slice: ScannedJson["slice"];
  #known: { readonly value: unknown } | undefined;

  constructor(text: string) {
    this.text = text;
    this.slice = slicer(text);
  }

  get value(): unknown {
    this.#known ??= { value: strictValue(this.text, MAX_JSON_DEPTH) };
    return this.#known.value;
  }
}

function strictValue(text: string, maxDepth: number, budget?: WorkBudget): unknown {
  const { value, duplicate } = read(text, maxDepth, budget);
  if (duplicate !== undefined) throw duplicateFault(duplicate);
  return value;
}

/**
 * Parses JSON that others wrote and we kept or received: at most 64 levels, the last value of a repeated name stands.
 * Throws JsonError. JSON.parse alone may misread names: see `read`.
 */
export function parseJson(text: string): unknown {
  return read(text, MAX_JSON_DEPTH).value;
}

/**
 * Reads JSON of a stranger, such as the answer of an API, as `parseJson` does; bytes by their mark or the character set of their
 * `Content-Type`. Returns undefined for anything else. Its members can be of any type, also objects that cannot become texts or numbers.
 */
export function foreignJson(body: string | Uint8Array, contentType?: string): unknown {
  const text = typeof body === "string" ? body : answerTextOf(body, contentType);
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Reads JSON text without objects, which has no names that could be misread. */
export function parseNameless(text: string): unknown {
  return JSON.parse(text);
}

/** Does as `parseJson`, and leaves the texts of numbers and other scalars to `scalar`. */
export function parseScalars(text: string, scalar: (text: string) => unknown): unknown {
  assertDepth(measure(text, MAX_JSON_DEPTH), MAX_JSON_DEPTH);
  parse(text);
  return readTree(text, scalar).value;
}

/** The proposal https://tc39.es/proposal-json-parse-with-source is not yet in TypeScript's library. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/**
 * Returns an object that `JSON.stringify` writes as exactly this text, digit by digit. Throws SyntaxError for text that
 * is not a JSON number.
 */
export function exactNumber(text: string): object {
  return rawJson(text);
}

/**
 * Returns the canonical text of a value (RFC 8785, JCS), for hashes and signatures. Members that are undefined are left
 * out, as JSON.stringify does. Throws TypeError for values that JSON cannot express: NaN, infinities, lone surrogates,
 * bigint, functions, undefined elsewhere, and objects that are neither plain nor arrays.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(",")}]`;
  if (isPlainObject(value)) return canonicalObject(value);
  throw new TypeError(`JSON has no canonical form for ${typeof value === "number" ? String(value) : typeof value}`);
}

function canonicalObject(value: Readonly<Record<string, unknown>>): string {
  const members: string[] = [];
  // The default order is by UTF-16 code units, like the RFC's.
  for (const name of Object.keys(value).toSorted()) {
    const member = value[name];
    if (member !== undefined) members.push(`${canonicalString(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new TypeError("JSON has no canonical form for a lone surrogate");
  return JSON.stringify(value);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function decode(raw: Uint8Array): string {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const at = firstBadByte(bytes);
  throw new JsonError("utf8", at, `The body is not valid UTF-8 at byte ${at}.`);
}

/** The prices of a name and of a character in our own parser: a digit of a list is a value of its own. */
const TREE_UNITS = { name: 38, character: 2 };

/** A lossy decoding is exact up to its first replacement character that the sender did not write. */
function firstBadByte(bytes: Buffer): number {
  const lossy = bytes.toString("utf8");
  let done = 0;
  let at = 0;
  for (;;) {
    const replaced = lossy.indexOf("\uFFFD", done);
    at += Buffer.byteLength(lossy.slice(done, replaced));
    if (bytes.toString("latin1", at, at + 3) !== "\u00EF\u00BF\u00BD") return at;
    at += 3;
    done = replaced + 1;
  }
}

/**
 * V8 up to 14.6 (Node 26.10) misreads names that are spelled with an escape: it compares the raw spelling with names of
 * bodies parsed before. After `{"k":[],"\\u0061":0}` from any sender, the name in `{"k":1,"\u0061mount":2}` becomes
 * `\u0061` (nodejs/node#63785). It gets such names without their escapes; what cannot be spelled so goes through our own parser.
 *
 * A repeated name is lost in parsing, so equal counts prove that no name is repeated. Only texts with a repeated name
 * pay for the search.
 */
function read(text: string, maxDepth: number, budget?: WorkBudget): Tree {
  const shape = measure(text, maxDepth);
  assertDepth(shape, maxDepth);
  const plain = withPlainNames(text);
  const value = parse(text, plain);
  if (plain !== undefined && countNames(value) === shape.names) return { value, duplicate: undefined };
  budget?.spend(shape.names * TREE_UNITS.name + text.length * TREE_UNITS.character);
  return readTree(text);
}

function assertDepth({ tooDeepAt }: Shape, maxDepth: number): void {
  if (tooDeepAt === undefined) return;
  const message = `The JSON is nested deeper than ${maxDepth} levels at offset ${tooDeepAt}.`;
  throw new JsonError("depth", tooDeepAt, message);
}

/** Parses a text, in another spelling that means the same where there is one. */
function parse(text: string, spelling: string = text): unknown {
  try {
    return JSON.parse(spelling);
  } catch {
    const at = findSyntaxFault(text) ?? text.length;
    if (text.startsWith("\uFEFF"))
      throw new JsonError("syntax", at, "The JSON begins with a byte order mark (EF BB BF). Send it without one.");
    const what = at < text.length ? "has an unexpected character" : "ends too soon";
    throw new JsonError("syntax", at, `The JSON ${what} at offset ${at}.`);
  }
}

/**
 * Returns the JSON text with other values at these paths, in the order of the text; everything else keeps its spelling.
 * A path that finds nothing changes nothing. No path may lead into another.
 */
export function withValues(
  text: string,
  changes: readonly { readonly path: readonly (string | number)[]; readonly value: unknown }[],
): string {
  const spanAt = locator(text);
  let out = "";
  let done = 0;
  for (const { path, value } of changes) {
    const span = spanAt(path);
    if (span === undefined) continue;
    out += text.slice(done, span.start) + JSON.stringify(value);
    done = span.end;
  }
  return out + text.slice(done);
}

/** Returns the JSON Pointer (RFC 6901) of a path. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns true if a JSON value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function duplicateFault({ name, at, path }: Duplicate): JsonError {
  const quoted = JSON.stringify(name);
  const shown = quoted.length <= 40 ? quoted : `${quoted.slice(0, 38).toWellFormed()}…"`;
  const pointer = pointerOf(path);
  const message = `The name ${shown} is repeated in one object at offset ${at}.`;
  return new JsonError("duplicate_name", at, message, pointer.length <= 256 ? pointer : undefined);
}

function slicer(text: string): ScannedJson["slice"] {
  const spanAt = locator(text);
  return (path, budget) => {
    const span = spanAt(path, budget);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  };
}

/**
 * Indexes a container when a path first goes through it, so that reading every element of a long array indexes it once.
 */
function locator(text: string): (path: readonly (string | number)[], budget?: WorkBudget) => Span | undefined {
  const indexed = new Map<number, Children>();
  // Found once: a long text of spaces before or after the value would be passed for each path otherwise.
  let whole: Span | undefined;
  return (path, budget) => {
    whole ??= wholeSpan(text);
    if (path.length === 0) return whole;
    let at: number | undefined = whole.start;
    for (const step of path) {
      let children = indexed.get(at);
      if (children === undefined) {
        children = childrenOf(text, at, budget);
        indexed.set(at, children);
      }
      at = childAt(children, step);
      if (at === undefined) return undefined;
    }
    const span = spanFrom(text, at);
    budget?.spend((span.end - span.start) / CHARS_PER_UNIT);
    return span;
  };
}

function childAt(children: Children, step: string | number): number | undefined {
  if (children instanceof Map) return typeof step === "string" ? children.get(step) : undefined;
  return typeof step === "number" ? (children as readonly number[])[step] : undefined;
}
