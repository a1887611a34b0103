import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../requirements/covers.ts";
import * as sdk from "../src/index.ts";
import { waitMs } from "../src/retry.ts";
import { createSigner, hmacHex, signRequest, stringToSign } from "../src/signing.ts";

interface SigningVectors {
  readonly request: { readonly key: string; readonly timestamp: number; readonly cases: readonly SigningCase[] };
  readonly webhook: Readonly<Record<string, string>> & { readonly timestamp: number };
}

interface SigningCase {
  readonly method: string;
  readonly target: string;
  readonly idempotency_key: string;
  readonly body: string;
  readonly string_to_sign: string;
  readonly v1: string;
}

interface RetryCase {
  readonly about: string;
  readonly retry: number;
  readonly random: number;
  readonly retry_after: string | null;
  readonly now: string;
  readonly wait_ms: number | null;
}

interface ErrorCase {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly class: string;
  readonly code: string;
  readonly retry: boolean;
  readonly message?: string;
}

interface WebhookCase {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly tolerance?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly body_base64?: string;
  readonly ok?: boolean;
  readonly reason?: string;
}

const signing = (await vectors("signing.json")) as SigningVectors;
const retries = (await vectors("retries.json")) as { readonly cases: readonly RetryCase[] };
const errors = (await vectors("errors.json")) as { readonly cases: readonly ErrorCase[] };
const webhooks = (await vectors("webhooks.json")) as { readonly cases: readonly WebhookCase[] };

for (const one of signing.request.cases) {
  covers("sdk.handles.signing", `${one.method} ${one.target} is signed as the vector says`, () => {
    const { key, timestamp } = signing.request;
    const request = { ...one, timestamp, idempotencyKey: one.idempotency_key };
    expect(stringToSign(request)).toBe(one.string_to_sign);
    const signer = createSigner(key);
    expect(signRequest(signer, request)).toBe(one.v1);
    expect(hmacHex(key, one.string_to_sign)).toBe(one.v1);
    expect(signRequest(signer, { ...request, idempotencyKey: one.idempotency_key && `"${one.idempotency_key}"` })).toBe(
      one.v1,
    );
  });
}

covers("sdk.handles.signing", "the quick signature is Node's own HMAC, whatever secret and text", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 300 });
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 150 }), text, (secret, signed) => {
      expect(createSigner(secret)(signed)).toBe(hmacHex(secret, signed));
    }),
  );
});

covers("sdk.handles.signing", "a delivery is signed as the vector says", () => {
  const { secret = "", body = "", timestamp, delivery_id: id } = signing.webhook;
  expect(sdk.webhooks.sign(body, secret, { id, timestamp })).toMatchObject({
    "X-Service-Signature": signing.webhook["x_service_signature"],
    "webhook-signature": signing.webhook["webhook_signature"],
    "X-Service-Event": "order.created",
    "X-Service-Delivery": id,
    "X-Service-Idempotency": "idk_01",
  });
});

for (const one of retries.cases) {
  const after = one.retry_after === null ? "" : `, Retry-After "${one.retry_after}"`;
  covers("sdk.handles.retries", `the wait before retry ${one.retry} with ${one.random}${after}: ${one.about}`, () => {
    const { retry, random, retry_after: retryAfter, now } = one;
    expect(waitMs({ retry, random, retryAfter, nowMs: Date.parse(now) }) ?? null).toBe(one.wait_ms);
  });
}

for (const one of errors.cases) {
  covers("sdk.handles.typed", `${one.status}, ${one.name}: ${one.class}, ${one.code}`, async () => {
    const { requests, error } = await answeredBy(one);
    expect(
      error.constructor.name
        .replace(/Error$/, "")
        .replaceAll(/\B([A-Z])/g, "_$1")
        .toLowerCase(),
    ).toBe(one.class);
    expect(error).toMatchObject({ code: one.code, status: one.status, raw: one.body, headers: one.headers });
    expect(error.name).toBe(error.constructor.name);
    expect(requests).toBe(one.retry ? 2 : 1);
    if (one.message !== undefined) expect(error.message).toBe(one.message);
    expect(error.message).not.toBe("");
  });
}

for (const one of webhooks.cases) {
  const body = one.body ?? Buffer.from(one.body_base64 ?? "", "base64");
  test(`webhooks.verify, ${one.name}: ${one.reason ?? "taken"}`, () => {
    const { secrets, headers, now, tolerance } = one;
    const verify = () => sdk.webhooks.verify(body, headers, secrets, { now, tolerance });
    if (one.ok === true) {
      expect(verify()).toEqual(JSON.parse(String(body)));
      expect(sdk.webhooks.verify(Buffer.from(body), new Headers(headers), secrets, { now, tolerance })).toBeDefined();
      return;
    }
    expect(verify).toThrow(sdk.WebhookVerificationError);
    expect(verify).toThrow(expect.objectContaining({ reason: one.reason }) as Error);
    const thrown = inspect(thrownBy(verify));
    expect(secrets.filter((secret) => secret.length > 10 && thrown.includes(secret))).toEqual([]);
  });
}

function thrownBy(fn: () => unknown): unknown {
  try {
    return fn();
  } catch (error) {
    return error;
  }
}

async function answeredBy(one: ErrorCase): Promise<{ requests: number; error: sdk.ServiceError }> {
  let requests = 0;
  const junction = new sdk.Junction({
    apiKey: "jn_test_vectors",
    maxRetries: 1,
    timing: { sleep: async () => await Promise.resolve() },
    fetch: async () => {
      requests += 1;
      const headers = { forEach: (each: (value: string, name: string) => void) => eachOf(one.headers, each) };
      return await Promise.resolve({ status: one.status, headers, text: async () => await Promise.resolve(one.body) });
    },
  });
  const error: unknown = await junction.me.get().catch((thrown: unknown) => thrown);
  if (!(error instanceof sdk.ServiceError)) throw new Error("no ServiceError was thrown", { cause: error });
  return { requests, error };
}

function eachOf(headers: Readonly<Record<string, string>>, each: (value: string, name: string) => void): void {
  for (const [name, value] of Object.entries(headers)) each(value, name);
}

async function vectors(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../../conformance/${name}`, import.meta.url), "utf8"));
}
