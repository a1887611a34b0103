import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { nowSeconds } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { readBody } from "./body.ts";
import type { SentBody } from "./body.ts";
import { namedSchemes } from "./named-schemes.ts";
import { senders } from "./senders.ts";
import { headOf } from "./unproven.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

interface Sent {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function post(source: TestSource, body: string, headers: Record<string, string>): Promise<Sent> {
  const answer = await fetch(service.baseUrl + source.target, { method: "POST", body, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const SECRET = "example-only-secret-0001";
const FORM = "application/x-www-form-urlencoded";

test("what X's challenge signs for strangers is never an event", async () => {
  const source = await makeSource(service, { sender: "x_twitter", secret: SECRET });
  for (const text of ["for_user_id=2244994945", "12345", "true", "abc"]) {
    const asked = await fetch(`${service.baseUrl}${source.target}&crc_token=${encodeURIComponent(text)}`);
    const { response_token: signed } = (await asked.json()) as { response_token: string };
    const hex = Buffer.from(signed.slice(7), "base64").toString("hex");
    for (const type of [FORM, "text/plain", "application/json"]) {
      const forged = { "Content-Type": type, "x-twitter-webhooks-signature": signed };
      expect((await post(source, text, forged)).status).toBe(401);
      expect((await post(source, text, { "Content-Type": type, "X-Service-Inbound-Signature": hex })).status).toBe(401);
    }
  }
  const body = '{"for_user_id":"1","tweet_create_events":[]}';
  const mac = createHmac("sha256", SECRET).update(body).digest("base64");
  expect((await post(source, body, { "x-twitter-webhooks-signature": `sha256=${mac}` })).status).toBe(200);
});

const timed = [...senders.map(({ key, scheme }) => [key, scheme] as const), ...Object.entries(namedSchemes)].filter(
  ([, scheme]) => scheme.kind === "hmac" && (scheme.signed ?? "").includes("{timestamp}"),
);

test.each(timed)("%s: a recorded signature is not the service's own over its signed text", async (key) => {
  const chosen = senders.some((one) => one.key === key) ? { sender: key } : { signature_scheme: key };
  const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  const source = await makeSource(service, { ...chosen, secret });
  const body = "v0:1:command=%2Fweather&text=94070";
  const own = { "Content-Type": FORM, "X-Service-Inbound-Signature": hexMac(secret, body) };
  expect((await post(source, body, own)).status).toBe(401);
});

const unsignedIds = senders.flatMap((sender) => {
  const { scheme, idempotency_key_header: header } = sender;
  if (scheme.kind !== "hmac" || header === null || scheme.signed !== "{body}" || scheme.timestamp_path) return [];
  return [[sender.key, { ...sender, scheme, header }] as const];
});

test.each(unsignedIds)("%s: a recorded body under another id or type is a duplicate", async (key, sender) => {
  const source = await makeSource(service, { sender: key, secret: SECRET, contact: "none" });
  const { scheme, sample, header } = sender;
  const mac = createHmac(scheme.algorithm, SECRET).update(sample.body).digest(scheme.encoding);
  const headers = { ...sample.headers, [scheme.header ?? ""]: `${scheme.prefix ?? ""}${mac}` };
  const sent = async (more: Record<string, string>): Promise<unknown> =>
    (await post(source, sample.body, { ...headers, ...more })).body["status"];
  expect(await sent({ [header]: "one" })).toBe("ok");
  expect(await sent({ [header]: "two" })).toBe("duplicate");
  const type = sender.event_type_header;
  if (type !== null) expect(await sent({ [header]: "three", [type]: "other" })).toBe("duplicate");
});

function token(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${head}.${createHmac("sha256", SECRET).update(head).digest("base64url")}`;
}

test("a token without the body's hash needs an end and counts once", async () => {
  const source = await makeSource(service, { sender: "monday", secret: SECRET });
  const send = async (authorization: string, id: string): Promise<Sent> =>
    await post(source, JSON.stringify({ event: { type: "create_pulse", triggerUuid: id } }), {
      "Content-Type": "application/json",
      Authorization: authorization,
    });
  const now = nowSeconds();
  expect((await send(token({ a: 1 }), "1")).status).toBe(401);
  expect((await send(token({ exp: now + 10 * 86_400 }), "1")).status).toBe(401);
  const good = token({ exp: now + 300 });
  expect((await send(good, "1")).body["status"]).toBe("ok");
  expect((await send(good, "2")).body["status"]).toBe("duplicate");
  expect((await send(token({ exp: now + 301 }), "2")).body["status"]).toBe("ok");
});

test("a token counts once for a list, also when it is processed again", async () => {
  const mapping = { each: "$.list", event_type_path: "$.type", event_type_default: null, idempotency_key_path: "$.id" };
  const source = await makeSource(service, { sender: "monday", secret: SECRET, ...mapping });
  let expiry = nowSeconds() + 300;
  const newToken = (): string => token({ exp: (expiry += 1) });
  const send = async (authorization: string, list: readonly object[]): Promise<Sent> =>
    await post(source, JSON.stringify({ list }), { Authorization: authorization });
  const [first, replayed, reprocessed] = [newToken(), newToken(), newToken()];
  const { body } = await send(first, [
    { id: 1, type: "a" },
    { id: 2, type: "a" },
  ]);
  expect((await source.receipt(String(body["receipt_id"])))["items"]).toMatchObject([
    { status: "ok" },
    { status: "ok" },
  ]);
  expect((await send(first, [{ id: 3, type: "a" }])).body["status"]).toBe("duplicate");
  const unmapped = [await send(replayed, [{ id: 4 }]), await send(reprocessed, [{ id: 5 }])];
  expect(unmapped.map((sent) => sent.body["status"])).toEqual(["unmapped", "unmapped"]);
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { event_type_default: "late" });
  expect((await send(replayed, [{ id: 6 }])).body["status"]).toBe("ok");
  const again = await Promise.all(
    unmapped.map(
      async (sent) =>
        (await service.api("POST", `/v1/inbound-receipts/${String(sent.body["receipt_id"])}/reprocess`)).body["status"],
    ),
  );
  expect(again).toEqual(["duplicate", "ok"]);
  expect((await send(reprocessed, [{ id: 7 }])).body["status"]).toBe("duplicate");
});

test("Mailgun's token may be a day old and counts once", async () => {
  const source = await makeSource(service, { sender: "mailgun", secret: SECRET });
  const now = nowSeconds();
  const send = async (ageSeconds: number, nonce: string, id: string): Promise<Sent> => {
    const timestamp = String(now - ageSeconds);
    const signature = hexMac(SECRET, timestamp + nonce);
    const signed = { timestamp, token: nonce, signature };
    const body = { signature: signed, "event-data": { id, event: "opened", note: "x".repeat(8000) } };
    return await post(source, JSON.stringify(body), { "Content-Type": "application/json" });
  };
  expect((await send(80_000, "a".repeat(50), "1")).body["status"]).toBe("ok");
  expect((await send(80_000, "a".repeat(50), "2")).body["status"]).toBe("duplicate");
  expect((await send(90_000, "b".repeat(50), "3")).status).toBe(401);
});

test("data that grows beyond 1 MiB by conversion is unmapped with the reason", async () => {
  const source = await makeSource(service);
  const send = async (body: string, type: string): Promise<Sent> =>
    await post(source, body, { "Content-Type": type, "X-Service-Inbound-Signature": hexMac(source.secret, body) });
  for (const [body, type] of [
    [`event=a&x=${"\u0001".repeat(900_000)}`, FORM],
    ["\u0001".repeat(900_000), "text/plain"],
  ] as const) {
    expect(await send(body, type)).toMatchObject({ status: 200, body: { status: "unmapped" } });
  }
  const receipts = await source.receipts();
  expect(receipts.map(({ reason }) => reason)).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/1 MiB/)));
});

const ADYEN_KEY = "6578616d706c652d6f6e6c792d6164792d6b65792d3030303030303030303031";

/** An item of Adyen, which signs its values but not what else it has. */
function adyenItem(reference: string, more: Record<string, string> = {}): object {
  const values = ["", "ExampleAccount", "order-1001", 4200, "EUR", "CAPTURE", "true"];
  const text = [reference, ...values].join(":");
  const hmacSignature = createHmac("sha256", Buffer.from(ADYEN_KEY, "hex")).update(text).digest("base64");
  return {
    NotificationRequestItem: {
      additionalData: { hmacSignature, ...more },
      amount: { value: 4200, currency: "EUR" },
      eventCode: "CAPTURE",
      merchantAccountCode: "ExampleAccount",
      merchantReference: "order-1001",
      pspReference: reference,
      success: "true",
    },
  };
}

test("each signed item of a list is proven, and counts once in any list", async () => {
  const source = await makeSource(service, { sender: "adyen", secret: ADYEN_KEY });
  const send = async (...notificationItems: object[]): Promise<[number, string | undefined]> => {
    const { status, text } = await source.sendAs(
      { "Content-Type": "application/json" },
      JSON.stringify({ notificationItems }),
    );
    const [receipt] = await source.receipts();
    const items = (receipt?.["items"] ?? []) as { status: string }[];
    return [status, status === 200 ? `${text} ${items.map((item) => item.status).join(" ")}` : undefined];
  };
  expect(await send(adyenItem("PSP1"), adyenItem("PSP2"))).toEqual([200, "[accepted] ok ok"]);
  const changed = { shopperEmail: "eve@example.com" };
  expect(await send(adyenItem("PSP2", changed), adyenItem("PSP1", changed))).toEqual([
    200,
    "[accepted] duplicate duplicate",
  ]);
  expect(await send(adyenItem("PSP1", changed), adyenItem("PSP3"))).toEqual([200, "[accepted] duplicate ok"]);
  const unsigned = adyenItem("PSP4");
  Object.assign(unsigned, { NotificationRequestItem: { ...Object.values(unsigned)[0], pspReference: "PSP5" } });
  expect(await send(adyenItem("PSP4"), unsigned)).toEqual([401, undefined]);
  expect(await send(unsigned, adyenItem("PSP4"))).toEqual([401, undefined]);
  expect(await send(adyenItem("PSP4"))).toEqual([200, "[accepted] ok"]);
});

test("without an id of its own, a signed item counts once too", async () => {
  const source = await makeSource(service, { sender: "adyen", secret: ADYEN_KEY });
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { idempotency_key_template: null });
  const statuses: unknown[] = [];
  for (const notificationItems of [[adyenItem("PSP6")], [adyenItem("PSP7"), adyenItem("PSP6", { reason: "x" })]]) {
    await source.sendAs({ "Content-Type": "application/json" }, JSON.stringify({ notificationItems }));
    const [receipt] = await source.receipts();
    const items = (receipt?.["items"] ?? []) as { status: string }[];
    statuses.push(items.map(({ status }) => status));
  }
  expect(statuses).toEqual([["ok"], ["ok", "duplicate"]]);
});

test("members beyond the first 4 KiB of an unproven body are not read", () => {
  const early = headOf(Buffer.from(`{"a":{"b":"c"},"d":"${"x".repeat(9000)}","e":1}`));
  expect(early?.value).toEqual({ a: { b: "c" } });
  const nested = headOf(Buffer.from(`{"a":[{"b":"\\"}","c":${"1".repeat(9000)}`));
  expect(nested?.value).toEqual({ a: [{ b: '"}' }] });
  expect(headOf(Buffer.from(`[${"1,".repeat(9000)}1]`))).toBeUndefined();
  expect(headOf(Buffer.from("a=b"))).toBeUndefined();
});

/** A body that is as expensive as its reader allows. */
const MULTIPART = "multipart/form-data; boundary=X";
const expensive: readonly (readonly [string, string, string])[] = [
  ["nameless parts", MULTIPART, "--X\r\nA:b\r\n\r\n\r\n".repeat(65_000)],
  ["headers of one part", MULTIPART, `--X\r\n${"A:b\r\n".repeat(180_000)}\r\n\r\n--X--`],
  ["almost delimiters", MULTIPART, `--X\r\nA:b\r\n\r\n${"\r\n--".repeat(220_000)}`],
  ["fields", MULTIPART, '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(17_000)],
  ["attributes", "text/xml", `<a ${Array.from({ length: 100_000 }, (_one, at) => `b${at}=""`).join(" ")}/>`],
  ["elements", "text/xml", `<a>${"<b/>".repeat(220_000)}</a>`],
  ["entities", "text/xml", `<a>${"&amp;".repeat(180_000)}</a>`],
  ["payload fields", FORM, Array.from({ length: 7000 }, () => `payload=${"[".repeat(120)}`).join("&")],
  ["escaped names", "application/json", objectOf((at) => `\\u0061${at}`)],
  ["repeated names", "application/json", `{${'"a":1,'.repeat(140_000)}"a":1}`],
];

function bodyOf(type: string, body: Uint8Array): SentBody {
  return { body, header: (name) => (name === "content-type" ? type : undefined), charset: null };
}

function objectOf(nameAt: (at: number) => string): string {
  return `{${Array.from({ length: 60_000 }, (_one, at) => `"${nameAt(at)}":1`).join(",")}}`;
}

/** Plain JSON of a megabyte. An object with many names takes the engine longer than a list. */
const LIST = JSON.stringify(Array.from({ length: 110_000 }, (_one, at) => ({ a: at })));
const OBJECT = objectOf((at) => `aaaaaa${at}`);

describe("a body of a megabyte does not hold the process in any reader", () => {
  test.each(expensive)("%s", async (name, type, body) => {
    const bytes = Buffer.from(body);
    const plain = Buffer.from(name === "escaped names" ? OBJECT : LIST);
    const unit = await longestHold(async () => await readBody(bodyOf("application/json", plain)));
    const held = await longestHold(async () => await readBody(bodyOf(type, bytes)));
    expect(held / unit).toBeLessThan(6);
  });
});

/** The longest time without a turn of the event loop. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 3; round += 1) {
    let last = processorMs();
    let longest = 0;
    let isOver = false;
    const tick = (): void => {
      const now = processorMs();
      longest = Math.max(longest, now - last);
      last = now;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    await work();
    longest = Math.max(longest, processorMs() - last);
    isOver = true;
    best = Math.min(best, longest);
  }
  return best;
}
