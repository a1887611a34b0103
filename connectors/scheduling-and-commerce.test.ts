import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLoopbackNames } from "../apps/service/src/testing/loopback-names.ts";
import type { LoopbackNames } from "../apps/service/src/testing/loopback-names.ts";
import { CONNECTORS_HERE, startWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { ServiceWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { Parsed } from "../apps/service/src/testing/test-service.ts";
import { covers } from "../requirements/covers.ts";

/**
 * The two connectors without a counterpart on this machine, in the real service: webhooks with their senders'
 * signatures, and the sandbox's fixtures.
 */

const SIGNING_KEY = "the key that was chosen";
const SHOP_SECRET = "shpss_of_the_test";
const SHOP = {
  shop_url: "https://lamps.example.com",
  access_token: "shpat_of_the_test",
  webhook_secret: SHOP_SECRET,
};
let names: LoopbackNames;
let service: ServiceWithConnectors;
let hooks: Record<"scheduling" | "commerce", string>;

beforeAll(async () => {
  names = await startLoopbackNames();
  service = await startWithConnectors({ JUNCTION_DNS_SERVERS: names.address });
  const scheduling = await service.enable("scheduling", { signing_key: SIGNING_KEY });
  const commerce = await service.enable("commerce", SHOP);
  hooks = { scheduling: scheduling["webhook_url"], commerce: commerce["webhook_url"] };
});
afterAll(async () => {
  await service?.close();
  await names?.close();
});

/** Returns the sample of the sender's documentation, in the form of the kit. */
async function sample(
  key: string,
  at: number,
): Promise<{ readonly headers: Record<string, string>; readonly body: Parsed }> {
  const kit = JSON.parse(await readFile(join(CONNECTORS_HERE, key, "fixtures/kit.json"), "utf8"));
  return { headers: {}, ...kit.webhooks[at] };
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const sent = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body };
  return (await fetch(url, sent)).status;
}

async function fromCalendly(body: object, key = SIGNING_KEY): Promise<number> {
  const text = JSON.stringify(body);
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", key).update(`${seconds}.${text}`).digest("hex");
  return await post(hooks.scheduling, { "Calendly-Webhook-Signature": `t=${seconds},v1=${signature}` }, text);
}

async function fromShopify(topic: string, eventId: string, body: object, secret = SHOP_SECRET): Promise<number> {
  const text = JSON.stringify(body);
  const signature = createHmac("sha256", secret).update(text).digest("base64");
  const headers = { "X-Shopify-Topic": topic, "X-Shopify-Event-Id": eventId, "X-Shopify-Hmac-Sha256": signature };
  return await post(hooks.commerce, headers, text);
}

async function firedData(event: string): Promise<Parsed[]> {
  const { body } = await service.api("GET", `/v1/events?event=${event}&limit=100`);
  return await Promise.all(
    body["data"].map(async ({ id }: Parsed) => (await service.api("GET", `/v1/events/${id}`)).body["data"]),
  );
}

covers(
  "connector.hook.handle-webhook",
  "a booking at Calendly becomes a contact, an activity and an event",
  async () => {
    const { body } = await sample("scheduling", 0);
    expect(await fromCalendly(body)).toBe(202);
    expect(await fromCalendly(body)).toBe(202);
    await expect.poll(async () => await firedData("meeting.booked")).toHaveLength(1);
    const [fired] = await firedData("meeting.booked");
    expect(fired).toMatchObject({ meeting: { name: "Thirty minutes" }, email: "ada.moreau@example.com", moved: false });
    const timeline = await service.api("GET", `/v1/contacts/${fired.contact_id}/activities`);
    expect(timeline.body["data"]).toMatchObject([
      { event_type: "meeting.booked", summary: "Booked: Thirty minutes on 2026-11-24 13:00 UTC", score_delta: 10 },
    ]);
  },
);

test("a cancelled booking removes its score", async () => {
  const { body } = await sample("scheduling", 1);
  expect(await fromCalendly(body)).toBe(202);
  await expect.poll(async () => await firedData("meeting.cancelled")).toHaveLength(1);
  const [fired] = await firedData("meeting.cancelled");
  const contact = await service.api("GET", `/v1/contacts/${fired.contact_id}`);
  expect([fired.reason, contact.body["score"]]).toEqual(["Something came up", 0]);
});

test("a webhook from Calendly with another key is refused", async () => {
  expect(await fromCalendly((await sample("scheduling", 0)).body, "another key")).toBe(401);
});

covers(
  "connector.hook.handle-webhook",
  "an order at Shopify becomes order.created with its amounts in cents",
  async () => {
    const { body } = await sample("commerce", 0);
    expect(await fromShopify("orders/create", "event-1", body)).toBe(202);
    expect(await fromShopify("orders/create", "event-1", body)).toBe(202);
    await expect.poll(async () => await firedData("order.created")).toHaveLength(1);
    expect(await firedData("order.created")).toMatchObject([
      {
        order: { external_id: "450789469", number: "10482", total_minor: 10_690, currency: "EUR" },
        customer: { external_id: "207119551", email: "ada.moreau@example.com", name: "Ada Moreau" },
        placed_at: "2026-11-20T09:31:02.000Z",
      },
    ]);
  },
);

test("a webhook from Shopify with another secret is refused", async () => {
  expect(await fromShopify("orders/create", "event-2", (await sample("commerce", 0)).body, "another")).toBe(401);
});

covers("sandbox.data.apart", "the sandbox uses the fixtures of both and sends no requests", async () => {
  for (const key of ["scheduling", "commerce"]) await service.api("POST", `/v1/connectors/${key}/disable`);
  const sandbox = await startWithConnectors({ JUNCTION_DNS_SERVERS: names.address });
  const key = sandbox.sandboxKey;
  await sandbox.enable("commerce", SHOP, key);
  await sandbox.enable("scheduling", { signing_key: SIGNING_KEY, api_token: "a token of the test" }, key);
  expect(await sandbox.tryOut("commerce", key)).toMatchObject({
    ok: true,
    message: "Shopify takes the token, for the shop Lampes Moreau.",
  });
  expect(await sandbox.tryOut("scheduling", key)).toMatchObject({
    ok: true,
    message: "Calendly knows the token as Jonas Berg.",
  });
  await sandbox.close();
});
