import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withValues } from "./json.ts";

describe("a text with replaced values", () => {
  test("changes only at the paths, and keeps the spelling of everything else", () => {
    const text =
      ' [ {"a" : 1.0, "he\\u0061ders":{ "10":"x","b":"y" } , "n":12345678901234567890.10},\n{"headers":"\\"]}"} ] ';
    const changes = [
      { path: [0, "headers"], value: { b: "-" } },
      { path: [0, "missing"], value: 1 },
      { path: [1, "headers"], value: "-" },
    ];
    expect(withValues(text, changes)).toBe(
      ' [ {"a" : 1.0, "he\\u0061ders":{"b":"-"} , "n":12345678901234567890.10},\n{"headers":"-"} ] ',
    );
    expect(withValues(text, [])).toBe(text);
  });

  test("has the same value as an assignment of the values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }),
        fc.string(),
        (items, value) => {
          const given = items.map((item) => ({ ...item, headers: item }));
          const changes = given.map((_, at) => ({ path: [at, "headers"], value }));
          const wanted = given.map((item) => ({ ...item, headers: value }));
          expect(JSON.parse(withValues(JSON.stringify(given, null, 1), changes))).toEqual(
            JSON.parse(JSON.stringify(wanted)),
          );
        },
      ),
    );
  });
});
