import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { webhooks } from "../../../../sdks/node/src/index.ts";
import { startHttpCalls } from "../testing/http-calls.ts";
import type { HttpCallTest } from "../testing/http-calls.ts";
import type { Received, Receiver } from "../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../testing/rules.ts";
import type { TestService } from "../testing/test-service.ts";
import { makeWorkflow } from "../testing/workflows.ts";

let service: TestService;
let receiver: Receiver;
let origin: string;
let tryCall: HttpCallTest["tryCall"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ service, receiver, origin, tryCall, close } = await startHttpCalls());
});
afterEach(() => receiver.status(200));
afterAll(async () => await close());

const REQUEST = { type: "http", method: "POST", body: { id: "${$.data.id}" }, sign: true };

/** Verifies a request with both libraries. Throws if its signature is wrong. */
function verify({ body, headers }: Received, secret: string): void {
  webhooks.verify(body, headers, secret);
  new Webhook(secret).verify(body, headers as Record<string, string>);
}

async function secretOf(area: "rules" | "workflows", id: string): Promise<string> {
  return (await service.api("GET", `/v1/${area}/${id}/secret`)).body["secret"];
}

function sentTo(path: string): Received[] {
  return receiver.received.filter((one) => one.path === path);
}

describe("a signed call", () => {
  test("of a rule is signed with its secret and one id in each try", async () => {
    let answered = 0;
    receiver.answer((response) => response.writeHead((answered += 1) === 1 ? 503 : 200).end());
    const event = freshEvent();
    const rule = await ruleOn(service, { on: [event], then: [{ ...REQUEST, url: `${origin}/signed` }] });
    await service.fire(event, { id: 12 });
    const [run] = await runsOf(service, rule);
    const id = run?.actions[0].http_call_id;
    const call = await service.until(`/v1/http-calls/${id}`, ({ state }) => state === "succeeded");
    const secret = await secretOf("rules", rule);
    const tries = sentTo("/signed");
    expect(tries.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
    for (const one of tries) verify(one, secret);
    expect(call["request"].headers).toMatchObject({ "webhook-id": id, "webhook-signature": "[redacted]" });
    const other = await ruleOn(service, { on: [freshEvent()] });
    const [first] = tries;
    const wrong = await secretOf("rules", other);
    expect(() => first && verify(first, wrong)).toThrow("signature");
  });

  test("of a workflow has both signatures while secrets overlap", async () => {
    const workflow = await makeWorkflow(service, [{ id: "send", ...REQUEST, url: `${origin}/flow` }]);
    const before = await secretOf("workflows", workflow.id);
    await service.api("POST", `/v1/workflows/${workflow.id}/secret/regenerate`, { overlap_seconds: 600 });
    await service.fire(workflow.event, { id: 1 });
    await service.until(`/v1/http-calls?workflow_id=${workflow.id}`, ({ data }) => data[0]?.state === "succeeded");
    const sent = sentTo("/flow");
    const now = await secretOf("workflows", workflow.id);
    expect(now).not.toBe(before);
    for (const one of sent) for (const secret of [before, now]) verify(one, secret);
    expect(sent.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length)).toEqual([2]);
  });

  test("without a body can be verified", async () => {
    const { body } = await tryCall({ method: "GET", url: `${origin}/none`, sign: true });
    const [sent] = sentTo("/none");
    const headers: Received["headers"] = sent?.headers ?? {};
    const mac = new Webhook(body.secret).sign(
      String(headers["webhook-id"]),
      new Date(Number(headers["webhook-timestamp"]) * 1000),
      "",
    );
    expect(headers["webhook-signature"]).toBe(mac);
  });

  test("is recognized by an inbox", async () => {
    const { body: inbox } = await service.api("PUT", "/v1/inboxes/signed-calls");
    const event = freshEvent();
    await ruleOn(service, { on: [event], then: [{ ...REQUEST, url: inbox["url"] }] });
    await service.fire(event, { id: 1 });
    const path = "/v1/inboxes/signed-calls/messages";
    await service.until(path, ({ data }) => data.length === 1);
    await tryCall({ ...REQUEST, type: undefined, url: inbox["url"] }, { data: { id: 2 } });
    const { body } = await service.api("GET", path);
    expect(body["data"].map((one: { signature: string }) => one.signature)).toEqual(["valid", "valid"]);
  });
});

describe("a call that is not signed", () => {
  test.each([undefined, null, false])("has no signature with sign: %s", async (sign) => {
    await tryCall({ method: "POST", url: `${origin}/plain-${sign}`, sign });
    const [sent] = sentTo(`/plain-${sign}`);
    expect(Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith("webhook-"))).toEqual([]);
  });
});

describe("a test", () => {
  test("is signed with a secret of its own, which the response shows", async () => {
    const { body } = await tryCall({ method: "POST", url: `${origin}/test`, body: {}, sign: true });
    const [sent] = sentTo("/test");
    expect(sent && verify(sent, body.secret)).toBeUndefined();
  });

  test("as a dry run shows the headers without secret and signature", async () => {
    const { body, text } = await tryCall({ method: "POST", url: origin, body: {}, sign: true }, { dry_run: true });
    expect(body.request.headers).toMatchObject({
      "webhook-id": expect.stringMatching(/^call_/),
      "webhook-timestamp": "[time of the try]",
      "webhook-signature": "[redacted]",
    });
    expect(body).not.toHaveProperty("secret");
    expect(text).not.toMatch(/whsec_|v1,/);
  });

  test.each([
    [{ sign: "yes" }, "/request/sign"],
    [{ sign: true, headers: { "Webhook-Id": "mine" } }, "/request/headers/Webhook-Id"],
    [
      { sign: true, auth: { type: "api_key", name: "Webhook-Signature", secret_ref: "api_token" } },
      "/request/auth/name",
    ],
  ])("with %j is refused", async (more, pointer) => {
    const { status, body } = await tryCall({ method: "POST", url: origin, ...more }, { dry_run: true });
    expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  });
});
