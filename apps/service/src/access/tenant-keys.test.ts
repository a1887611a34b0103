import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdPrefix } from "../lib/lib.ts";
import { documentedOperations } from "../testing/documented.ts";
import { FOR_TENANTS } from "../testing/for-tenants.ts";
import { absentId, mintKey, scopeOf, setKey, tagOfId } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { owned, OWNED_EVENT } from "../testing/owned.ts";
import type { Owned } from "../testing/owned.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** The kinds of the ids in paths, by the beginning of the operation. */
const KINDS: readonly (readonly [string, keyof Owned])[] = [
  ["events.", "event"],
  ["deliveries.", "delivery"],
  ["keys.", "key"],
  ["mcp_tokens.", "key"],
  ["inbound_endpoints.", "source"],
  ["inbound_receipts.", "receipt"],
  ["replays.", "replay"],
  ["issues.", "issue"],
  ["webhook_endpoints.", "endpoint"],
];

function kindOf(operation: string): keyof Owned {
  return KINDS.find(([start]) => operation.startsWith(start))?.[1] ?? "endpoint";
}

/** The kinds of what can be named in a query or a body. */
const PREFIXES: Readonly<Record<string, keyof Owned>> = {
  evt: "event",
  dlv: "delivery",
  key: "key",
  src: "source",
  rcp: "receipt",
  job: "replay",
  iss: "issue",
  ep: "endpoint",
};

/** The other arguments of operations that name an object in their body. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  "replays.create": { dry_run: true },
  "webhook_endpoints.transform.test": { transform: { kind: "template", body: {} } },
};

let service: TestService;
let routes: Route[];
let key: TestKey;
let mine: Owned;
/** The things of a tenant whose name begins with this one's, and those of the workspace. */
let others: readonly Owned[];

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  const { paths } = (await service.api("GET", "/openapi.json")).body as {
    paths: Record<string, Record<string, { "x-operation"?: string }>>;
  };
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { "x-operation": name }]) =>
      name === undefined ? [] : [{ name, method: method.toUpperCase(), path }],
    ),
  );
  key = await mintKey(service, { tenant: "a" });
  // Beyond the tenant, the key has all rights.
  await setKey(service, key, { role: "owner" });
  mine = await owned(service, { tenant: "a" });
  others = [await owned(service, { tenant: "ab" }), await owned(service, {})];
});
afterAll(async () => await service.close());
async function asTenant(method: string, path: string, body?: object): Promise<ApiAnswer> {
  return await service.api(method, path, method === "GET" ? undefined : body, { key: key.key });
}
const ids = ({ body }: ApiAnswer): string[] => body["data"].map((one: Parsed) => one["id"]);

test("every operation refuses a tenant's key unless it is for tenants", async () => {
  const barred = await mintKey(service, { tenant: "a", ip_allowlist: ["203.0.113.0/24"] });
  await setKey(service, barred, { role: "owner" });
  const open: string[] = [];
  for (const { name, method, path } of routes) {
    const at = path.replaceAll(/\{[^}]+\}/g, "x");
    const { body } = await service.api(method, at, method === "GET" ? undefined : {}, { key: barred.key });
    if (body["code"] === "ip_not_allowed") open.push(name);
    else expect([name, body["code"]]).toEqual([name, "tenant_mismatch"]);
  }
  expect(open.toSorted()).toEqual(FOR_TENANTS);
});

test("no operation for tenants finds what is another tenant's or the workspace's", async () => {
  const arguments_: Readonly<Record<string, object>> = {
    "webhook_endpoints.update": { description: "stolen" },
    "webhook_endpoints.backfill": { from: "2026-01-01T00:00:00Z" },
    "webhook_endpoints.explain": { event: OWNED_EVENT },
    "webhook_endpoints.filter.preview": { filter: null },
    ...Object.fromEntries(["retry", "skip"].map((of) => [`webhook_endpoints.lanes.${of}`, { all: true }])),
    "webhook_endpoints.replay_failed": { since: "2026-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z" },
    "webhook_endpoints.transform.test": { event: OWNED_EVENT, transform: { kind: "template", body: {} } },
    "inbound_endpoints.update": { description: "stolen" },
    "inbound_endpoints.preview": { payload: {} },
    "keys.update": { name: "stolen" },
    "webhooks.commit": { consumer: "c", lease_id: "x" },
    "webhooks.pull": { consumer: "c" },
    "webhooks.release": { consumer: "c", lease_id: "x" },
    "webhooks.seek": { consumer: "c", to: "end" },
  };
  const named = routes.filter(({ name, path }) => FOR_TENANTS.includes(name) && path.includes("{id}"));
  const whole = FOR_TENANTS.filter((name) => !named.some((one) => one.name === name));
  expect(whole).toEqual([
    "deliveries.list",
    "event_types.get",
    "event_types.list",
    "events.batch",
    "events.fire",
    "events.list",
    "inbound_endpoints.create",
    "inbound_endpoints.list",
    "inbound_presets.list",
    "inbound_receipts.list",
    "issues.list",
    "keys.create",
    "keys.list",
    "mcp_tokens.create",
    "mcp_tokens.list",
    "me.get",
    "replays.create",
    "replays.list",
    "search.list",
    "senders.list",
    "stream.open",
    "transform_presets.list",
    "usage.get",
    "usage.series",
    "webhook_endpoints.create",
    "webhook_endpoints.list",
    "webhooks.test",
  ]);
  for (const { name, method, path } of named) {
    for (const other of others) {
      const answer = await asTenant(
        method,
        path.replace("{id}", other[kindOf(name)]).replace("{consumer}", "c"),
        arguments_[name] ?? {},
      );
      expect([name, answer.status, answer.body["code"]]).toEqual([name, 404, "not_found"]);
    }
  }
  for (const { endpoint } of others) {
    const { body } = await service.api("GET", `/v1/webhook-endpoints/${endpoint}`);
    expect([body["active"], body["description"]]).toEqual([true, ""]);
  }
  for (const other of others) {
    const shown = await service.api("GET", `/v1/keys/${other.key}`);
    expect([shown.body["name"], shown.body["revoked_at"], shown.body["replaced_by"]]).toEqual(["test", null, null]);
    const source = await service.api("GET", `/v1/inbound-endpoints/${other.source}`);
    expect([source.body["active"], source.body["description"]]).toEqual([true, ""]);
  }
});

interface Named {
  readonly route: Route;
  /** The member of the query or the body that names an object. */
  readonly place: string;
  readonly prefix: IdPrefix;
  readonly kind: keyof Owned;
  readonly isList: boolean;
}

async function namedInArguments(): Promise<Named[]> {
  const documented = await documentedOperations(service);
  return routes
    .filter(({ name }) => FOR_TENANTS.includes(name))
    .flatMap((route) => {
      const { members } = documented.find(({ name }) => name === `${route.method} ${route.path}`) ?? { members: {} };
      return Object.entries<Parsed>(members).flatMap(([place, schema]): Named[] => {
        const prefix = /An id that begins with `(\w+)_`/.exec(JSON.stringify(schema))?.[1] as IdPrefix | undefined;
        const kind = PREFIXES[prefix ?? ""];
        if (prefix === undefined || kind === undefined || schema["type"] === "object") return [];
        return [{ route, place, prefix, kind, isList: schema["type"] === "array" }];
      });
    });
}

/** Returns the response for this id, without what differs in each one. */
async function answerTo({ route: { name, method, path }, place, isList }: Named, id: string): Promise<object> {
  const own = path.replace("{id}", mine[kindOf(name)]);
  const body = { ...ARGUMENTS[name], [place]: isList ? [id] : id };
  const { status, text } = await asTenant(method, method === "GET" ? `${own}?${place}=${id}` : own, body);
  return { name, place, status, text: text.replaceAll(id, ":id").replace(/"(request_id|id|created_at)":"[^"]+"/g, "") };
}

test("foreign ids in queries and bodies are answered like absent ones", async () => {
  const named = await namedInArguments();
  for (const one of named) {
    const absent = await answerTo(one, absentId({ tag: tagOfId(mine.event) }, one.prefix));
    for (const other of others) expect(await answerTo(one, other[one.kind])).toEqual(absent);
  }
  expect(named.map(({ route, place }) => `${route.name} ${place}`)).toEqual([
    "deliveries.list endpoint_id",
    "events.refire endpoint_id",
    "inbound_receipts.list source_id",
    "replays.create delivery_ids",
    "webhook_endpoints.explain event_id",
    "webhook_endpoints.transform.test event_id",
    "webhooks.test endpoint_id",
  ]);
});

test("lists show a tenant's key only what is that tenant's", async () => {
  expect(ids(await asTenant("GET", "/v1/webhook-endpoints?with=stats"))).toEqual([mine.endpoint]);
  expect(ids(await asTenant("GET", `/v1/events?event=${OWNED_EVENT}`))).toEqual([mine.event]);
  expect(ids(await asTenant("GET", "/v1/deliveries"))).toEqual([mine.delivery]);
  for (const query of [`endpoint_id=${others[1]?.endpoint}`, `q=${others[0]?.delivery}`, `q=${others[1]?.event}`])
    expect([query, ids(await asTenant("GET", `/v1/deliveries?${query}`))]).toEqual([query, []]);
  expect(ids(await asTenant("GET", "/v1/inbound-endpoints"))).toEqual([mine.source]);
  const receipts = await asTenant("GET", "/v1/inbound-receipts");
  expect(ids(receipts)).toEqual([mine.receipt]);
  expect([receipts.body["data"][0]["contact_id"], receipts.body["data"][0]["activity_id"]]).toEqual([null, null]);
  expect(ids(await asTenant("GET", `/v1/inbound-receipts?source_id=${others[0]?.source}`))).toEqual([]);
  expect(ids(await asTenant("GET", "/v1/replays"))).toEqual([mine.replay]);
  expect(ids(await asTenant("GET", "/v1/issues"))).toEqual([mine.issue]);
  expect(ids(await asTenant("GET", `/v1/issues?object_id=${others[0]?.endpoint}`))).toEqual([]);
  const keys = await asTenant("GET", "/v1/keys");
  expect(new Set(keys.body["data"].map((one: Parsed) => one["tenant"]))).toEqual(new Set(["a"]));
  for (const list of ["events", "deliveries", "webhook-endpoints", "inbound-endpoints", "keys"]) {
    const refused = await asTenant("GET", `/v1/${list}?tenant=ab`);
    expect([refused.status, refused.body["code"]]).toEqual([403, "tenant_mismatch"]);
  }
  const page = await service.api("GET", "/v1/events?limit=1");
  const next = await asTenant("GET", `/v1/events?limit=1&cursor=${page.body["next_cursor"]}`);
  expect([next.status, next.body["code"]]).toEqual([400, "cursor_invalid"]);
});

test("an event shows a tenant's key its own deliveries and no stages", async () => {
  const on = "tenant-keys.rule";
  await service.api("POST", "/v1/rules", {
    name: "Own",
    on: [on],
    then: [{ type: "notify", to: ["ops@example.com"], message: "x" }],
  });
  const more = { url: "http://127.0.0.1:9/tenant-keys", events: [on] };
  const own = await service.api("POST", "/v1/webhook-endpoints", { ...more, tenant: "a" });
  await service.api("POST", "/v1/webhook-endpoints", more);
  const fired = await service.api("POST", "/v1/events/fire", { event: on, data: {}, tenant: "a" });
  expect(fired.body["deliveries"]).toHaveLength(2);
  const whole = await service.api("GET", `/v1/events/${fired.body["id"]}`);
  expect(whole.body["stages"].map((one: Parsed) => one["kind"])).toContain("rule");
  const { body } = await asTenant("GET", `/v1/events/${fired.body["id"]}`);
  expect(body["deliveries"].map((one: Parsed) => one["endpoint_id"])).toEqual([own.body["id"]]);
  expect(body["stages"]).toEqual([]);
  const preview = await asTenant("POST", `/v1/webhook-endpoints/${own.body["id"]}/filter/preview`, { filter: null });
  const all = await service.api("POST", `/v1/webhook-endpoints/${own.body["id"]}/filter/preview`, { filter: null });
  expect(preview.body["examined"]).toBeLessThan(all.body["examined"]);
  const asked = await asTenant("POST", `/v1/webhook-endpoints/${own.body["id"]}/explain`, {
    event_id: others[0]?.event,
  });
  expect(asked.status).toBe(404);
  await service.api("DELETE", `/v1/webhook-endpoints/${own.body["id"]}`);
});

describe("a tenant's key", () => {
  test("creates endpoints of its tenant, and of no other", async () => {
    const body = { url: "http://127.0.0.1:9/tenant-keys", events: ["*"] };
    const made = await asTenant("POST", "/v1/webhook-endpoints", body);
    expect([made.status, made.body["tenant"]]).toEqual([201, "a"]);
    expect((await asTenant("POST", "/v1/webhook-endpoints", { ...body, tenant: "a" })).status).toBe(201);
    for (const tenant of ["ab", null]) {
      const refused = await asTenant("POST", "/v1/webhook-endpoints", { ...body, tenant });
      expect([refused.status, refused.body["code"]]).toEqual([403, "tenant_mismatch"]);
    }
    const general = await asTenant("POST", "/api/v1.php", {
      action: "webhook_endpoints.create",
      ...body,
      tenant: "ab",
    });
    expect([general.status, general.body["code"]]).toEqual([403, "tenant_mismatch"]);
    const path = `/v1/webhook-endpoints/${made.body["id"]}`;
    expect((await asTenant("PATCH", path, { tenant: "ab" })).body["code"]).toBe("tenant_mismatch");
    const secret = await asTenant("GET", `${path}/secret`);
    expect(secret.body["secret"]).toBe(made.body["secret"]);
    expect((await asTenant("DELETE", path)).status).toBe(204);
  });

  test("is shown with its tenant, which stays through changes and rolls", async () => {
    const one = await mintKey(service, { tenant: "a", permission_mode: "read_only" });
    const shown = await service.api("GET", `/v1/keys/${one.id}`);
    expect(shown.body).toMatchObject({ tenant: "a", permission_mode: "read_only", blocked_actions: [] });
    const changed = await service.api("PATCH", `/v1/keys/${one.id}`, { permission_mode: "all", name: "Other" });
    expect(changed.body).toMatchObject({ tenant: "a", permission_mode: "all", blocked_actions: [] });
    expect((await service.api("PATCH", `/v1/keys/${one.id}`, { tenant: "b" })).status).toBe(422);
    const rolled = await service.api("POST", `/v1/keys/${one.id}/roll`, {});
    expect(rolled.body).toMatchObject({ tenant: "a", permission_mode: "all" });
    const { body } = await service.api("GET", "/v1/events", undefined, { key: rolled.body["key"] });
    expect(new Set(body["data"].map((event: Parsed) => event["tenant"]))).toEqual(new Set(["a"]));
  });

  test("keeps its mode and its list", async () => {
    const reader = await mintKey(service, { tenant: "a", permission_mode: "read_only" });
    const blocked = await mintKey(service, {
      tenant: "a",
      permission_mode: "restricted",
      blocked_actions: ["events.list"],
    });
    const body = { url: "http://127.0.0.1:9/", events: ["*"] };
    const codes = [
      await service.api("POST", "/v1/webhook-endpoints", body, { key: reader.key }),
      await service.api("GET", "/v1/events", undefined, { key: blocked.key }),
      await service.api("GET", "/v1/deliveries", undefined, { key: blocked.key }),
    ].map((answer) => answer.body["code"]);
    expect(codes).toEqual(["key_read_only", "action_blocked", undefined]);
  });

  test("blocks everything for nodes of the previous version", async () => {
    const [row] = await service.database.query("select permission_mode, blocked_actions from api_key where id = $1", [
      key.uuid,
    ]);
    expect(row).toEqual({ permission_mode: "restricted", blocked_actions: ["*"] });
  });
});

test("the database hides the rows of others from a tenant's work", async () => {
  const { db } = service.service;
  const scope = { ...(await scopeOf(service, service.key)), tenant: "a" };
  type Limited = "event" | "endpoint" | "scheduled_event" | "inbound_source" | "api_key" | "replay_job" | "issue";
  const count = async (table: Limited): Promise<unknown[]> =>
    await db.within(scope, async () => {
      const rows = await db.query.selectFrom(table).select("tenant").distinct().execute();
      return rows.map((row) => row.tenant);
    });
  const limited: Limited[] = ["event", "endpoint", "inbound_source", "api_key", "replay_job", "issue"];
  for (const table of limited) expect([table, await count(table)]).toEqual([table, ["a"]]);
  const changed = await db.within(
    scope,
    async () =>
      await db.transaction(
        async (tx) =>
          await tx.query.updateTable("endpoint").set({ active: false }).where("tenant", "=", "ab").execute(),
      ),
  );
  expect(changed[0]?.numUpdatedRows).toBe(0n);
  const stolen = db.within(
    scope,
    async () => await db.query.updateTable("endpoint").set({ tenant: "ab" }).where("tenant", "=", "a").execute(),
  );
  await expect(stolen).rejects.toThrow(/row-level security/);
});
