import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { countRows, mintKey, otherWorkspace, setKey } from "../testing/keys.ts";
import { sendRaw } from "../testing/raw-http.ts";
import { createSealer } from "../lib/lib.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import { requestHash } from "./idempotency.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const event = { event: "order.created", data: { total: 10.5 } };

async function post(path: string, body: unknown, idempotencyKey: string, on = service): Promise<ApiAnswer> {
  return await on.api("POST", path, body, { headers: { "Idempotency-Key": idempotencyKey } });
}

async function fire(idempotencyKey: string, body: unknown = event, on = service): Promise<ApiAnswer> {
  return await post("/v1/events/fire", body, idempotencyKey, on);
}

function isReplay(answer: ApiAnswer): boolean {
  return answer.headers.get("idempotent-replayed") === "true";
}

covers(
  ["idempotency.repeat.original", "idempotency.op.events-fire"],
  "a repeated firing gets the original answer byte for byte and fires nothing",
  async () => {
    const key = randomUUID();
    const first = await fire(key);
    const before = await countRows(service, "event");
    const second = await fire(key);
    expect([second.status, second.text]).toEqual([202, first.text]);
    expect([isReplay(first), isReplay(second)]).toEqual([false, true]);
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(second.headers.get("x-service-request-id")).not.toBe(first.headers.get("x-service-request-id"));
    expect(await countRows(service, "event")).toBe(before);
  },
);

covers("idempotency.repeat.original", "a repeat gets the answer that the previous release stored", async () => {
  const key = randomUUID();
  const first = await fire(key);
  const [row] = await service.database.query<{ lineage: string }>(
    "select lineage_id::text as lineage from idempotency where key = $1 and response_sealed is null",
    [key],
  );
  const sealed = createSealer(Buffer.from(MASTER_KEY, "base64")).seal(first.text, `idempotency:${row?.lineage}:${key}`);
  await service.database.query(
    "update idempotency set response_sealed = $1, response_short_sealed = null where key = $2",
    [sealed, key],
  );
  const second = await fire(key);
  expect([second.status, second.text, isReplay(second)]).toEqual([202, first.text, true]);
});

covers("idempotency.header.write", "a key is the same bare or in quotes", async () => {
  const key = randomUUID();
  const first = await fire(key);
  const quoted = await fire(`"${key}"`);
  expect([quoted.text, isReplay(quoted)]).toEqual([first.text, true]);
  expect(quoted.headers.get("idempotency-key")).toBe(key);
});

covers("idempotency.header.write", "a write without a key gets one, which a repeat can use", async () => {
  const first = await service.api("POST", "/v1/events/fire", event);
  const made = first.headers.get("idempotency-key") ?? "";
  expect(made).toMatch(/^[\x21-\x7e]{16,255}$/);
  const second = await fire(made);
  expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  expect((await service.api("GET", "/v1/events")).headers.get("idempotency-key")).toBeNull();
});

covers("idempotency.header.write", "a key is visible ASCII of at most 255 characters, sent once", async () => {
  const cases: [string | string[], number][] = [
    ["a b", 400],
    ["", 400],
    ['""', 400],
    ["caf\u00e9", 400],
    ["x".repeat(256), 400],
    [["a", "b"], 400],
    ["x".repeat(255), 202],
    ["!~#{}[]|\\", 202],
    [randomUUID(), 202],
  ];
  const outcomes = [];
  for (const [key] of cases) {
    const answer = await sendRaw(service.baseUrl, {
      method: "POST",
      path: "/v1/events/fire",
      headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify(event),
    });
    outcomes.push([key, answer.status]);
    if (answer.status === 400) expect(answer.body["code"]).toBe("idempotency_key_invalid");
  }
  expect(outcomes).toEqual(cases);
});

covers(
  "idempotency.repeat.original",
  "a key used for another body, path or method is refused without effect",
  async () => {
    const key = randomUUID();
    await fire(key);
    const before = await countRows(service, "event");
    const others = [
      await fire(key, { ...event, data: { total: 10.51 } }),
      await fire(key, '{"event":"order.created", "data":{"total":10.5}}'),
      await post("/v1/events/batch", { events: [event] }, key),
      await post("/v1/webhook-endpoints?again=1", event, key),
      await post("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["*"] }, key),
    ];
    for (const other of others) expect([other.status, other.body["code"]]).toEqual([422, "idempotency_key_reused"]);
    expect(await countRows(service, "event")).toBe(before);
  },
);

covers("idempotency.op.events-fire", "one of 50 concurrent copies is fired, and all get its answer", async () => {
  const before = await countRows(service, "event");
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await fire(key)));
  expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(202);
  expect(answers.filter(isReplay)).toHaveLength(49);
  expect((await countRows(service, "event")) - before).toBe(1);
});

covers(
  "idempotency.repeat.original",
  "copies that differ in their bodies and meet at once fire one of them",
  async () => {
    const before = await countRows(service, "event");
    const key = randomUUID();
    const bodies = Array.from({ length: 20 }, (_, at) => ({ ...event, data: { at } }));
    const answers = await Promise.all(bodies.map(async (body) => await fire(key, body)));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([202, ...Array.from({ length: 19 }, () => 422)]);
    expect((await countRows(service, "event")) - before).toBe(1);
  },
);

covers("idempotency.repeat.original", "an answer outlives the service that gave it", async () => {
  const key = randomUUID();
  const first = await fire(key);
  const successor = await startService({ on: service });
  try {
    const second = await fire(key, event, successor);
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  } finally {
    await successor.close();
  }
});

covers(
  "idempotency.repeat.original",
  "management writes are done once too, secrets in their answers included",
  async () => {
    const key = randomUUID();
    const body = { url: "http://127.0.0.1:9/once", events: ["*"] };
    const first = await post("/v1/webhook-endpoints", body, key);
    const before = await countRows(service, "endpoint");
    const second = await post("/v1/webhook-endpoints", body, key);
    expect([second.status, second.text, isReplay(second)]).toEqual([201, first.text, true]);
    expect(first.body["secret"]).toMatch(/^whsec_/);
    expect(await countRows(service, "endpoint")).toBe(before);
    const [kept] = await service.database.query<{ response_sealed: Buffer }>(
      "select response_sealed from idempotency where key = $1",
      [key],
    );
    expect(kept?.response_sealed.toString("latin1")).not.toContain("whsec_");
  },
);

covers(
  "idempotency.repeat.original",
  "a deletion repeated answers 204 again, and a toggle does not toggle back",
  async () => {
    const { id } = await service.endpoint("http://127.0.0.1:9/");
    const path = `/v1/webhook-endpoints/${id}`;
    const key = randomUUID();
    const toggled = [await post(`${path}/toggle`, undefined, key), await post(`${path}/toggle`, undefined, key)];
    expect(toggled.map((answer) => [answer.status, answer.body["active"], isReplay(answer)])).toEqual([
      [200, false, false],
      [200, false, true],
    ]);
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await service.api("DELETE", path, undefined, { headers });
    const second = await service.api("DELETE", path, undefined, { headers });
    expect([first, second].map((answer) => [answer.status, answer.text, isReplay(answer)])).toEqual([
      [204, "", false],
      [204, "", true],
    ]);
  },
);

covers(
  "idempotency.repeat.original",
  "concurrent management copies work once; the others get its answer or a 409",
  async () => {
    const before = await countRows(service, "endpoint");
    const key = randomUUID();
    const body = { url: "http://127.0.0.1:9/twenty", events: ["*"] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => await post("/v1/webhook-endpoints", body, key)),
    );
    for (const answer of answers) {
      expect([201, 409]).toContain(answer.status);
      if (answer.status !== 409) continue;
      expect([answer.body["code"], answer.headers.get("retry-after")]).toEqual(["idempotency_in_progress", "1"]);
    }
    expect((await countRows(service, "endpoint")) - before).toBe(1);
    expect((await post("/v1/webhook-endpoints", body, key)).status).toBe(201);
  },
);

covers("idempotency.op.webhooks-test", "a webhook test repeated sends nothing and shows the first result", async () => {
  const { id } = await service.endpoint("http://127.0.0.1:9/", { active: false });
  const key = randomUUID();
  const body = { endpoint_id: id, dry_run: true };
  const [first, second] = [await post("/v1/webhooks/test", body, key), await post("/v1/webhooks/test", body, key)];
  expect([first.status, second.text, isReplay(second)]).toEqual([200, first.text, true]);
});

covers(
  "idempotency.repeat.original",
  "a final refusal is kept: its body keeps the request id of the first",
  async () => {
    const { id } = await service.endpoint("http://127.0.0.1:9/");
    const absent = `/v1/deliveries/${id.replace("ep_", "dlv_")}/replay`;
    const key = randomUUID();
    const [first, second] = [await post(absent, undefined, key), await post(absent, undefined, key)];
    expect([first.status, second.text, isReplay(second)]).toEqual([404, first.text, true]);
    expect(second.headers.get("content-type")).toContain("application/problem+json");
  },
);

test("a refusal before any work leaves the idempotency key free", async () => {
  const key = randomUUID();
  const path = "/v1/webhook-endpoints";
  const body = { url: "http://127.0.0.1:9/", events: ["*"] };
  const readOnly = await mintKey(service, { permission_mode: "read_only" });
  const refusals = [
    await post(path, "{", key),
    await post(path, { ...body, unknown: 1 }, key),
    await post(path, { ...body, url: "http://10.0.0.1/" }, key),
    await post(path, { ...body, description: "x".repeat(300_000) }, key),
    await service.api("POST", path, body, { key: null, headers: { "Idempotency-Key": key } }),
    await service.api("POST", path, body, { key: readOnly.key, headers: { "Idempotency-Key": key } }),
  ];
  expect(refusals.map((answer) => answer.status)).toEqual([400, 422, 422, 413, 401, 403]);
  const done = await post(path, body, key);
  expect([done.status, isReplay(done)]).toEqual([201, false]);
});

test("keys of two lineages, and of the two environments, are apart", async () => {
  const key = randomUUID();
  const other = await mintKey(service);
  const headers = { "Idempotency-Key": key };
  const ids = [];
  for (const who of [service.key, other.key, service.sandboxKey])
    ids.push((await service.api("POST", "/v1/events/fire", event, { key: who, headers })).body["id"]);
  expect(new Set(ids).size).toBe(3);
});

test("an unfinished write refuses repeats until its lease expires, and other requests permanently", async () => {
  const key = randomUUID();
  const { id } = await service.endpoint("http://127.0.0.1:9/");
  const path = `/v1/webhook-endpoints/${id}/toggle`;
  await post(path, undefined, key);
  const unfinished =
    "update idempotency set status = null, response_sealed = null, owner = 'b1a0e3ba-6a4b-4c3f-8f0a-4d8ad3c3d0f1', leased_until = now() + $2::interval where key = $1";
  await service.database.query(unfinished, [key, "5 seconds"]);
  const kept = await post(path, undefined, key);
  expect([kept.status, kept.body["code"], kept.headers.get("retry-after")]).toEqual([
    409,
    "idempotency_in_progress",
    "1",
  ]);
  await service.database.query(unfinished, [key, "-1 seconds"]);
  expect((await service.api("DELETE", path, undefined, { headers: { "Idempotency-Key": key } })).status).toBe(405);
  expect((await post(`${path}?x=1`, undefined, key)).body["code"]).toBe("idempotency_key_reused");
  const done = await post(path, undefined, key);
  expect([done.status, isReplay(done)]).toEqual([200, false]);
  expect((await post(path, undefined, key)).text).toBe(done.text);
});

covers("idempotency.repeat.original", "a rolled key gets the stored answers of its lineage", async () => {
  const [before, after] = [await mintKey(service), await mintKey(service)];
  await setKey(service, after, { lineage_id: before.uuid });
  const headers = { "Idempotency-Key": randomUUID() };
  const first = await service.api("POST", "/v1/events/fire", event, { key: before.key, headers });
  const second = await service.api("POST", "/v1/events/fire", event, { key: after.key, headers });
  expect([second.status, second.text, isReplay(second)]).toEqual([202, first.text, true]);
});

test("keys of two workspaces are apart", async () => {
  const other = await otherWorkspace(service);
  const headers = { "Idempotency-Key": randomUUID() };
  const body = { url: "http://127.0.0.1:9/", events: ["*"] };
  const [one, two] = [
    await service.api("POST", "/v1/webhook-endpoints", body, { headers }),
    await service.api("POST", "/v1/webhook-endpoints", body, { key: other.key, headers }),
  ];
  expect([one.status, two.status, isReplay(two)]).toEqual([201, 201, false]);
  expect(two.body["id"]).not.toBe(one.body["id"]);
});

test("a refusal by the rate limit leaves the idempotency key free", async () => {
  const limited = await mintKey(service, { rate_limit_per_hour: 1 });
  const headers = { "Idempotency-Key": randomUUID() };
  const call = async (): Promise<ApiAnswer> =>
    await service.api("POST", "/v1/events/fire", event, { key: limited.key, headers });
  await service.api("GET", "/v1/events", undefined, { key: limited.key });
  expect((await call()).status).toBe(429);
  await setKey(service, limited, { rate_limit_per_hour: 1000 });
  const done = await call();
  expect([done.status, isReplay(done)]).toEqual([202, false]);
});

covers("idempotency.op.reads", "a GET may be repeated: it changes nothing and takes no idempotency key", async () => {
  const before = await countRows(service, "idempotency");
  const headers = { "Idempotency-Key": "same" };
  const answers = await Promise.all(
    ["/v1/events", "/v1/deliveries", "/v1/event-types"].map(
      async (path) => await service.api("GET", path, undefined, { headers }),
    ),
  );
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(await countRows(service, "idempotency")).toBe(before);
});

test("requests whose parts read alike when run together are different requests", () => {
  const one = requestHash("POST", "/v1/events/fire", "1a");
  for (const other of [
    requestHash("POST", "/v1/events/fire1", "a"),
    requestHash("POST/", "v1/events/fire", "1a"),
    requestHash("POST/v1/events/fire", "", "1a"),
  ])
    expect(other.equals(one)).toBe(false);
});
