import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const at = (path: string): string => receiver.url.replace("/hook", path);
const to = (path: string): number => receiver.received.filter((one) => one.path === path).length;

/** Returns the last request to a path. */
function gotAt(path: string): Received {
  const got = receiver.received.findLast((one) => one.path === path);
  if (got === undefined) throw new Error(`nothing came to ${path}`);
  return got;
}

async function fire(more: object, event = "moved.in"): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/events/fire", { event, data: { n: 1 }, ...more });
}

async function arrived(path: string, count: number): Promise<void> {
  await expect.poll(() => to(path)).toBe(count);
}

test("an endpoint with channels gets the events that share one", async () => {
  const made = await service.endpoint(at("/eu"), {
    events: ["moved.in"],
    channels: ["eu", "us"],
    filter: { field: "data.n", op: "eq", value: 1 },
  });
  await service.endpoint(at("/all"), { events: ["moved.in"] });
  const view = await service.api("GET", `/v1/webhook-endpoints/${made.id}`);
  expect(view.body).toMatchObject({ channels: ["eu", "us"], filter: { field: "data.n", op: "eq", value: 1 } });
  const [both, other, none] = [
    await fire({ channels: ["x", "us"] }),
    await fire({ channels: ["asia"] }),
    await fire({}),
  ];
  expect([both, other, none].map(({ body }) => body.deliveries.length)).toEqual([2, 1, 1]);
  expect((await fire({ channels: ["eu"], data: { n: 2 } })).body.deliveries).toHaveLength(1);
  await arrived("/all", 4);
  expect(to("/eu")).toBe(1);

  const explain = async (body: object): Promise<Parsed> =>
    (await service.api("POST", `/v1/webhook-endpoints/${made.id}/explain`, body)).body;
  const past = await explain({ event_id: other.body.id });
  expect(past).toMatchObject({ matched: false });
  expect(past.checks).toContainEqual({ check: "channels", matched: false });
  expect((await explain({ event: "moved.in", data: { n: 1 }, channels: ["eu"] })).matched).toBe(true);
  expect((await service.api("GET", `/v1/events/${both.body.id}`)).body).toMatchObject({
    channels: ["x", "us"],
    uid: null,
  });

  // A change of one condition keeps the other.
  await service.api("PATCH", `/v1/webhook-endpoints/${made.id}`, { filter: null });
  expect((await fire({ channels: ["asia"] })).body.deliveries).toHaveLength(1);
  expect((await fire({ channels: ["eu"], data: { n: 2 } })).body.deliveries).toHaveLength(2);
  await service.api("PATCH", `/v1/webhook-endpoints/${made.id}`, { channels: [] });
  expect((await fire({})).body.deliveries).toHaveLength(2);
});

test("a backfill and a scheduled event obey the channels of an endpoint", async () => {
  const from = new Date(Date.now() - 1000).toISOString();
  await fire({ channels: ["late"] }, "moved.late");
  await fire({ channels: ["other"] }, "moved.late");
  const { id } = await service.endpoint(at("/late"), { events: ["moved.late"], channels: ["late"] });
  const dry = await service.api("POST", `/v1/webhook-endpoints/${id}/backfill`, { from, dry_run: true });
  expect(dry.body).toMatchObject({ count: 1 });
  await service.api("POST", `/v1/webhook-endpoints/${id}/backfill`, { from });
  await arrived("/late", 1);
  const deliver_at = new Date(Date.now() + 1500).toISOString();
  const waiting = await fire({ channels: ["late"], uid: "later-1", deliver_at }, "moved.late");
  expect(waiting.body.status).toBe("scheduled");
  expect((await fire({ uid: "later-1" }, "moved.late")).status).toBe(409);
  await arrived("/late", 2);
  const refired = await service.api("POST", `/v1/events/${waiting.body.id}/refire`, {});
  expect(refired.body.deliveries).toHaveLength(1);
  expect((await service.api("GET", `/v1/events/${refired.body.id}`)).body).toMatchObject({
    channels: ["late"],
    uid: null,
  });
});

test("the wire form svix sends only the data, with one id for all endpoints", async () => {
  const one = await service.endpoint(at("/w1"), { events: ["moved.wire"], wire: "svix" });
  await service.endpoint(at("/w2"), { events: ["moved.wire"], wire: "svix" });
  const text = '{"event":"moved.wire","data":{ "big": 12345678901234567890, "e": 1e400, "s": "\\u0000" }}';
  const fired = await service.api("POST", "/v1/events/fire", text);
  await arrived("/w1", 1);
  await arrived("/w2", 1);
  const { headers, body } = gotAt("/w1");
  expect(body).toBe('{ "big": 12345678901234567890, "e": 1e400, "s": "\\u0000" }');
  expect(headers["svix-id"]).toBe(fired.body.id.replace("evt_", "msg_"));
  expect(gotAt("/w2").headers["svix-id"]).toBe(headers["svix-id"]);
  expect(Object.keys(headers).filter((name) => name.startsWith("x-service"))).toEqual([]);
  const signed = createHmac("sha256", Buffer.from(one.secret.slice(6), "base64"))
    .update(`${String(headers["svix-id"])}.${String(headers["svix-timestamp"])}.${body}`)
    .digest("base64");
  expect(headers["svix-signature"]).toBe(`v1,${signed}`);
  expect(headers["webhook-signature"]).toBe(headers["svix-signature"]);

  const [sent] = (await service.api("GET", `/v1/deliveries?endpoint_id=${one.id}`)).body.data;
  const log = await service.api("GET", `/v1/deliveries/${sent.id}`);
  expect(log.body.request).toMatchObject({ body, headers: { "svix-signature": `v1,${signed}` } });
  const trial = await service.api("POST", "/v1/webhooks/test", { endpoint_id: one.id, dry_run: true });
  expect(trial.body.request.headers["svix-id"]).toMatch(/^msg_/);
  expect(trial.body.string_to_sign).toBe(
    `${trial.body.request.headers["svix-id"]}.${trial.body.request.headers["svix-timestamp"]}.${trial.body.request.body}`,
  );

  await service.api("PATCH", `/v1/webhook-endpoints/${one.id}`, { wire: "service" });
  await service.api("POST", `/v1/deliveries/${sent.id}/replay`);
  await arrived("/w1", 2);
  expect(gotAt("/w1").headers).toHaveProperty("x-service-signature");
});

test("a uid is unique for each tenant, and many at once leave one event", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => await fire({ uid: "once", tenant: "a", metadata: { k: "v" } }, "moved.uid")),
  );
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
  expect((await fire({ uid: "once", tenant: "b" }, "moved.uid")).status).toBe(202);
  expect((await fire({ uid: "once" }, "moved.uid")).status).toBe(202);
  const { body } = await service.api("GET", "/v1/events?event=moved.uid&tenant=a");
  expect(body.data).toMatchObject([{ uid: "once", metadata: { k: "v" }, channels: [] }]);
  const headers = { "Idempotency-Key": "moved-once" };
  const event = { event: "moved.uid", data: {}, uid: "again" };
  const [first, repeated] = [
    await service.api("POST", "/v1/events/fire", event, { headers }),
    await service.api("POST", "/v1/events/fire", event, { headers }),
  ];
  expect(repeated).toMatchObject({ status: 202, text: first.text });
  const twice = { events: [event, event].map((one) => ({ ...one, uid: "double" })) };
  expect(await service.api("POST", "/v1/events/batch", twice)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/events/1/uid" }] },
  });
});

test("an endpoint has its own uid, and a bad setting names its place", async () => {
  const { id } = await service.endpoint(at("/uid"), { uid: "mine", metadata: { team: "a" }, tenant: "u1" });
  expect((await service.api("GET", `/v1/webhook-endpoints/${id}`)).body).toMatchObject({
    uid: "mine",
    metadata: { team: "a" },
    wire: "service",
    external_ref: null,
  });
  const body = { url: at("/uid"), events: ["*"], uid: "mine" };
  expect((await service.api("POST", "/v1/webhook-endpoints", { ...body, tenant: "u1" })).status).toBe(409);
  expect((await service.api("POST", "/v1/webhook-endpoints", { ...body, tenant: "u2" })).status).toBe(201);
  const other = await service.endpoint(at("/uid"), { tenant: "u1" });
  expect((await service.api("PATCH", `/v1/webhook-endpoints/${other.id}`, { uid: "mine" })).status).toBe(409);
  for (const wrong of [
    { channels: ["a b"] },
    { channels: Array.from({ length: 11 }, (_, n) => `c${n}`) },
    { wire: "x" },
  ])
    expect((await service.api("PATCH", `/v1/webhook-endpoints/${id}`, wrong)).status).toBe(422);
  const reading = { filter: { field: "channels", op: "eq", value: "eu" } };
  expect((await service.api("PATCH", `/v1/webhook-endpoints/${id}`, reading)).status).toBe(422);
  await service.api("DELETE", `/v1/webhook-endpoints/${id}`);
  expect((await service.api("PATCH", `/v1/webhook-endpoints/${other.id}`, { uid: "mine" })).status).toBe(200);
});

test("a tenant has a name and values, which its deletion removes", async () => {
  await fire({ tenant: "named", uid: "n-1", channels: ["x"] }, "moved.tenant");
  const changed = await service.api("PATCH", "/v1/tenants/named", { name: "Named, Inc.", metadata: { plan: "pro" } });
  expect(changed.body).toMatchObject({ tenant: "named", name: "Named, Inc.", metadata: { plan: "pro" }, uid: null });
  expect((await service.api("PATCH", "/v1/tenants/named", { uid: "alias" })).body.uid).toBe("alias");
  expect((await service.api("PATCH", "/v1/tenants/another", { uid: "alias" })).status).toBe(409);
  expect((await service.api("PATCH", "/v1/tenants/another", { uid: "a" })).status).toBe(409);
  expect((await service.api("GET", "/v1/tenants")).body.data).toContainEqual(
    expect.objectContaining({ tenant: "named", name: "Named, Inc." }),
  );
  expect((await service.api("DELETE", "/v1/tenants/named")).status).toBe(202);
  // Without the minute in which requests that began before it end.
  const hurry = "update tenant_deletion set due_at = now() where phase = 'deliveries' and due_at > now()";
  const state = async (): Promise<unknown> => {
    await service.database.query(hurry);
    return (await service.api("GET", "/v1/tenants/named")).body.deletion.state;
  };
  await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe("finished");
  expect((await service.api("GET", "/v1/tenants/named")).body).toMatchObject({ name: "named", metadata: {} });
  const labels = await service.database.query("select count(*)::int as n from event_label where tenant = 'named'", []);
  expect(JSON.stringify(labels)).toContain('"n":0');
});

test("a node of the version before sends the data of a svix endpoint alone", async () => {
  const { id } = await service.endpoint(at("/old"), { events: ["moved.old"], wire: "svix" });
  const shown = await service.api("GET", `/v1/webhook-endpoints/${id}`);
  expect(shown.body).toMatchObject({ transform: null, transform_version: null });
  const old = await service.database.query<{ transform: string }>(
    "select transform from endpoint where uid is null and wire = 'svix' and url like '%/old'",
  );
  // It knows no form, so that the stored transformation alone makes the body.
  const { body } = await service.api("POST", "/v1/webhook-endpoints", {
    url: at("/older"),
    events: ["moved.old"],
    transform: JSON.parse(old[0]?.transform ?? "null"),
  });
  const text = '{"event":"moved.old","data":{ "big": 12345678901234567890, "a": [1.0, "x"] }}';
  await service.api("POST", "/v1/events/fire", text);
  await arrived("/older", 1);
  await arrived("/old", 1);
  expect(gotAt("/older").body).toBe(gotAt("/old").body);
  await service.api("PATCH", `/v1/webhook-endpoints/${body.id}`, { wire: "svix" });
  const own = { kind: "template", body: { own: "${$.data.big}" } };
  const changed = await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { transform: own });
  expect(changed.body).toMatchObject({ transform: own, transform_version: 1 });
  const back = await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { transform: null, wire: "service" });
  expect(back.body).toMatchObject({ transform: null, transform_version: 2, wire: "service" });
});
