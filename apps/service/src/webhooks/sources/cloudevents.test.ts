import { createHmac } from "node:crypto";
import { CloudEvent, HTTP } from "cloudevents";
import type { Message } from "cloudevents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import type { RawAnswer } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

const TOKEN = "example-only-cloudevents-token-1";
const ORDER = { type: "com.example.order", source: "/shops/1815", id: "1", data: { total: 12.5, note: "schön" } };

/** Sends what the SDK of CloudEvents makes of an event. */
async function send(
  source: TestSource,
  { headers, body }: Message,
  more: Record<string, string> = {},
): Promise<RawAnswer> {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return await source.sendAs({ Authorization: `Bearer ${TOKEN}`, ...named, ...more }, body as string);
}

async function statusOf(source: TestSource, message: Message): Promise<unknown> {
  return (await send(source, message)).body["status"];
}

async function firedBy(source: TestSource): Promise<Parsed> {
  const [receipt] = await source.receipts("&status=ok");
  return (await service.api("GET", `/v1/events/${receipt.event_id}`)).body;
}

async function receiver(): Promise<TestSource> {
  return await makeSource(service, { sender: "cloudevents", secret: TOKEN });
}

describe("an event of the CloudEvents SDK", () => {
  test("in binary mode has type and id in headers, and data as payload", async () => {
    const source = await receiver();
    const message = HTTP.binary(new CloudEvent(ORDER));
    expect([await statusOf(source, message), await statusOf(source, message)]).toEqual(["ok", "duplicate"]);
    const event = await firedBy(source);
    expect([event["event"], event["data"].payload]).toEqual(["inbound.com.example.order", ORDER.data]);
    const [first] = await source.receipts("&status=ok");
    expect(await source.receipt(first.id)).toMatchObject({ extracted: { idempotency_key: "/shops/1815 1" } });
  });

  test("in structured mode is the same event", async () => {
    const source = await receiver();
    const event = new CloudEvent(ORDER);
    expect(await statusOf(source, HTTP.structured(event))).toBe("ok");
    expect(await statusOf(source, HTTP.binary(event))).toBe("duplicate");
    expect((await firedBy(source))["data"].payload).toMatchObject({ specversion: "1.0", ...ORDER });
  });

  test("with the same data is another one if id or source differ", async () => {
    const source = await receiver();
    for (const more of [{}, { id: "2" }, { source: "/shops/1852" }])
      expect(await statusOf(source, HTTP.binary(new CloudEvent({ ...ORDER, ...more })))).toBe("ok");
  });

  test("whose data is a list or a text is one event", async () => {
    const source = await receiver();
    expect(await statusOf(source, HTTP.binary(new CloudEvent({ ...ORDER, data: [1, 2] })))).toBe("ok");
    expect((await firedBy(source))["data"].payload).toEqual([1, 2]);
    const text = new CloudEvent({ ...ORDER, id: "2", datacontenttype: "text/plain", data: "disk is full" });
    expect(await statusOf(source, HTTP.binary(text))).toBe("ok");
    expect((await firedBy(source))["data"].payload).toBe("disk is full");
  });

  test("without data, and so without a body, is an event", async () => {
    const source = await receiver();
    const headers = { "ce-specversion": "1.0", "ce-type": ORDER.type, "ce-source": ORDER.source, "ce-id": "9" };
    expect(await statusOf(source, { headers, body: "" })).toBe("ok");
    expect((await firedBy(source))["data"].payload).toBeNull();
    expect(await statusOf(source, { headers, body: "" })).toBe("duplicate");
    expect(await statusOf(source, { headers: { ...headers, "ce-id": "10" }, body: "" })).toBe("ok");
  });

  test("in a batch is one of several, each with its own id", async () => {
    const source = await receiver();
    const batch = (...ids: string[]): Message => ({
      headers: { "Content-Type": "application/cloudevents-batch+json; charset=UTF-8" },
      body: JSON.stringify(ids.map((id) => new CloudEvent({ ...ORDER, id }).toJSON())),
    });
    expect(await statusOf(source, batch("1", "2"))).toBe("ok");
    expect(await statusOf(source, batch("2", "3"))).toBe("ok");
    expect(await statusOf(source, batch("1", "3"))).toBe("duplicate");
    expect(await statusOf(source, batch())).toBe("ok");
    const [, , second] = await source.receipts();
    const { items } = await source.receipt(second.id);
    expect(items.map(({ status }: Parsed) => status)).toEqual(["duplicate", "ok"]);
  });

  test("without the token is refused, in every mode", async () => {
    const source = await receiver();
    for (const message of [HTTP.binary(new CloudEvent(ORDER)), HTTP.structured(new CloudEvent(ORDER))])
      expect((await send(source, message, { Authorization: "Bearer another" })).status).toBe(401);
  });
});

test("attributes that a signature does not cover cannot make a recorded body another event", async () => {
  const source = await makeSource(service, {
    event_type_header: "ce-type",
    idempotency_key_template: "${@cloudevent.source}${@cloudevent.id}",
  });
  const sent = async (id: string, body: string): Promise<unknown> =>
    (await source.send(body, { "ce-type": "a.b", "ce-source": "/s", "ce-id": id })).body["status"];
  expect([await sent("1", '{"a":1}'), await sent("2", '{"a":1}'), await sent("3", '{"a":2}')]).toEqual([
    "ok",
    "duplicate",
    "ok",
  ]);
  const signed = await makeSource(service, {
    event_type_header: "ce-type",
    idempotency_key_template: "${@cloudevent.id}",
    scheme: {
      kind: "hmac",
      algorithm: "sha256",
      encoding: "hex",
      header: "X-Sig",
      signed: "{header:ce-id}.{header:ce-type}.{body}",
    },
    secret: TOKEN,
  });
  const proven = async (id: string): Promise<unknown> => {
    const headers = { "ce-type": "a.b", "ce-id": id, "X-Sig": hexMac(TOKEN, `${id}.a.b.{}`) };
    return (await signed.sendAs(headers, "{}")).body["status"];
  };
  expect([await proven("1"), await proven("2"), await proven("1")]).toEqual(["ok", "ok", "duplicate"]);
});

test.each([
  "${@cloudevent.}",
  "${@cloudevent.ID}",
  "${@cloudevents.id}",
  "${@cloudevent.id",
  "no token",
  "${$..a}${@cloudevent.id}",
])("a key template that contains something else is refused (%s)", async (template) => {
  const made = await service.api("POST", "/v1/inbound-endpoints", { idempotency_key_template: template });
  expect([made.status, made.body["errors"]?.[0].pointer]).toEqual([422, "/idempotency_key_template"]);
});

test("Azure Event Grid validates subscriptions in both schemas, and each event fires", async () => {
  const source = await makeSource(service, { sender: "azure_event_grid", secret: "example-only-event-grid-key-1" });
  const path = `${source.target}&code=example-only-event-grid-key-1`;
  const post = async (body: unknown, type: string, at = path): Promise<RawAnswer> =>
    await sendRaw(service.baseUrl, {
      method: "POST",
      path: at,
      headers: { "Content-Type": "application/json; charset=utf-8", "aeg-event-type": type },
      body: JSON.stringify(body),
    });
  const made = (id: string, eventType: string, data: object): object => ({
    id,
    topic: "/subscriptions/1",
    subject: "",
    data,
    eventType,
    eventTime: "2026-11-25T11:59:59Z",
    metadataVersion: "1",
    dataVersion: "1",
  });
  const check = [
    made("1", "Microsoft.EventGrid.SubscriptionValidationEvent", {
      validationCode: "512d38b6",
      validationUrl: "https://example.com",
    }),
  ];
  const validated = await post(check, "SubscriptionValidation");
  expect([validated.status, validated.body]).toEqual([200, { validationResponse: "512d38b6" }]);
  expect((await post(check, "SubscriptionValidation", source.target)).status).toBe(401);
  const permitted = await sendRaw(service.baseUrl, {
    method: "OPTIONS",
    path,
    headers: { "WebHook-Request-Origin": "eventgrid.azure.net" },
  });
  expect([permitted.status, permitted.headers["webhook-allowed-origin"]]).toEqual([200, "eventgrid.azure.net"]);
  const events = [made("2", "Microsoft.Storage.BlobCreated", {}), made("3", "Microsoft.Storage.BlobDeleted", {})];
  expect((await post(events, "Notification")).body["status"]).toBe("ok");
  expect((await post(events.toReversed(), "Notification")).body["status"]).toBe("duplicate");
  const receipts = await source.receipts();
  expect(receipts.map(({ status, reason_code: code }) => [status, code])).toEqual([
    ["duplicate", null],
    ["ok", null],
    ["ok", "handshake"],
    ["error", "signature_invalid"],
    ["ok", "handshake"],
  ]);
});

test("Trello's check and its signature over the body and the URL are accepted", async () => {
  const source = await makeSource(service, { sender: "trello", secret: "example-only-trello-1" });
  const head = await sendRaw(service.baseUrl, { method: "HEAD", path: source.target });
  expect([head.status, head.text]).toEqual([200, ""]);
  const body = JSON.stringify({
    action: { id: "1", type: "createCard", data: { card: { name: "Größe" } } },
    model: {},
  });
  const mac = (url: string): string =>
    createHmac("sha1", "example-only-trello-1")
      .update(body + url)
      .digest("base64");
  const url = String(source.shown["url"]);
  expect((await source.sendAs({ "X-Trello-Webhook": mac(url) }, body)).body["status"]).toBe("ok");
  expect((await source.sendAs({ "X-Trello-Webhook": mac(`${url}&a=1`) }, body)).status).toBe(401);
  expect((await firedBy(source))["event"]).toBe("inbound.createCard");
});
