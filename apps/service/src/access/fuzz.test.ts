import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { instant, ServiceError } from "../lib/lib.ts";
import { FUZZ_MS, headerText, holds, pieces, thrown } from "../testing/fuzz.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { verifyRequest } from "./signature.ts";

test(
  "a request's signature is good, or refused by its own error",
  () =>
    holds(
      fc.tuple(headerText, fc.option(headerText, { nil: undefined }), fc.string()),
      ([signature, timestamp, text]) => {
        const body = Buffer.from(text);
        const parts = { method: "POST", target: "/v1/x", idempotencyKey: "", body, bodyHash: "" };
        const rules = { secret: "secret", allowBody: true, now: instant(1_763_730_000_000) };
        expect(thrown(() => verifyRequest({ signature, timestamp }, parts, rules))).toBeInstanceOf(ServiceError);
        const made = createHmac("sha256", "another").update(body).digest("hex");
        expect(thrown(() => verifyRequest({ signature: made, timestamp: "1763730000" }, parts, rules))).toBeInstanceOf(
          ServiceError,
        );
      },
    ),
  FUZZ_MS,
);

test(
  "an idempotency key is visible ASCII, the same in quotes, or refused",
  () =>
    holds(fc.oneof(fc.string({ maxLength: 300 }), fc.uuid(), pieces('"', "a", "\u0000", " ")), (text) => {
      const fault = thrown(() => readIdempotencyKey(text));
      if (fault !== undefined) expect(fault).toBeInstanceOf(ServiceError);
      else expect(readIdempotencyKey(text)).toMatch(/^[\x21-\x7e]{1,255}$/);
      if (/^[a-z0-9-]{1,255}$/.test(text)) expect(readIdempotencyKey(`"${text}"`)).toBe(text);
    }),
  FUZZ_MS,
);
