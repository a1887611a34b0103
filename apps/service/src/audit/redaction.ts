import { isRecord, parseJson, REDACTED } from "../lib/lib.ts";
import { redactFields } from "./fields.ts";
import { createLiterals } from "./literals.ts";
import type { Literals } from "./literals.ts";
import { isCountName, isSecretName } from "./names.ts";
import { isPlain, redactShapes } from "./patterns.ts";

export interface RedactionOptions {
  /** The limit of the whole value as JSON. Everything beyond is left out. */
  readonly maxBytes?: number;
  /** The limit of each text in the value. Default: 4 KiB. */
  readonly maxTextBytes?: number;
  /** Additional names whose values are secrets. */
  readonly sensitive?: readonly string[];
  /** Additional texts to redact everywhere. */
  readonly secrets?: readonly string[];
}

/**
 * Redacts secrets in data that is about to be stored or shown to a model, in time linear in the size of the kept data.
 */
export type Redactor = ReturnType<typeof createRedactor>;

const MAX_TEXT_BYTES = 4096;
const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 12;
const MAX_MEMBERS = 1000;
const MAX_NAME = 256;
/** The length that is read beyond the cut, so that a secret across it is seen as a whole. */
const BEYOND = 4096;
const CUT = "[cut]";

/** Creates a redactor that also knows a workspace's own `secrets`. */
export function createRedactor(secrets: Iterable<string> = []) {
  const own = createLiterals(secrets);
  const walkerOf = (options: RedactionOptions): Walk => {
    const { maxBytes = MAX_BYTES, maxTextBytes = MAX_TEXT_BYTES, sensitive = [], secrets: more = [] } = options;
    return {
      left: maxBytes,
      maxTextBytes,
      sensitive: new Set(sensitive),
      literals: more.length === 0 ? [own] : [own, createLiterals(more)],
    };
  };
  return {
    /** Redacts these texts too from now on. */
    learn: own.learn,
    /**
     * Returns a JSON value of the same shape, with at most 12 levels, 1 000 members per level and `maxTextBytes` per
     * text.
     */
    value: (value: unknown, options: RedactionOptions = {}): unknown => walk(walkerOf(options), value, 0),
    text(text: string, options: RedactionOptions = {}): string {
      const state = walkerOf(options);
      return redactText(state, text, Math.min(state.maxTextBytes, state.left));
    },
  };
}

interface Walk {
  /** The bytes of JSON that may still be kept. */
  left: number;
  readonly maxTextBytes: number;
  readonly sensitive: ReadonlySet<string>;
  readonly literals: readonly Literals[];
}

function walk(state: Walk, value: unknown, depth: number): unknown {
  if (state.left <= 0) return CUT;
  if (typeof value === "string") return spend(state, redactString(state, value, depth));
  if (typeof value === "number" || typeof value === "bigint") return redactNumber(state, value);
  if (typeof value === "object" && value !== null) {
    if (depth >= MAX_DEPTH) return spend(state, "[too deep]");
    return Array.isArray(value) ? walkItems(state, value, depth) : walkMembers(state, value, depth);
  }
  state.left -= 5;
  return typeof value === "boolean" ? value : null;
}

function walkItems(state: Walk, items: readonly unknown[], depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const item of items) {
    if (kept.length === MAX_MEMBERS || state.left <= 0) return [...kept, `[cut, ${items.length - kept.length} more]`];
    state.left -= 1;
    kept.push(walk(state, item, depth + 1));
  }
  return kept;
}

function walkMembers(state: Walk, value: object, depth: number): Record<string, unknown> {
  // Without a prototype, `__proto__` is an ordinary name.
  const kept = Object.create(null) as Record<string, unknown>;
  let count = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (count === MAX_MEMBERS || state.left <= 0) {
      kept[CUT] = true;
      break;
    }
    count += 1;
    const shown = spend(state, freeName(kept, redactText(state, name, MAX_NAME)));
    kept[shown] = isSecret(state, name, member) ? spend(state, REDACTED) : walk(state, member, depth + 1);
  }
  return kept;
}

/** Booleans and null reveal no secret, and a count of tokens is not a secret. */
function isSecret(state: Walk, name: string, value: unknown): boolean {
  if (value === null || typeof value === "boolean") return false;
  if (state.sensitive.has(name)) return true;
  return isSecretName(name) && !(typeof value === "number" && isCountName(name));
}

function freeName(kept: Readonly<Record<string, unknown>>, name: string): string {
  if (!Object.hasOwn(kept, name)) return name;
  let number = 2;
  while (Object.hasOwn(kept, `${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

function redactNumber(state: Walk, value: number | bigint): unknown {
  const text = String(value);
  const kept = redactText(state, text);
  state.left -= text.length;
  if (kept !== text) return kept;
  return typeof value === "number" && Number.isFinite(value) ? value : text;
}

/** Redacts JSON inside a text by its names too, and keeps it valid JSON. */
function redactString(state: Walk, text: string, depth: number): string {
  const inner = depth < MAX_DEPTH && text.length <= MAX_BYTES ? jsonIn(text) : undefined;
  if (inner === undefined) return redactText(state, text);
  const inside: Walk = { ...state, left: Math.min(state.left, state.maxTextBytes) };
  return redactText(state, JSON.stringify(walk(inside, inner, depth + 1)));
}

function jsonIn(text: string): unknown {
  if (!/^\s{0,100}[[{"]/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return isRecord(value) || Array.isArray(value) || typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function redactText(state: Walk, text: string, maxBytes: number = state.maxTextBytes): string {
  const longest = Math.max(0, ...state.literals.map((one) => one.longest));
  const read = text.slice(0, maxBytes + BEYOND + longest);
  const known = state.literals.reduce((left, literals) => literals.redact(left), read);
  const kept = (isPlain(known) ? known : redactFields(redactShapes(known))).toWellFormed().replaceAll("\0", "\uFFFD");
  return cut(kept, maxBytes, text.length - read.length);
}

/** Returns at most `maxBytes` bytes of UTF-8, with a note of how much is missing. */
function cut(text: string, maxBytes: number, unread: number): string {
  if (unread === 0 && (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes)) return text;
  const room = maxBytes - 40;
  const kept = Buffer.from(text)
    .subarray(0, room)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
  return `${kept}[cut, ${text.length - kept.length + unread} characters more]`;
}

/** Counts the kept bytes, as JSON. */
function spend(state: Walk, text: string): string {
  const bytes = Buffer.byteLength(JSON.stringify(text)) + 1;
  state.left -= bytes;
  return state.left < 0 ? CUT : text;
}
