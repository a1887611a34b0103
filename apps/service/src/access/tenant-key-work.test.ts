import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSource, MAPPING } from "../testing/inbound.ts";
import { mintKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { owned } from "../testing/owned.ts";
import type { Owned } from "../testing/owned.ts";
import { startService } from "../testing/service.ts";
import { openStream } from "../testing/stream.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let key: TestKey;
let mine: Owned;
/** The things of a tenant whose name begins with this one's, and those of the workspace. */
let others: readonly Owned[];

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  key = await mintKey(service, { tenant: "a", role: "admin" });
  mine = await owned(service, { tenant: "a" });
  others = [await owned(service, { tenant: "ab" }), await owned(service, {})];
});
afterAll(async () => await service.close());

async function asTenant(method: string, path: string, body?: object): Promise<ApiAnswer> {
  return await service.api(method, path, method === "GET" ? undefined : body, { key: key.key });
}

const ids = ({ body }: ApiAnswer): string[] => body["data"].map((one: Parsed) => one["id"]);

describe("a tenant's key fires", () => {
  const fired = "tenant-keys.fired";
  const fire = async (more: object): Promise<ApiAnswer> =>
    await asTenant("POST", "/v1/events/fire", { event: fired, data: { tenant: "ab" }, ...more });

  test("events of its tenant only, and sees only its own deliveries", async () => {
    await service.api("POST", "/v1/rules", {
      name: "Fired",
      on: [fired],
      then: [{ type: "notify", to: ["ops@example.com"], message: "x" }],
    });
    const more = { url: "http://127.0.0.1:9/tenant-keys", events: [fired] };
    const own = await service.api("POST", "/v1/webhook-endpoints", { ...more, tenant: "a" });
    const shared = await service.api("POST", "/v1/webhook-endpoints", more);
    const foreign = await service.api("POST", "/v1/webhook-endpoints", { ...more, tenant: "ab" });
    const answer = await fire({});
    expect([answer.status, answer.body["tenant"]]).toEqual([202, "a"]);
    expect(answer.body["deliveries"].map((one: Parsed) => one["endpoint_id"])).toEqual([own.body["id"]]);
    expect(answer.body["subscribers"].map((one: Parsed) => one["kind"])).toEqual(["webhook"]);
    const all = await service.api("GET", `/v1/events/${answer.body["id"]}`);
    expect(new Set(all.body["deliveries"].map((one: Parsed) => one["endpoint_id"]))).toEqual(
      new Set([own.body["id"], shared.body["id"]]),
    );
    expect(all.body["stages"].map((one: Parsed) => one["kind"])).toContain("rule");
    const again = await asTenant("POST", `/v1/events/${answer.body["id"]}/refire`);
    expect([again.status, again.body["tenant"], again.body["deliveries"].length]).toEqual([202, "a", 1]);
    for (const one of [own, shared, foreign]) await service.api("DELETE", `/v1/webhook-endpoints/${one.body["id"]}`);
  });

  test("no event of another tenant, in a batch neither", async () => {
    expect((await fire({ tenant: "ab" })).body["code"]).toBe("tenant_mismatch");
    const event = { event: fired, data: {} };
    const batch = await asTenant("POST", "/v1/events/batch", {
      events: [
        { ...event, tenant: "a" },
        { ...event, tenant: "ab" },
      ],
    });
    expect([batch.status, batch.body["code"]]).toEqual([403, "tenant_mismatch"]);
    const good = await asTenant("POST", "/v1/events/batch", { events: [event, { ...event, tenant: "a" }] });
    expect(good.body["data"].map((one: Parsed) => one["tenant"])).toEqual(["a", "a"]);
    expect(ids(await service.api("GET", `/v1/events?event=${fired}&tenant=ab`))).toEqual([]);
  });

  test("an event for later, which only its tenant can cancel", async () => {
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    const mineLater = await fire({ deliver_at });
    const other = await service.api("POST", "/v1/events/fire", { event: fired, data: {}, tenant: "ab", deliver_at });
    expect((await asTenant("DELETE", `/v1/events/${other.body["id"]}/schedule`)).status).toBe(404);
    expect((await asTenant("DELETE", `/v1/events/${mineLater.body["id"]}/schedule`)).status).toBe(204);
    expect(ids(await asTenant("GET", "/v1/events?status=scheduled"))).toEqual([]);
  });
});

describe("replays of a tenant's key", () => {
  test("count and reopen only the tenant's deliveries", async () => {
    const count = async (body: object): Promise<unknown> =>
      (await asTenant("POST", "/v1/replays", { ...body, dry_run: true })).body["count"];
    await service.database.query("update endpoint set active = true");
    for (const { delivery } of [mine, ...others]) await service.api("POST", `/v1/deliveries/${delivery}/cancel`);
    await service.database.query("update delivery set state = 'failed' where state = 'cancelled'");
    const delivery_ids = [mine, ...others].map(({ delivery }) => delivery);
    expect(await count({ delivery_ids })).toBe(1);
    const all = await service.api("POST", "/v1/replays", { delivery_ids, dry_run: true });
    expect(all.body["count"]).toBe(3);
    expect(await count({ filter: { endpoint_id: others[0]?.endpoint } })).toBe(0);
    const refused = await asTenant("POST", "/v1/replays", { filter: { tenant: "ab" } });
    expect([refused.status, refused.body["code"]]).toEqual([403, "tenant_mismatch"]);
    const job = await asTenant("POST", "/v1/replays", { delivery_ids });
    await expect
      .poll(async () => (await asTenant("GET", `/v1/replays/${job.body["id"]}`)).body, { timeout: 20_000 })
      .toMatchObject({ state: "finished", total: 1, done: 1 });
    for (const { delivery } of others)
      expect((await service.api("GET", `/v1/deliveries/${delivery}`)).body["state"]).toBe("failed");
  });
});

describe("keys that a tenant's key makes", () => {
  test("are of the same tenant, and no wider", async () => {
    const made = await asTenant("POST", "/v1/keys", { name: "second", permission_mode: "all" });
    expect([made.status, made.body["tenant"]]).toEqual([201, "a"]);
    const { body } = await service.api("GET", "/v1/events", undefined, { key: made.body["key"] });
    expect(new Set(body["data"].map((one: Parsed) => one["tenant"]))).toEqual(new Set(["a"]));
    const other = await asTenant("POST", "/v1/keys", { name: "other", permission_mode: "all", tenant: "ab" });
    expect([other.status, other.body["code"]]).toEqual([403, "tenant_mismatch"]);
    const rolled = await asTenant("POST", `/v1/keys/${made.body["id"]}/roll`);
    expect([rolled.status, rolled.body["tenant"]]).toEqual([201, "a"]);
    expect((await asTenant("POST", `/v1/keys/${rolled.body["id"]}/revoke`)).body["revoked_at"]).not.toBeNull();
    const me = await asTenant("GET", "/v1/me");
    expect(me.body["key"]).toMatchObject({ id: key.id, tenant: "a" });
  });
});

test("a tenant's source reaches the workspace's endpoints", async () => {
  const source = await makeSource(service, { ...MAPPING, event_name: "tenant-keys.inbound" }, key.key);
  expect(source.shown["tenant"]).toBe("a");
  const shared = await service.api("POST", "/v1/webhook-endpoints", {
    url: "http://127.0.0.1:9/tenant-keys",
    events: ["tenant-keys.inbound"],
  });
  const { body: received } = await source.send(JSON.stringify({ id: "later", type: "x" }));
  expect(received["status"]).toBe("unmapped");
  await asTenant("PATCH", `/v1/inbound-endpoints/${source.id}`, { contact: "none" });
  const again = await asTenant("POST", `/v1/inbound-receipts/${received["receipt_id"]}/reprocess`);
  expect(again.body["status"]).toBe("ok");
  const event = await service.api("GET", `/v1/events/${again.body["event_id"]}`);
  expect([event.body["tenant"], event.body["deliveries"].map((one: Parsed) => one["endpoint_id"])]).toEqual([
    "a",
    [shared.body["id"]],
  ]);
  await service.api("DELETE", `/v1/webhook-endpoints/${shared.body["id"]}`);
});

test("the stream of a tenant's key contains only what is that tenant's", async () => {
  const stream = await openStream(service, "", { Authorization: `Bearer ${key.key}` });
  const open = await stream.until(({ event }) => event === "open");
  expect(open.data["kinds"]).toEqual(["delivery", "receipt", "health"]);
  await service.api("POST", `/v1/webhook-endpoints/${others[0]?.endpoint}/toggle`);
  await service.api("POST", `/v1/webhook-endpoints/${mine.endpoint}/toggle`);
  const health = await stream.until(({ event }) => event === "health");
  expect(health.data["id"]).toBe(mine.endpoint);
  await service.api("POST", "/v1/events/fire", { event: "tenant-keys.stream", data: {}, tenant: "ab" });
  await service.api("POST", `/v1/webhook-endpoints/${mine.endpoint}/toggle`);
  await service.api("POST", `/v1/webhook-endpoints/${others[0]?.endpoint}/toggle`);
  await stream.until(({ event, data }) => event === "health" && data["active"] === true);
  const foreign = others.flatMap((other) => Object.values(other) as string[]);
  expect(foreign.filter((id) => stream.text().includes(id))).toEqual([]);
  stream.leave();
  const own = { Authorization: `Bearer ${service.key}` };
  const limited = await openStream(service, "?tenant=a&max_seconds=0", own);
  const kinds = await limited.until(({ event }) => event === "open");
  expect(kinds.data["kinds"]).toEqual(["delivery", "receipt", "health"]);
  expect((await openStream(service, "?tenant=a&kinds=proposal", own)).status).toBe(403);
  expect((await openStream(service, "?tenant=ab", { Authorization: `Bearer ${key.key}` })).status).toBe(403);
  const proposals = await openStream(service, "?kinds=proposal", { Authorization: `Bearer ${key.key}` });
  expect(proposals.status).toBe(403);
});

test("the database refuses an endpoint of a tenant whose patterns name no tenant", async () => {
  // A node of the version before tenants stores the patterns of a change as they are.
  const change = service.database.query("update endpoint set events = '{*}' where tenant = 'a'");
  await expect(change).rejects.toThrow(/endpoint_entries_of_tenant/);
});
