import type { Header } from "./placeholders.ts";
import { headerOf } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import { parseJson } from "../../lib/lib.ts";

/** Headers that contain a credential, or say nothing about the event. */
const LEFT_OUT = new Set([
  "authorization",
  "connection",
  "cookie",
  "host",
  "proxy-authorization",
  "x-api-key",
  "x-service-inbound-signature",
]);
const MOST_HEADERS = 60;
const MAX_VALUE = 1000;

/**
 * Returns the headers of a request as JSON text, by lower-case name, for its receipt. A token that is the secret of a
 * source is left out, as other credentials are. A signature is kept, because it shows why it does not match.
 */
export function keptHeaders(names: readonly string[], header: Header, scheme: Scheme): string {
  const proof = headerOf(scheme)?.toLowerCase();
  const isSecret = scheme.kind === "token" || scheme.kind === "jwt";
  const kept = names
    .filter((name) => isKeptHeader(name) && !(isSecret && name === proof))
    .slice(0, MOST_HEADERS)
    .map((name) => [name, clean(header(name) ?? "").slice(0, MAX_VALUE)]);
  return JSON.stringify(Object.fromEntries(kept));
}

/** Returns false for a header, by its lower-case name, that contains a credential. */
export function isKeptHeader(name: string): boolean {
  return !LEFT_OUT.has(name);
}

/** Returns the headers of a receipt, to process it again. */
export function keptHeader(headers: string): Header {
  const kept = new Map(Object.entries(parseJson(headers) as Record<string, string>));
  return (name) => kept.get(name);
}

/** Replaces characters that PostgreSQL cannot store as text. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
