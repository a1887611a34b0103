import { inspect } from "node:util";

/** Replaces a secret value wherever the value itself must not appear. */
export const REDACTED = "[redacted]";

/**
 * A text that must not get into a column, a response or a log. JSON, templates, logs and database parameters get
 * `[redacted]`. Only `reveal()` returns the text, at the place that seals it, signs with it, sends it or shows it to a
 * person who may see it.
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
