import { CONNECTION_HEADERS } from "../../lib/lib.ts";

/** The beginning of a URL up to its path, without values of the event, so that it is checked when it is saved. */
export const ORIGIN = /^https?:\/\/[^/?#@\s]+(?=[/?#]|$)/i;
/** Returns whether the service sets a header, or the header belongs to the connection. */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OWN.has(lower) || lower.startsWith("proxy-");
}

/** Returns whether the service sets a header in a signed call. */
export function isSignatureHeader(name: string): boolean {
  return name.toLowerCase().startsWith("webhook-");
}

const OWN: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "content-length", "idempotency-key"]);
