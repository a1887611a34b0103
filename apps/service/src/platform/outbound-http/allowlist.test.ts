import { expect, test } from "vitest";
import { createAllowlist, parseAllowTargets } from "./allowlist.ts";

test("reads CIDRs, bare addresses, ports and bracketed IPv6", () => {
  expect(
    parseAllowTargets(" 10.0.0.0/8 , 127.0.0.1:9000,fd00::/8,[::1/128]:8080,[fd12::1],192.168.0.0/16:443 "),
  ).toEqual([
    { network: "10.0.0.0", prefix: 8, port: null },
    { network: "127.0.0.1", prefix: 32, port: 9000 },
    { network: "fd00::", prefix: 8, port: null },
    { network: "::1", prefix: 128, port: 8080 },
    { network: "fd12::1", prefix: 128, port: null },
    { network: "192.168.0.0", prefix: 16, port: 443 },
  ]);
  expect(parseAllowTargets("")).toEqual([]);
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "example.com",
  "127.0.0.1:0",
  "127.0.0.1:70000",
  "fd00::/8:443",
  "fd00::/129",
  "10.0.0.0/8/8",
  "10.0.0.0/",
  "[10.0.0.0/8",
  "fe80::1%eth0",
  "010.0.0.1",
  "*",
])("refuses %s by name", (entry) => {
  expect(() => parseAllowTargets(`10.0.0.0/8,${entry}`)).toThrow(`"${entry}"`);
});

test("an entry with a port exempts only that port", () => {
  const allowlist = createAllowlist(parseAllowTargets("127.0.0.0/8:9000,[::1]:9001,10.0.0.0/8"));
  expect(allowlist.allows("127.0.0.1", 9000)).toBe(true);
  expect(allowlist.allows("127.0.0.1", 9001)).toBe(false);
  expect(allowlist.allows("::1", 9001)).toBe(true);
  expect(allowlist.allows("10.9.9.9", 1)).toBe(true);
  expect(allowlist.allows("11.0.0.1", 9000)).toBe(false);
});

test("an IPv4-mapped address matches like its IPv4 address", () => {
  const allowlist = createAllowlist(parseAllowTargets("127.0.0.0/8"));
  expect(allowlist.allows("::ffff:127.0.0.1", 80)).toBe(true);
  expect(allowlist.allows("::ffff:10.0.0.1", 80)).toBe(false);
});
