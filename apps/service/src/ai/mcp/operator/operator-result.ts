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

/** Returns a response with its values from outside below `untrusted`, each cut so that the whole is short. */
export function boundedText(body: string, without: readonly string[]): string {
  const value = ODD_NUMBER.test(body) ? parseScalars(body, scalarOf) : parseJson(body);
  let text = "";
  for (const excerpt of EXCERPTS) {
    text = JSON.stringify(marked(value, { excerpt, without, isOuter: true }));
    if (text.length <= MOST_CHARACTERS) break;
  }
  return text;
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

interface Marking {
  readonly excerpt: number;
  readonly without: readonly string[];
  /** True for the response itself, whose `data` is the list's own. */
  readonly isOuter: boolean;
}

function marked(value: unknown, marking: Marking): unknown {
  const { isOuter, without } = marking;
  const inner = { ...marking, isOuter: false };
  if (Array.isArray(value)) return value.map((one) => marked(one, inner));
  // Only exact numbers are frozen.
  if (!isRecord(value) || Object.isFrozen(value)) return value;
  const isList = isOuter && value["object"] === "list";
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (without.includes(name)) return [];
      if (!FROM_OUTSIDE.has(name) || member === null || (isList && name === "data"))
        return [[name, marked(member, inner)]];
      return [[name, untrusted(member, marking.excerpt)]];
    }),
  );
}

function untrusted(value: unknown, excerpt: number): object {
  const text = JSON.stringify(value);
  if (text.length <= excerpt) return { untrusted: value };
  const start = (typeof value === "string" ? value : text).slice(0, excerpt).toWellFormed();
  return { untrusted: start, truncated: true, characters: text.length };
}
