import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { newApiKey } from "../lib/lib.ts";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { JUNCTION_TRUST_PROXIES: "127.0.0.1" } });
});
beforeEach(async () => {
  await service.database.query("delete from rate_window where operation in ('auth.failed', '*')");
});
afterAll(async () => await service.close());

async function list(key: string | null, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return await service.api("GET", "/v1/events", undefined, { key, headers });
}

function countCodes(answers: readonly ApiAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { body } of answers) counts[body["code"]] = (counts[body["code"]] ?? 0) + 1;
  return counts;
}

covers("key.auth.bearer", "a call authenticates with its key as a Bearer token", async () => {
  expect((await list(service.key)).status).toBe(200);
  const codes = await Promise.all([
    list(null),
    list(newApiKey("live")),
    list(`${service.key.slice(0, -1)}_`),
    list(null, { Authorization: `Basic ${Buffer.from(`${service.key}:`).toString("base64")}` }),
    list(null, { Authorization: service.key }),
    list(null, { Authorization: "Bearer" }),
    list(null, { "X-Api-Key": service.key }),
  ]);
  expect(codes.map((answer) => [answer.status, answer.body["code"]])).toEqual([
    [401, "credentials_missing"],
    [401, "key_invalid"],
    [401, "key_invalid"],
    [401, "key_invalid"],
    [401, "key_invalid"],
    [401, "key_invalid"],
    [401, "credentials_missing"],
  ]);
  const query = await service.api("GET", `/v1/events?api_key=${service.key}`, undefined, { key: null });
  expect([query.status, query.body["code"]]).toEqual([401, "credentials_missing"]);
});

covers("key.auth.bearer", "an address gets 429 after 100 guessed keys a minute; valid keys still pass", async () => {
  const answers = await Promise.all(Array.from({ length: 120 }, async () => await list(newApiKey("live"))));
  expect(countCodes(answers)).toEqual({ key_invalid: 100, too_many_auth_failures: 20 });
  const refused = answers.find((answer) => answer.status === 429);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(61);
  expect((await list(service.key)).status).toBe(200);
  expect((await list(null)).body["code"]).toBe("too_many_auth_failures");
});

covers("key.auth.bearer", "failures count down in the headers, where no key was identified", async () => {
  const left = [];
  for (let call = 0; call < 3; call += 1)
    left.push((await list(newApiKey("live"))).headers.get("x-service-ratelimit-remaining"));
  expect(left).toEqual(["99", "98", "97"]);
});

covers("gate.request.hmac", "a key's own failures are counted too: 30 wrong signatures in a minute", async () => {
  const key = await mintKey(service);
  const signed = {
    "X-Service-Signature": "0".repeat(64),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
  };
  const answers = await Promise.all(Array.from({ length: 40 }, async () => await list(key.key, signed)));
  expect(countCodes(answers)).toEqual({ signature_invalid: 30, too_many_auth_failures: 10 });
  expect((await list(key.key)).status).toBe(200);
});

covers("key.auth.bearer", "failed credentials take nothing from the key's own limit", async () => {
  const key = await mintKey(service);
  const first = await list(key.key);
  await list(key.key, { "X-Service-Signature": "0".repeat(64) });
  const second = await list(key.key);
  const left = [first, second].map((answer) => Number(answer.headers.get("x-service-ratelimit-remaining")));
  expect(left).toEqual([599, 598]);
});

test("guessed keys from one IPv6 network count together", async () => {
  const answers: ApiAnswer[] = [];
  for (let at = 1; at <= 105; at += 1)
    answers.push(await list(newApiKey("live"), { "X-Forwarded-For": `2001:db8:5:5::${at.toString(16)}` }));
  expect(countCodes(answers)).toEqual({ key_invalid: 100, too_many_auth_failures: 5 });
});
