/** A header's name (RFC 9110, section 5.6.2) of at most 100 characters. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/**
 * The headers of a connection instead of the message (RFC 9110, section 7.6.1), which our own HTTP client sets. Lower
 * case.
 */
export const CONNECTION_HEADERS = [
  "connection",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;

/** Returns the headers without those that `others` has too. Names are compared without regard to case. */
export function headersWithout(
  headers: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
}
