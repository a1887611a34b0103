import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { bodyWithSignature, hmacHex, signRequest, signStandard, stringToSign } from "./outbound-http.ts";
import { signingVectors as vectors } from "../../testing/signing-vectors.ts";

const { request, webhook } = vectors;

for (const vector of request.cases) {
  test(`signs ${vector.method} ${vector.target} as the conformance vectors do`, () => {
    const signed = {
      timestamp: request.timestamp,
      method: vector.method,
      target: vector.target,
      idempotencyKey: vector.idempotency_key,
      body: vector.body,
    };
    expect(stringToSign(signed)).toBe(vector.string_to_sign);
    expect(signRequest(request.key, signed)).toBe(vector.v1);
    expect(vector.body_scheme ?? hmacHex(request.key, vector.body)).toBe(hmacHex(request.key, vector.body));
  });
}

covers(
  ["deliver.sign.hmac-sha256", "deliver.header.signature"],
  "a body's signature is its HMAC-SHA256 in lower-case hexadecimal, keyed by the secret's text",
  () => {
    expect(hmacHex(webhook.secret, webhook.body)).toBe(webhook.x_service_signature);
    expect(hmacHex(webhook.secret, Buffer.from(webhook.body))).toBe(webhook.x_service_signature);
  },
);

covers("deliver.payload.signature", "the body's own signature covers the body with an empty value", () => {
  expect(bodyWithSignature(webhook.secret, webhook.body_before_signature)).toBe(webhook.body);
});

test("a body that does not end with an empty signature is refused", () => {
  expect(() => bodyWithSignature("secret", '{"signature":"","a":1}')).toThrow("empty signature");
});

test("the Standard Webhooks signature is keyed by the decoded bytes", () => {
  const { secret, delivery_id: id, timestamp, body } = webhook;
  expect(signStandard(secret, id, timestamp, body)).toBe(webhook.webhook_signature);
});

covers("deliver.sign.exact-bytes", "the signature depends on every byte of the body", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
      const changed = Uint8Array.from(bytes);
      const index = at % bytes.length;
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(hmacHex("secret", changed)).not.toBe(hmacHex("secret", bytes));
    }),
    { numRuns: 200 },
  );
});
