import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { normalizeEmail } from "./contacts.ts";
import { fold, stageOf, mergeFacts } from "./last-write-wins.ts";
import type { Folded } from "./last-write-wins.ts";
import { positionOf, stampOf } from "./position.ts";

const ids = createIdMaker(systemClock);
type Known = Readonly<Record<string, string | null>>;
const NOTHING: Folded<Known> = { facts: { a: null, b: null }, stamps: {} };

describe("news", () => {
  test("updates", () => {
    const news = fc.array(
      fc.record({
        stamp: fc.nat(20).map((time) => positionOf(instant(time), ids.uuid())),
        facts: fc.record({ a: fc.option(fc.string()), b: fc.option(fc.string()) }, { requiredKeys: [] }),
      }),
    );
    const run = (all: readonly { stamp: Uuid; facts: Known }[]): Folded<Known> =>
      all.reduce((known, one) => fold(known, one.facts, one.stamp), NOTHING);
    fc.assert(
      fc.property(news, fc.infiniteStream(fc.nat()), (all, chance) => {
        const order = new Map(all.map((one) => [one, chance.next().value]));
        const shuffled = [...all, ...all].toSorted((x, y) => (order.get(x) ?? 0) - (order.get(y) ?? 0));
        expect(run(shuffled)).toEqual(run(all));
      }),
    );
  });

  test("a caller's value is kept, even over a stamp later than the caller's", () => {
    const later = positionOf(instant(2000), ids.uuid());
    const known = fold(NOTHING, { a: "event" }, later);
    const told = mergeFacts(known, { a: "caller" }, positionOf(instant(1000), ids.uuid()));
    expect(told).toMatchObject({ facts: { a: "caller", b: null }, stamps: { a: later } });
  });

  test("omitted values change nothing, and null clears", () => {
    const known = fold(NOTHING, { a: "x", b: "y" }, positionOf(instant(1), ids.uuid()));
    const after = fold(known, { a: undefined, b: null }, positionOf(instant(2), ids.uuid()));
    expect(after.facts).toEqual({ a: "x", b: null });
  });
});

describe("stages", () => {
  const [first, second] = [positionOf(instant(1), ids.uuid()), positionOf(instant(2), ids.uuid())];
  test.each([
    ["lead", first, "customer", second, "customer"],
    ["lead", second, "customer", first, "lead"],
    ["enterprise", first, "churned", second, "enterprise"],
    [null, second, "customer", first, null],
    [null, first, "customer", second, "customer"],
  ])("stated %s, implied %s", (...row) => {
    const [told_stage, told, implied_stage, implied, shown] = row;
    expect(stageOf({ told_stage, implied_stage }, { told_stage: told, implied_stage: implied })).toBe(shown);
  });
});

describe("positions", () => {
  test("sort by time, then by the creation of the id", () => {
    const [one, two] = [ids.uuid(), ids.uuid()];
    const sorted = [positionOf(instant(1), one), positionOf(instant(1), two), positionOf(instant(2), one)];
    expect(sorted.toSorted()).toEqual(sorted);
    expect(new Set(sorted).size).toBe(3);
    for (const position of sorted) expect(position).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test("a stamp is never later than its id", () => {
    const id = ids.uuid();
    const future = stampOf(instant(systemClock.now() + 1e9), id);
    expect(future < stampOf(instant(systemClock.now() + 1e9), ids.uuid())).toBe(true);
    expect(stampOf(instant(5), id)).toBe(positionOf(instant(5), id));
  });
});

describe("addresses", () => {
  test.each([
    [" Ada@Example.COM ", "ada@example.com"],
    ["JOSÉ@example.com", "jos\u00e9@example.com"],
    ["a+b@x", "a+b@x"],
  ])("%j is %j", (text, folded) => expect(normalizeEmail(text)).toBe(folded));
  test.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "a@b@c",
    "a b@example.com",
    "a\u0000@example.com",
    `${"x".repeat(250)}@example.com`,
    "a\ud800@x",
  ])("%j is not an address", (text) => expect(normalizeEmail(text)).toBeUndefined());
});
