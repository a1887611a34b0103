import { CONNECTION_HEADERS, pointerOf } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

/** Headers that the service sets itself, or that control the connection instead of the receiver. */
const RESERVED: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "user-agent",
  "cookie",
  "set-cookie",
  "date",
  "via",
  "forwarded",
  "traceparent",
]);
const RESERVED_PREFIXES = ["x-service-", "webhook-", "svix-", "content-"];
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,2048}$/;
const MAX_HEADERS = 32;

/** Returns the faults of an endpoint's own headers (contract, section 5); empty if there are none. */
export function headerFaults(headers: Readonly<Record<string, string>>): Violation[] {
  const entries = Object.entries(headers);
  const violations = entries.flatMap(([name, value]) => faultsOfHeader(name, value));
  if (entries.length > MAX_HEADERS)
    violations.push({ pointer: "/headers", code: "too_many", message: `must have at most ${MAX_HEADERS} headers` });
  const distinct = new Set(entries.map(([name]) => name.toLowerCase()));
  if (distinct.size < entries.length)
    violations.push({ pointer: "/headers", code: "duplicate", message: "must not repeat a header in different case" });
  return violations;
}

function faultsOfHeader(name: string, value: string): Violation[] {
  const pointer = pointerOf(["headers", name]);
  const lower = name.toLowerCase();
  if (!NAME.test(name)) return [{ pointer, code: "header_name", message: "is not a header name" }];
  if (RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return [{ pointer, code: "header_reserved", message: "must not be a header that the service sets itself" }];
  }
  return VALUE.test(value)
    ? []
    : [{ pointer, code: "header_value", message: "must be one line of printable characters" }];
}
