import { rememberByText } from "../lib/lib.ts";

/** Words that mark a name as that of a secret. */
const WORDS = new Set(
  "password passwd pwd passphrase passcode pass secret secrets token authorization cookie cookies credential credentials card cards cvv cvc csc iban pin ssn otp totp jwt bearer apikey mnemonic".split(
    " ",
  ),
);
/** Pairs of adjacent words that mark a name as that of a secret. */
const PAIRS = new Set(
  "api_key access_key private_key signing_key secret_key encryption_key master_key session_id security_code account_number social_security recovery_code backup_code".split(
    " ",
  ),
);
/** Endings of words that are written together, such as `dbpassword`. */
const ENDS =
  "password passwd passphrase secret token apikey accesskey privatekey secretkey signingkey credential credentials cardnumber creditcard sessionid authorization setcookie".split(
    " ",
  );

const BOUNDARY = /([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g;
const SEPARATOR = /[^\p{L}\p{N}]+/u;
const LONGEST_NAME = 256;

const MOST_KNOWN = 5000;
const knownWords = rememberByText((name) => wordsTell(wordsOf(name)), { results: MOST_KNOWN });

/** Returns true if the name is that of a secret, in snake, camel or kebab case. Only whole words count. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return true;
  return knownWords(name);
}

/** Returns true if the name is a count, such as `max_tokens`. A number under it is not a secret. */
export function isCountName(name: string): boolean {
  return wordsOf(name).includes("tokens");
}

function wordsOf(name: string): string[] {
  return name
    .normalize("NFKC")
    .replaceAll(BOUNDARY, "$1$3_$2$4")
    .toLowerCase()
    .split(SEPARATOR)
    .filter((word) => word !== "");
}

function wordsTell(words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      WORDS.has(word) ||
      word === "tokens" ||
      ENDS.some((end) => word.endsWith(end)) ||
      PAIRS.has(`${word}_${(words[at + 1] ?? "").replace(/s$/, "")}`),
  );
}
