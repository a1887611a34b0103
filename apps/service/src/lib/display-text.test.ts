import { expect, test } from "vitest";
import { isReadable, spelledOut } from "./display-text.ts";

test.each(["Acme", "Zoë & Søn", "می‌خواهم", "👩‍💻 team", "株式会社", "שלום", "a b"])("%s is a name", (name) =>
  expect(isReadable(name)).toBe(true),
);

test.each([
  0x00, 0x0a, 0x7f, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff,
  0xe0041,
])("a name with the character %i is refused and spelled out elsewhere", (code) => {
  const text = `a${String.fromCodePoint(code)}b`;
  expect(isReadable(text)).toBe(false);
  expect(spelledOut(text)).toBe(code === 0x0a ? text : `a\\u{${code.toString(16).padStart(4, "0")}}b`);
});

test.each(["", " ", "\u2800", "\u3164\u115f", "\u200d\u200c", "\u00a0"])("a blank text is not a name", (text) =>
  expect(isReadable(text)).toBe(false),
);
