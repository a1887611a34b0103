export const MAX_NAME = 500;
export const MAX_EVENT_TYPE = 255;
export const MAX_SUMMARY = 2000;

/** Text of others as the database takes it: no NUL, no half of a pair, so many UTF-16 units at most. */
export function plainText(text: string, maxLength: number): string {
  return text.replaceAll("\u0000", "").slice(0, maxLength).toWellFormed();
}
