import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { after, systemClock } from "../../lib/lib.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let aheadMs = 0;

beforeAll(async () => {
  service = await startService({
    env: { JUNCTION_RATE_LIMITS: '{"management.read": 100000, "management.write": 100000}' },
    deps: { clock: { ...systemClock, now: () => after(systemClock.now(), aheadMs) } },
  });
});
afterAll(async () => await service.close());

async function inbox(name: string): Promise<Parsed> {
  const made = await service.api("PUT", `/v1/inboxes/${name}`);
  expect(made.status).toBe(200);
  return made.body;
}

async function waiting(name: string, limit = 100): Promise<Parsed[]> {
  const { status, body } = await service.api("GET", `/v1/inboxes/${name}/messages?limit=${limit}`);
  expect(status).toBe(200);
  return body.data;
}

test("an inbox is created once for a name and shows its waiting messages", async () => {
  const first = await inbox("once");
  expect(first).toEqual({ object: "named_inbox", name: "once", url: expect.any(String) as string, waiting: 0 });
  const again = await Promise.all([1, 2, 3].map(async () => await inbox("once")));
  expect(again).toEqual([first, first, first]);
  const sandbox = await service.api("PUT", "/v1/inboxes/once", undefined, { key: service.sandboxKey });
  expect(sandbox.body.url).not.toBe(first.url);
});

test("a delivery waits unchanged until it is taken, and is taken once", async () => {
  const { url } = await inbox("bytes");
  const { secret } = await service.endpoint(url, { events: ["acme.bytes"] });
  for (const n of [1, 2, 3]) {
    const fired = await service.fire("acme.bytes", { n, total: 10.5 });
    await service.until(`/v1/deliveries/${fired.deliveries[0].id}`, ({ state }) => state === "delivered");
  }
  const messages = await waiting("bytes");
  expect(messages.map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 2, 3]);
  for (const { body, headers } of messages)
    expect(headers["x-service-signature"]).toBe(createHmac("sha256", secret).update(body).digest("hex"));
  expect((await inbox("bytes")).waiting).toBe(3);
  const page = await service.api("GET", "/v1/inboxes/bytes/messages?limit=2");
  expect([page.body.data.length, page.body.has_more]).toEqual([2, true]);

  const ids = messages.slice(0, 2).map(({ id }) => id);
  const take = async (): Promise<Parsed> => (await service.api("POST", "/v1/inboxes/bytes/take", { ids })).body;
  const taken = await Promise.all([take(), take()]);
  expect(taken.reduce((sum, one) => sum + one.taken, 0)).toBe(2);
  expect((await waiting("bytes")).map(({ id }) => id)).toEqual([messages[2].id]);
});

test("waiting messages are kept beyond the last 200, and taken ones are not", async () => {
  const { url } = await inbox("many");
  const path = new URL(url).pathname;
  for (let at = 0; at < 205; at += 1) await service.api("POST", path, `{"n":${at}}`, { key: null });
  const first = await waiting("many");
  expect(first[0].body).toBe('{"n":0}');
  const second = await service.api("POST", "/v1/inboxes/many/take", { ids: first.map(({ id }: Parsed) => id) });
  expect(second.body.taken).toBe(100);
  expect((await inbox("many")).waiting).toBe(105);
});

test("a full inbox answers 503 and keeps its configured failures", async () => {
  const { url } = await inbox("full");
  const path = new URL(url).pathname;
  const token = path.split("/").at(-1) ?? "";
  await service.database.query(
    `insert into inbox_message (bucket, token, id, headers, body, signature, answered, waiting)
     select bucket, token, gen_random_uuid(), '{}', 'x', 'unsigned', 200, true from inbox, generate_series(1, 2000)
     where token = encode(sha256('${token}'), 'hex')`,
  );
  await service.api("PUT", `${path}/behaviour`, { fail_times: 1 }, { key: null });
  const refused = await service.api("POST", path, "{}", { key: null });
  expect([refused.status, refused.body]).toEqual([503, { received: false }]);
  const [one] = await waiting("full", 1);
  await service.api("POST", "/v1/inboxes/full/take", { ids: [one.id] });
  const answers = [
    await service.api("POST", path, "{}", { key: null }),
    await service.api("POST", path, "{}", { key: null }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([500, 200]);
});

test("a message that no endpoint signed keeps its signature in an endpoint's inbox", async () => {
  const { url } = await inbox("tested");
  await service.endpoint(url, { events: ["acme.tested"] });
  const tested = await service.api("POST", "/v1/webhooks/test", { url });
  aheadMs = 600_000;
  const { body } = await service.api("GET", "/v1/inboxes/tested/messages");
  aheadMs = 0;
  const [message] = body.data;
  expect(message.signature).toBe("valid");
  expect(message.headers).toMatchObject({
    "webhook-signature": tested.body.request.headers["webhook-signature"],
    "webhook-timestamp": tested.body.request.headers["webhook-timestamp"],
  });
});

test("a message of one endpoint is not signed with another endpoint's secret", async () => {
  const { url } = await inbox("shared");
  await service.endpoint(url, { events: ["acme.shared"] });
  await service.endpoint(url, { events: ["acme.other"] });
  await service.fire("acme.shared");
  const { data } = await service.until("/v1/inboxes/shared/messages", (page) => page.data.length === 1);
  expect(data[0].headers["webhook-signature"].split(" ")).toHaveLength(1);
});

test("a valid message that waited gets a current time and signature", async () => {
  const { url } = await inbox("later");
  const { secret } = await service.endpoint(url, { events: ["acme.later"] });
  await service.fire("acme.later", { n: 1 });
  await service.until("/v1/inboxes/later/messages", ({ data }) => data.length === 1);
  await service.api("POST", new URL(url).pathname, "{}", {
    key: null,
    headers: { "Webhook-Id": "x", "Webhook-Timestamp": "7" },
  });
  aheadMs = 600_000;
  const { body } = await service.api("GET", "/v1/inboxes/later/messages");
  aheadMs = 0;
  const [signed, unsigned] = body.data;
  const at = Number(signed.headers["webhook-timestamp"]);
  expect(at * 1000).toBeGreaterThan(systemClock.now() + 500_000);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key)
    .update(`${signed.headers["webhook-id"]}.${at}.${signed.body}`)
    .digest("base64");
  expect(signed.headers["webhook-signature"]).toBe(`v1,${expected}`);
  expect(unsigned.headers["webhook-timestamp"]).toBe("7");
});

test("names, ids and environments are isolated", async () => {
  const { url } = await inbox("apart");
  await service.api("POST", new URL(url).pathname, "{}", { key: null });
  const [message] = await waiting("apart");
  const sandbox = { key: service.sandboxKey };
  const status = async (method: string, path: string, body?: unknown, options = {}): Promise<number> =>
    (await service.api(method, path, body, options)).status;
  expect(await status("PUT", "/v1/inboxes/No")).toBe(404);
  expect(await status("GET", "/v1/inboxes/none/messages")).toBe(404);
  expect(await status("GET", "/v1/inboxes/apart/messages", undefined, sandbox)).toBe(404);
  expect(await status("GET", "/v1/inboxes/apart/messages?limit=0")).toBe(400);
  expect(await status("POST", "/v1/inboxes/none/take", { ids: [message.id] })).toBe(404);
  expect(await status("POST", "/v1/inboxes/apart/take", { ids: [] })).toBe(422);
  await service.api("PUT", "/v1/inboxes/apart", undefined, sandbox);
  expect(await status("POST", "/v1/inboxes/apart/take", { ids: [message.id] }, sandbox)).toBe(403);
  expect(await waiting("apart")).toHaveLength(1);
});

test("named inboxes are listed in pages and deleted with their waiting messages", async () => {
  const sandbox = { key: service.sandboxKey };
  for (const name of ["page-1", "page-2", "page-3"])
    await service.api("PUT", `/v1/inboxes/${name}`, undefined, sandbox);
  const path = new URL((await service.api("PUT", "/v1/inboxes/page-2", undefined, sandbox)).body.url).pathname;
  await service.api("POST", path, "{}", { key: null });
  const first = await service.api("GET", "/v1/inboxes?limit=2", undefined, sandbox);
  expect(first.body.data.map(({ name, waiting: n }: Parsed) => [name, n])).toEqual([
    ["page-3", 0],
    ["page-2", 1],
  ]);
  const next = await service.api("GET", `/v1/inboxes?limit=100&cursor=${first.body.next_cursor}`, undefined, sandbox);
  expect(next.body.data[0].name).toBe("page-1");
  expect(next.body).toMatchObject({ has_more: false, next_cursor: null });
  const live = (await service.api("GET", "/v1/inboxes?limit=100")).body.data.map(({ name }: Parsed) => name);
  expect(live).not.toContain("page-1");
  expect((await service.api("GET", `/v1/inboxes?cursor=${first.body.next_cursor}`)).status).toBe(400);

  expect((await service.api("DELETE", "/v1/inboxes/page-2")).status).toBe(404);
  expect((await service.api("DELETE", "/v1/inboxes/page-2", undefined, sandbox)).status).toBe(204);
  expect((await service.api("DELETE", "/v1/inboxes/page-2", undefined, sandbox)).status).toBe(404);
  expect((await service.api("POST", path, "{}", { key: null })).status).toBe(404);
  const again = await service.api("PUT", "/v1/inboxes/page-2", undefined, sandbox);
  expect([again.body.waiting, new URL(again.body.url).pathname === path]).toEqual([0, false]);
});
