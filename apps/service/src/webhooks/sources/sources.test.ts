import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { hexMac, inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import { absentId, mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const PATH = "/v1/inbound-endpoints";

async function create(fields: unknown): Promise<ApiAnswer> {
  return await service.api("POST", PATH, fields);
}

covers(
  ["inbound.url.per-source", "inbound.secret.per-source", "inbound.scope.fields"],
  "a source has its own URL and secret and belongs to its workspace",
  async () => {
    const [one, two] = [await create({ name: "Shop" }), await create({})];
    expect(one.status).toBe(201);
    expect(one.body).toMatchObject({
      object: "inbound_endpoint",
      id: expect.stringMatching(/^src_/),
      name: "Shop",
      preset: "custom",
      active: true,
      signature_scheme: "service",
      contact_email_path: null,
      dedupe_by_body: false,
      score: { default: 0, by_event_type: {}, per_value: 0 },
      event_name: null,
      scope_kind: "workspace",
      scope_key: expect.stringMatching(/^ws_/),
      environment: "live",
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(one.body.url).toMatch(new RegExp(`^${service.baseUrl}/api/v1/inbound\\.php\\?t=[0-9A-Za-z]{51}$`));
    expect(one.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([two.body.url, two.body.secret]).not.toEqual([one.body.url, one.body.secret]);
    expect(two.body.url).not.toBe(one.body.url);
    // The secret is shown only in this response, and the URL always.
    const read = await service.api("GET", `${PATH}/${one.body.id}`);
    const { secret: _secret, ...view } = one.body;
    expect([read.status, read.body]).toEqual([200, view]);
  },
);

test("secrets and tokens are sealed at rest", async () => {
  const made = await create({ secret: "a secret that is given" });
  const token = new URL(made.body.url).searchParams.get("t") ?? "";
  const [row] = await service.database.query<{ all: string }>(
    "select string_agg(s::text || encode(secret_sealed, 'escape') || encode(token_sealed, 'escape'), '') as all from inbound_source s",
  );
  expect(row?.all).not.toContain("a secret that is given");
  expect(row?.all).not.toContain(token);
});

test("sources are listed newest first, page by page, without secrets", async () => {
  for (let n = 0; n < 3; n += 1) await create({ name: `listed ${n}` });
  const first = await service.api("GET", `${PATH}?limit=2`);
  expect(first.body).toMatchObject({
    object: "list",
    has_more: true,
    data: [{ name: "listed 2" }, { name: "listed 1" }],
  });
  const next = await service.api("GET", `${PATH}?limit=1&cursor=${first.body.next_cursor}`);
  expect(next.body.data).toMatchObject([{ name: "listed 0" }]);
  expect(first.text + next.text).not.toContain('"secret"');
  expect((await service.api("GET", `${PATH}?cursor=nonsense`)).body.code).toBe("cursor_invalid");
});

test("a source is changed field by field, and the next request uses the change", async () => {
  const source = await makeSource(service);
  const changed = await service.api("PATCH", `${PATH}/${source.id}`, {
    name: "Renamed",
    summary_template: "${$.type}!",
    score: { default: 5 },
    active: true,
    event_name: "custom.name",
  });
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({
    name: "Renamed",
    summary_path: null,
    summary_template: "${$.type}!",
    contact_email_path: "$.email",
    score: { default: 5, by_event_type: {}, per_value: 0 },
    event_name: "custom.name",
  });
  const answer = await source.send(inboundBody());
  expect((await source.receipt(answer.body.receipt_id)).extracted).toMatchObject({
    summary: "thing.done!",
    score_delta: 5,
  });
  const cleared = await service.api("PATCH", `${PATH}/${source.id}`, { event_name: null, contact_email_path: null });
  expect(cleared.body).toMatchObject({ event_name: null, contact_email_path: null, event_type_path: "$.type" });
  expect((await source.send(inboundBody())).body.status).toBe("unmapped");
  const back = await service.api("PATCH", `${PATH}/${source.id}`, { summary_path: "$.text" });
  expect(back.body).toMatchObject({ summary_path: "$.text", summary_template: null });
});

covers(["inbound.secret.regenerate"], "only the regenerated secret is valid, unless the old one overlaps", async () => {
  const source = await makeSource(service);
  const send = async (secret: string): Promise<number> => {
    const body = inboundBody();
    return (await source.sendAs({ "X-Service-Inbound-Signature": hexMac(secret, body) }, body)).status;
  };
  const regenerate = async (body?: unknown): Promise<string> => {
    const answer = await service.api("POST", `${PATH}/${source.id}/secret/regenerate`, body);
    expect(answer.status).toBe(200);
    return answer.body.secret;
  };
  const second = await regenerate();
  expect([await send(source.secret), await send(second)]).toEqual([401, 200]);
  const third = await regenerate({ overlap_seconds: 60 });
  expect([await send(second), await send(third)]).toEqual([200, 200]);
  expect(await regenerate({ secret: "dictated by the sender" })).toBe("dictated by the sender");
  expect([await send(second), await send(third), await send("dictated by the sender")]).toEqual([401, 401, 200]);
});

test("a regenerated token creates a new URL, and the old one is unknown", async () => {
  const source = await makeSource(service);
  const moved = await service.api("POST", `${PATH}/${source.id}/token/regenerate`);
  expect(moved.status).toBe(200);
  expect(moved.body.url).not.toBe(source.shown.url);
  expect((await source.send(inboundBody())).status).toBe(404);
  const body = inboundBody();
  const answer = await fetch(moved.body.url, {
    method: "POST",
    headers: { "X-Service-Inbound-Signature": hexMac(source.secret, body) },
    body,
  });
  expect(answer.status).toBe(200);
});

test("a toggle disables and enables a source", async () => {
  const source = await makeSource(service);
  const toggle = async (): Promise<boolean> => (await service.api("POST", `${PATH}/${source.id}/toggle`)).body.active;
  expect([await toggle(), await toggle()]).toEqual([false, true]);
});

test("a deleted source is gone, its URL unknown, its receipts kept", async () => {
  const source = await makeSource(service);
  const { body } = await source.send(inboundBody());
  expect((await service.api("DELETE", `${PATH}/${source.id}`)).status).toBe(204);
  expect((await service.api("GET", `${PATH}/${source.id}`)).status).toBe(404);
  expect((await service.api("DELETE", `${PATH}/${source.id}`)).status).toBe(404);
  expect((await source.send(inboundBody())).status).toBe(404);
  expect(await source.receipt(body.receipt_id)).toMatchObject({ status: "ok" });
});

test("all faults of a source are refused with 422 at their places", async () => {
  const pointers = async (fields: unknown): Promise<string[]> => {
    const answer = await create(fields);
    expect([fields, answer.status, answer.body.code]).toEqual([fields, 422, "validation_failed"]);
    return answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted();
  };
  expect(
    await pointers({
      contact_email_path: "email",
      event_type_path: "$..type",
      idempotency_key_path: "$.ids[*]",
      contact_name_path: "$[?match(@.a,'(a+)+$')]",
      value_path: "$.a[0:2]",
      summary_template: "${$.a",
      event_name: "no spaces.",
    }),
  ).toEqual([
    "/contact_email_path",
    "/contact_name_path",
    "/event_name",
    "/event_type_path",
    "/idempotency_key_path",
    "/summary_template",
    "/value_path",
  ]);
  expect(await pointers({ summary_path: "$.a", summary_template: "a" })).toEqual(["/summary_template"]);
  expect(await pointers({ value_path: `$.${"a".repeat(511)}` })).toEqual(["/value_path"]);
  expect(await pointers({ signature_scheme: "standard_webhooks", secret: "not base64 at all" })).toEqual(["/secret"]);
  expect(await pointers({ name: "nul \u0000" })).toEqual(["/name"]);
  expect(await pointers({ signature_scheme: "md5" })).toEqual(["/signature_scheme"]);
  expect(await pointers({ preset: "other" })).toEqual(["/preset"]);
  expect(await pointers({ secret: "short" })).toEqual(["/secret"]);
  expect(await pointers({ unknown: 1 })).toEqual(["/unknown"]);
  expect(await pointers({ score: { by_event_type: { a: 1.5 } } })).toEqual(["/score/by_event_type/a"]);
  expect(await pointers({ contact_email_path: 5 })).toEqual(["/contact_email_path"]);
});

test("a scheme that cannot use the kept secret is refused with 422", async () => {
  const source = await makeSource(service, { secret: "not base64 at all" });
  const refused = await service.api("PATCH", `${PATH}/${source.id}`, { signature_scheme: "standard_webhooks" });
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, "/signature_scheme"]);
  expect((await service.api("PATCH", `${PATH}/${source.id}`, {})).status).toBe(422);
  const regenerated = await service.api("POST", `${PATH}/${source.id}/secret/regenerate`, { overlap_seconds: -1 });
  expect(regenerated.status).toBe(422);
});

test("each route refuses absent and foreign ids and callers without permission", async () => {
  const source = await makeSource(service);
  const other = await otherWorkspace(service);
  const absent = absentId({ tag: tagOfId(source.id) }, "src");
  const foreign = other.id("src");
  const reader = await mintKey(service, { permission_mode: "read_only" });
  const routes: [string, string, unknown?][] = [
    ["GET", ""],
    ["PATCH", "", { name: "x" }],
    ["DELETE", ""],
    ["POST", "/toggle"],
    ["POST", "/secret/regenerate"],
    ["POST", "/token/regenerate"],
    ["POST", "/preview", { payload: {} }],
  ];
  for (const [method, rest, body] of routes) {
    const call = async (id: string, key = service.key): Promise<[number, string]> => {
      const answer = await service.api(method, `${PATH}/${id}${rest}`, body, { key });
      return [answer.status, answer.body.code];
    };
    expect([method, rest, await call(absent)]).toEqual([method, rest, [404, "not_found"]]);
    expect([method, rest, await call(foreign)]).toEqual([method, rest, [403, "workspace_mismatch"]]);
    expect([method, rest, await call(source.id, service.sandboxKey)]).toEqual([
      method,
      rest,
      [403, "environment_mismatch"],
    ]);
    const writes = method !== "GET" && rest !== "/preview";
    if (writes)
      expect([method, rest, await call(source.id, reader.key)]).toEqual([method, rest, [403, "key_read_only"]]);
  }
  expect((await service.api("GET", PATH, undefined, { key: null })).status).toBe(401);
});

test("a preview shows the fired event when an earlier version stored a reserved name", async () => {
  const source = await makeSource(service);
  const reserved = "update inbound_source set event_name = 'webhook.endpoint.disabled' where id = $1";
  await service.database.query(reserved, [uuidOf(source.id)]);
  const payload = { email: "r@example.com", type: "seen", id: "r1" };
  const { body } = await service.api("POST", `${PATH}/${source.id}/preview`, { payload });
  expect(body).toMatchObject({ status: "ok", event: "inbound.seen" });
});

test("a preview extracts what a receipt would and writes nothing", async () => {
  const source = await makeSource(service);
  const payload = '{"email":"p@example.com","type":"seen","id":"p1","amount":12345678901234567890.5,"text":"hi"}';
  const preview = async (body: unknown): Promise<ApiAnswer> =>
    await service.api("POST", `${PATH}/${source.id}/preview`, body);
  const counts =
    "select (select count(*) from inbound_receipt) + (select count(*) from inbound_seen) + (select count(*) from contact) as n";
  const before = await service.database.query(counts);
  const asJson = await preview(`{"payload":${payload}}`);
  expect(asJson.status).toBe(200);
  expect(asJson.body).toMatchObject({
    object: "inbound_preview",
    status: "ok",
    reason: null,
    event: "inbound.seen",
    extracted: { contact_email: "p@example.com", event_type: "seen", idempotency_key: "p1", summary: "hi" },
  });
  expect(asJson.text).toContain('"value":12345678901234567890.5}');
  expect((await preview({ payload })).text).toBe(asJson.text);
  expect((await preview({ payload: "{not json" })).body).toMatchObject({ status: "unmapped", reason_code: "not_json" });
  const tried = await preview({ payload: JSON.parse(payload), mapping: { contact_email_path: "$.nobody" } });
  expect(tried.body).toMatchObject({ status: "unmapped", reason_code: "contact_email_missing", event: null });
  const wrong = await preview({ payload: {}, mapping: { value_path: "$.*" } });
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, "/mapping/value_path"]);
  expect((await preview({})).status).toBe(422);
  expect(await service.database.query(counts)).toEqual(before);
  expect((await service.api("GET", `${PATH}/${source.id}`)).body).toMatchObject(MAPPING);
});
