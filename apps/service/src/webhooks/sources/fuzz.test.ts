import fc from "fast-check";
import { expect, test } from "vitest";
import { hide, instant } from "../../lib/lib.ts";
import { FUZZ_MS, headerText, holds } from "../../testing/fuzz.ts";
import { namedSchemes } from "./named-schemes.ts";
import { isHmacSigned } from "./proof.ts";
import { senders } from "./senders.ts";

const SCHEMES = [...Object.values(namedSchemes), ...senders.map(({ scheme }) => scheme)].filter(
  (scheme) => scheme.kind === "hmac",
);

test(
  "a header that was not made with the secret never verifies",
  () =>
    holds(
      fc.tuple(fc.constantFrom(...SCHEMES), fc.array(headerText, { minLength: 3, maxLength: 3 }), fc.uint8Array()),
      ([scheme, values, body]) => {
        const names = ["webhook-id", "timestamp", "signature"];
        const header = (name: string): string | undefined =>
          values[names.findIndex((one) => name.endsWith(one))] ?? values[0];
        const url = `https://junction.example.com/api/v1/inbound.php?${values[0] ?? ""}`;
        const request = {
          method: "POST",
          url,
          header,
          body,
          head: () => undefined,
          json: async () => await Promise.resolve(undefined),
        };
        const secret = hide("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        expect(isHmacSigned(scheme, [secret], request, instant(1_763_730_000_000))).toBe(false);
      },
    ),
  FUZZ_MS,
);
