/** Two years, as browsers' preload lists ask for. */
const HSTS = "max-age=63072000";

/**
 * What every answer says to browsers, where its route says nothing else of it: the API's answers are no pages, run nothing, are framed
 * by nobody, kept by nobody and read by no other site. https is held to where the service's address is https.
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
