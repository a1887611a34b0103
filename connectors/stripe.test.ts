import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { joined } from "../apps/service/src/testing/people.ts";
import { startWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { ServiceWithConnectors } from "../apps/service/src/testing/repository-connectors.ts";
import type { Parsed } from "../apps/service/src/testing/test-service.ts";
import { covers } from "../requirements/covers.ts";
import type { Counterpart } from "../tools/counterparts/counterpart.ts";
import { startStripeMock } from "../tools/counterparts/stripe-mock.ts";

/** The Stripe connector in the real service, against Stripe's own mock. */

const MINUTES_10 = 600_000;
const WEBHOOK_SECRET = "whsec_of_the_test_0123456789";
let stripe: Counterpart;
let service: ServiceWithConnectors;
let shown: Parsed;

beforeAll(async () => {
  stripe = await startStripeMock();
  service = await startWithConnectors();
  shown = await service.enable("stripe", {
    api_key: "sk_test_123456789",
    webhook_secret: WEBHOOK_SECRET,
    base_url: stripe.url,
  });
}, MINUTES_10);
afterAll(async () => {
  await service?.close();
  await stripe?.stop();
});

function paid(id: string, payment: string): string {
  return JSON.stringify({
    id,
    object: "event",
    type: "payment_intent.succeeded",
    created: 1_795_161_612,
    data: {
      object: {
        id: payment,
        object: "payment_intent",
        amount: 5880,
        amount_received: 5880,
        currency: "eur",
        customer: "cus_ofTheTest1",
        receipt_email: "ada@example.com",
        metadata: {},
        payment_method_types: ["card"],
      },
    },
  });
}

/** Sends a webhook with a signature in Stripe's form. */
async function deliver(body: string, secret = WEBHOOK_SECRET): Promise<Response> {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return await fetch(shown["webhook_url"], {
    method: "POST",
    headers: { "Content-Type": "application/json", "Stripe-Signature": `t=${seconds},v1=${signature}` },
    body,
  });
}

async function eventsOf(name: string): Promise<Parsed[]> {
  return (await service.api("GET", `/v1/events?event=${name}&limit=100`)).body["data"];
}

test("its settings are tested at Stripe", async () => {
  expect(await service.tryOut("stripe")).toMatchObject({
    ok: true,
    message: "Stripe accepts the secret key, in test mode.",
  });
});

covers(
  "connector.hook.handle-webhook",
  "a webhook signed by Stripe becomes payment.completed once, even if delivered repeatedly",
  async () => {
    const body = paid("evt_1Twice", "pi_twice");
    expect((await deliver(body)).status).toBe(202);
    expect((await deliver(body)).status).toBe(202);
    await expect.poll(async () => await eventsOf("payment.completed")).toHaveLength(1);
    const other = await deliver(paid("evt_2Other", "pi_other"));
    expect(other.status).toBe(202);
    await expect.poll(async () => await eventsOf("payment.completed")).toHaveLength(2);
    const fired = await Promise.all(
      (await eventsOf("payment.completed")).map(
        async ({ id }) => (await service.api("GET", `/v1/events/${id}`)).body["data"],
      ),
    );
    expect(fired.map((data: Parsed) => data.payment.external_id).toSorted()).toEqual(["pi_other", "pi_twice"]);
    expect(fired[0]).toMatchObject({
      payment: { status: "completed", currency: "EUR", amount_minor: 5880, method: "card" },
      customer: { external_id: "cus_ofTheTest1", email: "ada@example.com" },
      completed_at: "2026-11-20T08:00:12.000Z",
    });
  },
);

test("a webhook with another signature is refused, and nothing is fired", async () => {
  const before = (await eventsOf("payment.completed")).length;
  expect((await deliver(paid("evt_3Forged", "pi_forged"), "whsec_somebody_elses")).status).toBe(401);
  expect(await eventsOf("payment.completed")).toHaveLength(before);
});

covers(
  "connector.hook.register-actions",
  "a refund needs approval by a second person and is made at Stripe once",
  async () => {
    const minted = await service.api("POST", "/v1/keys", {
      name: "Shop",
      permission_mode: "all",
      role: "operator",
      actor_type: "service",
    });
    const run = {
      action: "stripe.refund",
      parameters: { payment_id: "pi_3OfTheTest", amount_minor: 500, reason: "duplicate" },
    };
    const proposed = await service.api("POST", "/v1/actions/run", run, { key: minted.body["key"] });
    expect(proposed).toMatchObject({ status: 202, body: { status: "pending_confirmation" } });
    expect(stripe.printed()).not.toContain("POST /v1/refunds");
    const { id, params_hash } = proposed.body["proposal"];
    // The creator of the key counts as the requester.
    const own = await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash });
    expect(own).toMatchObject({ status: 403, body: { code: "self_approval_forbidden" } });
    const other = await joined(service, "owner");
    const approved = await other.call("POST", `/v1/proposals/${id}/approve`, { params_hash });
    expect(approved).toMatchObject({ status: 200 });
    const done = await service.until(`/v1/proposals/${id}`, ({ state }) => state === "executed" || state === "failed");
    expect(done["state"]).toBe("executed");
    const result = await service.api("GET", `/v1/runs/${done["run_id"]}`);
    expect(result.body["result"]).toMatchObject({
      payment_id: "pi_3OfTheTest",
      amount_minor: 500,
      status: "succeeded",
    });
    expect(stripe.printed().match(/Request: POST \/v1\/refunds/g)).toHaveLength(1);
    expect(stripe.printed()).toMatch(/amount:500 .*payment_intent:pi_3OfTheTest reason:duplicate/);
  },
);

covers("connector.hook.context-providers", "a customer's last payments are shown with the customer", async () => {
  await service.fire("customer.signed_up", { customer: { external_id: "cus_ofTheTest1", email: "ada@example.com" } });
  const { data } = await service.until("/v1/customers?external_id=cus_ofTheTest1", (page) => page.data.length === 1);
  const customer = await service.api("GET", `/v1/customers/${data[0].id}`);
  expect(customer.body["context"].stripe.payments[0]).toMatchObject({ currency: "USD", amount_minor: 100 });
});

covers("connector.hook.identity-providers", "Stripe identifies a customer id", async () => {
  const answer = await service.api("GET", "/v1/customers?identity=stripe:cus_ofTheTest1");
  expect(answer).toMatchObject({ status: 200, body: { connectors: [{ connector: "stripe", status: "ok" }] } });
});

test("its secrets are not in the code's input, the log or any response", async () => {
  const everything = JSON.stringify([await service.runs("stripe"), await service.api("GET", "/v1/connectors/stripe")]);
  expect(everything).not.toContain("sk_test_123456789");
  expect(everything).not.toContain(WEBHOOK_SECRET);
});

test("a key that Stripe refuses is reported with instructions", async () => {
  const patched = await service.api("PATCH", "/v1/connectors/stripe", { settings: { api_key: "no key at all" } });
  expect(patched.status).toBe(200);
  expect(await service.tryOut("stripe")).toMatchObject({
    ok: false,
    message: expect.stringContaining("Stripe refuses the secret key: set api_key"),
  });
});
