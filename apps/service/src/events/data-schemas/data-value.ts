import { decimalText, parseJson, parseNameless, parseScalars, readDecimal } from "../../lib/lib.ts";
import type { Decimal, WorkBudget } from "../../lib/lib.ts";
import { compareNumbers, isShort, isWhole } from "../expressions/number.ts";

/** A number that a double may round. Its exact value is that of its spelling. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type NumberValue = number | ExactNumber;

/** Matches every number that a double may round, and some texts that need no special care. */
const LONG_NUMBER = /\d[eE]|\d[\d.]{15}/;

/**
 * Parses JSON text. Numbers that a double may round become `ExactNumber`. Throws JsonError. A text that was read before
 * needs no budget.
 */
export function readValue(text: string, budget?: WorkBudget): unknown {
  budget?.spend(text.length <= SMALL ? text.length * READ_SMALL : text.length * READ + partsPrice(text));
  if (!LONG_NUMBER.test(text)) return parseJson(text);
  budget?.spend(text.length * READ_EXACTLY);
  return parseScalars(text, exactScalar);
}

/** Units for a character. */
const READ = 0.1;
const READ_EXACTLY = 0.6;
/** In a text of so few characters, the parts are not counted. */
const SMALL = 4096;
const READ_SMALL = 0.3;
/** Units for a text or a name, a list or an object, and a member: names that no object had before take the longest to read. */
const QUOTE = 0.5;
const CONTAINER = 1;
const MEMBER = 4;

function partsPrice(text: string): number {
  let price = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) price += QUOTE;
    else if (code === 0x3a) price += MEMBER;
    else if (code === 0x5b || code === 0x7b) price += CONTAINER;
  }
  return price;
}

function exactScalar(text: string): unknown {
  const first = text.charCodeAt(0);
  if (first !== MINUS && (first < ZERO || first > NINE)) return parseNameless(text);
  return isShort(text) ? Number(text) : new ExactNumber(text);
}

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

export function isNumber(value: unknown): value is NumberValue {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

export function isInteger(value: unknown): boolean {
  return value instanceof ExactNumber ? isWhole(value.text) : Number.isInteger(value);
}

/** Returns -1, 0 or 1 for the exact values; undefined if they are too extreme to compare. */
export function compare(a: NumberValue, b: NumberValue): -1 | 0 | 1 | undefined {
  if (typeof a !== "number" || typeof b !== "number") return compareNumbers(numberText(a), numberText(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the units for comparing or checking a number. Integers that a double holds cost next to nothing. */
export function numberPrice(value: NumberValue): number {
  if (typeof value === "number") return Number.isSafeInteger(value) ? 0.2 : 10;
  return 10 + value.text.length * 0.15;
}

export function decimalOf(value: NumberValue): Decimal | undefined {
  return readDecimal(numberText(value));
}

/** Returns undefined if a number has too many digits to calculate with. */
export function isMultiple(value: NumberValue, of: NumberValue, ofDecimal: Decimal | undefined): boolean | undefined {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % Number(of) === 0;
  const decimal = decimalOf(value);
  if (decimal === undefined || ofDecimal === undefined || ofDecimal.digits === 0n) return undefined;
  const scale = Math.max(decimal.scale, ofDecimal.scale);
  return scaled(decimal, scale) % scaled(ofDecimal, scale) === 0n;
}

function scaled({ digits, scale }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

/**
 * Returns a text that is the same for equal values of JSON Schema: numbers by their value, members in any order. It is charged
 * while it grows, so that no value costs more than the budget.
 */
export function identityOf(value: unknown, budget: Pick<WorkBudget, "spend">): string {
  if (isNumber(value)) {
    budget.spend(2 + numberPrice(value) * 2);
    return numberIdentity(value);
  }
  if (typeof value === "string") {
    budget.spend(2 + value.length / 50);
    return lengthPrefixed(value);
  }
  if (Array.isArray(value)) {
    budget.spend(2 + value.length);
    return `[${value.map((one) => identityOf(one, budget)).join(",")}]`;
  }
  if (!isObject(value)) return String(value);
  const names = Object.keys(value);
  budget.spend(3 + names.length * (3 + Math.log2(names.length + 1) / 2));
  return `{${names
    .toSorted()
    .map((name) => `${lengthPrefixed(name)}:${identityOf(value[name], budget)}`)
    .join(",")}}`;
}

/** The length says where the text ends, so that no character of it needs an escape. */
function lengthPrefixed(text: string): string {
  return `${text.length}"${text}`;
}

function numberIdentity(value: NumberValue): string {
  if (Number.isSafeInteger(value)) return String(Number(value));
  const decimal = decimalOf(value);
  return decimal === undefined ? numberText(value) : decimalText(decimal);
}

export function numberText(value: NumberValue): string {
  return typeof value === "number" ? String(value) : value.text;
}
