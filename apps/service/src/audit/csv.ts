// Written by hand: with csv-stringify, the protection against formulas would still be our own code, and only the
// quoting would be saved (decision 0265).

/** Returns a value as a cell of RFC 4180: null is empty, and an empty text is two quotes. */
export function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = neutral(value);
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function line(values: readonly (string | number | null)[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

/** The beginning of a formula in a spreadsheet, in full width too, after any blanks. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/;

/**
 * Adds an apostrophe before a text that a spreadsheet would calculate, so that it is only shown. A text that begins
 * with an apostrophe gets another one, so that removing one restores the original. Numbers stay numbers.
 */
function neutral(text: string): string {
  if (NUMBER.test(text)) return text;
  return text.startsWith("'") || FORMULA.test(text) ? `'${text}` : text;
}
