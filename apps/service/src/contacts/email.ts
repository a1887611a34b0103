import { ServiceError } from "../lib/lib.ts";

/** One @ with text on both sides, and no character that is invalid in every address. Mail servers check the rest. */
const ADDRESS = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const MAX_LENGTH = 254;

/**
 * Returns an e-mail address in its stored and compared form: trimmed, composed and in lower case. Undefined if it is
 * not an address.
 */
export function normalizeEmail(text: string): string | undefined {
  const folded = text.trim().normalize("NFC").toLowerCase();
  return folded.length <= MAX_LENGTH && folded.isWellFormed() && ADDRESS.test(folded) ? folded : undefined;
}

/** Returns the address of a body's member. Throws 422 at its pointer if it is invalid. */
export function addressOf(text: string | undefined, pointer: string): string | undefined {
  if (text === undefined) return undefined;
  const email = normalizeEmail(text);
  if (email !== undefined) return email;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer, code: "format", message: "must be an e-mail address, such as ada@example.com" }],
  });
}
