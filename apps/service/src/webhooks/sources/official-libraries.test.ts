import { parse } from "node:querystring";
import { sign as signGitHub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import twilio from "twilio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => {
  await service.close();
});

type Headers = Record<string, string>;

/** Sends the request, then the same one with another body. */
async function expectOnlyOriginal(source: TestSource, headers: Headers, body: string): Promise<void> {
  const answers = [await source.sendAs(headers, body), await source.sendAs(headers, `${body} `)];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  expect(await source.receipts()).toMatchObject([{ status: "error" }, { status: "ok", signed: true }]);
}

test("Stripe's library signs, and the source of Stripe verifies", async () => {
  const source = await makeSource(service, { sender: "stripe", secret: "whsec_test_secret" });
  const body = '{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"amount":4990,"currency":"eur"}}}';
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: "whsec_test_secret" });
  await expectOnlyOriginal(source, { "Stripe-Signature": signature }, body);
});

test("a partial refund of Stripe has the refunded value without a path", async () => {
  const source = await makeSource(service, { sender: "stripe", secret: "whsec_test_secret" });
  const charge = { id: "ch_1", amount: 10_000, amount_refunded: 4990, currency: "eur" };
  const sent = async (id: string, type: string): Promise<unknown> => {
    const payload = JSON.stringify({ id, type, data: { object: charge } });
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_test_secret" });
    const answer = await source.sendAs({ "Stripe-Signature": signature }, payload);
    return (await source.receipt(answer.body.receipt_id))["extracted"].value;
  };
  expect([await sent("evt_1", "charge.refunded"), await sent("evt_2", "charge.captured")]).toEqual([49.9, 100]);
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { value_path: "$.data.object.amount" });
  expect(await sent("evt_3", "charge.refunded")).toBe(100);
});

test("GitHub's library signs, and the source of GitHub verifies", async () => {
  const source = await makeSource(service, { sender: "github", secret: "github-secret" });
  const body = '{"action":"opened","number":7}';
  const headers = {
    "X-GitHub-Event": "pull_request",
    "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "X-Hub-Signature-256": await signGitHub("github-secret", body),
  };
  await expectOnlyOriginal(source, headers, body);
});

test("GitHub's form fires the event that its JSON fires", async () => {
  const source = await makeSource(service, { sender: "github", secret: "github-secret" });
  const eventOf = (number: number) => ({
    action: "opened",
    issue: { number },
    repository: { full_name: "a/b" },
    sender: { login: "ada" },
  });
  const bodies = [
    JSON.stringify(eventOf(0)),
    new URLSearchParams({ payload: JSON.stringify(eventOf(1)) }).toString(),
    // The same event again, in another form.
    JSON.stringify(eventOf(1)),
  ];
  const fired = [];
  for (const [n, body] of bodies.entries()) {
    const headers = {
      "X-GitHub-Event": "issues",
      "X-GitHub-Delivery": `form-${n}`,
      "X-Hub-Signature-256": await signGitHub("github-secret", body),
      ...(n === 1 ? { "Content-Type": "application/x-www-form-urlencoded" } : {}),
    };
    const { body: answer } = await source.sendAs(headers, body);
    if (n === 2) {
      expect(answer.status).toBe("duplicate");
      break;
    }
    const { event_id: id, extracted } = await source.receipt(answer.receipt_id);
    expect([answer.status, id]).toEqual(["ok", expect.stringMatching(/^evt_/)]);
    const { data } = (await service.api("GET", `/v1/events/${String(id)}`)).body;
    fired.push({ payload: data.payload, summary: extracted.summary });
  }
  expect(fired).toEqual([
    { payload: eventOf(0), summary: "a/b: ada" },
    { payload: eventOf(1), summary: "a/b: ada" },
  ]);
});

test("Twilio's library signs the public URL and form, and the source verifies", async () => {
  const source = await makeSource(service, { sender: "twilio", secret: "twilio-token" });
  const fields = { From: "+14155551212", Body: "Hällo & bye", SmsStatus: "received", MessageSid: "SM1" };
  const body = new URLSearchParams(fields).toString();
  const url = String(source.shown["url"]);
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "X-Twilio-Signature": twilio.getExpectedTwilioSignature("twilio-token", url, fields),
  };
  await expectOnlyOriginal(source, headers, body);
});

test.each([
  [
    "two values of one name",
    [
      ["SmsStatus", "received"],
      ["MediaUrl", "b"],
      ["MediaUrl", "a"],
    ],
  ],
  [
    "the same value twice",
    [
      ["SmsStatus", "received"],
      ["MediaUrl", "a"],
      ["MediaUrl", "a"],
    ],
  ],
  [
    "an empty value and letters beyond ASCII",
    [
      ["Tag", "z"],
      ["Tag", ""],
      ["Tag", "é"],
      ["Tag", "😀"],
      ["Tag", "Z"],
      ["To", "1"],
    ],
  ],
  [
    "names that a sort by language would mix",
    [
      ["b", "1"],
      ["B", "2"],
      ["a1", "3"],
      ["a", "4"],
      ["_", "5"],
      ["B", "0"],
    ],
  ],
])("Twilio's library signs a form with %s, and the source verifies", async (_name, fields) => {
  const source = await makeSource(service, { sender: "twilio", secret: "twilio-token" });
  const body = new URLSearchParams(fields).toString();
  const url = String(source.shown["url"]);
  // Twilio's middleware gives its library an array for a repeated field.
  const received = parse(body);
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "X-Twilio-Signature": twilio.getExpectedTwilioSignature("twilio-token", url, received),
  };
  await expectOnlyOriginal(source, headers, body);
});

test("the library of Standard Webhooks signs, and a source with this scheme verifies", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const source = await makeSource(service, {
    signature_scheme: "standard_webhooks",
    event_type_path: "$.type",
    secret,
  });
  const body = '{"type":"user.created","data":{"id":1}}';
  const at = new Date();
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
  };
  await expectOnlyOriginal(source, headers, body);
});
