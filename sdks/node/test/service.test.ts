import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../../apps/service/src/testing/receiver.ts";
import type { Receiver } from "../../../apps/service/src/testing/receiver.ts";
import { startService } from "../../../apps/service/src/testing/service.ts";
import type { TestService } from "../../../apps/service/src/testing/test-service.ts";
import { covers } from "../../../requirements/covers.ts";
import {
  AuthenticationError,
  ConflictError,
  IdempotencyError,
  isExecuted,
  isPending,
  Junction,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
  webhooks,
  WebhookVerificationError,
} from "../src/index.ts";
import { fixtures } from "../src/testing.ts";

let service: TestService;
let receiver: Receiver;
let junction: Junction;

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_RATE_LIMITS: '{"tickets.list": 3}' } });
  receiver = await startReceiver();
  junction = new Junction({ apiKey: service.key, baseUrl: service.baseUrl });
});

afterAll(async () => {
  await receiver.close();
  await service.close();
});

covers(["sdk.call.events-fire", "sdk.handles.signing"], "events.fire(name, data) fires, signed by v1", async () => {
  const fired = await junction.events.fire(
    "order.created",
    { order: { external_id: "10482" } },
    { subject: "order:10482", occurredAt: new Date("2026-01-02T03:04:05.678Z") },
  );
  expect(fired).toMatchObject({ object: "event", event: "order.created", canonical: true, status: "accepted" });
  expect(fired.occurred_at).toBe("2026-01-02T03:04:05.678Z");
  expect(fired.$response).toMatchObject({ status: 202, attempts: 1, replayed: false });
  expect(fired.$response.headers["x-service-signature-scheme"]).toBe("v1");
  expect(fired.$response.requestId).toMatch(/^req_/);
  expect(await junction.events.get(fired.id)).toMatchObject({ subject: "order:10482" });
});

covers("sdk.call.events-fire", "custom names are accepted, and a batch is one call", async () => {
  const fired = await junction.events.batch([
    { event: "acme.rocket.launched", data: { n: 1 } },
    { event: "acme.rocket.landed", data: { n: 2 } },
  ]);
  expect(fired.data.map(({ event, canonical }) => [event, canonical])).toEqual([
    ["acme.rocket.launched", false],
    ["acme.rocket.landed", false],
  ]);
});

covers("sdk.handles.idempotency", "a call that is repeated with its key takes effect once", async () => {
  const first = await junction.events.fire("order.paid", { order: { external_id: "1" } });
  const idempotencyKey = first.$response.idempotencyKey ?? "";
  const again = await junction.events.fire("order.paid", { order: { external_id: "1" } }, { idempotencyKey });
  expect(again.id).toBe(first.id);
  expect(again.$response).toMatchObject({ replayed: true, idempotencyKey });
  const other = junction.events.fire("order.paid", { order: { external_id: "2" } }, { idempotencyKey });
  await expect(other).rejects.toThrow(IdempotencyError);
  await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused", idempotencyKey, retryable: false });
});

test("a real delivery is verified only with its secret and without changes", async () => {
  const endpoint = await junction.webhookEndpoints.create({ url: receiver.url, events: ["invoice.paid"] });
  const fired = await junction.events.fire("invoice.paid", { invoice: { external_id: "inv_1", total_minor: 5880 } });
  const [delivered] = await receiver.count(1);
  if (delivered === undefined) throw new Error("nothing was delivered");
  const { body, headers } = delivered;
  const delivery = webhooks.verify(Buffer.from(body), headers, endpoint.secret);
  expect(delivery).toMatchObject({ id: fired.id, event: "invoice.paid", delivery_id: fired.deliveries[0]?.id });
  if (!webhooks.isEvent(delivery, "invoice.paid")) throw new Error("another event");
  expect(delivery.data.invoice.total_minor).toBe(5880);
  expect(() => webhooks.verify(body.replace("5880", "5881"), headers, endpoint.secret)).toThrow(
    WebhookVerificationError,
  );
  expect(() => webhooks.verify(JSON.parse(body) as string, headers, endpoint.secret)).toThrow(/needs the raw body/);
  const rolled = await junction.webhookEndpoints.secret.regenerate(endpoint.id, { overlap_seconds: 3600 });
  await junction.events.fire("invoice.paid", { invoice: { external_id: "inv_2" } });
  const [, overlapping] = await receiver.count(2);
  for (const secret of [endpoint.secret, rolled.secret])
    expect(webhooks.verify(overlapping?.body ?? "", overlapping?.headers ?? {}, secret).event).toBe("invoice.paid");
  await junction.webhookEndpoints.delete(endpoint.id);
});

test("the tester's signed sample is verified too", async () => {
  const endpoint = await junction.webhookEndpoints.create({ url: receiver.url, events: ["*"], active: false });
  const sample = await junction.webhooks.test({ endpoint_id: endpoint.id, dry_run: true });
  const { body, headers } = sample.request;
  expect(junction.webhooks.verify(body, headers, endpoint.secret).event).toBe("order.created");
  await junction.webhookEndpoints.delete(endpoint.id);
});

test("a list reads all pages, with each object once", async () => {
  const ids = await Promise.all(
    [1, 2, 3, 4, 5].map(async (n) => (await junction.events.fire("acme.listed", { n })).id),
  );
  const page = await junction.events.list({ event: "acme.listed", limit: 2 });
  expect([page.data.length, page.has_more]).toEqual([2, true]);
  const next = await page.nextPage();
  expect(next?.data.length).toBe(2);
  const listed = await junction.events.list({ event: "acme.listed", limit: 2 }).all();
  expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

covers("sdk.handles.typed", "refusals of the service become typed errors", async () => {
  const refused = async (call: Promise<unknown>): Promise<unknown> => await call.catch((error: unknown) => error);
  const stranger = new Junction({ apiKey: fixtures.apiKey, baseUrl: service.baseUrl });
  const sandbox = new Junction({ apiKey: service.sandboxKey, baseUrl: service.baseUrl });
  const { id } = await junction.events.fire("acme.shared", {});
  expect(await refused(stranger.me.get())).toBeInstanceOf(AuthenticationError);
  expect(await refused(sandbox.events.get(id))).toBeInstanceOf(PermissionError);
  const missing = `${id.slice(0, -4)}0000`;
  expect(await refused(junction.events.get(missing))).toBeInstanceOf(NotFoundError);
  const invalid = await refused(junction.webhookEndpoints.create({ url: "http://example.com", events: [] }));
  expect(invalid).toBeInstanceOf(ValidationError);
  expect((invalid as ValidationError).errors.map(({ pointer }) => pointer)).toContain("/events");
  const [member] = await junction.members.list().all();
  expect(await refused(junction.members.remove(member?.id ?? ""))).toBeInstanceOf(ConflictError);
  for (const error of await Promise.all([refused(stranger.me.get()), refused(junction.events.get(missing))]))
    expect(inspect(error, { depth: 10 })).not.toContain(service.key);
});

covers(
  "sdk.handles.retries",
  "a rate limit has a waiting time, and longer waits are the caller's decision",
  async () => {
    const waits: number[] = [];
    const patient = new Junction({
      apiKey: service.key,
      baseUrl: service.baseUrl,
      timing: {
        sleep: async (ms) => {
          waits.push(ms);
          await Promise.resolve();
        },
      },
    });
    const calls = await Promise.all(
      [1, 2, 3, 4].map(async () => await patient.tickets.list().catch((error: unknown) => error)),
    );
    const [error] = calls.filter((one): one is RateLimitError => one instanceof RateLimitError);
    expect(error?.code).toBe("rate_limited");
    expect(error?.retryAfter).toBeGreaterThan(0);
    expect(error?.retryAfter).toBeLessThanOrEqual(61);
    // A burst must wait for the whole window, which may be a second longer than the SDK waits by itself.
    expect(waits).toHaveLength((error?.attempts ?? 0) - 1);
    expect(waits.every((ms) => ms >= 1000 && ms <= 60_000)).toBe(true);
  },
);

test("an action runs, or waits for approval", async () => {
  const backend = await startReceiver();
  backend.answer((response) => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'));
  const contract = {
    label: "Note",
    surface: ["api"],
    roles: ["owner"],
    params: { text: { type: "string" as const, required: true } },
  };
  await junction.actionContracts.create({
    ...contract,
    key: "acme.note",
    requires_confirmation: false,
    endpoint: backend.url,
    audit: true,
  });
  await junction.actionContracts.create({
    ...contract,
    key: "acme.ask",
    requires_confirmation: true,
    endpoint: backend.url,
    audit: true,
  });
  const ran = await junction.actions.run("acme.note", { text: "hello" });
  if (!isExecuted(ran)) throw new Error("it did not run");
  expect([ran.id.startsWith("run_"), ran.result]).toEqual([true, { ok: true }]);
  const asked = await junction.actions.run("acme.ask", { text: "hello" }, { prompt: "Say hello" });
  if (!isPending(asked)) throw new Error("it did not wait");
  expect(asked.proposal.id).toMatch(/^prop_/);
  const approved = await junction.proposals.approve(asked.proposal.id, { params_hash: asked.proposal.params_hash });
  expect(approved).toMatchObject({ id: asked.proposal.id });
  await expect(junction.actions.run("acme.unknown")).rejects.toThrow(NotFoundError);
  await backend.close();
});

covers("sdk.handles.signing", "a key that requires signatures signs with its secret and need not be sent", async () => {
  const made = await junction.keys.create({
    name: "signs",
    permission_mode: "all",
    require_signature: true,
    signing_secret: true,
  });
  const { signing_secret: signingSecret = "", id: keyId, key: apiKey } = made;
  const { baseUrl } = service;
  const signs = new Junction({ apiKey, signingSecret, baseUrl });
  expect((await signs.me.get()).key?.id).toBe(keyId);
  const keyless = new Junction({ keyId, signingSecret, baseUrl });
  const { id, $response } = await keyless.events.fire("acme.signed", { ключ: "é" });
  expect([id.startsWith("evt_"), $response.headers["x-service-signature-scheme"]]).toEqual([true, "v1"]);
  const unsigned = new Junction({ apiKey, baseUrl, sign: false });
  await expect(unsigned.me.get()).rejects.toMatchObject({ code: "signature_required" });
  const wrong = new Junction({ apiKey, baseUrl });
  await expect(wrong.me.get()).rejects.toMatchObject({ code: "signature_invalid" });
});

covers("sdk.wrapper.thin", "request() calls operations without a method, with a signature", async () => {
  const version = await junction.request<{ version: string }>("GET", "/version");
  expect(version.version).toMatch(/\d/);
  const called = await junction.request("POST", "/api/v1.php", { body: { action: "me.get" } });
  expect(called).toMatchObject({ ok: true, action: "me.get" });
  expect(called.$response.headers["x-service-signature-scheme"]).toBe("v1");
  await expect(junction.request("GET", "/v1/none", { query: { a: "ü&b", c: undefined } })).rejects.toMatchObject({
    code: "route_not_found",
  });
});
