import { readNumber } from "../../events/events.ts";
import type { Fact } from "../../events/events.ts";
import { sha256 } from "../../lib/lib.ts";

/** The maximum size of a key in bytes. A longer one is shown, sent and stored as its hash. */
const MAX_BYTES = 256;
/** The exponents between which a number is written without one, as JavaScript writes numbers. */
const MOST_DIGITS = 21;
const MOST_ZEROS = 6;

/**
 * Returns the key of the lane of a value (contract, section 14): its JSON text, with strings unescaped and numbers in their shortest
 * form. Null if the value is null, an object or a list: then there is no lane.
 */
export function laneKeyOf(fact: Pick<Fact, "value" | "text">): string | null {
  const { value } = fact;
  if (typeof value === "string") return laneKeyOfText(value);
  // Only the text of a number is read: reading has a price.
  if (typeof value === "number") return fitting(shortest(fact.text));
  return typeof value === "boolean" ? String(value) : null;
}

export function laneKeyOfText(value: string): string {
  return fitting(`"${storable(value)}"`);
}

/** Keeps the escapes of what the database cannot store: the character 0, and halves of surrogate pairs. */
function storable(text: string): string {
  const kept = text.replaceAll("\0", String.raw`\u0000`);
  return kept.isWellFormed()
    ? kept
    : kept.replaceAll(/\p{Surrogate}/gu, (half) => String.raw`\u${half.charCodeAt(0).toString(16)}`);
}

/** No other key can look like a hash: texts begin with a quote, and numbers with a digit or a sign. */
function fitting(key: string): string {
  return Buffer.byteLength(key) <= MAX_BYTES ? key : `sha256:${sha256(key).toString("hex")}`;
}

/** Returns the shortest text of a number, of any size and with any number of digits. */
export function shortest(text: string): string {
  const read = readNumber(text);
  // An exponent that is too long to be read.
  if (read === undefined) return text.toLowerCase();
  if (read.sign === 0) return "0";
  const { digits, power } = read;
  return `${read.sign < 0 ? "-" : ""}${unsigned(digits, power)}`;
}

function unsigned(digits: string, power: number): string {
  if (power > MOST_DIGITS || power <= -MOST_ZEROS) {
    const fraction = digits.slice(1);
    return `${digits.slice(0, 1)}${fraction === "" ? "" : `.${fraction}`}e${power - 1}`;
  }
  if (power <= 0) return `0.${"0".repeat(-power)}${digits}`;
  const whole = digits.slice(0, power).padEnd(power, "0");
  const fraction = digits.slice(power);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
