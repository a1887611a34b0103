import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { instant } from "../lib/lib.ts";
import { mintKey, setKey } from "../testing/keys.ts";
import { sendRaw } from "../testing/raw-http.ts";
import { nowSeconds, signBody, signV1 } from "../testing/request-signing.ts";
import { startService } from "../testing/service.ts";
import { verifyRequest } from "./signature.ts";
import type { TestService } from "../testing/test-service.ts";
import { signingVectors } from "../testing/signing-vectors.ts";

const { request: vectors } = signingVectors;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const fireBody = JSON.stringify({ event: "order.created", data: { note: "café 😀" } });

interface Signed {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly target?: string;
  readonly method?: string;
  readonly body?: string;
  readonly key?: string;
}

async function send({ headers, target = "/v1/events/fire", method = "POST", body = fireBody, key }: Signed) {
  return await sendRaw(service.baseUrl, {
    method,
    path: target,
    headers: {
      Authorization: `Bearer ${key ?? service.key}`,
      ...(body === "" ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === "" ? {} : { body }),
  });
}

function fireSigned(more: { timestamp?: number | string; idempotencyKey?: string } = {}): Record<string, string> {
  return signV1({ secret: service.key, method: "POST", target: "/v1/events/fire", body: fireBody, ...more });
}

covers(["gate.request.hmac", "selfhost.same.parts"], "the conformance vectors verify, each under its scheme", () => {
  for (const one of vectors.cases) {
    const body = Buffer.from(one.body);
    const bodyHash = createHash("sha256").update(body).digest("hex");
    const parts = { ...one, idempotencyKey: one.idempotency_key, body, bodyHash };
    const rules = { secret: vectors.key, allowBody: true, now: instant(vectors.timestamp * 1000) };
    const timestamp = String(vectors.timestamp);
    expect(verifyRequest({ signature: one.v1, timestamp }, parts, rules)).toBe("v1");
    if (one.body_scheme !== null)
      expect(verifyRequest({ signature: one.body_scheme, timestamp }, parts, rules)).toBe("body");
  }
});

covers(
  "gate.request.headers",
  "a request may carry its signature and time, and the answer names the scheme",
  async () => {
    const v1 = await send({ headers: fireSigned() });
    expect([v1.status, v1.headers["x-service-signature-scheme"]]).toEqual([202, "v1"]);
    const body = await send({ headers: signBody(service.key, fireBody) });
    expect([body.status, body.headers["x-service-signature-scheme"]]).toEqual([202, "body"]);
    const unsigned = await send({ headers: {} });
    expect([unsigned.status, unsigned.headers["x-service-signature-scheme"]]).toEqual([202, undefined]);
  },
);

covers("gate.request.hmac", "a GET is signed with its query as it was on the wire", async () => {
  const target = "/v1/events?limit=2&event=order.created&subject=a%20b";
  const headers = signV1({ secret: service.key, method: "GET", target });
  expect((await send({ method: "GET", target, body: "", headers })).status).toBe(200);
  const other = await send({ method: "GET", target: `${target}c`, body: "", headers });
  expect([other.status, other.body["code"]]).toEqual([401, "signature_invalid"]);
});

covers("gate.request.hmac", "the idempotency key is signed without its quotes", async () => {
  const bare = "k-quoted-1";
  const headers = { ...fireSigned({ idempotencyKey: bare }), "Idempotency-Key": `"${bare}"` };
  expect((await send({ headers })).status).toBe(202);
});

const wrong: [string, () => Signed, string][] = [
  [
    "of another secret",
    () => ({ headers: signV1({ secret: "other", method: "POST", target: "/v1/events/fire", body: fireBody }) }),
    "signature_invalid",
  ],
  [
    "in upper case",
    () => ({
      headers: { ...fireSigned(), "X-Service-Signature": fireSigned()["X-Service-Signature"]?.toUpperCase() ?? "" },
    }),
    "signature_invalid",
  ],
  [
    "of 63 digits",
    () => ({
      headers: { ...fireSigned(), "X-Service-Signature": fireSigned()["X-Service-Signature"]?.slice(1) ?? "" },
    }),
    "signature_invalid",
  ],
  [
    "with a prefix",
    () => ({
      headers: { ...fireSigned(), "X-Service-Signature": `sha256=${fireSigned()["X-Service-Signature"] ?? ""}` },
    }),
    "signature_invalid",
  ],
  [
    "sent twice",
    () => {
      const h = fireSigned();
      return {
        headers: { ...h, "X-Service-Signature": [h["X-Service-Signature"] ?? "", h["X-Service-Signature"] ?? ""] },
      };
    },
    "signature_invalid",
  ],
  ["that is empty", () => ({ headers: { ...fireSigned(), "X-Service-Signature": "" } }), "signature_invalid"],
  ["for another path", () => ({ headers: fireSigned(), target: "/v1/events/batch" }), "signature_invalid"],
  ["for another query", () => ({ headers: fireSigned(), target: "/v1/events/fire?a=1" }), "signature_invalid"],
  [
    "for another method",
    () => ({ headers: signV1({ secret: service.key, method: "PUT", target: "/v1/events/fire", body: fireBody }) }),
    "signature_invalid",
  ],
  ["for another body", () => ({ headers: fireSigned(), body: fireBody.replace("café", "cafe") }), "signature_invalid"],
  [
    "for a body with other spacing",
    () => ({ headers: signBody(service.key, fireBody), body: `${fireBody} ` }),
    "signature_invalid",
  ],
  [
    "for another idempotency key",
    () => ({ headers: { ...fireSigned({ idempotencyKey: "a" }), "Idempotency-Key": "b" } }),
    "signature_invalid",
  ],
  [
    "for a call without idempotency key",
    () => ({ headers: { ...fireSigned(), "Idempotency-Key": "b" } }),
    "signature_invalid",
  ],
  [
    "for another second",
    () => ({ headers: { ...fireSigned(), "X-Service-Timestamp": String(nowSeconds() - 5) } }),
    "signature_invalid",
  ],
  [
    "without a timestamp",
    () => ({ headers: { "X-Service-Signature": fireSigned()["X-Service-Signature"] ?? "" } }),
    "timestamp_missing",
  ],
  ["with milliseconds", () => ({ headers: fireSigned({ timestamp: Date.now() }) }), "timestamp_invalid"],
  ["with a fraction", () => ({ headers: fireSigned({ timestamp: `${nowSeconds()}.5` }) }), "timestamp_invalid"],
  [
    "with a date as its time",
    () => ({ headers: fireSigned({ timestamp: new Date().toISOString() }) }),
    "timestamp_invalid",
  ],
  ["with a negative time", () => ({ headers: fireSigned({ timestamp: -5 }) }), "timestamp_invalid"],
  [
    "with its time sent twice",
    () => {
      const h = fireSigned();
      return {
        headers: { ...h, "X-Service-Timestamp": [h["X-Service-Timestamp"] ?? "", h["X-Service-Timestamp"] ?? ""] },
      };
    },
    "timestamp_invalid",
  ],
  ["six minutes old", () => ({ headers: fireSigned({ timestamp: nowSeconds() - 360 }) }), "timestamp_out_of_range"],
  ["six minutes early", () => ({ headers: fireSigned({ timestamp: nowSeconds() + 360 }) }), "timestamp_out_of_range"],
];

covers("gate.request.hmac", "a signature that does not fit is refused although the Bearer key is good", async () => {
  const answers = [];
  for (const [what, make] of wrong) {
    const answer = await send(make());
    answers.push([what, answer.status, answer.body["code"]]);
  }
  expect(answers).toEqual(wrong.map(([what, , code]) => [what, 401, code]));
});

covers("gate.request.headers", "a time out of the window is answered with the server's time", async () => {
  const answer = await send({ headers: fireSigned({ timestamp: nowSeconds() - 301 - 5 }) });
  expect(Math.abs(answer.body["server_time"] - nowSeconds())).toBeLessThanOrEqual(2);
  expect((await send({ headers: fireSigned({ timestamp: nowSeconds() - 290 }) })).status).toBe(202);
  expect((await send({ headers: fireSigned({ timestamp: nowSeconds() + 290 }) })).status).toBe(202);
});

covers("gate.request.hmac", "the body scheme is never taken on a GET, nor for an empty body", async () => {
  const get = await send({ method: "GET", target: "/v1/events", headers: signBody(service.key, fireBody) });
  expect([get.status, get.body["code"]]).toEqual([401, "signature_invalid"]);
  const empty = await send({ target: "/v1/events/fire", body: "", headers: signBody(service.key, "") });
  expect([empty.status, empty.body["code"]]).toEqual([401, "signature_invalid"]);
});

covers("gate.request.hmac", "a string to sign sent as a body does not pass the body scheme", async () => {
  const target = "/v1/events/fire";
  const headers = signV1({ secret: service.key, method: "POST", target, body: fireBody });
  const timestamp = headers["X-Service-Timestamp"] ?? "";
  const body = `v1\n${timestamp}\nPOST\n${target}\n\n${createHash("sha256").update(fireBody).digest("hex")}`;
  const answer = await send({ headers, body });
  expect([answer.status, answer.body["code"]]).toEqual([401, "signature_invalid"]);
});

covers(
  "gate.request.hmac",
  "a key that requires signatures is refused without one; v1 alone can be required",
  async () => {
    const key = await mintKey(service, { require_signature: true });
    const target = "/v1/events/fire";
    const bare = await send({ key: key.key, headers: {} });
    expect([bare.status, bare.body["code"]]).toEqual([401, "signature_required"]);
    const v1 = signV1({ secret: key.key, method: "POST", target, body: fireBody });
    expect((await send({ key: key.key, headers: v1 })).status).toBe(202);
    expect((await send({ key: key.key, headers: signBody(key.key, fireBody) })).status).toBe(202);
    await setKey(service, key, { accept_body_signature: false });
    const off = await send({ key: key.key, headers: signBody(key.key, fireBody) });
    expect([off.status, off.body["code"]]).toEqual([401, "signature_invalid"]);
    expect((await send({ key: key.key, headers: v1 })).status).toBe(202);
  },
);

test("X-Service-Key without a signature is refused for any id", async () => {
  const key = await mintKey(service);
  const answers = await Promise.all(
    [key.id, "key_nonsense", key.id.replace("key_", "evt_")].map(
      async (id) =>
        await sendRaw(service.baseUrl, { method: "GET", path: "/v1/events", headers: { "X-Service-Key": id } }),
    ),
  );
  expect(answers.map((answer) => [answer.status, answer.body["code"]])).toEqual([
    [401, "key_invalid"],
    [401, "key_invalid"],
    [401, "key_invalid"],
  ]);
});

test("no refusal of a signature shows the key, the secret or the valid signature", async () => {
  const headers = fireSigned();
  const answer = await send({ headers: { ...headers, "X-Service-Signature": "0".repeat(64) } });
  expect(answer.text).not.toContain(service.key);
  expect(answer.text).not.toContain(headers["X-Service-Signature"]);
});
