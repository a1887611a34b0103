const PARTS = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
] as const;

/** Only scripts of this service run. Inline scripts do not run, and nothing is loaded from or sent to other hosts. */
export const PAGE_POLICY = PARTS.join("; ");

/** The same policy, except that the reference's renderer may set styles in the page. Scripts stay restricted. */
export const REFERENCE_POLICY = PARTS.map((part) =>
  part.startsWith("style-src") ? `${part} 'unsafe-inline'` : part,
).join("; ");
