/** Two years, as browsers' preload lists require. */
const HSTS = "max-age=63072000";

/**
 * Returns the security headers of every response whose route does not set its own. API responses are not pages: they
 * run nothing, cannot be framed, are not stored, and cannot be read by other sites. If the service's address is https,
 * browsers must use https.
 */
export function securityHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": HSTS } : {}),
  };
}
