import { ServiceError } from "../lib/lib.ts";

/** One @, something on both sides, nothing that no address has: mail servers judge the rest. */
const ADDRESS = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const MAX_LENGTH = 254;

/** An e-mail address in the form in which addresses are kept and compared: trimmed, composed, lower case. Undefined for what is no address. */
export function normalizeEmail(text: string): string | undefined {
  const folded = text.trim().normalize("NFC").toLowerCase();
  return folded.length <= MAX_LENGTH && folded.isWellFormed() && ADDRESS.test(folded) ? folded : undefined;
}

/** The address of a body's member; 422 at its pointer when it is none. */
export function addressOf(text: string | undefined, pointer: string): string | undefined {
  if (text === undefined) return undefined;
  const email = normalizeEmail(text);
  if (email !== undefined) return email;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer, code: "format", message: "must be an e-mail address, such as ada@example.com" }],
  });
}
