import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Blocks loopback, as by default: a delivery to this machine arrives only if the target guard exempts an inbox. */
const env = { JUNCTION_ALLOW_TARGETS: "", JUNCTION_RETRY_LADDER: "1s,1s,1s,1s,1s" };

interface Inbox {
  readonly url: string;
  readonly token: string;
}

let before: TestService;
/** Runs on the same database and another port, started after the first service had stopped. */
let service: TestService;
let receiver: Receiver;
let own: Inbox;
let foreign: Inbox;
let endpoint: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  before = await startService({ env });
  receiver = await startReceiver();
  own = await named(before, "own");
  const other = await before.api("POST", "/v1/workspaces", { name: "Other" });
  foreign = await named(before, "foreign", other.body["api_key"]);
  endpoint = await before.endpoint(own.url, { events: ["own.fired"] });
  await automate(own.url);
  await before.service.stop();
  service = await startService({ env, on: before });
});

afterAll(async () => {
  await service?.close();
  await receiver.close();
  await before.database.drop();
});

async function named(from: TestService, name: string, key = from.key): Promise<Inbox> {
  const { url } = (await from.api("PUT", `/v1/inboxes/${name}`, undefined, { key })).body as { url: string };
  return { url, token: url.split("/").at(-1) ?? "" };
}

/** Creates a rule, a workflow and an action that send to this URL. */
async function automate(url: string): Promise<void> {
  const made = [
    await before.api("POST", "/v1/rules", { name: "moved", on: ["rule.fired"], then: [{ type: "post_webhook", url }] }),
    await before.api("POST", "/v1/workflows", {
      name: "Moved",
      trigger: { event: "workflow.fired" },
      steps: [{ id: "send", type: "webhook", url }],
      enabled: true,
    }),
    await before.api("POST", "/v1/action-contracts", {
      key: "moved.call",
      label: "Moved",
      surface: ["api"],
      requires_confirmation: false,
      audit: true,
      params: {},
      endpoint: url,
      roles: ["owner"],
    }),
  ];
  expect(made.map(({ status, text }) => (status === 201 ? status : text))).toEqual([201, 201, 201]);
}

async function messages({ token }: Inbox): Promise<Parsed[]> {
  return (await service.api("GET", `/inbox/${token}`, undefined, { key: null })).body["messages"];
}

async function arrived(event: string): Promise<Parsed> {
  await service.until(`/inbox/${own.token}`, ({ messages: all }) => all.some(isOf(event)));
  return (await messages(own)).find(isOf(event));
}

function isOf(event: string) {
  return (message: Parsed): boolean => message.event === event;
}

/** Returns the URL with another origin, as after a change of JUNCTION_BASE_URL. */
function at(origin: string, { token }: Inbox): string {
  return `${origin}/inbox/${token}`;
}

test("a delivery reaches the workspace's own inbox after the port has changed", async () => {
  await service.fire("own.fired", { n: 1 });
  expect(await arrived("own.fired")).toMatchObject({ signature: "valid", answered: 200 });
});

test("an endpoint shows the current address of its inbox", async () => {
  const url = at(service.baseUrl, own);
  expect(url).not.toBe(own.url);
  expect(await named(service, "own")).toMatchObject({ url });
  const path = `/v1/webhook-endpoints/${endpoint.id}`;
  expect((await service.api("GET", path)).body["url"]).toBe(url);
  expect((await service.api("GET", "/v1/webhook-endpoints")).body["data"][0].url).toBe(url);
  expect((await service.api("PATCH", path, { description: "moved" })).body["url"]).toBe(url);
});

test("rules, workflows and actions reach the inbox after the port has changed", async () => {
  await service.fire("rule.fired", { n: 1 });
  await service.fire("workflow.fired", { n: 1 });
  const run = await service.api("POST", "/v1/actions/run", { action: "moved.call", parameters: {} });
  expect(run.body).toMatchObject({ status: "executed" });
  await arrived("rule.fired");
  await arrived("workflow.webhook");
});

test("the tester reaches the inbox at the old address with a valid signature", async () => {
  const sent = await service.api("POST", "/v1/webhooks/test", { url: own.url, event: "bare.tested" });
  expect(sent.body).toMatchObject({ request: { url: at(service.baseUrl, own) }, response: { status: 200 } });
  expect(await arrived("bare.tested")).toMatchObject({ signature: "valid" });
  const of = await service.api("POST", "/v1/webhooks/test", { endpoint_id: endpoint.id, event: "endpoint.tested" });
  expect(of.body).toMatchObject({ response: { status: 200 } });
});

test("an endpoint can be created with any earlier address of the inbox", async () => {
  for (const origin of ["http://127.0.0.1:1", "https://junction.invalid", "http://[::1]:9", "http://localhost:4900"]) {
    const body = { url: at(origin, own), events: ["never.fired"] };
    const made = await service.api("POST", "/v1/webhook-endpoints", body);
    expect(made.body).toMatchObject({ url: at(service.baseUrl, own) });
  }
});

test("a URL that only looks like an own inbox passes the target guard", async () => {
  const origin = new URL(receiver.url).origin;
  const unknown = own.token.slice(1) + String(randomInt(10));
  const urls = [
    at(origin, { ...own, token: unknown }),
    at(origin, foreign),
    `${at(origin, own)}/`,
    `${at(origin, own)}/../../hook`,
    `${at(origin, own)}?x=1`,
    `${at(origin, own)}#x`,
    `${origin}/hook/inbox/${own.token}`,
    `${origin}//inbox/${own.token}`,
    `${origin}/hook?to=/inbox/${own.token}`,
    `${origin}/hook#/inbox/${own.token}`,
    `${origin}/inbox%2f${own.token}`,
    at(origin.replace("//", "//user:password@"), own),
  ];
  for (const url of urls) {
    const endpoints = await service.api("POST", "/v1/webhook-endpoints", { url, events: ["never.fired"] });
    expect([url, endpoints.status, endpoints.body["code"]]).toEqual([url, 422, "url_blocked"]);
    const tested = await service.api("POST", "/v1/webhooks/test", { url });
    expect([url, tested.status, tested.body["code"]]).toEqual([url, 422, "url_blocked"]);
  }
  expect(receiver.received).toEqual([]);
  expect(await messages(foreign)).toEqual([]);
});

test("an old address is no longer exempt when the inbox is deleted", async () => {
  const gone = await named(service, "gone");
  const url = at("http://127.0.0.1:1", gone);
  const made = await service.endpoint(url, { events: ["gone.fired"] });
  await service.api("DELETE", "/v1/inboxes/gone");
  const refused = await service.api("POST", "/v1/webhook-endpoints", { url, events: ["gone.fired"] });
  expect(refused.body).toMatchObject({ code: "url_blocked" });
  await service.api("DELETE", `/v1/webhook-endpoints/${made.id}`);
});
