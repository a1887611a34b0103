import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../requirements/covers.ts";
import * as sdk from "../src/index.ts";
import { waitMs } from "../src/retry.ts";
import { fixtures } from "../src/testing.ts";
import { parseJson } from "../src/json.ts";
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
  readonly integers?: Readonly<Record<string, string>>;
}

interface KeyCase {
  readonly name: string;
  readonly key: string;
  readonly ok: boolean;
}

const signing = (await vectors("signing.json")) as SigningVectors;
const retries = (await vectors("retries.json")) as { readonly cases: readonly RetryCase[] };
const errors = (await vectors("errors.json")) as { readonly cases: readonly ErrorCase[] };
const keys = (await vectors("keys.json")) as { readonly cases: readonly KeyCase[] };
const webhooks = (await vectors("webhooks.json")) as {
  readonly cases: readonly WebhookCase[];
  readonly receivers: { readonly status: number; readonly raised: readonly string[] };
};

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

covers("sdk.handles.signing", "the quick signature equals Node's own HMAC for any secret and text", () => {
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
      const delivery = verify();
      expect(delivery).toEqual(parseJson(String(body)));
      expect(delivery.$raw).toBe(String(body));
      for (const [name, digits] of Object.entries(one.integers ?? {})) expect(String(delivery.data[name])).toBe(digits);
      expect(sdk.webhooks.verify(Buffer.from(body), new Headers(headers), secrets, { now, tolerance })).toBeDefined();
      return;
    }
    expect(verify).toThrow(sdk.WebhookVerificationError);
    expect(verify).toThrow(expect.objectContaining({ reason: one.reason }) as Error);
    const thrown = inspect(thrownBy(verify));
    expect(secrets.filter((secret) => secret.length > 10 && thrown.includes(secret))).toEqual([]);
  });
}

for (const { name, key, ok } of keys.cases) {
  test(`a client ${ok ? "takes" : "refuses"} an API key: ${name}`, () => {
    const create = () => new sdk.Junction({ apiKey: key });
    if (ok) {
      expect(create).not.toThrow();
      return;
    }
    expect(create).toThrow(TypeError);
    expect(inspect(thrownBy(create))).not.toContain(key);
  });
}

test("receivers refuse an unsigned request with the status of the vector", async () => {
  const { status } = webhooks.receivers;
  const answered = await sdk.webhooks.next(fixtures.secret, () => undefined)(unsigned());
  expect(answered.status).toBe(status);
  const middleware = sdk.webhooks.express(fixtures.secret);
  const server = createServer((request, response) => void middleware(request, response, () => response.end()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}" })).status).toBe(status);
  server.close();
});

test("receivers raise faults of their own", async () => {
  const secrets = { secret_missing: [], secret_invalid: "jn_live_no_secret" };
  expect(Object.keys(secrets)).toEqual(webhooks.receivers.raised);
  for (const [reason, secret] of Object.entries(secrets))
    await expect(sdk.webhooks.next(secret, () => undefined)(unsigned())).rejects.toMatchObject({ reason });
});

function unsigned(): Request {
  return new Request("https://app.example/hook", { method: "POST", body: "{}" });
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
    apiKey: fixtures.apiKey,
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
