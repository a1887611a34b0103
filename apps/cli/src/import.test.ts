import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../service/src/testing/receiver.ts";
import type { Received, Receiver } from "../../service/src/testing/receiver.ts";
import { startService } from "../../service/src/testing/service.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";
import { cli, home } from "./testing/cli.ts";
import type { Ran } from "./testing/cli.ts";
import { convoyList, outpostList, Paged, startPeer, svixList } from "./testing/peers.ts";
import type { FakePeer } from "./testing/peers.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const APP = "app_1srOrx2ZWZBpBUvZwXKQmoEYga2";
const EP = "ep_2cUYMGXSAdfmUhHvSBPSsWBsvD8";
const SINCE = "2026-01-01T00:00:00Z";

let service: TestService;
let receiver: Receiver;
let folder: string;
const peers: FakePeer[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  folder = await home();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  for (const peer of peers) await peer.close();
});

async function imported(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const account = { JUNCTION_API_KEY: service.key, JUNCTION_BASE_URL: service.baseUrl };
  return await cli(["import", ...args], { env: { ...account, ...env } });
}

async function svix(method: string, path: string, body?: object): Promise<Parsed> {
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.json();
}

function isSigned(got: Received | undefined, secret: string | Buffer, prefix = "svix"): boolean {
  if (got === undefined) throw new Error("nothing came");
  const { headers, body } = got;
  const content = `${String(headers[`${prefix}-id`])}.${String(headers[`${prefix}-timestamp`])}.${body}`;
  const key = typeof secret === "string" ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers[`${prefix}-signature`]).split(" ").includes(expected);
}

async function svixServer(): Promise<FakePeer> {
  const times = { createdAt: SINCE, updatedAt: SINCE };
  const apps = [
    { id: APP, uid: "acme", name: "Acme", metadata: { plan: "pro" }, throttleRate: 7, ...times },
    { id: "app_2aaaaaaaaaaaaaaaaaaaaaaaaaa", name: "Nameless", metadata: {}, ...times },
    { id: "app_3bbbbbbbbbbbbbbbbbbbbbbbbbb", uid: "beta", name: "Beta", metadata: {}, ...times },
  ];
  const endpoint = {
    url: receiver.url,
    description: "Main",
    metadata: { a: "b" },
    version: 1,
    disabled: false,
    ...times,
  };
  const peer = await startPeer("svix_token", {
    "/api/v1/event-type": svixList([
      {
        name: "moved.one",
        description: "One",
        archived: false,
        deprecated: false,
        schemas: { "1": { type: "object" } },
      },
      { name: "moved.two", description: "Two", archived: false, deprecated: true, schemas: null },
      { name: "moved.gone", description: "", archived: true, deprecated: false, schemas: null },
    ] as object[]),
    "/api/v1/app": svixList(apps),
    [`/api/v1/app/${APP}/endpoint`]: svixList([
      { id: EP, uid: "main", filterTypes: ["moved.one"], channels: ["eu"], rateLimit: 9, ...endpoint },
      { id: "ep_plain", url: "http://203.0.113.9/plain", description: "", metadata: {}, version: 1, ...times },
    ] as object[]),
    [`/api/v1/app/${APP}/endpoint/${EP}/secret`]: { key: SECRET },
    [`/api/v1/app/${APP}/endpoint/${EP}/headers`]: { headers: { "X-Own": "1" }, sensitive: ["Authorization"] },
    [`/api/v1/app/${APP}/endpoint/${EP}/transformation`]: { code: "…", enabled: true },
    [`/api/v1/app/${apps[1]?.id}/endpoint`]: svixList([]),
    [`/api/v1/app/${apps[2]?.id}/endpoint`]: svixList([
      { id: "ep_beta", url: receiver.url, description: "", metadata: {}, version: 1, filterTypes: null, ...times },
    ] as object[]),
  });
  peers.push(peer);
  return peer;
}

test("an import from Svix keeps ids and secrets, and receivers verify as before", async () => {
  const peer = await svixServer();
  const from = ["svix", "--from", peer.url];
  const token = { SVIX_TOKEN: "svix_token" };
  const plan = await imported(from, token);
  expect(plan).toMatchObject({ status: 2, stderr: "" });
  const shown: Parsed = JSON.parse(plan.stdout);
  expect(shown.create.map(({ kind, name }: Parsed) => `${kind} ${name}`).toSorted()).toEqual(
    [
      "event_type moved.one",
      "event_type moved.two",
      `tenant ${APP}`,
      "tenant app_2aaaaaaaaaaaaaaaaaaaaaaaaaa",
      "tenant app_3bbbbbbbbbbbbbbbbbbbbbbbbbb",
      `endpoint ${EP}`,
      "endpoint ep_beta",
    ].toSorted(),
  );
  expect(shown.left_out).toMatchObject([{ kind: "endpoint", name: "ep_plain" }]);
  expect(shown.notes.map(({ reason }: Parsed) => reason).join("\n")).toMatch(
    /Authorization[^]*transformation|transformation[^]*Authorization/,
  );
  expect((await service.api("GET", "/v1/tenants")).body.data).toEqual([]);

  peer.refuse(503, 2);
  const applied = await imported([...from, "--apply"], token);
  expect(applied).toMatchObject({ status: 0, stderr: "" });
  expect(peer.writes()).toBe(0);
  expect(await svix("GET", `/app/${APP}`)).toMatchObject({ id: APP, uid: "acme", throttleRate: 7 });
  expect(await svix("GET", `/app/acme/endpoint/${EP}`)).toMatchObject({
    id: EP,
    uid: "main",
    filterTypes: ["moved.one"],
    channels: ["eu"],
    metadata: { a: "b" },
    throttleRate: 9,
  });
  expect(await svix("GET", `/app/${APP}/endpoint/main/secret`)).toEqual({ key: SECRET });
  expect(await svix("GET", "/event-type/moved.two")).toMatchObject({ deprecated: true });
  const message = await svix("POST", "/app/acme/msg", { eventType: "moved.one", payload: { n: 1 }, channels: ["eu"] });
  const [got] = await receiver.count(1);
  expect(got?.headers["svix-id"]).toBe(message.id);
  expect(isSigned(got, SECRET)).toBe(true);
  expect(got?.body).toBe('{"n":1}');

  const again = await imported([...from, "--apply", "--json"], token);
  expect(JSON.parse(again.stdout)).toMatchObject({ create: [], unchanged: 7 });
  const nothing = await imported(from, token);
  expect(nothing.status).toBe(0);
  const { body } = await service.api("GET", "/v1/audit?limit=100");
  const entries = body.data.filter(({ action }: Parsed) => action === "imports.create");
  expect(entries.length).toBeGreaterThan(0);
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

test("a name of another tenant refuses the whole import with its place", async () => {
  const peer = await startPeer("peer_token", {
    "/api/v1/event-type": svixList([]),
    "/api/v1/app": svixList([
      { id: "app_new", uid: "new", name: "New", metadata: {} },
      { id: "app_clash", uid: "acme", name: "Clash", metadata: {} },
    ] as object[]),
    "/api/v1/app/app_new/endpoint": svixList([]),
    "/api/v1/app/app_clash/endpoint": svixList([]),
  });
  peers.push(peer);
  const refused = await imported(["svix", "--from", peer.url, "--apply"], { SVIX_TOKEN: "peer_token" });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("/applications/1/uid");
  expect((await svix("GET", "/app/new")).code).toBe("not_found");
  expect((await imported(["svix", "--from", peer.url], { SVIX_TOKEN: "wrong" })).status).toBe(77);
  expect((await imported(["svix", "--from", peer.url])).status).toBe(78);
});

test("endpoints of Convoy get their owners as tenants and their subscriptions as events", async () => {
  const peer = await startPeer("peer_token", {
    "/projects/p1/event-types": { status: true, data: [{ name: "convoy.paid", description: "Paid" }, { name: "*" }] },
    "/projects/p1/endpoints": convoyList([
      {
        uid: "01H3FRSZYKNYWGPVV46RN98PM5",
        owner_id: "convoy-owner",
        url: receiver.url,
        name: "Main",
        status: "active",
        rate_limit: 60,
        rate_limit_duration: 60,
        secrets: [{ value: "old", expires_at: SINCE }, { value: "Vuk5LM0uujddIsqO5v_eSuz88" }],
        authentication: { type: "api_key", api_key: { header_name: "X-Key", header_value: "abc" } },
      },
      { uid: "01H3FRSZYKNYWGPVV46RN98PM6", url: receiver.url, name: "Alone", status: "paused", secrets: [] },
    ]),
    "/projects/p1/subscriptions": convoyList([
      {
        uid: "s1",
        endpoint_metadata: { uid: "01H3FRSZYKNYWGPVV46RN98PM5" },
        filter_config: { event_types: ["convoy.paid"] },
      },
    ]),
  });
  peers.push(peer);
  const applied = await imported(["convoy", "--from", `${peer.url}/projects/p1`, "--apply"], {
    CONVOY_TOKEN: "peer_token",
  });
  expect(applied).toMatchObject({ status: 0, stderr: "" });
  const { body } = await service.api("GET", "/v1/webhook-endpoints?tenant=convoy-owner");
  expect(body.data).toMatchObject([
    {
      external_ref: "01H3FRSZYKNYWGPVV46RN98PM5",
      events: ["convoy.paid"],
      active: true,
      wire: "svix",
      rate_limit_per_second: 1,
      headers: { "X-Key": "[redacted]" },
    },
  ]);
  const secret = await service.api("GET", `/v1/webhook-endpoints/${body.data[0].id}/secret`);
  expect(secret.body.secret).toBe("Vuk5LM0uujddIsqO5v_eSuz88");
  const from = receiver.received.length;
  await service.api("POST", "/v1/events/fire", { event: "convoy.paid", data: {}, tenant: "convoy-owner" });
  const [got] = (await receiver.count(from + 1)).slice(from);
  expect(isSigned(got, Buffer.from("Vuk5LM0uujddIsqO5v_eSuz88"), "webhook")).toBe(true);
  const alone = await service.api("GET", "/v1/webhook-endpoints?tenant=01H3FRSZYKNYWGPVV46RN98PM6");
  expect(alone.body.data).toMatchObject([{ active: false }]);
});

test("tenants and webhook destinations of Outpost come along, and others are named", async () => {
  const peer = await startPeer("peer_token", {
    "/tenants": outpostList([
      { id: "op1", metadata: { tier: "gold" } },
      { id: "op2", metadata: null },
    ]),
    "/tenants/op1/destinations": [
      {
        id: "des_1",
        type: "webhook",
        topics: ["user.made"],
        config: { url: receiver.url, custom_headers: '{"x-api-key":"s"}' },
        credentials: { secret: SECRET },
        disabled_at: null,
      },
      { id: "des_2", type: "aws_sqs", topics: "*", config: {}, credentials: {} },
    ],
    "/tenants/op2/destinations": [],
  });
  peers.push(peer);
  const applied = await imported(["outpost", "--from", peer.url, "--apply"], { OUTPOST_TOKEN: "peer_token" });
  expect(applied).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(applied.stdout).notes).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: "des_2", reason: expect.stringContaining("aws_sqs") })]),
  );
  const tenant = await service.api("GET", "/v1/tenants/op1");
  expect(tenant.body).toMatchObject({ name: "op1", metadata: { tier: "gold" }, endpoints: 1 });
  expect(await svix("GET", "/app/op1/endpoint/des_1")).toMatchObject({ id: "des_1", filterTypes: ["user.made"] });
  const from = receiver.received.length;
  await service.api("POST", "/v1/events/fire", { event: "user.made", data: {}, tenant: "op1" });
  const [got] = (await receiver.count(from + 1)).slice(from);
  expect(isSigned(got, SECRET, "webhook")).toBe(true);
  expect(got?.headers["x-api-key"]).toBe("s");
});

test("a table is imported once, and a wrong one is refused with its line", async () => {
  const table = join(folder, "endpoints.csv");
  await writeFile(
    table,
    `tenant,url,events,secret,description\r\ncsv-one,${receiver.url},a.b c.d,${SECRET},"One, ""quoted"""\n,${receiver.url}/own,,,\n`,
  );
  const first = await imported(["csv", "--from", table, "--apply"]);
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(first.stdout).create).toHaveLength(2);
  const { body } = await service.api("GET", "/v1/webhook-endpoints?tenant=csv-one");
  expect(body.data).toMatchObject([{ events: ["a.b", "c.d"], wire: "service", description: 'One, "quoted"' }]);
  const again = await imported(["csv", "--from", table]);
  expect(again.status).toBe(0);
  const from = receiver.received.length;
  await service.api("POST", "/v1/events/fire", { event: "a.b", data: { n: 1 }, tenant: "csv-one" });
  const got = (await receiver.count(from + 2)).slice(from).find(({ path }) => path === "/hook");
  expect(isSigned(got, SECRET, "webhook")).toBe(true);
});

test.each([
  ["tenant,url\nx\n", "Line 2 of the table: has 1 values, not 2"],
  ["tenant,urls\nx,y\n", "urls is not a column"],
  ["url,tenant,url\na,b,c\n", "has the column url twice"],
  ['url,description\nhttps://example.com/a,"cut of', "Line 2 of the table: has a quote that does not close"],
  ['url,description\nhttps://example.com/a,"one" two\n', "Line 2 of the table: has text after a closing quote"],
  ["", "the line of column names is missing"],
])("the table %j is refused: %s", async (text, told) => {
  const table = join(folder, "wrong.csv");
  await writeFile(table, text);
  const refused = await imported(["csv", "--from", table, "--apply"]);
  expect([refused.status, refused.stderr]).toEqual([65, expect.stringContaining(told)]);
});

test("a name twice, and one that exists, refuse a whole table with their places", async () => {
  const table = join(folder, "twice.csv");
  const lines = (...rows: readonly string[]): string => ["id,uid,tenant,url", ...rows, ""].join("\n");
  const row = (id: string, uid: string): string => `${id},${uid},twice,${receiver.url}`;
  await writeFile(table, lines(row("t1", "a"), row("t1", "b"), row("t2", "a")));
  const refused = await imported(["csv", "--from", table, "--apply"]);
  expect(refused.status).toBe(1);
  for (const place of ["/endpoints/1/ref", "/endpoints/2/uid"]) expect(refused.stderr).toContain(place);
  expect((await service.api("GET", "/v1/webhook-endpoints?tenant=twice")).body.data).toEqual([]);
  await writeFile(table, lines(row("t1", "a")));
  expect((await imported(["csv", "--from", table, "--apply"])).status).toBe(0);
  await writeFile(table, lines(row("t3", "c"), row("t4", "a")));
  const taken = await imported(["csv", "--from", table, "--apply"]);
  expect([taken.status, taken.stderr]).toEqual([1, expect.stringContaining("/endpoints/1/uid")]);
  expect((await service.api("GET", "/v1/webhook-endpoints?tenant=twice")).body.data).toHaveLength(1);
});

test("four imports of one table at once create each endpoint once", async () => {
  const table = join(folder, "raced.csv");
  const rows = Array.from({ length: 30 }, (_, at) => `raced-${at},raced,${receiver.url}/${at}`);
  await writeFile(table, ["id,tenant,url", ...rows, ""].join("\n"));
  const runs = await Promise.all(
    Array.from({ length: 4 }, async () => await imported(["csv", "--from", table, "--apply"])),
  );
  expect(runs.some(({ status }) => status === 0)).toBe(true);
  for (const { status, stderr } of runs) expect(status === 0 ? "" : stderr).toMatch(/^$|Another endpoint has this/);
  const { body } = await service.api("GET", "/v1/webhook-endpoints?tenant=raced&limit=100");
  expect(body.data).toHaveLength(30);
  expect((await imported(["csv", "--from", table])).status).toBe(0);
});

test("an import that is cut off creates nothing, and runs again", async () => {
  const endpoint = { id: "ep_cut", url: receiver.url, description: "", metadata: {}, filterTypes: null };
  const whole = {
    "/api/v1/event-type": svixList([]),
    "/api/v1/app": svixList([{ id: "app_cut", uid: "cut", name: "Cut" }] as object[]),
    "/api/v1/app/app_cut/endpoint": svixList([endpoint] as object[]),
    "/api/v1/app/app_cut/endpoint/ep_cut/secret": { key: SECRET },
  };
  const parts = { ...whole, "/api/v1/app/app_cut/endpoint": undefined };
  for (const [answers, status] of [
    [parts, 69],
    [whole, 0],
  ] as const) {
    const peer = await startPeer("peer_token", answers);
    peers.push(peer);
    const ran = await imported(["svix", "--from", peer.url, "--apply"], { SVIX_TOKEN: "peer_token" });
    expect(ran.status).toBe(status);
    expect((await svix("GET", "/app/cut")).id).toBe(status === 0 ? "app_cut" : undefined);
  }
  expect(await svix("GET", "/app/cut/endpoint/ep_cut/secret")).toEqual({ key: SECRET });
});

const endless = new Paged([], () => ({ data: [], iterator: "again", done: false }));

test.each([
  ["svix", { "/api/v1/event-type": { items: [] } }, "answered no list for /api/v1/event-type"],
  ["svix", { "/api/v1/event-type": endless }, "The list /api/v1/event-type has no end"],
  ["svix", { "/api/v1/event-type": svixList([]), "/api/v1/app": svixList([{ name: "x" }]) }, "an object without id"],
  ["convoy", { "/event-types": { data: [] }, "/subscriptions": { data: [] } }, "answered no list for /subscriptions"],
  ["outpost", { "/tenants": [{ id: "op1" }] }, "answered no list for /tenants"],
  ["outpost", { "/tenants": outpostList([{ id: "o" }]), "/tenants/o/destinations": {} }, "answered no list for"],
] as const)("%s of another version is refused: %s", async (source, answers, told) => {
  const peer = await startPeer("peer_token", answers);
  peers.push(peer);
  const env = { SVIX_TOKEN: "peer_token", CONVOY_TOKEN: "peer_token", OUTPOST_TOKEN: "peer_token" };
  const refused = await imported([source, "--from", peer.url, "--apply"], env);
  expect([refused.status, refused.stderr]).toEqual([65, expect.stringContaining(told)]);
});
