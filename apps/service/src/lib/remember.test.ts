import { expect, test } from "vitest";
import { rememberByText } from "./remember.ts";

function counting(limits: { results?: number; units?: number }): { of: (text: string) => unknown; made: string[] } {
  const made: string[] = [];
  const of = rememberByText((text) => {
    made.push(text);
    if (text === "bad") throw new Error("bad");
    return text === "none" ? undefined : { text };
  }, limits);
  return { of, made };
}

test("a text is made once, also if its result is undefined", () => {
  const { of, made } = counting({ results: 10 });
  expect(of("a")).toBe(of("a"));
  expect([of("none"), of("none")]).toEqual([undefined, undefined]);
  expect(made).toEqual(["a", "none"]);
});

test("what exceeds a limit empties the cache first", () => {
  for (const limits of [{ results: 2 }, { units: 2 }]) {
    const { of, made } = counting(limits);
    for (const text of ["a", "b", "a", "c", "c", "a"]) of(text);
    expect(made).toEqual(["a", "b", "c", "a"]);
  }
});

test("an error is not kept", () => {
  const { of, made } = counting({ results: 2 });
  expect(() => of("bad")).toThrow("bad");
  expect(() => of("bad")).toThrow("bad");
  expect(made).toEqual(["bad", "bad"]);
});
