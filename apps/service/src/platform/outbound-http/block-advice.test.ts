import { expect, test } from "vitest";
import { createAllowlist, parseAllowTargets } from "./allowlist.ts";
import { blockAdvice } from "./block-advice.ts";

const ENTRY = /JUNCTION_ALLOW_TARGETS=(\S+) allows it\.$/;

test.each([
  ["loopback", "https://127.0.0.1:5999/hook", "127.0.0.1", 5999],
  ["not_https", "http://127.0.0.1:5999/hook", "127.0.0.1", 5999],
  ["not_https", "http://localhost/hook", "127.0.0.1", 80],
  ["private", "https://10.1.2.3/hook", "10.1.2.3", 443],
  ["private", "https://[fd00::5]:8443/hook", "fd00::5", 8443],
  ["link_local", "https://169.254.7.7/", "169.254.7.7", 443],
  ["reserved", "https://192.0.2.1/", "192.0.2.1", 443],
] as const)("the advice for %s %s is an entry that allows only that target", (reason, url, ip, port) => {
  const [, entry = ""] = ENTRY.exec(blockAdvice(reason, url)) ?? [];
  const allowlist = createAllowlist(parseAllowTargets(entry));
  expect([allowlist.allows(ip, port), allowlist.allows(ip, port + 1), allowlist.allows("10.1.2.4", port)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("the advice for a name explains how to find the address without showing it", () => {
  const advice = blockAdvice("private", "https://db.internal.example.com:8443/hook");
  expect(advice).toContain("JUNCTION_ALLOW_TARGETS");
  expect(advice).toContain("<address>:8443");
  expect(advice).not.toContain("db.internal");
});

test.each([
  ["metadata", "http://169.254.169.254/latest"],
  ["dns_failed", "https://nowhere.example.com/"],
  ["malformed", "https://"],
  ["credentials_in_url", "https://a:b@example.com/"],
  ["not_https", "ftp://example.com/"],
] as const)("no setting is named for %s %s", (reason, url) => {
  expect(blockAdvice(reason, url)).not.toContain("JUNCTION_ALLOW_TARGETS");
});
