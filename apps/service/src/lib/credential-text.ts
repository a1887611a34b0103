/** Replaces a credential in a text that a caller sees. Its characters are allowed in a URI's path. */
const HIDDEN = "***";

/** Matches API keys and signing secrets, complete or cut short, anywhere in a text. */
const KEY = /(?:jn_(?:live|test)_|whsec_)[\w+/=-]{6,}/g;
/** Matches runs that are long enough for a token of ours, or of most others, even if some characters are missing. */
const RUN = /[0-9A-Za-z+=]{20,}/g;
/** The length from which a run counts without a digit or without a letter. Tokens of 43 characters often have both. */
const LONG_RUN = 32;
/** Matches runs in the characters of both alphabets of base64, in which a token is usually written. */
const BASE64_RUN = /[\w+/=-]{24,}/g;
/** The length from which a run of base64 counts without a digit: one token of 43 characters in 1500 has none. */
const LONG_BASE64_RUN = 40;
/** Matches an id of ours, also a mistyped one. It stays, because it shows the caller which object was requested. */
const OWN_ID = /^[a-z]{2,4}_[0-9a-z]{1,40}$/;

/** Returns the text without our API keys and signing secrets. */
export function withoutKeys(text: string): string {
  return text.replaceAll(KEY, HIDDEN);
}

/**
 * Returns the path of a request target for a problem's `instance`, without the query and cut at the first segment that
 * looks like a credential. Such a segment may be a key in a wrong path, or the token of an inbox or a connector
 * webhook.
 */
export function pathWithoutCredentials(target: string): string {
  const [path = ""] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1);
  const segments = path.split("/");
  const at = segments.findIndex((segment) => holdsCredential(decoded(segment)));
  return at === -1 ? path : [...segments.slice(0, at), HIDDEN].join("/");
}

/**
 * Returns an RFC 6901 pointer without names that contain a credential. A caller's mistake can put a key where a name
 * belongs.
 */
export function pointerWithoutCredentials(pointer: string): string {
  return pointer
    .split("/")
    .map((name) => (holdsCredential(name.replaceAll("~1", "/").replaceAll("~0", "~")) ? HIDDEN : name))
    .join("/");
}

function holdsCredential(name: string): boolean {
  if (OWN_ID.test(name)) return false;
  return (
    withoutKeys(name) !== name ||
    (name.match(RUN) ?? []).some(isTokenLike) ||
    (name.match(BASE64_RUN) ?? []).some(isBase64)
  );
}

/** Returns true for a run with as many kinds of characters as base64 of random bytes. A slug has no capitals. */
function isBase64(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && (/\d/.test(run) || run.length >= LONG_BASE64_RUN);
}

function isTokenLike(run: string): boolean {
  return run.length >= LONG_RUN || (/\d/.test(run) && /[A-Za-z]/.test(run));
}

/** Decodes what is well encoded, because a fault elsewhere in a segment must not hide a credential from the checks. */
function decoded(segment: string): string {
  return segment.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}
