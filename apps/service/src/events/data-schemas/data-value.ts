import { decimalText, parseJson, readDecimal, scanJson } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
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

/** Parses JSON text. Numbers that a double may round become `ExactNumber`. Throws JsonError. */
export function readValue(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return parseJson(text);
  const scan = scanJson(Buffer.from(text));
  return exactly(scan.value, scan, []);
}

function exactly(value: unknown, scan: ScannedJson, path: (string | number)[]): unknown {
  if (typeof value === "number") {
    const text = scan.slice(path) ?? String(value);
    return isShort(text) ? value : new ExactNumber(text);
  }
  if (Array.isArray(value)) return value.map((one: unknown, at) => exactly(one, scan, [...path, at]));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, exactly(one, scan, [...path, name])] as const);
  return Object.fromEntries(entries);
}

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
  if (typeof a !== "number" || typeof b !== "number") return compareNumbers(textOf(a), textOf(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns undefined if the numbers have too many digits to calculate with. */
export function isMultiple(value: NumberValue, of: NumberValue): boolean | undefined {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % Number(of) === 0;
  const [a, b] = [readDecimal(textOf(value)), readDecimal(textOf(of))];
  if (a === undefined || b === undefined || b.digits === 0n) return undefined;
  const scale = Math.max(a.scale, b.scale);
  return (a.digits * 10n ** BigInt(scale - a.scale)) % (b.digits * 10n ** BigInt(scale - b.scale)) === 0n;
}

/** Returns a text that is the same for equal values of JSON Schema: numbers by their value, members in any order. */
export function identityOf(value: unknown): string {
  if (isNumber(value)) return numberIdentity(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${identityOf(value[name])}`).join(",")}}`;
}

function numberIdentity(value: NumberValue): string {
  if (Number.isSafeInteger(value)) return String(Number(value));
  const text = textOf(value);
  const decimal = readDecimal(text);
  return decimal === undefined ? text : decimalText(decimal);
}

export function textOf(value: NumberValue): string {
  return typeof value === "number" ? String(value) : value.text;
}
