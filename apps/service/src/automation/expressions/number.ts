/**
 * Compares two JSON numbers by what they say, of any size and with any number of digits: -1, 0 or 1. Undefined where an
 * exponent has more than 12 digits: nobody means such a number.
 */
export function compareNumbers(a: string, b: string): -1 | 0 | 1 | undefined {
  // Decimals this short are told apart by a double, and stand in its order.
  if (isShort(a) && isShort(b)) return sign(Number(a) - Number(b));
  const [left, right] = [readNumber(a), readNumber(b)];
  if (left === undefined || right === undefined) return undefined;
  if (left.sign !== right.sign) return sign(left.sign - right.sign);
  const size = compareSize(left, right);
  return size === 0 ? 0 : sign(size * left.sign);
}

interface Spelled {
  readonly sign: -1 | 0 | 1;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** Digits before the point, if the number were `0.<digits>` times ten to this power. */
  readonly power: number;
}

const SHORT = 15;
const FORM = /^(?<minus>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;
const MAX_EXPONENT_DIGITS = 12;

function isShort(text: string): boolean {
  return text.length <= SHORT && !text.includes("e") && !text.includes("E");
}

function readNumber(text: string): Spelled | undefined {
  const { minus, whole, fraction, exponent } = partsOf(text);
  if (exponent.length > MAX_EXPONENT_DIGITS) return undefined;
  const all = whole + fraction;
  const first = firstDigit(all);
  if (first === all.length) return { sign: 0, digits: "", power: 0 };
  let end = all.length;
  while (all.charAt(end - 1) === "0") end -= 1;
  const power = whole.length - first + Number(exponent);
  return { sign: minus === "-" ? -1 : 1, digits: all.slice(first, end), power };
}

function partsOf(text: string): { minus: string; whole: string; fraction: string; exponent: string } {
  const { minus = "", whole = "", fraction = "", exponent = "0" } = FORM.exec(text)?.groups ?? {};
  return { minus, whole, fraction, exponent };
}

function firstDigit(digits: string): number {
  let at = 0;
  while (digits.charAt(at) === "0") at += 1;
  return at;
}

/** As if both were positive. Digits of one power compare as text does. */
function compareSize(a: Spelled, b: Spelled): -1 | 0 | 1 {
  if (a.power !== b.power) return sign(a.power - b.power);
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

function sign(difference: number): -1 | 0 | 1 {
  if (difference === 0) return 0;
  return difference < 0 ? -1 : 1;
}
