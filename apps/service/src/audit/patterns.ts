import { REDACTED } from "../lib/lib.ts";

/** Prefixes that identify secrets, and the minimum number of characters after them. */
const PREFIXES: readonly (readonly [prefix: string, tail: number])[] = [
  ["jn_live_", 20],
  ["jn_test_", 20],
  ["whsec_", 16],
  ["sk_live_", 10],
  ["sk_test_", 10],
  ["rk_live_", 10],
  ["rk_test_", 10],
  ["ghp_", 20],
  ["gho_", 20],
  ["ghu_", 20],
  ["ghs_", 20],
  ["ghr_", 20],
  ["github_pat_", 20],
  ["glpat-", 15],
  ["xoxa-", 10],
  ["xoxb-", 10],
  ["xoxe.", 10],
  ["xoxp-", 10],
  ["xoxr-", 10],
  ["xoxs-", 10],
  ["xapp-", 10],
  ["hooks.slack.com/services/", 10],
  ["AKIA", 16],
  ["ASIA", 16],
  ["AIza", 30],
  ["ya29.", 20],
  ["sk-", 20],
  ["SG.", 30],
  ["npm_", 30],
  ["pypi-", 30],
  ["shpat_", 20],
  ["shpss_", 20],
  ["dop_v1_", 30],
];

/**
 * A run of characters that occur in tokens. Every pattern below either consumes what it examines or examines a bounded
 * length, so that any text is read in time linear in its length.
 */
const WORD = /[\w+/=.~-]{8,}/g;
const SCHEME = /\b(Bearer|Basic|Digest|Token)(\s{1,8})([^\s"',;<>]{6,})/gi;
const USER_INFO = /(:\/\/[^\s/@:]{0,256}:)([^\s/@]{1,256})@/g;
/** The parts of the service's own URLs that grant access. */
const OWN_URL = /(\/inbound\.php\?t=|\/inbox\/)[\w-]{8,128}/g;
const PEM = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const DIGITS = /\d(?:[ -]?\d){12,}/g;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const AWS_SECRET = /^[A-Za-z0-9+/]{40}$/;

/**
 * A text without any of these contains no form below and no field (fields.ts), so that most texts need one test only.
 */
const SUSPECT = /[:=]|[\w+/=.~-]{15}|\d(?:[ -]?\d){12}|bearer|basic|digest|token/i;
const OWN_ID = /^[a-z]{2,4}_[0-9a-z]{34}$/;

export function isPlain(text: string): boolean {
  return !SUSPECT.test(text) || OWN_ID.test(text);
}

/** Redacts everything in a text that has the form of a secret. */
export function redactShapes(text: string): string {
  return redactPem(text)
    .replaceAll(USER_INFO, `$1${REDACTED}@`)
    .replaceAll(OWN_URL, `$1${REDACTED}`)
    .replaceAll(SCHEME, `$1$2${REDACTED}`)
    .replaceAll(WORD, redactWord)
    .replaceAll(DIGITS, redactCards);
}

function redactPem(text: string): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(PEM)) {
    if (match.index < from) continue;
    out += text.slice(from, match.index) + REDACTED;
    const end = text.indexOf("-----END", match.index);
    const dashes = end < 0 ? -1 : text.indexOf("-----", end + 8);
    from = dashes < 0 ? text.length : dashes + 5;
  }
  return out + text.slice(from);
}

function redactWord(word: string): string {
  const at = PREFIXES.reduce((first, [prefix, tail]) => {
    const found = word.indexOf(prefix);
    return found >= 0 && found < first && word.length - found - prefix.length >= tail ? found : first;
  }, tokenAt(word));
  if (at < word.length) return word.slice(0, at) + REDACTED;
  return isAwsSecret(word) || isIban(word) ? REDACTED : word;
}

/**
 * Returns the start of a JSON Web Token: `eyJ`, and a dot some characters after it. Returns the word's length if there
 * is none.
 */
function tokenAt(word: string): number {
  const at = word.indexOf("eyJ");
  return at >= 0 && word.includes(".", at + 8) ? at : word.length;
}

function isAwsSecret(word: string): boolean {
  return AWS_SECRET.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
}

function isIban(word: string): boolean {
  if (!IBAN.test(word)) return false;
  let rest = 0;
  for (const char of word.slice(4) + word.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Redacts card numbers in a run of digits: whole groups with 13 to 19 digits in total that pass the Luhn test. */
function redactCards(run: string): string {
  const groups = run.split(/([ -])/);
  for (let first = 0; first < groups.length; first += 2) {
    const last = cardEnd(groups, first);
    if (last !== undefined) groups.splice(first, last - first + 1, REDACTED);
  }
  return groups.join("");
}

/** Returns the last of the groups that form a card number from `first` on. The longest number counts. */
function cardEnd(groups: readonly string[], first: number): number | undefined {
  let digits = "";
  let end: number | undefined;
  for (let last = first; last < groups.length && digits.length < 19; last += 2) {
    digits += groups[last] ?? "";
    if (isCard(digits)) end = last;
  }
  return end;
}

/** Card numbers of payment networks do not begin with 0 or 1, as most timestamps do. */
function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || digits < "2") return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const counted = at % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
