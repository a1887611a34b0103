import fc from "fast-check";
import { expect, test } from "vitest";
import { hide, instant } from "../../lib/lib.ts";
import { FUZZ_MS, headerText, holds } from "../../testing/fuzz.ts";
import { isSigned, SIGNATURE_SCHEMES } from "./signature.ts";

test(
  "a header that was not made with the secret never verifies",
  () =>
    holds(
      fc.tuple(
        fc.constantFrom(...SIGNATURE_SCHEMES),
        fc.array(headerText, { minLength: 3, maxLength: 3 }),
        fc.uint8Array(),
      ),
      ([scheme, values, body]) => {
        const names = ["webhook-id", "timestamp", "signature"];
        const header = (name: string): string | undefined =>
          values[names.findIndex((one) => name.endsWith(one))] ?? values[0];
        expect(
          isSigned(scheme, [hide("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")], {
            header,
            body,
            now: instant(1_763_730_000_000),
          }),
        ).toBe(false);
      },
    ),
  FUZZ_MS,
);
