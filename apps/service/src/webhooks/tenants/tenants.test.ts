import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { bucketOf, createIdMaker, systemClock } from "../../lib/lib.ts";
import { makeSource, MAPPING } from "../../testing/inbound.ts";
import { mintKey, tagOfId, uuidOf } from "../../testing/keys.ts";
import { owned } from "../../testing/owned.ts";
import type { Owned } from "../../testing/owned.ts";
import { startReceiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let stays: Owned;
let shared: Owned;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  stays = await owned(service, { tenant: "stays" });
  shared = await owned(service, {});
});
afterAll(async () => await service.close());

const get = async (tenant: string): Promise<ApiAnswer> =>
  await service.api("GET", `/v1/tenants/${encodeURIComponent(tenant)}`);
const names = ({ body }: ApiAnswer): string[] => body["data"].map((one: Parsed) => one["tenant"]);

async function deleted(tenant: string): Promise<Parsed> {
  const started = await service.api("DELETE", `/v1/tenants/${encodeURIComponent(tenant)}`);
  expect(started.status).toBe(202);
  return await finished(tenant);
}

/** Waits for the end of the deletion, without the minute in which requests that began before it end. */
async function finished(tenant: string): Promise<Parsed> {
  await expect
    .poll(
      async () => {
        await service.database.query(
          "update tenant_deletion set due_at = now() where phase = 'deliveries' and due_at > now()",
        );
        return (await get(tenant)).body["deletion"]?.["state"];
      },
      { timeout: 30_000, interval: 200 },
    )
    .toBe("finished");
  return (await get(tenant)).body;
}

covers("openapi.document.complete", "each route of tenants responds as documented", async () => {
  await owned(service, { tenant: "documented" });
  await provesSuccesses(service, ["/v1/tenants"], {
    "GET /v1/tenants 200": async () => await service.api("GET", "/v1/tenants"),
    "GET /v1/tenants/{tenant} 200": async () => await get("documented"),
    "PATCH /v1/tenants/{tenant} 200": async () =>
      await service.api("PATCH", "/v1/tenants/documented", { name: "Documented" }),
    "DELETE /v1/tenants/{tenant} 202": async () => await service.api("DELETE", "/v1/tenants/documented"),
  });
});

describe("the list of tenants", () => {
  test("has each tenant that anything names, in order, by pages", async () => {
    await service.api("POST", "/v1/events/fire", { event: "tenants.list", data: {}, tenant: "list/by?event" });
    await mintKey(service, { tenant: "list.by.key" });
    await service.api("POST", "/v1/inbound-endpoints", { tenant: "list.by.source" });
    const url = "http://127.0.0.1:9/";
    await service.api("POST", "/v1/webhook-endpoints", { url, events: ["*"], tenant: "list.by.endpoint" });
    const wanted = ["list.by.endpoint", "list.by.key", "list.by.source", "list/by?event"];
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await service.api("GET", `/v1/tenants?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      found.push(...names(page));
      cursor = page.body["next_cursor"];
    }
    expect(found).toEqual(found.toSorted());
    expect(found.filter((name) => name.startsWith("list"))).toEqual(wanted);
    expect((await get("list/by?event")).body).toMatchObject({ tenant: "list/by?event", endpoints: 0 });
  });

  test("counts what a tenant has, and its events and failures", async () => {
    const { delivery } = await owned(service, { tenant: "counted" });
    await service.api("POST", `/v1/deliveries/${delivery}/cancel`);
    await service.database.query("update delivery set state = 'failed' where id = $1", [uuidOf(delivery)]);
    const { body } = await get("counted");
    expect(body).toMatchObject({ object: "tenant", endpoints: 1, sources: 1, keys: 2, deletion: null });
    expect([body["events_24h"], body["failures_24h"]]).toEqual([
      { count: 2, capped: false },
      { count: 1, capped: false },
    ]);
    expect(Date.now() - Date.parse(body["last_seen_at"])).toBeLessThan(60_000);
  });

  test("is of one workspace and environment, and closed to a tenant's key", async () => {
    const sandbox = await service.api("GET", "/v1/tenants", undefined, { key: service.sandboxKey });
    expect(names(sandbox)).toEqual([]);
    const { key } = await mintKey(service, { tenant: "stays" });
    for (const method of ["GET", "DELETE"]) {
      const answer = await service.api(method, "/v1/tenants/stays", undefined, { key });
      expect([answer.status, answer.body["code"]]).toEqual([403, "tenant_mismatch"]);
    }
    expect((await get("nobody")).status).toBe(404);
    expect((await service.api("DELETE", "/v1/tenants/nobody")).status).toBe(404);
    expect((await service.api("PATCH", `/v1/tenants/${"x".repeat(129)}`, { name: "X" })).status).toBe(404);
    expect((await service.api("DELETE", "/v1/tenants/nobody")).status).toBe(404);
  });
});

describe("the deletion of a tenant", () => {
  test("removes the keys of its lanes at the workspace's endpoints", async () => {
    const receiver = await startReceiver();
    await service.endpoint(receiver.url, { events: ["tenants.lanes"], ordering: { key: "tenant" } });
    await service.api("POST", "/v1/events/fire", { event: "tenants.lanes", data: {}, tenant: "laned" });
    await receiver.count(1);
    expect(receiver.received[0]?.headers["x-service-ordering-key"]).toBe("%22laned%22");
    const keys = `select 1 from lane where key = '"laned"' union all select 1 from delivery where lane = '"laned"'`;
    await expect.poll(async () => (await service.database.query(keys)).length).toBe(2);
    await deleted("laned");
    expect(await service.database.query(keys)).toEqual([]);
    await receiver.close();
  });

  test("removes what is the tenant's, and nothing else", async () => {
    const gone = await owned(service, { tenant: "gone" });
    const { key } = await mintKey(service, { tenant: "gone" });
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = { event: "tenants.later", data: {}, tenant: "gone", deliver_at };
    const scheduled = await service.api("POST", "/v1/events/fire", later);
    const { deletion, ...left } = await deleted("gone");
    expect(left).toMatchObject({ endpoints: 0, sources: 0, keys: 0, last_seen_at: null });
    expect(deletion).toMatchObject({
      phase: null,
      removed: { keys: 3, endpoints: 1, sources: 1, scheduled_events: 1, deliveries: 1, receipts: 1, events: 2 },
    });
    expect((await service.api("GET", "/v1/events", undefined, { key })).body["code"]).toBe("key_revoked");
    for (const path of [
      `webhook-endpoints/${gone.endpoint}`,
      `inbound-endpoints/${gone.source}`,
      `events/${gone.event}`,
      `events/${scheduled.body["id"]}`,
    ])
      expect([path, (await service.api("GET", `/v1/${path}`)).status]).toEqual([path, 404]);
    const receipt = await service.api("GET", `/v1/inbound-receipts/${gone.receipt}`);
    expect(receipt.body).toMatchObject({ raw_payload: "", headers: {}, reason_code: "erased", event_type: null });
    const delivery = await service.api("GET", `/v1/deliveries/${gone.delivery}`);
    expect(delivery.body).toMatchObject({ state: "cancelled", request: null });
    for (const one of [stays, shared])
      for (const path of [
        `webhook-endpoints/${one.endpoint}`,
        `inbound-endpoints/${one.source}`,
        `events/${one.event}`,
      ])
        expect([path, (await service.api("GET", `/v1/${path}`)).status]).toEqual([path, 200]);
    expect((await get("stays")).body).toMatchObject({ endpoints: 1, sources: 1, deletion: null });
    const kept = await service.api("GET", `/v1/inbound-receipts/${stays.receipt}`);
    expect(kept.body["raw_payload"]).not.toBe("");
  });

  test("ends the sessions and links of the portal, and forgets the contact", async () => {
    const spec = { tenant: "framed", capabilities: ["endpoints"], contact_email: "ops@framed.example" };
    const made = [
      await service.api("POST", "/v1/portal-sessions", spec),
      await service.api("POST", "/v1/portal-sessions", spec),
    ];
    const exchange = async ({ body }: ApiAnswer): Promise<ApiAnswer> => {
      const token = String(body["url"]).split("#token=")[1];
      return await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
    };
    const [first, second] = made as [ApiAnswer, ApiAnswer];
    const { credential } = (await exchange(first)).body;
    expect((await get("framed")).body).toMatchObject({ keys: 0, contact_email: "ops@framed.example" });
    expect(names(await service.api("GET", "/v1/tenants?limit=100"))).toContain("framed");
    expect(await deleted("framed")).toMatchObject({ contact_email: null, deletion: { removed: { keys: 0 } } });
    const used = await service.api("GET", "/v1/webhook-endpoints", undefined, { key: credential });
    expect([used.body["code"], (await exchange(second)).body["code"]]).toEqual(["key_revoked", "portal_token_invalid"]);
  });

  test("is audited, and returned again while it is under way", async () => {
    await owned(service, { tenant: "twice" });
    const [first, second] = await Promise.all([
      service.api("DELETE", "/v1/tenants/twice"),
      service.api("DELETE", "/v1/tenants/twice"),
    ]);
    expect(first.status).toBe(202);
    expect(second.body["id"]).toBe(first.body["id"]);
    const { body } = await service.api("GET", "/v1/audit?action=tenants.delete");
    expect(body["data"][0]).toMatchObject({ kind: "tenant", status: "ok", params_redacted: { tenant: "twice" } });
  });

  test("keeps what is made for the tenant afterwards", async () => {
    await owned(service, { tenant: "again" });
    const started = await service.api("DELETE", "/v1/tenants/again");
    const after = await owned(service, { tenant: "again" });
    expect(await finished("again")).toMatchObject({ endpoints: 1, sources: 1, keys: 2 });
    expect((await service.api("GET", `/v1/events/${after.event}`)).status).toBe(200);
    expect(started.status).toBe(202);
  });

  test("empties the logs a minute after its start", async () => {
    await owned(service, { tenant: "settled" });
    const started = await service.api("DELETE", "/v1/tenants/settled");
    await expect.poll(async () => (await get("settled")).body["deletion"]["phase"]).toBe("deliveries");
    const [row] = await service.database.query<{ wait: number }>(
      "select extract(epoch from due_at - now())::float8 as wait from tenant_deletion where tenant = 'settled'",
    );
    expect(row?.wait).toBeGreaterThan(40);
    expect(started.body["state"]).toBe("running");
    await finished("settled");
  });

  test("cancels the deliveries of its events, and removes their requests", async () => {
    const transform = { kind: "template", body: { n: "${$.data.n}" } };
    const more = { url: "http://127.0.0.1:9/pending", events: ["tenants.pending"], transform };
    await service.api("POST", "/v1/webhook-endpoints", more);
    const theirs = await service.api("POST", "/v1/webhook-endpoints", { ...more, tenant: "pending" });
    const fire = async (tenant: string): Promise<string[]> => {
      const event = { event: "tenants.pending", data: { n: 1 }, tenant };
      const { body } = await service.api("POST", "/v1/events/fire", event);
      return body["deliveries"].map((one: Parsed) => one["id"]);
    };
    const [gone, kept] = [await fire("pending"), await fire("stays")];
    expect([gone.length, kept.length]).toEqual([2, 1]);
    const requests = async (): Promise<number> => {
      const text = "select count(*)::int as n from delivery_request where delivery_id = any($1)";
      const [row] = await service.database.query<{ n: number }>(text, [[...gone, ...kept].map(uuidOf)]);
      return row?.n ?? 0;
    };
    await expect.poll(requests).toBe(3);
    // A killed node leaves the deliveries of the endpoint that it deletes pending.
    const text = "update endpoint set deleted_at = now(), active = false where id = $1";
    await service.database.query(text, [uuidOf(theirs.body["id"])]);
    expect((await deleted("pending"))["deletion"]["removed"]).toMatchObject({ deliveries: 1, events: 1 });
    const states: string[] = [];
    for (const id of [...gone, ...kept]) states.push((await service.api("GET", `/v1/deliveries/${id}`)).body["state"]);
    expect(states).toEqual(["cancelled", "cancelled", "pending"]);
    expect(await requests()).toBe(1);
  });

  test("continues where a killed node stopped, once its lease has ended", async () => {
    await owned(service, { tenant: "resumed" });
    const ids = createIdMaker(systemClock);
    const tag = tagOfId(stays.endpoint);
    const [workspace] = await service.database.query<{ id: string }>("select id from workspace where tag = $1", [tag]);
    await service.database.query(
      `insert into tenant_deletion (bucket, tag, id, workspace_id, tenant, phase, removed, due_at)
       values ($1, $2, $3, $4, 'resumed', 'endpoints', '{"keys": 2}', now() + interval '1 second')`,
      [bucketOf(tag), tag, ids.uuid(), workspace?.id],
    );
    const body = await finished("resumed");
    expect(body["deletion"]["removed"]).toMatchObject({ keys: 2, endpoints: 1, events: 2 });
    // The step that the killed node had finished is not repeated.
    expect(body["keys"]).toBe(2);
  });
});

describe("the audit log of a tenant", () => {
  test("has what its keys did and what anyone did for it", async () => {
    const api = async (method: string, path: string, body?: object, key = service.key): Promise<Parsed> =>
      (await service.api(method, path, body, { key })).body;
    const tenant = "audited";
    const theirs = await mintKey(service, { tenant });
    const own = await api(
      "POST",
      "/v1/webhook-endpoints",
      { url: "http://127.0.0.1:9/a", events: ["a.b"] },
      theirs.key,
    );
    const endpoint = await api("POST", "/v1/webhook-endpoints", {
      url: "http://127.0.0.1:9/b",
      events: ["a.b"],
      tenant,
    });
    await api("PATCH", `/v1/webhook-endpoints/${endpoint["id"]}`, { description: "changed" });
    await api("GET", `/v1/webhook-endpoints/${endpoint["id"]}/secret`);
    await api("GET", `/v1/webhook-endpoints/${endpoint["id"]}/headers`);
    await api("DELETE", `/v1/webhook-endpoints/${endpoint["id"]}`);
    await api("DELETE", `/v1/webhook-endpoints/${own["id"]}`);
    const source = await makeSource(service, { ...MAPPING, tenant });
    await api("DELETE", `/v1/inbound-endpoints/${source.id}`);
    const session = await api("POST", "/v1/portal-sessions", { tenant, capabilities: ["endpoints"] });
    const token = String(session["url"]).split("#token=")[1];
    await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
    const later = { event: "a.b", data: {}, tenant, deliver_at: new Date(Date.now() + 3_600_000).toISOString() };
    await api("DELETE", `/v1/events/${(await api("POST", "/v1/events/fire", later))["id"]}/schedule`);
    await api("POST", "/v1/webhook-endpoints", { url: "http://127.0.0.1:9/c", events: ["a.b"], tenant: "audited2" });
    await api("GET", `/v1/audit/export.csv?tenant=${tenant}`);
    await api("DELETE", `/v1/tenants/${tenant}`);

    const rows: Parsed[] = (await api("GET", `/v1/audit?limit=100&tenant=${tenant}`))["data"];
    const actions = rows.map(({ action }) => String(action)).toReversed();
    expect(actions.filter((action) => action !== "keys.create")).toEqual([
      "webhook_endpoints.create",
      "webhook_endpoints.create",
      "webhook_endpoints.update",
      "webhook_endpoints.secret",
      "webhook_endpoints.headers",
      "webhook_endpoints.delete",
      "webhook_endpoints.delete",
      "inbound_endpoints.create",
      "inbound_endpoints.delete",
      "portal_sessions.create",
      "portal_sessions.exchange",
      "events.cancel",
      "tenants.delete",
    ]);
    const csv = await service.api("GET", `/v1/audit/export.csv?tenant=${tenant}`);
    const lines = csv.text.trim().split("\r\n");
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines.at(-1)).toContain('""filtered"":true');
    expect((await api("GET", "/v1/audit/verify"))["ok"]).toBe(true);
  });

  test("cannot be read by the tenant's keys", async () => {
    const { key } = await mintKey(service, { tenant: "reader" });
    for (const path of ["/v1/audit?tenant=reader", "/v1/audit/export.csv?tenant=reader"]) {
      const answer = await service.api("GET", path, undefined, { key });
      expect([path, answer.status, answer.body["code"]]).toEqual([path, 403, "tenant_mismatch"]);
    }
  });
});

describe("the usage of a tenant", () => {
  const usage = async (query: string, key = service.key): Promise<Parsed> =>
    (await service.api("GET", `/v1/usage${query}`, undefined, { key })).body;

  test("is shown to the workspace and to its own keys", async () => {
    const tenant = "metered";
    const { key } = await mintKey(service, { tenant });
    const before = await usage("?tenant=metered");
    expect(before).toMatchObject({ tenant, total: { events: 0 }, other_tenants: { limit: 1000, events: 0 } });
    await owned(service, { tenant });
    await owned(service, { tenant: "metered-2" });
    await expect
      .poll(async () => (await usage("?tenant=metered"))["total"], { timeout: 30_000, interval: 500 })
      .toMatchObject({ events: 2, deliveries: 1, receipts: 1, attempts: 1, failed_attempts: 1, runs: 0 });
    const series = await usage("/series?hours=2&tenant=metered");
    const sum = (of: string): number => series["data"].reduce((total: number, hour: Parsed) => total + hour[of], 0);
    expect(series["data"]).toHaveLength(2);
    expect([sum("events"), sum("deliveries"), sum("receipts")]).toEqual([2, 1, 1]);
    expect(await usage("", key)).toMatchObject({ tenant, total: { events: 2 }, other_tenants: null });
    expect((await usage("/series", key))["tenant"]).toBe(tenant);
    expect((await usage("?tenant=metered-2", key))["code"]).toBe("tenant_mismatch");
    expect((await usage("/events", key))["code"]).toBe("tenant_mismatch");
    expect((await usage("?tenant=(other)"))["total"]).toMatchObject({ events: 0 });
  });

  test("is refused for days that are no longer kept", async () => {
    const answer = await usage("?tenant=metered&from=2026-01-01&to=2026-01-02");
    expect([answer["code"], answer["detail"]]).toEqual(["query_invalid", expect.stringContaining("30 days")]);
  });
});

test.each([".", "..", "a b", ""])("a tenant cannot be named %j, which no URL could contain", async (tenant) => {
  const url = "http://127.0.0.1:9/named";
  for (const [path, body] of [
    ["events/fire", { event: "a.b", data: {}, tenant }],
    ["webhook-endpoints", { url, events: ["a.b"], tenant }],
    ["keys", { name: "Named", permission_mode: "all", tenant }],
    ["portal-sessions", { tenant, capabilities: ["endpoints"] }],
  ] as const) {
    const { status, body: answer } = await service.api("POST", `/v1/${path}`, body);
    expect([path, status, answer["errors"]?.[0]?.["pointer"]]).toEqual([path, 422, "/tenant"]);
    if (tenant === "..") expect(answer["errors"][0]["message"]).toContain('not "." or ".."');
  }
});

test.each(["...", ".a", "a/../b", "a%2e"])("a tenant named %j can be shown and deleted", async (tenant) => {
  await service.api("POST", "/v1/events/fire", { event: "a.b", data: {}, tenant });
  expect((await get(tenant)).body["tenant"]).toBe(tenant);
  expect((await service.api("DELETE", `/v1/tenants/${encodeURIComponent(tenant)}`)).status).toBe(202);
});

test("a mapping reads the tenant of its source, not of the payload", async () => {
  const summary_template = "${$.type} of ${@tenant} ${tenant}";
  const summaries: unknown[] = [];
  for (const more of [{ tenant: "${$.email}" }, {}]) {
    const source = await makeSource(service, { ...MAPPING, summary_path: null, summary_template, ...more });
    const answer = await source.send(JSON.stringify({ email: "ada@example.com", type: "paid", tenant: "another" }));
    const receipt = await service.api("GET", `/v1/inbound-receipts/${answer.body["receipt_id"]}`);
    summaries.push(receipt.body["extracted"]["summary"]);
    const event = await service.api("GET", `/v1/events/${receipt.body["event_id"]}`);
    summaries.push(event.body["tenant"]);
  }
  expect(summaries).toEqual(["paid of ${$.email} another", "${$.email}", "paid of  another", null]);
  const refused = await service.api("POST", "/v1/inbound-endpoints", { name: "x", summary_template: "${@else}" });
  expect(refused.body["errors"]).toMatchObject([{ pointer: "/summary_template" }]);
});
