interface Context {
  /** The text of a number as it was written. */
  readonly source?: string;
}

/** An API that browsers have since 2025 (the proposal "JSON.parse source text access") and that TypeScript's library lacks. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: Context) => unknown): unknown;
  rawJSON?(text: string): object;
  isRawJSON?(value: unknown): boolean;
}

const json = JSON as unknown as ExactJson;
/** A double always keeps this many digits. */
const SAFE_DIGITS = 15;

/** Reads JSON. A number that JavaScript would round becomes a value that `JSON.stringify` writes back digit by digit. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, context) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || json.rawJSON === undefined) return value;
    return isRounded(value, source) ? json.rawJSON(source) : value;
  });
}

/** Returns true if the value stands for a number that JavaScript would round. */
export function isExactNumber(value: unknown): value is object {
  return json.isRawJSON?.(value) === true;
}

function isRounded(value: number, source: string): boolean {
  const digits = source.replace(/[eE].*/, "").replaceAll(/^-?[0.]*|\./g, "");
  if (!Number.isFinite(value) || (value === 0 && digits !== "")) return true;
  return digits.replace(/(?<!0)0+$/, "").length > SAFE_DIGITS && String(value) !== source;
}
