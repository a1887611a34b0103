import { RE2JS } from "re2js";
import { rememberByText } from "../../lib/lib.ts";

export const MAX_PATTERN_LENGTH = 512;
/** The maximum size of a compiled pattern, in instructions of RE2. */
const MAX_PROGRAM = 1000;
/** The characters that a pattern reads before it gives its memory back. */
const MAX_READ = 16_384;

/** The maximum number of compiled patterns that schemas share. */
const MAX_KEPT = 500;
const compiledPattern = rememberByText(compile, { results: MAX_KEPT });

/** A pattern of a schema. It is matched in linear time. */
export interface Pattern {
  /** Relative cost of matching one character: 1 or more. */
  readonly weight: number;
  /** Returns true if the pattern matches a part of the text. */
  matches(text: string): boolean;
}

/** Compiles a pattern in the syntax of RE2, which has no lookaround and no backreferences. Throws an error that says why not. */
export function compilePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH) throw new Error(`must have at most ${MAX_PATTERN_LENGTH} characters`);
  return compiledPattern(text);
}

function compile(text: string): Pattern {
  const pattern = compiled(text);
  const size = pattern.programSize();
  if (size > MAX_PROGRAM) throw new Error("repeats too much: use smaller numbers in braces");
  return patternOf(pattern, size);
}

function patternOf(pattern: RE2JS, size: number): Pattern {
  let read = 0;
  return {
    weight: 1 + size / 16,
    matches(value) {
      read += value.length;
      const isMatch = pattern.test(value);
      if (read > MAX_READ) {
        pattern.reset();
        read = 0;
      }
      return isMatch;
    },
  };
}

function compiled(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch {
    throw new Error(
      "must be a regular expression in the syntax of RE2, which has no lookaround, no backreferences and no \\u escapes",
    );
  }
}
