import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { nowSeconds } from "../../testing/request-signing.ts";
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

async function send(source: TestSource, query: string, request: RequestInit): Promise<Response> {
  return await fetch(`${service.baseUrl}${source.target}${query}`, request);
}

async function get(source: TestSource, query: string): Promise<Response> {
  return await send(source, query, { method: "GET" });
}

async function post(source: TestSource, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return await send(source, "", { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
}

test("Slack's signed challenge is answered, and an unsigned one is refused", async () => {
  const source = await makeSource(service, { sender: "slack", secret: "slack-secret-1" });
  const body = '{"type":"url_verification","challenge":"3eZbrw1a"}';
  const time = String(nowSeconds());
  const signature = `v0=${hexMac("slack-secret-1", `v0:${time}:${body}`)}`;
  const headers = { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature };
  const answer = await post(source, body, headers);
  expect([answer.status, await answer.text()]).toEqual([200, "3eZbrw1a"]);
  expect((await post(source, body)).status).toBe(401);
  expect(await source.receipts()).toMatchObject([
    { status: "error", reason_code: "signature_invalid" },
    { status: "ok", reason_code: "handshake", signed: true, event_id: null },
  ]);
});

test("the challenges of Meta, Microsoft Graph and X are answered without a signature", async () => {
  const meta = await makeSource(service, { sender: "meta", secret: "app-secret-1" });
  const challenge = "&hub.mode=subscribe&hub.verify_token=x&hub.challenge=%3Cb%3E42";
  const answer = await get(meta, challenge);
  expect([answer.status, await answer.text()]).toEqual([200, "<b>42"]);
  // A challenge is text, so that no browser runs it.
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  const graph = await makeSource(service, { sender: "microsoft_graph", secret: "client-state-1" });
  expect(await (await send(graph, "&validationToken=a%20b", { method: "POST", body: "" })).text()).toBe("a b");
  const x = await makeSource(service, { sender: "x_twitter", secret: "consumer-secret" });
  const token = createHmac("sha256", "consumer-secret").update("crc").digest("base64");
  expect(await (await get(x, "&crc_token=crc")).json()).toEqual({ response_token: `sha256=${token}` });
  expect(await meta.receipts()).toMatchObject([{ status: "ok", reason_code: "handshake", signed: false }]);
  // The answer to a whole event would be the signature of a forged one.
  const forged = encodeURIComponent('{"for_user_id":"1","direct_message_events":[]}');
  expect((await get(x, `&crc_token=${forged}`)).status).toBe(405);
});

test("a GET that is not a handshake is 405, and of an unknown token 404", async () => {
  const source = await makeSource(service, { sender: "github" });
  const answer = await get(source, "");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await fetch(`${service.baseUrl}/api/v1/inbound.php?t=nobody`)).status).toBe(404);
});

test("a disabled source answers no handshake", async () => {
  const source = await makeSource(service, { sender: "meta", secret: "app-secret-1", active: false });
  expect((await get(source, "&hub.mode=subscribe&hub.verify_token=x&hub.challenge=1")).status).toBe(405);
});
