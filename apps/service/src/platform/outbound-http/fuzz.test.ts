import fc from "fast-check";
import { expect, test } from "vitest";
import { FUZZ_MS, holds, pieces, ranges, thrown } from "../../testing/fuzz.ts";
import { classifyAddress } from "./address.ts";
import { createAllowlist, parseAllowTargets } from "./allowlist.ts";
import { parseTarget } from "./target.ts";

/** All spellings of an IPv4 address that browsers and C libraries accept. */
const spelled = fc
  .tuple(fc.ipV4(), fc.constantFrom("dotted", "number", "hex", "octal", "short", "mapped", "mapped-hex"))
  .map(([ip, way]) => {
    const parts = ip.split(".").map(Number);
    const value = parts.reduce((sum, part) => sum * 256 + part, 0);
    const hex = value.toString(16).padStart(8, "0");
    const ways: Record<string, string> = {
      dotted: ip,
      number: String(value),
      hex: `0x${hex}`,
      octal: parts.map((part) => `0${part.toString(8)}`).join("."),
      short: `${parts[0] ?? 0}.${value % 2 ** 24}`,
      mapped: `[::ffff:${ip}]`,
      "mapped-hex": `[::ffff:${hex.slice(0, 4)}:${hex.slice(4)}]`,
    };
    return { ip, host: ways[way] ?? ip };
  });

test(
  "exemptions of the guard are either read completely or refused",
  () =>
    holds(fc.oneof(ranges, pieces("10.0.0.0/8", ":443", ",", "[::1]", ":", "[", "]", "/")), (text) => {
      const fault = thrown(() => createAllowlist(parseAllowTargets(text)).allows("10.0.0.1", 443));
      if (fault !== undefined) expect(fault).toBeInstanceOf(Error);
      if (fault !== undefined) expect((fault as Error).message).toContain("is not a CIDR");
    }),
  FUZZ_MS,
);

test(
  "all spellings of an address are classified the same",
  () =>
    holds(spelled, ({ ip, host }) => {
      const target = parseTarget(`https://${host}/`, false);
      if (typeof target === "string") expect(["malformed", "metadata"]).toContain(target);
      else expect(classifyAddress(target.host)).toBe(classifyAddress(ip));
    }),
  FUZZ_MS,
);

test(
  "a URL becomes a target with a host and a port, or is refused",
  () =>
    holds(
      fc.oneof(
        fc.webUrl(),
        pieces(
          "https://",
          "http://",
          "a",
          "@",
          ":",
          "//",
          "\\",
          "#",
          "?",
          "%",
          "[",
          "]",
          "::1",
          "127.1",
          "\t",
          "。",
          "ⓛ",
          ".",
        ),
      ),
      (text) => {
        const target = parseTarget(text, false);
        if (typeof target === "string") return;
        expect([target.host.length > 0, target.port > 0 && target.port < 65_536, target.url.username]).toEqual([
          true,
          true,
          "",
        ]);
        expect(target.secure).toBe(true);
      },
    ),
  FUZZ_MS,
);
