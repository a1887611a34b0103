// Written by hand: BigInt does the arithmetic, and libraries for decimals round and accept spellings that JSON does not
// have (decision 0265).

/** An exact decimal: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/**
 * The maximum number of digits on either side of the point: more than any amount of money has, and few enough to
 * calculate with.
 */
const MAX_DIGITS = 40;
const LEADING_ZEROS = /^0+/;
const TRAILING_ZEROS = /(?<!0)0+$/;
/** The maximum scale in calculations. */
const MAX_SCALE = 300;
const FORM = /^(?<sign>[+-]?)(?<whole>\d{1,200})(?:\.(?<fraction>\d{1,200}))?(?:[eE](?<exponent>[+-]?\d{1,4}))?$/;

/**
 * Reads a number as spelled, without rounding. Returns undefined for text that is not a number, and beyond 40 digits on
 * either side of the point.
 */
export function readDecimal(text: string): Decimal | undefined {
  const { sign, whole, fraction = "", exponent = "0" } = FORM.exec(text.trim())?.groups ?? {};
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(LEADING_ZEROS, "");
  if (digits === "") return { digits: 0n, scale: 0 };
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_SCALE) return undefined;
  const zeros = Math.min(digits.length - digits.replace(TRAILING_ZEROS, "").length, Math.max(0, scale));
  // Counted in the text, because arithmetic with hundreds of digits takes far longer than reading them.
  if (!isWithin(digits.length - zeros, scale - zeros)) return undefined;
  const magnitude = BigInt(digits.slice(0, digits.length - zeros));
  return shortest({ digits: sign === "-" ? -magnitude : magnitude, scale: scale - zeros });
}

function isWithin(length: number, scale: number): boolean {
  return scale <= MAX_DIGITS && length - scale <= MAX_DIGITS;
}

/** Moves the point `places` to the left: minor units become major ones. */
export function shifted(decimal: Decimal, places: number): Decimal {
  return shortest({ digits: decimal.digits, scale: decimal.scale + places });
}

export function product(a: Decimal, b: Decimal): Decimal {
  return shortest({ digits: a.digits * b.digits, scale: a.scale + b.scale });
}

/** Truncates toward zero. */
export function truncated({ digits, scale }: Decimal): bigint {
  return digits / 10n ** BigInt(scale);
}

/** Returns plain notation that is also a JSON number: no exponent, no redundant zeros. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return scale === 0 ? sign + all : `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`;
}

/** Removes trailing zeros. The scale of the result is never negative. */
function shortest(decimal: Decimal): Decimal {
  let { digits, scale } = decimal;
  if (scale < 0) return { digits: digits * 10n ** BigInt(-scale), scale: 0 };
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  return { digits, scale };
}
