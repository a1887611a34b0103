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
