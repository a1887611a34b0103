import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { MASK, previewOf, visible } from "./preview.ts";

const spec = {
  type: "string",
  required: false,
  min: null,
  max: null,
  enum: null,
  sensitive: false,
  description: "",
} as const;
const contract = {
  key: "orders.refund",
  version: 3,
  label: "Refund an order",
  params: { order: spec, pin: { ...spec, sensitive: true }, amount: { ...spec, type: "int" } },
  endpoint: "https://api.example.com/refunds",
  sandbox_endpoint: null,
  risk: "medium",
  destructive: false,
  reversible: true,
} as const;

/** Characters that are invisible, or that change how other characters are shown. */
const HIDING =
  "\u0000\u0007\n\r\t\u001b\u007f\u0085\u00ad\u061c\u115f\u180e\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u3164\ufe0f\ufeff\uffa0\u{e0041}\u{e01ef}\ud800";

covers("proposal.preview.card", "a preview contains the contract's texts and the parameters in its order", () => {
  const shown = { amount: 1250, pin: "[redacted]", order: "ord_1" };
  expect(previewOf(contract, { shown, environment: "live" })).toEqual({
    title: "Refund an order",
    summary: "Runs orders.refund (version 3) at api.example.com. Medium risk, can be undone.",
    fields: [
      { name: "order", description: "", value: "ord_1", masked: false },
      { name: "pin", description: "", value: MASK, masked: true },
      { name: "amount", description: "", value: "1250", masked: false },
    ],
    risk: "medium",
    target_host: "api.example.com",
    reversible: true,
  });
  expect(previewOf(contract, { shown: {}, environment: "sandbox" })).toMatchObject({
    summary: expect.stringContaining("your backend is not called"),
    target_host: null,
    fields: [],
  });
});

test("every character that hides, reorders or breaks up text is spelled out", () => {
  for (const char of HIDING) {
    const text = visible(`a${char}b`, 100);
    expect([char.codePointAt(0)?.toString(16), text]).toEqual([
      char.codePointAt(0)?.toString(16),
      expect.stringMatching(/^a\\u\{[0-9a-f]{4,}\}b$/),
    ]);
  }
  expect(visible("Grüße, 東京 🎉 — 89,00 €", 100)).toBe("Grüße, 東京 🎉 — 89,00 €");
});

test("any value is shown bounded, well-formed, on one line, and without invisible characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (value) => {
      const text = visible(value, 500);
      expect(text.isWellFormed()).toBe(true);
      expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text)).toBe(false);
      expect(text.length).toBeLessThan(500 * 10 + 40);
    }),
  );
});

test("a truncated value shows its length, but a sensitive value does not", () => {
  const shown = { order: "x".repeat(501), pin: "y".repeat(501) };
  const [order, pin] = previewOf(contract, { shown, environment: "live" }).fields;
  expect(order?.value).toBe(`${"x".repeat(500)}… (501 characters)`);
  expect(pin?.value).toBe(MASK);
});
