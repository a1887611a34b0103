import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import { nowSeconds } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Has the shape of Stripe's `payment_intent.succeeded`, with values of our own. */
const STRIPE = {
  id: "evt_1PxJunctionExample",
  object: "event",
  api_version: "2025-04-30.basil",
  created: 1_763_730_000,
  data: {
    object: {
      id: "pi_3PxJunctionExample",
      object: "payment_intent",
      amount: 4999,
      amount_capturable: 0,
      amount_details: { tip: {} },
      amount_received: 4999,
      application: null,
      automatic_payment_methods: { allow_redirects: "always", enabled: true },
      canceled_at: null,
      capture_method: "automatic_async",
      client_secret: null,
      confirmation_method: "automatic",
      created: 1_763_729_990,
      currency: "eur",
      customer: "cus_Example",
      description: "Two mugs",
      latest_charge: "ch_3PxJunctionExample",
      livemode: false,
      metadata: { order_id: "6735" },
      next_action: null,
      payment_method: "pm_1PxJunctionExample",
      payment_method_types: ["card"],
      receipt_email: "ada@example.com",
      shipping: { address: { city: "Berlin", country: "DE" }, name: "Ada Lovelace", phone: null },
      status: "succeeded",
    },
  },
  livemode: false,
  pending_webhooks: 2,
  request: { id: "req_Example", idempotency_key: "7f2c1c1e-0000-4000-8000-000000000000" },
  type: "payment_intent.succeeded",
};

/** Has the shape of Calendly's `invitee.created`, with values of our own. */
const CALENDLY = {
  created_at: "2026-11-20T17:51:19.000000Z",
  created_by: "https://api.calendly.com/users/AAAAAAAAAAAAAAAA",
  event: "invitee.created",
  payload: {
    cancel_url: "https://calendly.com/cancellations/AAAAAAAAAAAAAAAA",
    created_at: "2026-11-20T17:51:18.327602Z",
    email: "grace@example.com",
    event: "https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2",
    first_name: "Grace",
    last_name: "Hopper",
    name: "Grace Hopper",
    new_invitee: null,
    old_invitee: null,
    payment: { amount: 50.5, currency: "USD", external_id: "ch_1", provider: "stripe", successful: true, terms: "" },
    questions_and_answers: [{ answer: "Compilers", position: 0, question: "What is it about?" }],
    reschedule_url: "https://calendly.com/reschedulings/AAAAAAAAAAAAAAAA",
    rescheduled: false,
    scheduled_event: {
      uri: "https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2",
      name: "15 Minute Meeting",
      status: "active",
      start_time: "2026-11-24T14:15:00.000000Z",
      end_time: "2026-11-24T14:30:00.000000Z",
    },
    status: "active",
    timezone: "Europe/Berlin",
    tracking: { utm_campaign: null, utm_source: null },
    uri: "https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2/invitees/AAAAAAAAAAAAAAAA",
  },
};

function timed(secret: string, body: string, time = nowSeconds()): string {
  return `t=${time},v1=${hexMac(secret, `${time}.${body}`)}`;
}

async function activity(email: string): Promise<Parsed> {
  const rows = await service.database.query(
    "select a.event_type, a.summary, a.value, c.name from activity a join contact c on c.bucket = a.bucket and c.id = a.contact_id where c.email = $1",
    [email],
  );
  return rows;
}

covers(
  ["mapping.preset.payment-processor", "inbound.example.payment-intent"],
  "a Stripe payment intent is mapped onto its contact's timeline in major units",
  async () => {
    const secret = "whsec_stripes_own_signing_secret";
    const source = await makeSource(service, { preset: "payment_processor", secret });
    expect(source.shown).toMatchObject({ signature_scheme: "stripe", signature_header: "stripe-signature", secret });
    const body = JSON.stringify(STRIPE, null, 2);
    const send = async (sent: string): Promise<Parsed> =>
      (await source.sendAs({ "Stripe-Signature": timed(secret, sent) }, sent)).body;
    const answer = await send(body);
    expect(answer.status).toBe("ok");
    expect(await activity("ada@example.com")).toEqual([
      {
        event_type: "payment_intent.succeeded",
        summary: "payment_intent.succeeded (pi_3PxJunctionExample)",
        value: "49.99",
        name: "Ada Lovelace",
      },
    ]);
    expect((await source.receipt(answer.receipt_id)).extracted).toMatchObject({ currency: "EUR", value: 49.99 });
    expect((await send(JSON.stringify(STRIPE))).status).toBe("duplicate");
    const yen = structuredClone(STRIPE);
    yen.id = "evt_yen";
    yen.data.object.currency = "jpy";
    const inYen = await send(JSON.stringify(yen));
    expect((await source.receipt(inYen.receipt_id)).extracted).toMatchObject({ currency: "JPY", value: 4999 });
    const stale = await source.sendAs({ "Stripe-Signature": timed(secret, body, nowSeconds() - 400) }, body);
    expect(stale.status).toBe(401);
  },
);

covers(
  "mapping.preset.scheduling-tool",
  "a Calendly invitee is mapped, and a repeat is recognized by its bytes",
  async () => {
    const secret = "calendly-signing-key-0123456789";
    const source = await makeSource(service, { preset: "scheduling_tool", secret });
    const send = async (payload: unknown): Promise<Parsed> => {
      const body = JSON.stringify(payload);
      return (await source.sendAs({ "Calendly-Webhook-Signature": timed(secret, body) }, body)).body;
    };
    expect((await send(CALENDLY)).status).toBe("ok");
    expect((await send(CALENDLY)).status).toBe("duplicate");
    // The same invitee with another event is not a repeat.
    expect((await send({ ...CALENDLY, event: "invitee.canceled" })).status).toBe("ok");
    expect(await activity("grace@example.com")).toEqual([
      {
        event_type: "invitee.created",
        summary: "invitee.created: 15 Minute Meeting",
        value: "50.5",
        name: "Grace Hopper",
      },
      {
        event_type: "invitee.canceled",
        summary: "invitee.canceled: 15 Minute Meeting",
        value: "50.5",
        name: "Grace Hopper",
      },
    ]);
  },
);

covers(
  "mapping.preset.automation-relay",
  "a relay sends flat events that are signed with the service's scheme",
  async () => {
    const source = await makeSource(service, { preset: "automation_relay" });
    const body = JSON.stringify({
      id: 17,
      event: "Form submitted",
      email: "relay@example.com",
      name: "Relay",
      value: "12.50",
      summary: "Filled in the form",
    });
    expect((await source.send(body)).body.status).toBe("ok");
    expect((await source.send(body)).body.status).toBe("duplicate");
    expect(await activity("relay@example.com")).toEqual([
      { event_type: "Form submitted", summary: "Filled in the form", value: "12.5", name: "Relay" },
    ]);
  },
);

test("a preset's fields can be overridden, and null removes one", async () => {
  const source = await makeSource(service, {
    preset: "payment_processor",
    signature_scheme: "service",
    contact_email_path: "$.data.object.metadata.email",
    idempotency_key_path: null,
    summary_path: "$.data.object.description",
  });
  expect(source.shown).toMatchObject({
    preset: "payment_processor",
    signature_scheme: "service",
    contact_email_path: "$.data.object.metadata.email",
    idempotency_key_path: null,
    event_type_path: "$.type",
    summary_path: "$.data.object.description",
    summary_template: null,
  });
});

test("standard webhooks and GitHub's webhooks are accepted with their own headers", async () => {
  const mapping = { contact_email_path: "$.sender.email", event_type_path: "$.action" };
  const body = JSON.stringify({ action: "opened", sender: { email: "octo@example.com" } });
  const github = await makeSource(service, { ...mapping, signature_scheme: "github" });
  const signed = { "X-Hub-Signature-256": `sha256=${hexMac(github.secret, body)}` };
  expect((await github.sendAs(signed, body)).body.status).toBe("ok");

  const standard = await makeSource(service, { ...mapping, signature_scheme: "standard_webhooks" });
  const key = Buffer.from(standard.secret.slice("whsec_".length), "base64");
  const time = nowSeconds();
  const mac = createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64");
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(time), "webhook-signature": `v1,${mac}` };
  expect((await standard.sendAs(headers, body)).body.status).toBe("ok");
});

test("the presets are listed with their values", async () => {
  const { status, body } = await service.api("GET", "/v1/inbound-presets");
  expect(status).toBe(200);
  expect(body.data.map(({ key }: { key: string }) => key)).toEqual([
    "payment_processor",
    "scheduling_tool",
    "automation_relay",
    "custom",
  ]);
  expect(body.data[0]).toMatchObject({
    object: "inbound_preset",
    signature_scheme: "stripe",
    signature_header: "stripe-signature",
    idempotency_key_path: "$.id",
    value_unit: "minor",
  });
  expect((await service.api("GET", "/v1/inbound-presets", undefined, { key: null })).status).toBe(401);
});
