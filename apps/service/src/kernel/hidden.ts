import { inspect } from "node:util";

/** Stands for a value that is kept sealed, wherever the value itself must not be. */
export const REDACTED = "[redacted]";

declare const hidden: unique symbol;

/**
 * A text that must not be written to a column, an answer or a log. JSON, templates, logs and database parameters get `[redacted]`; the text
 * itself is had by `reveal()` alone, where it is sealed, sent, or shown to an owner.
 */
export interface Hidden {
  readonly [hidden]: true;
  reveal(): string;
  toString(): string;
}

export function hide(text: string): Hidden {
  const shown = (): string => REDACTED;
  const box = { reveal: () => text };
  // Not enumerable, so that a spread or a deep comparison shows nothing either.
  for (const name of ["toJSON", "toString", "valueOf", inspect.custom] as const)
    Object.defineProperty(box, name, { value: shown });
  Object.defineProperty(box, "reveal", { enumerable: false });
  return Object.freeze(box) as unknown as Hidden;
}
