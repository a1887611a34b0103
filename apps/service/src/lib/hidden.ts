import { inspect } from "node:util";

/** Stands for a value that is kept sealed, wherever the value itself must not be. */
export const REDACTED = "[redacted]";

/**
 * A text that must not reach a column, an answer or a log. JSON, templates, logs and database parameters get `[redacted]`. Only `reveal()`
 * gives the text, at the place that seals it, signs with it, sends it or shows it to a person who may see it.
 */
export class Hidden {
  // A private field is in no spread, copy, inspection or comparison.
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

export function hide(text: string): Hidden {
  return new Hidden(text);
}
