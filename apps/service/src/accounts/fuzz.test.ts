import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FUZZ_MS, holds, ranges, thrown, v4, v6 } from "../testing/fuzz.ts";
import { isListed, isRange } from "./api-keys/allowlist.ts";

test(
  "an address is in a range exactly when node:net says so",
  () =>
    holds(fc.tuple(ranges, fc.oneof(v4, v6)), ([range, ip]) => {
      const [network = "", prefix] = range.split("/");
      const family = isIP(network) === 6 ? "ipv6" : "ipv4";
      const reference = new BlockList();
      const isKnown =
        isIP(network) !== 0 &&
        thrown(() => reference.addSubnet(network, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family)) ===
          undefined;
      if (isRange(range)) expect(isKnown).toBe(true);
      const within = reference.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4");
      expect(isListed([range], ip)).toBe(isRange(range) && within);
    }),
  FUZZ_MS,
);
