import { afterAll, beforeAll, expect, test } from "vitest";
import { actionOn, runOf } from "../../testing/actions.ts";
import { listen } from "../../testing/assistant.ts";
import { mintKey } from "../../testing/keys.ts";
import { freshEvent, ruleOn } from "../../testing/rules.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { callsDuring, startWithReceiver } from "../../testing/with-receiver.ts";
import type { ServiceWithReceiver } from "../../testing/with-receiver.ts";
import type { ApiAnswer, Parsed } from "../../testing/test-service.ts";
import { hostFaults, hostRefusal } from "./secret-hosts.ts";

let at: ServiceWithReceiver;
beforeAll(async () => {
  at = await startWithReceiver(UNLIMITED);
});
afterAll(async () => await at.close());

let names = 0;
const fresh = (): string => `hosted_${(names += 1)}`;
const put = async (name: string, more: object, key = at.service.key): Promise<ApiAnswer> =>
  await at.service.api("PUT", `/v1/secrets/${name}`, { value: `value-of-${name}`, ...more }, { key });
const bearer = (name: string): object => ({ type: "bearer", secret_ref: name });
const ELSEWHERE = { hosts: ["api.example.com"] };
const HERE = { hosts: ["127.0.0.1"] };

/** Returns whether the receiver got the secret, in any form. */
async function leaks(name: string, work: () => Promise<unknown>): Promise<boolean> {
  const before = at.receiver.received.length;
  await work();
  const value = `value-of-${name}`;
  const forms = [
    value,
    Buffer.from(value).toString("base64").slice(0, 12),
    Buffer.from(`c:${value}`).toString("base64"),
  ];
  const got = JSON.stringify(at.receiver.received.slice(before));
  return forms.some((form) => got.includes(form));
}

async function tested(auth: object, key = at.service.key): Promise<Parsed> {
  const request = { method: "GET", url: at.receiver.url, auth };
  return (await at.service.api("POST", "/v1/http-calls/test", { request }, { key })).body;
}

/** Returns the call that a rule makes with the secret, once it has ended. */
async function called(auth: object, key: string): Promise<Parsed> {
  const { service, receiver } = at;
  const on = freshEvent();
  await ruleOn(
    service,
    { on: [on], then: [{ type: "http", method: "GET", url: receiver.url, auth, retries: 0 }] },
    key,
  );
  const fired = await service.fire(on, {});
  const mine = (body: Parsed): Parsed =>
    body["data"].find((one: Parsed) => one["event_id"] === fired.id && one["state"] !== "waiting");
  return mine(await service.until("/v1/http-calls?limit=100", (body) => mine(body) !== undefined));
}

test("no use sends a secret to a host that it does not name", async () => {
  const { service, receiver } = at;
  const name = fresh();
  expect((await put(name, ELSEWHERE)).body).toMatchObject({ name, hosts: ["api.example.com"] });
  const ways: Record<string, () => Promise<unknown>> = {
    test: async () => await tested(bearer(name)),
    basic: async () => await tested({ type: "basic", secret_ref: name, username: "c" }),
    query: async () => await tested({ type: "api_key", secret_ref: name, in: "query", name: "k" }),
    token: async () =>
      await tested({ type: "oauth2_client_credentials", secret_ref: name, token_url: receiver.url, client_id: "c" }),
    rule: async () => await called(bearer(name), service.key),
    contract: async () => await runOf(service, await actionOn(service, receiver, { auth: bearer(name) })),
    assistant: async () => {
      await listen(service, "openai_compatible", { base_url: receiver.url, model: "m", secret_ref: name });
      await service.api("POST", "/v1/assistant/test", { event: "ticket.created", data: {} });
    },
  };
  for (const [way, use] of Object.entries(ways)) expect([way, await leaks(name, use)]).toEqual([way, false]);
  expect(await tested(bearer(name))).toMatchObject({ succeeded: false, error_class: "secret_host" });
  expect((await called(bearer(name), service.key))["error_class"]).toBe("secret_host");
  await put(name, HERE);
  for (const [way, use] of Object.entries(ways))
    if (way !== "basic") expect([way, await leaks(name, use)]).toEqual([way, true]);
});

test("a token goes only to hosts of the secret that it was exchanged for", async () => {
  const { receiver } = at;
  const name = fresh();
  await put(name, { hosts: ["localhost"] });
  const token_url = receiver.url.replace("127.0.0.1", "localhost");
  const auth = { type: "oauth2_client_credentials", secret_ref: name, token_url, client_id: "c" };
  let answer: Parsed = {};
  expect(await callsDuring(receiver, async () => (answer = await tested(auth)))).toBe(0);
  expect(answer["error_class"]).toBe("secret_host");
});

test("a live secret without hosts is only for what owners and admins configure", async () => {
  const { service, receiver } = at;
  const name = fresh();
  expect((await put(name, {})).body["hosts"]).toBeNull();
  const keys = {
    developer: (await mintKey(service, { role: "developer", actor_type: "service" })).key,
    restricted: (await mintKey(service, { permission_mode: "restricted", blocked_actions: ["secrets.*"] })).key,
  };
  for (const [who, key] of Object.entries(keys)) {
    const contract = async (): Promise<unknown> => {
      const action = `hosts.${who}_${name}`;
      const made = {
        key: action,
        label: "L",
        surface: ["api"],
        roles: ["owner", "developer"],
        requires_confirmation: false,
      };
      const more = { audit: true, params: {}, endpoint: receiver.url, auth: bearer(name) };
      const answer = await service.api("POST", "/v1/action-contracts", { ...made, ...more }, { key });
      return answer.status === 201 && (await service.api("POST", "/v1/actions/run", { action, parameters: {} }));
    };
    const base = { base_url: receiver.url, secret_ref: name };
    const ways = {
      test: async () => await tested(bearer(name), key),
      rule: async () => await called(bearer(name), key),
      contract,
      assistant: async () => await service.api("PATCH", "/v1/assistant", base, { key }),
    };
    for (const [way, use] of Object.entries(ways))
      expect([who, way, await leaks(name, use)]).toEqual([who, way, false]);
    expect((await service.api("PATCH", "/v1/assistant", base, { key })).status).toBe(403);
  }
  expect(await leaks(name, async () => await tested(bearer(name)))).toBe(true);
  expect(await leaks(name, async () => await called(bearer(name), service.key))).toBe(true);
  await put(name, HERE);
  expect(await leaks(name, async () => await called(bearer(name), keys.developer))).toBe(true);
});

test("hosts are set with the value alone, and a new value keeps them", async () => {
  const name = fresh();
  await put(name, ELSEWHERE);
  expect((await put(name, {})).body["hosts"]).toEqual(["api.example.com"]);
  const noValue = await at.service.api("PUT", `/v1/secrets/${name}`, HERE);
  expect(noValue.status).toBe(422);
  expect((await put(name, { hosts: null })).body["hosts"]).toBeNull();
});

test("an older secret is sent by what any author saved, not by tests", async () => {
  const { service } = at;
  const name = fresh();
  const { body } = await put(name, {});
  // A node of that version inserts it so.
  await service.database.query("update secret set any_host = default, hosts = default where name = $1", [body["name"]]);
  const developer = (await mintKey(service, { role: "developer", actor_type: "service" })).key;
  expect(await leaks(name, async () => await called(bearer(name), developer))).toBe(true);
  expect(await leaks(name, async () => await tested(bearer(name), developer))).toBe(false);
});

test("hosts are names or patterns, and cover no other name", async () => {
  for (const host of [
    "",
    "*",
    "*.com",
    "a.*.com",
    "https://a.com",
    "a.com/x",
    "a.com:443",
    "A.com",
    "a..com",
    "a.com.",
    "*.a.com/",
    "ä.com",
  ])
    expect([host, hostFaults([host]).length]).toEqual([host, 1]);
  for (const host of ["a.com", "*.a.com", "localhost", "10.0.0.1", "[::1]"]) expect(hostFaults([host])).toEqual([]);
  const covered = async (pattern: string, url: string): Promise<boolean> =>
    (await hostRefusal(
      { db: undefined as never },
      { environment: "live" } as never,
      { name: "s", hosts: [pattern], any_host: false },
      { urls: [url], by: null },
    )) === undefined;
  for (const [pattern, url] of [
    ["*.a.com", "https://x.a.com/"],
    ["*.a.com", "https://x.y.a.com:8443/"],
    ["a.com", "https://A.COM/"],
    ["[::1]", "http://[::1]:1/"],
  ] as const)
    expect([url, await covered(pattern, url)]).toEqual([url, true]);
  for (const [pattern, url] of [
    ["*.a.com", "https://a.com/"],
    ["*.a.com", "https://xa.com/"],
    ["a.com", "https://a.com.evil.com/"],
    ["a.com", "https://a.com@evil.com/"],
    ["a.com", "https://evil.com/a.com"],
    ["a.com", "https://x.a.com/"],
    ["a.com", "https://a.com./"],
  ] as const)
    expect([url, await covered(pattern, url)]).toEqual([url, false]);
});
