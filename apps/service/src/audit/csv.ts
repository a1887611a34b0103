// Written by hand: what keeps a cell from being a formula is ours with csv-stringify too, and only the quotes would go (decision 0265).

/** A value as a cell of RFC 4180: null is nothing, an empty text two quotes. */
export function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = neutral(value);
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function line(values: readonly (string | number | null)[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

/** What a spreadsheet takes for the begin of a formula, in full width too, whatever blanks stand before it. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/;

/**
 * A spreadsheet shows such a text and does not calculate it: it gets an apostrophe before it. So does one that begins with an
 * apostrophe, so that taking one away gives back what it was. Numbers stay numbers.
 */
function neutral(text: string): string {
  if (NUMBER.test(text)) return text;
  return text.startsWith("'") || FORMULA.test(text) ? `'${text}` : text;
}
