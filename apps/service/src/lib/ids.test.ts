import fc from "fast-check";
import { expect, test } from "vitest";
import { instant, systemClock } from "./clock.ts";
import type { Clock, Instant } from "./clock.ts";
import {
  bucketOf,
  createIdMaker,
  environmentOf,
  ID_PREFIXES,
  isTag,
  newTag,
  parseId,
  tagOf,
  uuidFloor,
  uuidAfter,
  uuidTime,
  wireId,
} from "./ids.ts";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function clockAt(times: number[]): Clock {
  let last = 0;
  return { now: (): Instant => instant((last = times.shift() ?? last)), monotonicMs: () => 0 };
}

test("an id is a prefix, the tag and 26 lower-case Crockford base32 characters", () => {
  const ids = createIdMaker(systemClock);
  for (const prefix of ID_PREFIXES) {
    const tag = newTag();
    const uuid = ids.uuid();
    const id = wireId(prefix, tag, uuid);
    expect(id).toMatch(new RegExp(`^${prefix}_${tag}[0-7][0-9a-hjkmnp-tv-z]{25}$`));
    expect(parseId(id)).toEqual({ prefix, tag, uuid });
  }
});

test("an id encodes its UUID as one number in Crockford's base32 alphabet", () => {
  const uuid = "0193f5e4-9d10-7abc-8def-0123456789ab";
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let expected = "";
  for (let i = 0; i < 26; i += 1) {
    expected = alphabet.charAt(Number(rest % 32n)) + expected;
    rest /= 32n;
  }
  expect(wireId("evt", newTag(), uuid as never).slice(12)).toBe(expected);
});

test("every UUID survives being written as an id and read back", () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(parseId(wireId("evt", newTag(), uuid as never))?.uuid).toBe(uuid);
    }),
  );
});

test.each([
  ["an unknown prefix", (id: string) => id.replace("evt_", "foo_")],
  ["a missing character", (id: string) => id.slice(0, -1)],
  ["one character too many", (id: string) => `${id}0`],
  ["a letter that Crockford leaves out", (id: string) => `${id.slice(0, -1)}u`],
  ["upper case", (id: string) => id.toUpperCase().replace("EVT_", "evt_")],
  ["a first digit beyond 128 bits", (id: string) => `${id.slice(0, 12)}8${id.slice(13)}`],
  ["a tag with a foreign letter", (id: string) => `evt_i${id.slice(5)}`],
  ["no separator", (id: string) => id.replace("_", "")],
  ["nothing", () => ""],
  ["a character beyond ASCII", (id: string) => `${id.slice(0, -1)}é`],
])("%s is not an id", (_what, spoil) => {
  const id = wireId("evt", newTag(), createIdMaker(systemClock).uuid());
  expect(parseId(spoil(id))).toBeUndefined();
});

test("ids are UUIDv7 and sort in creation order, even within one millisecond", () => {
  const ids = createIdMaker(clockAt([1_763_701_200_000]));
  const made = Array.from({ length: 10_000 }, () => ids.uuid());
  expect(made.every((uuid) => UUID7.test(uuid))).toBe(true);
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test("ids keep their order when the clock steps back", () => {
  const ids = createIdMaker(clockAt([5000, 4000, 3000, 6000]));
  const made = [ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid()];
  expect(made.toSorted()).toEqual(made);
  expect(uuidTime(made[3] ?? (made[0] as never))).toBe(6000);
});

test("the floor of a time sorts before its ids and after all earlier ids", () => {
  const at = instant(1_763_701_200_123);
  const [before, same] = [createIdMaker(clockAt([at - 1])).uuid(), createIdMaker(clockAt([at])).uuid()];
  expect(uuidFloor(at) <= same && before < uuidFloor(at)).toBe(true);
  expect(uuidTime(same)).toBe(at);
});

test("both tags of a workspace differ in one bit and share a bucket", () => {
  for (let i = 0; i < 200; i += 1) {
    const live = newTag();
    const sandbox = tagOf(live, "sandbox");
    expect([environmentOf(live), environmentOf(sandbox)]).toEqual(["live", "sandbox"]);
    expect(live.slice(0, 7)).toBe(sandbox.slice(0, 7));
    expect(tagOf(sandbox, "live")).toBe(live);
    expect(isTag(live) && isTag(sandbox)).toBe(true);
    expect(bucketOf(live)).toBe(bucketOf(sandbox));
    expect(bucketOf(live)).toBeGreaterThanOrEqual(0);
    expect(bucketOf(live)).toBeLessThan(64);
  }
});

test("ids follow the clock back when it was days ahead", () => {
  const [wrong, right] = [5 * 86_400_000, 1000];
  const ids = createIdMaker(clockAt([wrong, right, right + 1]));
  expect([ids.uuid(), ids.uuid(), ids.uuid()].map(uuidTime)).toEqual([wrong, right, right + 1]);
});

test("an id after another gets a time close to it for any clock time", () => {
  const earlier = createIdMaker(clockAt([100_000])).uuid();
  for (const now of [10, 100_000, 100_500, 9_000_000]) {
    const uuid = uuidAfter(createIdMaker(clockAt([now])), earlier, 60_000);
    expect(uuid).toMatch(UUID7);
    expect(uuid > earlier).toBe(true);
    expect(uuidTime(uuid)).toBeLessThan(160_000);
  }
});
