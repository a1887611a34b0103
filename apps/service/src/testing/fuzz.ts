import fc from "fast-check";
import type { Arbitrary } from "fast-check";

/** Seconds per property, set by `npm run fuzz`. Without it, each property runs a few hundred times. */
const seconds = Number(process.env["JUNCTION_FUZZ_SECONDS"] ?? 0);
const bounds =
  seconds > 0 ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 } : { numRuns: 300 };

/** The timeout of a test with one property. */
export const FUZZ_MS = seconds * 1000 + 60_000;

/** Throws with the smallest value that it finds for which the property does not hold. */
export function holds<Value>(values: Arbitrary<Value>, property: (value: Value) => void): void {
  fc.assert(fc.property(values, property), { ...bounds, markInterruptAsFailure: false });
}

/** Generates text from the tokens of a grammar, in any order. */
export function pieces(...known: readonly string[]): Arbitrary<string> {
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, fc.string({ unit: "binary", maxLength: 4 })), {
      maxLength: 24,
    })
    .map((parts) => parts.join(""));
}

/** Returns the value that a function throws. Undefined if it throws nothing. */
export function thrown(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

export const jsonish = fc.oneof(
  fc.json(),
  pieces(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "\\",
    "\\u00",
    "\\ud800",
    "1",
    "-0",
    "1e5",
    ".",
    "true",
    "null",
    " ",
    "\t",
    "\u2028",
    "__proto__",
  ),
);

export const v4 = fc.ipV4();
export const v6 = fc.ipV6();
export const ranges = fc.oneof(
  fc.tuple(v4, fc.integer({ min: 0, max: 40 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  fc.tuple(v6, fc.integer({ min: 0, max: 140 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  pieces("10.", "0", "255", ".", ":", "::", "ffff", "/", "8", "128", "0x7f", "010", "[", "]", "%eth0"),
);

export const headerText = fc.oneof(
  pieces("t=", "v1=", "v0=", "sha256=", ",", "=", " ", "v1,", "1763730000", "0".repeat(64), "A".repeat(43), "é"),
  fc.string(),
);

const LONG = 256 * 1024;

/**
 * Returns long texts of repeated tokens: each token alone, each followed by each other one, and each pair repeated. A parser that takes
 * more than linear time does not finish these within a test's timeout.
 */
export function longTexts(...known: readonly string[]): string[] {
  const half = known.map((piece) => piece.repeat(LONG / 2 / piece.length));
  return half.flatMap((first, at) => [
    ...half.map((second) => first + second),
    ...known.map((second) => `${second}${known[at] ?? ""}`.repeat(LONG / (second.length + (known[at] ?? "").length))),
  ]);
}
