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
