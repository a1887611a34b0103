import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { otherWorkspace, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

/** Has the default target guard; the other service allows loopback. */
let guarded: TestService;
let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  guarded = await startService({ on: service, env: { ...UNLIMITED, JUNCTION_ALLOW_TARGETS: "" } });
});
afterAll(async () => {
  await guarded.close();
  await service.close();
});

const URL_OK = "http://127.0.0.1:9/hook";
const create = async (body: object): Promise<ApiAnswer> =>
  await service.api("POST", "/v1/webhook-endpoints", { url: URL_OK, events: ["*"], ...body });

covers("endpoint.scope.fields", "an endpoint is created with its defaults and bound to its workspace", async () => {
  const made = await create({});
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^ep_[0-9a-z]{34}$/),
    object: "webhook_endpoint",
    tenant: null,
    transform: null,
    transform_version: null,
    name: "127.0.0.1:9",
    url: URL_OK,
    events: ["*"],
    active: true,
    description: "",
    headers: {},
    rate_limit_per_second: null,
    max_in_flight: 16,
    filter: null,
    kind: "webhook",
    ordering: null,
    wire: "service",
    channels: [],
    metadata: {},
    uid: null,
    external_ref: null,
    event_versions: null,
    retry_schedule: null,
    auth: null,
    destination: null,
    certificate_expires_at: null,
    signatures: ["service", "standard"],
    public_key: null,
    previous_public_key: null,
    health: "green",
    failing_since: null,
    disabled_reason: null,
    inactive_since: null,
    scope_kind: "workspace",
    scope_key: expect.stringMatching(/^ws_[0-9a-z]{34}$/),
    environment: "live",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    secret: expect.stringMatching(/^whsec_/),
  });
  const { secret: _secret, ...shown } = made.body;
  expect((await service.api("GET", `/v1/webhook-endpoints/${made.body["id"]}`)).body).toEqual(shown);
});

test("every field is kept as given and can be changed alone", async () => {
  const given = {
    events: ["order.created", "my:event-1"],
    active: false,
    description: "Ours 😀",
    rate_limit_per_second: 7,
    max_in_flight: 3,
  };
  const headers = { Authorization: "Bearer x", "x-a": "" };
  const made = await create({ ...given, headers });
  expect(made.body).toMatchObject({ ...given, headers: { Authorization: "[redacted]", "x-a": "[redacted]" } });
  const path = `/v1/webhook-endpoints/${made.body["id"]}`;
  const changed = await service.api("PATCH", path, { rate_limit_per_second: null, headers: {} });
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ ...given, rate_limit_per_second: null, headers: {} });
});

test("the list shows the endpoints newest first, in pages", async () => {
  const ids: string[] = [];
  for (const description of ["a", "b", "c"]) ids.unshift((await create({ description })).body["id"]);
  const first = await service.api("GET", "/v1/webhook-endpoints?limit=2");
  expect(first.body["data"].map((one: { id: string }) => one.id)).toEqual(ids.slice(0, 2));
  const second = await service.api("GET", `/v1/webhook-endpoints?limit=1&cursor=${first.body["next_cursor"]}`);
  expect(second.body["data"].map((one: { id: string }) => one.id)).toEqual(ids.slice(2));
});

const REFUSED: Readonly<Record<string, readonly [object, string]>> = {
  "no events": [{ events: [] }, "/events"],
  "a malformed event name": [{ events: ["ok", "no spaces"] }, "/events/1"],
  "a wildcard inside a name": [{ events: ["order.*.paid"] }, "/events/0"],
  "a doubled dot in a name": [{ events: ["a..b"] }, "/events/0"],
  "a trailing dot in a name": [{ events: ["a."] }, "/events/0"],
  "events that are no list": [{ events: "*" }, "/events"],
  "an event that is no string": [{ events: [1] }, "/events/0"],
  "a reserved header": [{ headers: { "X-Service-Signature": "x" } }, "/headers/X-Service-Signature"],
  "a reserved header in another case": [{ headers: { "x-SERVICE-anything": "x" } }, "/headers/x-SERVICE-anything"],
  "a Standard Webhooks header": [{ headers: { "Webhook-Id": "x" } }, "/headers/Webhook-Id"],
  "a Host header": [{ headers: { Host: "x" } }, "/headers/Host"],
  "a Content header": [{ headers: { "Content-Length": "1" } }, "/headers/Content-Length"],
  "a Transfer-Encoding header": [{ headers: { "Transfer-Encoding": "chunked" } }, "/headers/Transfer-Encoding"],
  "a Connection header": [{ headers: { connection: "close" } }, "/headers/connection"],
  "a line break in a header": [{ headers: { "X-A": "a\r\nX-B: b" } }, "/headers/X-A"],
  "a lone line feed in a header": [{ headers: { "X-A": "a\nb" } }, "/headers/X-A"],
  "a NUL in a header": [{ headers: { "X-A": "a\u0000" } }, "/headers/X-A"],
  "a header beyond Latin-1": [{ headers: { "X-A": "😀" } }, "/headers/X-A"],
  "a header name with a space": [{ headers: { "X A": "a" } }, "/headers/X A"],
  "an empty header name": [{ headers: { "": "a" } }, "/headers/"],
  "a header named twice": [{ headers: { "X-A": "a", "x-a": "b" } }, "/headers"],
  "a header that is no string": [{ headers: { "X-A": 1 } }, "/headers/X-A"],
  "a max_in_flight of zero": [{ max_in_flight: 0 }, "/max_in_flight"],
  "a max_in_flight as text": [{ max_in_flight: "16" }, "/max_in_flight"],
  "a rate of zero": [{ rate_limit_per_second: 0 }, "/rate_limit_per_second"],
  "a rate that is no integer": [{ rate_limit_per_second: 1.5 }, "/rate_limit_per_second"],
  "active as text": [{ active: "true" }, "/active"],
  "a description of 501 characters": [{ description: "x".repeat(501) }, "/description"],
  "a read-only member": [{ health: "green" }, "/health"],
  "a secret of one's own": [{ secret: "whsec_AAAA" }, "/secret"],
  "an unknown member": [{ retries: 3 }, "/retries"],
};

for (const [what, [body, pointer]] of Object.entries(REFUSED)) {
  test(`${what} is refused at save and at change: 422 at ${pointer}`, async () => {
    const { path } = await subscribe(service);
    const before = (await service.api("GET", path)).body;
    for (const answer of [await create(body), await service.api("PATCH", path, body)]) {
      expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
      expect(answer.body["errors"].map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    }
    expect((await service.api("GET", path)).body).toEqual(before);
  });
}

test("all violations are reported together", async () => {
  const answer = await create({ events: ["a b", "ok", "c d"], headers: { Host: "x", "X-A": "\n" } });
  expect(answer.body["errors"].map((error: { pointer: string }) => error.pointer)).toEqual([
    "/events/0",
    "/events/2",
    "/headers/Host",
    "/headers/X-A",
  ]);
});

test("a missing or invalid member and an empty change are refused", async () => {
  const post = async (body: unknown): Promise<unknown> =>
    (await service.api("POST", "/v1/webhook-endpoints", body)).status;
  expect(await post({ events: ["*"] })).toBe(422);
  expect(await post({ url: URL_OK })).toBe(422);
  expect(await post([])).toBe(422);
  const { path } = await subscribe(service);
  expect((await service.api("PATCH", path, {})).status).toBe(422);
});

const BLOCKED: Readonly<Record<string, string>> = {
  "http://93.184.215.14/hook": "not_https",
  "ftp://93.184.215.14/": "not_https",
  "https://10.0.0.1/": "private",
  "https://192.168.1.1:8443/x": "private",
  "https://172.16.0.1/": "private",
  "https://127.0.0.1/": "loopback",
  "https://localhost/": "loopback",
  "https://[::1]/": "loopback",
  "https://[::ffff:127.0.0.1]/": "loopback",
  "https://0x7f000001/": "loopback",
  "https://169.254.1.1/": "link_local",
  "https://169.254.169.254/latest/meta-data/": "metadata",
  "https://metadata.google.internal/": "metadata",
  "https://user:pass@93.184.215.14/": "credentials_in_url",
  "https://nonexistent.invalid/": "dns_failed",
  "not a url": "malformed",
  "https://": "malformed",
};

for (const [url, reason] of Object.entries(BLOCKED)) {
  covers(
    [
      "target.check.save",
      "endpoint.url.https",
      "target.refuse.private",
      "target.refuse.loopback",
      "target.refuse.link-local",
      "target.refuse.metadata",
    ],
    `${url} is refused at save and at change: url_blocked, ${reason}`,
    async () => {
      const { path } = await subscribe(service);
      const saves = [
        await guarded.api("POST", "/v1/webhook-endpoints", { url, events: ["*"] }),
        await guarded.api("PATCH", path, { url, description: "changed" }),
      ];
      for (const { status, body, text } of saves) {
        expect([status, body["code"], body["reason"]]).toEqual([422, "url_blocked", reason]);
        expect(body["retryable"]).toBe(false);
        expect(text).not.toContain("pass@");
      }
      expect((await service.api("GET", path)).body["description"]).toBe("");
    },
  );
}

covers("target.check.save", "an endpoint whose URL is not changed is not checked again", async () => {
  const { path } = await subscribe(service);
  expect((await guarded.api("PATCH", path, { description: "fine" })).status).toBe(200);
});

test("concurrent creations do not exceed the maximum number of endpoints", async () => {
  const other = await otherWorkspace(service);
  const { body: one } = await service.api(
    "POST",
    "/v1/webhook-endpoints",
    { url: URL_OK, events: ["test.limit"] },
    { key: other.key },
  );
  await service.database.query(
    `insert into endpoint select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
     from endpoint e, generate_series(1, 4996) where e.id = $1`,
    [uuidOf(one.id as string)],
  );
  const add = async (): Promise<number> =>
    (await service.api("POST", "/v1/webhook-endpoints", { url: URL_OK, events: ["test.limit"] }, { key: other.key }))
      .status;
  const statuses = await Promise.all(Array.from({ length: 8 }, add));
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
});
