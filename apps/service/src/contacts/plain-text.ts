// The maximum lengths of texts, in UTF-16 units.
export const MAX_NAME = 500;
export const MAX_STAGE = 64;
export const MAX_TAG = 64;
export const MAX_EXTERNAL_ID = 255;
export const MAX_EVENT_TYPE = 255;
export const MAX_SUMMARY = 2000;
export const MAX_SUBJECT = 500;
/** The maximum length of a ticket's status and priority. */
export const MAX_WORD = 64;
export const MAX_ASSIGNEE = 254;

/** Returns text in a form that the database accepts: without NUL and lone surrogates, and truncated. */
export function plainText(text: string, maxLength: number): string {
  return text.replaceAll("\u0000", "").slice(0, maxLength).toWellFormed();
}
