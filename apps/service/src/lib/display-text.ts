/**
 * Characters that hide, reorder or break up what a person reads: controls, line ends, zero widths, direction marks and
 * overrides, and tags. Joiners stay: Persian words and emoji need them.
 */
const HARMFUL =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{AD}\u{61C}\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E007F}]/u;
const HARMFUL_IN_LINES = new RegExp(`(?!\n)${HARMFUL.source}`, "gu");
const BLANK = /^[\s\u{2800}\p{Default_Ignorable_Code_Point}]*$/u;

/** Returns true for a text that people can read as one line: nothing is hidden in it, and it is not blank. */
export function isReadable(text: string): boolean {
  return !HARMFUL.test(text) && !BLANK.test(text);
}

/** Returns the text with each harmful character written out, as `\u{202e}`. Line ends stay. */
export function spelledOut(text: string): string {
  return text.replaceAll(HARMFUL_IN_LINES, spelled);
}

/** Returns a character as `\u{202e}`. */
export function spelled(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`;
}
