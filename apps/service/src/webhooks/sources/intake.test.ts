import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { parseId } from "../../lib/lib.ts";
import { hexMac, inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import { countRows } from "../../testing/keys.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

interface Activity {
  readonly contact_id: string;
  readonly email: string;
  readonly name: string;
  readonly score: string;
  readonly kind: string;
  readonly event_type: string;
  readonly summary: string;
  readonly value: string | null;
  readonly score_delta: string;
  readonly receipt_id: string;
}

/** Returns the activities of this receipt from the database. */
async function activityOf(receiptId: string): Promise<Activity[]> {
  return await service.database.query<Activity>(
    `select a.*, c.email, c.name, c.score from activity a join contact c on c.bucket = a.bucket and c.id = a.contact_id where a.receipt_id = $1`,
    [parseId(receiptId)?.uuid],
  );
}

covers(
  [
    "inbound.api.post",
    "inbound.answer.success",
    "inbound.sign.header",
    "contact.activity.created",
    "receipt.status.ok",
    "contact.activity.scorable",
    "mapping.path.contact-email",
    "mapping.path.contact-name",
    "mapping.path.event-type",
    "mapping.path.value",
    "mapping.path.summary",
    "mapping.path.form",
  ],
  "a signed event becomes one scored activity on its contact, with an ok receipt",
  async () => {
    const source = await makeSource(service, {
      ...MAPPING,
      score: { default: 1, by_event_type: { "thing.done": 7 } },
    });
    const body = inboundBody({ email: "Grace@Example.COM", name: "Grace Hopper" });
    const answer = await source.send(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      receipt_id: expect.stringMatching(/^rcp_/),
      status: "ok",
      activity_id: expect.stringMatching(/^act_/),
      contact_id: expect.stringMatching(/^con_/),
    });
    const rows = await activityOf(answer.body.receipt_id);
    expect(rows).toMatchObject([
      {
        id: parseId(answer.body.activity_id)?.uuid,
        contact_id: parseId(answer.body.contact_id)?.uuid,
        email: "grace@example.com",
        name: "Grace Hopper",
        kind: "inbound",
        event_type: "thing.done",
        summary: "Did a thing",
        value: "12.5",
        score_delta: "7",
        score: "7",
      },
    ]);
    expect(await source.receipt(answer.body.receipt_id)).toMatchObject({
      status: "ok",
      object: "inbound_receipt",
      source_id: source.id,
      reason: null,
      raw_payload: body,
      raw_payload_encoding: "utf8",
      raw_payload_truncated: false,
      activity_id: answer.body.activity_id,
      contact_id: answer.body.contact_id,
      extracted: {
        contact_email: "Grace@Example.COM",
        contact_name: "Grace Hopper",
        event_type: "thing.done",
        value: 12.5,
        summary: "Did a thing",
        score_delta: 7,
      },
    });
  },
);

covers(
  ["rule.trigger.activity", "mapping.value.used"],
  "an accepted event fires inbound.<event_type> with exact payload and value",
  async () => {
    const watcher = await subscribe(service, { more: { events: ["inbound.big__money._spent"] } });
    const source = await makeSource(service, { ...MAPPING, score: { per_value: 0.001 } });
    const body =
      '{ "id":"big-1", "type":"big $money..spent", "email":"a@example.com", "amount": 12345678901234567890.10,' +
      ' "text":"caf\\u00e9", "__proto__": {"a":1e400} }';
    const answer = await source.send(body);
    expect(answer.body.status).toBe("ok");
    const [delivery] = await watcher.receiver.count(1);
    expect(delivery?.body).toContain(`"payload":${body}`);
    expect(delivery?.body).toContain('"value":12345678901234567890.1,');
    const receipt = await source.receipt(answer.body.receipt_id);
    expect(JSON.parse(delivery?.body ?? "").data).toMatchObject({
      receipt_id: answer.body.receipt_id,
      source_id: source.id,
      contact_id: answer.body.contact_id,
      event_type: "big $money..spent",
      summary: "café",
    });
    const event = await service.api("GET", `/v1/events/${receipt.event_id}`);
    expect(event.body).toMatchObject({ subject: answer.body.contact_id, event: "inbound.big__money._spent" });
    const timeline = await service.api("GET", `/v1/contacts/${String(answer.body.contact_id)}/activities`);
    expect(timeline.text).toContain('"value":12345678901234567890.1,');
    // The score of so large a value is reduced to the maximum score.
    expect(receipt.extracted.score_delta).toBe(1_000_000);
  },
);

test("a source with an event_name fires that event", async () => {
  const watcher = await subscribe(service);
  const source = await makeSource(service, { ...MAPPING, event_name: watcher.event });
  const answer = await source.send(inboundBody());
  const [delivery] = await watcher.receiver.count(1);
  expect(JSON.parse(delivery?.body ?? "").data.receipt_id).toBe(answer.body.receipt_id);
});

covers(
  ["inbound.sign.verified", "receipt.status.error"],
  "an unsigned request gets 401 and only leaves a shortened error receipt",
  async () => {
    const source = await makeSource(service);
    const before = [await countRows(service, "contact"), await countRows(service, "inbound_seen")];
    const body = inboundBody({ filler: "x".repeat(10_000) });
    const refused = await source.sendAs({ "X-Service-Inbound-Signature": hexMac("not the secret", body) }, body);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ code: "signature_invalid", receipt_id: expect.stringMatching(/^rcp_/) });
    expect(await source.receipt(refused.body.receipt_id)).toMatchObject({
      status: "error",
      reason_code: "signature_invalid",
      reason: "The signature does not match",
      signed: false,
      raw_payload: body.slice(0, 4096),
      raw_payload_truncated: true,
      payload_bytes: body.length,
      extracted: { contact_email: null },
    });
    expect([await countRows(service, "contact"), await countRows(service, "inbound_seen")]).toEqual(before);
    // The refusal used up no key: with a valid signature, the same event is new.
    expect((await source.send(body)).body.status).toBe("ok");
  },
);

test("a signature that is missing, malformed or repeated gets 401", async () => {
  const source = await makeSource(service);
  const body = inboundBody();
  const mac = hexMac(source.secret, body);
  for (const value of [mac.slice(1), `sha256=${mac}`, `${mac} ${mac}`, [mac, mac], ""]) {
    const answer = await source.sendAs({ "X-Service-Inbound-Signature": value }, body);
    expect([value, answer.status, answer.body.code]).toEqual([value, 401, "signature_invalid"]);
  }
  expect((await source.sendAs({}, body)).status).toBe(401);
  expect((await source.send(`${body} `, { "X-Service-Inbound-Signature": mac })).status).toBe(401);
  expect((await source.send(body)).status).toBe(200);
});

test("unsigned requests leave at most 60 receipts a minute for one source", async () => {
  const source = await makeSource(service);
  const answers = await Promise.all(
    Array.from({ length: 80 }, async () => await source.sendAs({ "X-Service-Inbound-Signature": "no" }, "{}")),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(answers.filter(({ body }) => "receipt_id" in body)).toHaveLength(60);
  expect(await source.receipts()).toHaveLength(60);
  expect((await source.send(inboundBody())).status).toBe(200);
});

test("an unknown token gets 404, and an inactive source gets 403 with a receipt", async () => {
  const source = await makeSource(service);
  const unknown = ["", "?t=", "?t=nope", `?t=${source.target.slice(-51, -1)}0x`, `?t=${"0".repeat(51)}`];
  for (const query of unknown) {
    const answer = await sendRaw(service.baseUrl, { method: "POST", path: `/api/v1/inbound.php${query}`, body: "{}" });
    expect([query, answer.status, answer.body.code]).toEqual([query, 404, "not_found"]);
  }
  await service.api("POST", `/v1/inbound-endpoints/${source.id}/toggle`);
  const body = inboundBody();
  const refused = await source.send(body);
  expect([refused.status, refused.body.code]).toEqual([403, "inbound_inactive"]);
  expect(await source.receipts()).toMatchObject([{ id: refused.body.receipt_id, reason_code: "inbound_inactive" }]);
  await service.api("POST", `/v1/inbound-endpoints/${source.id}/toggle`);
  expect((await source.send(body)).body.status).toBe("ok");
});

test("a body needs no Content-Type, and any type is accepted", async () => {
  const source = await makeSource(service);
  for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded", "application/cloudevents+json"]) {
    const body = inboundBody();
    const headers = {
      "X-Service-Inbound-Signature": hexMac(source.secret, body),
      ...(type === undefined ? {} : { "Content-Type": type }),
    };
    const answer = await sendRaw(service.baseUrl, { method: "POST", path: source.target, headers, body });
    expect([type, answer.status, answer.body.status]).toEqual([type, 200, "ok"]);
  }
});

test("sources of a closed workspace are unknown", async () => {
  const source = await makeSource(service);
  await service.database.query("update workspace set closed_at = now()");
  expect((await source.send(inboundBody())).status).toBe(404);
  await service.database.query("update workspace set closed_at = null");
  expect((await source.send(inboundBody())).status).toBe(200);
});

test("a body of 1 MiB is accepted, and a larger one gets 413", async () => {
  const source = await makeSource(service);
  const frame = inboundBody({ filler: "" });
  const whole = inboundBody({ filler: "x".repeat(1_048_576 - frame.length - 2) });
  expect(whole.length).toBeGreaterThan(1_048_000);
  const full = whole.padEnd(1_048_576, " ");
  expect((await source.send(full)).body.status).toBe("ok");
  const over = await source.send(`${full} `);
  expect([over.status, over.body.code, over.body.detail]).toEqual([
    413,
    "payload_too_large",
    "This path takes bodies of at most 1024 KiB.",
  ]);
  const preview = `/v1/inbound-endpoints/${source.id}/preview`;
  const tooLong = await service.api("POST", preview, { payload: "x".repeat(2 * 1_048_576) });
  expect([tooLong.status, tooLong.body["detail"]]).toEqual([413, "This path takes bodies of at most 2048 KiB."]);
  const got = await sendRaw(service.baseUrl, { method: "GET", path: source.target });
  expect([got.status, got.headers.allow]).toEqual([405, "POST"]);
});

covers(
  ["receipt.status.unmapped", "receipt.payload.kept"],
  "an event without a usable mapping gets 200 unmapped and is announced",
  async () => {
    const watcher = await subscribe(service, { more: { events: ["inbound.receipt.unmapped"] } });
    const source = await makeSource(service);
    const cases: [string | Uint8Array, string][] = [
      [inboundBody({ email: undefined }), "contact_email_missing"],
      [inboundBody({ email: "not an address" }), "contact_email_invalid"],
      [inboundBody({ email: { a: 1 } }), "contact_email_missing"],
      [inboundBody({ email: "nul\u0000@example.com" }), "contact_email_invalid"],
      [inboundBody({ type: null }), "event_type_missing"],
      ["not json", "not_json"],
      ["", "contact_email_missing"],
      ['{"email":"a@example.com","email":"b@example.com","type":"x","id":"1"', "not_json"],
      [`{"a":${"[".repeat(63)}${"]".repeat(63)},"email":"a@example.com","type":"x"}`, "not_json"],
      [Buffer.from([0x22, 0xff, 0xfe, 0x22]), "not_json"],
      ["[]", "contact_email_missing"],
      ["null", "contact_email_missing"],
    ];
    for (const [body, code] of cases) {
      const answer = await source.send(body);
      expect([body, answer.status, answer.body]).toEqual([
        body,
        200,
        { receipt_id: expect.any(String), status: "unmapped" },
      ]);
      const receipt = await source.receipt(answer.body.receipt_id);
      expect(receipt).toMatchObject({ status: "unmapped", reason_code: code });
      expect(Buffer.from(receipt.raw_payload, receipt.raw_payload_encoding)).toEqual(Buffer.from(body));
    }
    const news = (await watcher.receiver.count(cases.length)).map(({ body }) => JSON.parse(body).data);
    expect(news.map(({ source_id: id }) => id)).toEqual(cases.map(() => source.id));
    const [first] = await source.receipts("&status=unmapped");
    expect(news.map(({ receipt_id: id }) => id)).toContain(first.id);
  },
);

test("hostile values are read as data, such as huge numbers and lone surrogates", async () => {
  const { summary_path: _path, ...mapping } = MAPPING;
  const source = await makeSource(service, {
    ...mapping,
    summary_template: "${['__proto__'].x} ${constructor} ${$.text}",
  });
  const send = async (more: string): Promise<Parsed> => {
    const answer = await source.send(`{"email":"h@example.com","type":"x"${more}}`);
    expect([more, answer.body.status]).toEqual([more, "ok"]);
    return (await source.receipt(answer.body.receipt_id)).extracted;
  };
  expect(await send(',"amount":1e999999999')).toMatchObject({ value: null, warnings: [{ field: "value" }] });
  expect(await send(`,"amount":${"9".repeat(300)}`)).toMatchObject({ value: null, warnings: [{ field: "value" }] });
  expect(await send(',"amount":"12,50"')).toMatchObject({ value: null, warnings: [{ field: "value" }] });
  expect(await send(',"amount":-0.0')).toMatchObject({ value: 0, warnings: [] });
  expect(await send(',"amount":"49.90"')).toMatchObject({ value: 49.9 });
  expect(await send(',"__proto__":{"x":"own"},"constructor":5')).toMatchObject({ summary: "own 5" });
  expect(await send(',"text":"a\\u0000b\\ud800c"')).toMatchObject({ summary: "a\uFFFDb\uFFFDc" });
  expect(await send(`,"text":"${"é".repeat(5000)}","name":["x"]`)).toMatchObject({ contact_name: null });
  expect(await send(',"type2":1')).toMatchObject({ summary: "x", value: null, warnings: [] });
});

covers(
  "receipt.row.per-request",
  "every request that is received leaves one receipt with one of four statuses",
  async () => {
    const source = await makeSource(service);
    const body = inboundBody();
    await source.send(body);
    await source.send(body);
    await source.send("{}");
    await source.sendAs({}, body);
    const receipts = await source.receipts();
    expect(receipts.map(({ status }) => status)).toEqual(["error", "unmapped", "duplicate", "ok"]);
  },
);

covers(
  "inbound.order.steps",
  "a request passes signature, mapping, deduplication and contact in this order",
  async () => {
    const source = await makeSource(service);
    const body = inboundBody();
    await source.send(body);
    const contacts = await countRows(service, "contact");
    // The request is unsigned, unmappable and seen: the signature check decides.
    expect((await source.sendAs({}, "not json")).status).toBe(401);
    // The request is unmappable and seen: the mapping decides.
    const { id } = JSON.parse(body);
    expect((await source.send(JSON.stringify({ id, type: "x" }))).body.status).toBe("unmapped");
    // The request is seen and names a new person: no contact is created.
    expect((await source.send(inboundBody({ id }))).body.status).toBe("duplicate");
    expect(await countRows(service, "contact")).toBe(contacts);
  },
);
