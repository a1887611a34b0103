import {
  exactNumber,
  isRecord,
  membersOf,
  parseJson,
  parseNameless,
  parseScalars,
  scanJson,
  spliced,
  toRfc3339,
} from "../../../lib/lib.ts";
import type { FollowedProposal } from "../../../actions/actions.ts";

/** Members whose values customers, receivers or senders wrote. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set([
  "data",
  "description",
  "error_detail",
  "example",
  "examples",
  "extracted",
  "headers",
  "items",
  "metadata",
  "payload",
  "raw_payload",
  "request",
  "response_headers",
  "response_snippet",
  "sample",
  "samples",
  "schema_errors",
]);
/** The result of a response without content. */
export const DONE = '{"done":true}';

/** The length of a result that a model is given. */
const MOST_CHARACTERS = 32_768;
/** The lengths of an excerpt. The first one with which the result is short enough counts. */
const EXCERPTS = [4000, 1000, 200, 0];

/** Returns the members of a tool's result with this JSON text. */
export function operatorMembers(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text},"isError":false`;
}

/**
 * Finds a number that a parser does not give back digit by digit: with a fraction, an exponent or many digits, or minus zero. A text that
 * looks like one is read more slowly, and no worse.
 */
const ODD_NUMBER = /(?:"\s*:|[[,])\s*(?:-0|-?\d{16}|-?\d+[.eE])/;

/** The result of a tool. */
export interface Bounded {
  readonly text: string;
  /** The same, parsed. */
  readonly value: unknown;
}

/** Returns a response with its values from outside below `untrusted`, each cut so that the whole is short. */
export function bounded(body: string, without: readonly string[]): Bounded {
  const value = ODD_NUMBER.test(body) ? parseScalars(body, scalarOf) : parseJson(body);
  const places: OutsideMember[] = [];
  mark(value, { without, places, isOuter: true });
  let text = "";
  for (const excerpt of EXCERPTS) {
    for (const { holder, name, member } of places) holder[name] = untrusted(member, excerpt);
    text = JSON.stringify(value);
    if (text.length <= MOST_CHARACTERS) break;
  }
  return { text, value };
}

/** Numbers keep their digits. */
function scalarOf(text: string): unknown {
  return /^[-\d]/.test(text) ? exactNumber(text) : parseNameless(text);
}

/** Returns what has become of a write in live: the end of its run, which is bounded already, without the arguments. */
export function statusText({ id, action, state, approveUrl, expiresAt, reason, run }: FollowedProposal): string {
  const head = {
    id,
    object: "proposal",
    action,
    state,
    approve_url: approveUrl,
    expires_at: toRfc3339(expiresAt),
    reason,
  };
  return spliced(head, { run: run === null ? null : endOf(run) });
}

function endOf(run: string): string {
  const { id, status, error } = membersOf(run);
  return spliced({ id, status, error }, { result: scanJson(Buffer.from(run)).slice(["result"]) ?? null });
}

/** A value from outside, with the object whose member it is. */
interface OutsideMember {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly member: unknown;
}

interface Marking {
  readonly without: readonly string[];
  readonly places: OutsideMember[];
  /** True for the response itself, whose `data` is the list's own. */
  readonly isOuter: boolean;
}

/** Deletes the members `without`, and finds the places of values from outside, which stay as they are. */
function mark(value: unknown, marking: Marking): void {
  const inner = marking.isOuter ? { ...marking, isOuter: false } : marking;
  if (Array.isArray(value)) for (const one of value) mark(one, inner);
  // Only exact numbers are frozen.
  else if (isRecord(value) && !Object.isFrozen(value)) markMembers(value, marking, inner);
}

function markMembers(holder: Record<string, unknown>, { isOuter, without, places }: Marking, inner: Marking): void {
  const isList = isOuter && holder["object"] === "list";
  for (const [name, member] of Object.entries(holder)) {
    if (without.includes(name)) delete holder[name];
    else if (typeof member !== "object" && !FROM_OUTSIDE.has(name)) continue;
    else if (!FROM_OUTSIDE.has(name) || member === null || (isList && name === "data")) mark(member, inner);
    else places.push({ holder, name, member });
  }
}

function untrusted(value: unknown, excerpt: number): object {
  const text = JSON.stringify(value);
  if (text.length <= excerpt) return { untrusted: value };
  const start = (typeof value === "string" ? value : text).slice(0, excerpt).toWellFormed();
  return { untrusted: start, truncated: true, characters: text.length };
}
