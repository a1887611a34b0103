export const MOST_REDIRECT_URI = 500;

/** Visible ASCII without what browsers and servers read in different ways. */
const PLAIN = /^https?:\/\/[^\s\\<>"'`{}|^]+$/;
const VISIBLE = /^[!-~]+$/;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(\/[^#]*)?$/;

/**
 * Returns true if an app may have the URI: https, or http on this machine (RFC 8252, section 7.3), without a user and a fragment.
 * Other schemes could run code in the browser, or belong to any program of the machine.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > MOST_REDIRECT_URI || !VISIBLE.test(text) || !PLAIN.test(text) || text.includes("#")) return false;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || authorityOf(text).includes("@")) return false;
  return url.protocol === "https:" || LOOPBACK.test(text);
}

/** Returns true if the URI is one of the app's, character by character. On loopback, any port is the same (RFC 8252). */
export function isOwnRedirectUri(own: readonly string[], text: string): boolean {
  if (!isRedirectUri(text)) return false;
  const asked = withoutLoopbackPort(text);
  return own.some((one) => one === text || (asked !== undefined && withoutLoopbackPort(one) === asked));
}

/** Returns the URI with further parameters, next to those that it has. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}

function withoutLoopbackPort(uri: string): string | undefined {
  const [, host, rest = ""] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? undefined : `${host}${rest}`;
}

function authorityOf(uri: string): string {
  return uri.replace(/^https?:\/\//, "").split(/[/?]/, 1)[0] ?? "";
}
