import fc from "fast-check";
import { expect, test } from "vitest";
import { minorPlaces } from "./currency.ts";
import { decimalText, product, readDecimal, shifted, truncated } from "../../lib/lib.ts";
import { inboundEventName } from "./event-name.ts";
import { isEventName } from "../../events/events.ts";
import { NO_SCORE, scoreOf } from "./score.ts";

function plain(text: string): string | undefined {
  const decimal = readDecimal(text);
  return decimal && decimalText(decimal);
}

test("numbers are read exactly as spelled, without rounding", () => {
  const cases: [string, string | undefined][] = [
    ["0", "0"],
    ["-0", "0"],
    ["0.000", "0"],
    ["12345678901234567890", "12345678901234567890"],
    ["0.1234567890123456789012345678901234567891", "0.1234567890123456789012345678901234567891"],
    ["49.90", "49.9"],
    ["-0.05", "-0.05"],
    ["1.5e3", "1500"],
    ["1.5E-3", "0.0015"],
    ["1e39", `1${"0".repeat(39)}`],
    ["1e40", undefined],
    ["1e-41", undefined],
    ["1e999999999", undefined],
    ["9".repeat(41), undefined],
    [" +7 ", "7"],
    ["", undefined],
    ["1,5", undefined],
    ["1.", undefined],
    [".5", undefined],
    ["0x10", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["1 2", undefined],
  ];
  for (const [text, expected] of cases) expect([text, plain(text)]).toEqual([text, expected]);
});

test("a decimal that is read is written as the same number", () => {
  const digits = fc.bigInt({ min: -(10n ** 39n), max: 10n ** 39n });
  fc.assert(
    fc.property(digits, fc.nat(39), (whole, places) => {
      const decimal = shifted({ digits: whole, scale: 0 }, places);
      const text = decimalText(decimal);
      expect(readDecimal(text)).toEqual(decimal);
      expect(decimal.digits * 10n ** BigInt(places - decimal.scale)).toBe(whole);
      expect(JSON.parse(text)).toBeCloseTo(Number(whole) / 10 ** places, -30);
    }),
  );
});

test("minor units become major units by their currency", () => {
  const major = (text: string, currency: string | null): string => {
    const decimal = readDecimal(text);
    return decimal === undefined ? "" : decimalText(shifted(decimal, minorPlaces(currency)));
  };
  expect([
    major("2000", "USD"),
    major("500", "JPY"),
    major("5124", "KWD"),
    major("1", null),
    major("500", "ISK"),
  ]).toEqual(["20", "500", "5.124", "0.01", "5"]);
});

test("a score adds points of type and value, truncated and bounded", () => {
  const score = { default: 1, by_event_type: { big: 10, ["__proto__"]: 4 }, per_value: 0.1 };
  const value = readDecimal("129.99");
  expect(scoreOf(score, "small", null)).toBe(1);
  expect(scoreOf(score, "big", null)).toBe(10);
  expect(scoreOf(score, "toString", null)).toBe(1);
  expect(scoreOf(score, "big", value ?? null)).toBe(22);
  expect(scoreOf({ ...score, per_value: -1 }, "big", value ?? null)).toBe(-119);
  expect(scoreOf(NO_SCORE, "big", value ?? null)).toBe(0);
  expect(scoreOf({ ...score, per_value: 1000 }, "big", readDecimal("1e30") ?? null)).toBe(1_000_000);
  expect(truncated(product({ digits: -19n, scale: 1 }, { digits: 1n, scale: 0 }))).toBe(-1n);
});

test("every event type yields a name that can be fired", () => {
  const cases: [string, string][] = [
    ["payment_intent.succeeded", "inbound.payment_intent.succeeded"],
    ["Invitee Created!", "inbound.Invitee_Created_"],
    ["a..b", "inbound.a._b"],
    [".a", "inbound._a"],
    ["a.", "inbound.a_"],
    ["...", "inbound.___"],
    ["заказ", "inbound._____"],
    ["😀", "inbound._"],
  ];
  for (const [type, name] of cases) expect([type, inboundEventName(type)]).toEqual([type, name]);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (type) => {
      const name = inboundEventName(type);
      expect(isEventName(name)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", ".", "_"), minLength: 1, maxLength: 200 }), (type) => {
      expect(isEventName(inboundEventName(type))).toBe(true);
    }),
  );
});
