/** Stands for a credential in a text that a caller is shown. Its characters are allowed in a URI's path. */
const HIDDEN = "***";

/** API keys and signing secrets, whole or cut short, wherever they stand in a text. */
const KEY = /(?:jn_(?:live|test)_|whsec_)[\w+/=-]{6,}/g;
/** Long enough for a token of ours, or of most others, even if some characters are missing. */
const RUN = /[0-9A-Za-z+=]{20,}/g;
/** The shortest run that counts without a digit or without a letter: tokens of 43 characters often lack neither. */
const LONG_RUN = 32;
/** An id of ours, or one mistyped: it stays, because it tells the caller what was looked for. */
const OWN_ID = /^[a-z]{2,4}_[0-9a-z]{1,40}$/;

/** The text without our API keys and signing secrets. */
export function withoutKeys(text: string): string {
  return text.replaceAll(KEY, HIDDEN);
}

/**
 * The path of a request target, for a problem's `instance`: without query, and cut at the first segment that looks like a credential.
 * Such a segment may be a key in a wrong path, or an inbox's or connector webhook's token.
 */
export function pathWithoutCredentials(target: string): string {
  const [path = ""] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1);
  const segments = path.split("/");
  const at = segments.findIndex((segment) => holdsCredential(decoded(segment)));
  return at === -1 ? path : [...segments.slice(0, at), HIDDEN].join("/");
}

/** An RFC 6901 pointer whose names hold no credential: a caller's mistake can put a key where a name belongs. */
export function pointerWithoutCredentials(pointer: string): string {
  return pointer
    .split("/")
    .map((name) => (holdsCredential(name.replaceAll("~1", "/").replaceAll("~0", "~")) ? HIDDEN : name))
    .join("/");
}

function holdsCredential(name: string): boolean {
  if (OWN_ID.test(name)) return false;
  return withoutKeys(name) !== name || (name.match(RUN) ?? []).some(isTokenLike) || isBase64(name);
}

/** Base64 in either alphabet, with more marks in it than a run has; a slug has no capitals. */
function isBase64(name: string): boolean {
  return /^[\w+/=-]{24,}$/.test(name) && [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(name));
}

function isTokenLike(run: string): boolean {
  return run.length >= LONG_RUN || (/\d/.test(run) && /[A-Za-z]/.test(run));
}

/** As it stands where it is not well encoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
