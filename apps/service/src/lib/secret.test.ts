import { readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import {
  createSealer,
  isApiKey,
  keyChecksum,
  newApiKey,
  newSigningSecret,
  randomText,
  sha256,
  timingSafeEqualText,
} from "./secret.ts";

const vectors = JSON.parse(readFileSync(new URL("../../../../conformance/signing.json", import.meta.url), "utf8")) as {
  request: { key: string };
};

test("the conformance vectors' key has a prefix, 43 characters and a valid checksum", () => {
  const { key } = vectors.request;
  expect(isApiKey(key)).toBe(true);
  expect(keyChecksum(key.slice(0, -6))).toBe(key.slice(-6));
});

test("a checksum is zero-padded base62 with digits before capitals before small letters", () => {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (let i = 0; i < 500; i += 1) {
    const body = `jn_live_${randomText(43)}`;
    const checksum = keyChecksum(body);
    expect(checksum).toHaveLength(6);
    expect(Array.from(checksum).reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0)).toBe(crc32(body));
  }
});

test("a new key contains its environment and 43 random characters", () => {
  expect(newApiKey("live")).toMatch(/^jn_live_[0-9A-Za-z]{49}$/);
  expect(newApiKey("sandbox")).toMatch(/^jn_test_[0-9A-Za-z]{49}$/);
  expect(new Set(Array.from({ length: 1000 }, () => newApiKey("live"))).size).toBe(1000);
});

test("a typo anywhere in a key is detected without a query", () => {
  const key = newApiKey("live");
  for (let at = 0; at < key.length; at += 1) {
    const other = key[at] === "x" ? "y" : "x";
    expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
});

test.each([
  "",
  "jn_live_",
  "sk_live_abc",
  `${newApiKey("live")}0`,
  newApiKey("live").slice(1),
  ` ${newApiKey("live")}`,
])("%j is not a key", (text) => {
  expect(isApiKey(text)).toBe(false);
});

test("a signing secret is whsec_ and the base64 of 32 bytes", () => {
  const secret = newSigningSecret().reveal();
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
});

test("a sealed text opens only unchanged, in its place and with its key", () => {
  const sealer = createSealer(randomBytes(32));
  const sealed = sealer.seal("whsec_café 😀", "endpoint:1");
  expect(sealer.open(sealed, "endpoint:1").reveal()).toBe("whsec_café 😀");
  expect(() => sealer.open(sealed, "endpoint:2")).toThrow();
  expect(() => createSealer(randomBytes(32)).open(sealed, "endpoint:1")).toThrow();
  for (const at of [0, 1, 13, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed[at] ?? 0) ^ 1, at);
    expect(() => sealer.open(changed, "endpoint:1")).toThrow();
  }
  expect(() => sealer.open(sealed.subarray(0, 20), "endpoint:1")).toThrow();
});

test("sealing one text twice gives different bytes, and the text is in neither", () => {
  const sealer = createSealer(randomBytes(32));
  const [first, second] = [sealer.seal("jn_live_secret", "a"), sealer.seal("jn_live_secret", "a")];
  expect(first.equals(second)).toBe(false);
  expect(first.toString("latin1")).not.toContain("jn_live");
});

test("an empty text can be sealed, such as a response without a body", () => {
  const sealer = createSealer(randomBytes(32));
  expect(sealer.open(sealer.seal("", "a"), "a").reveal()).toBe("");
});

test("a fingerprint depends on exactly the text, the place and the master key", () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const print = createSealer(key).fingerprint("Bearer x", "channel:1").toString("hex");
  expect(createSealer(key, [other]).fingerprint("Bearer x", "channel:1").toString("hex")).toBe(print);
  const others = [
    createSealer(key).fingerprint("Bearer y", "channel:1"),
    createSealer(key).fingerprint("Bearer x", "channel:2"),
    createSealer(other, [key]).fingerprint("Bearer x", "channel:1"),
    sha256("channel:1\0Bearer x"),
  ];
  expect(others.map((one) => one.toString("hex"))).not.toContain(print);
});

test("texts are compared whole", () => {
  expect(timingSafeEqualText("abc", "abc")).toBe(true);
  expect(timingSafeEqualText("abc", "abd")).toBe(false);
  expect(timingSafeEqualText("abc", "ab")).toBe(false);
  expect(timingSafeEqualText("é", "e")).toBe(false);
});

test("the time of a comparison does not depend on where the texts differ", () => {
  const length = 4_000_000;
  const whole = "a".repeat(length);
  // Copies the texts flat. The first read of a lazily concatenated string would include the cost of building it.
  const [early, late] = [`b${whole.slice(1)}`, `${whole.slice(1)}b`].map((text) => Buffer.from(text).toString());
  const timeOf = (other = ""): number => {
    const begun = performance.now();
    timingSafeEqualText(whole, other);
    return performance.now() - begun;
  };
  timeOf(early);
  // Alternates the two, so that other work of the machine affects both equally.
  const times = Array.from({ length: 60 }, () => [timeOf(early), timeOf(late)] as const);
  const [fastestEarly, fastestLate] = [0, 1].map((at) => Math.min(...times.map((pair) => pair[at] ?? 0)));
  // A comparison that stops at the first difference needs almost no time for `early`.
  expect((fastestEarly ?? 0) / (fastestLate ?? 1)).toBeGreaterThan(0.3);
});

test("random text is base62 without a bias that 62 000 characters would show", () => {
  const counts = new Map<string, number>();
  for (const char of randomText(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});

test("sha256 is SHA-256", () => {
  expect(sha256("").toString("hex")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});
