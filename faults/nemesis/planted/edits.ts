/** A change of one source text of the service. */
export interface Edit {
  /** Its path in apps/service/src. */
  readonly file: string;
  /** The text to replace, which must be there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Returns the text with all edits. Throws where one does not fit, so that no planned fault is missing silently. */
export function edited(source: string, edits: readonly Edit[]): string {
  return edits.reduce((text, { file, find, replace }) => {
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} × ${find}`);
    return parts.join(replace);
  }, source);
}
