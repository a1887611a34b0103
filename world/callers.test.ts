/** Tests all parts of the service that call an address which a user set, by host name over HTTPS. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const ADDRESS = "93.184.216.34";
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };
const NAMES = ["hooks.shop.example", "backend.shop.example", "models.shop.example", "slack.shop.example"];

let world: World;
let key: string;
let web: number;
let backend: number;
let model: number;
let slack: number;
let collector: number;

beforeAll(async () => {
  world = await createWorld();
  await world.addresses([`${ADDRESS}/32`]);
  for (const name of [...NAMES, "mail.shop.example", "collector.shop.example"]) await world.name(name, [ADDRESS]);
  const json = { "Content-Type": "application/json" };
  const https = async (port: number, body?: unknown): Promise<number> =>
    await world.receiver({
      address: ADDRESS,
      port,
      certificate: { names: NAMES },
      ...(body === undefined ? {} : { answer: { status: 200, headers: json, body: JSON.stringify(body) } }),
    });
  web = await https(443);
  backend = await https(8001, { refunded: true });
  model = await https(8002, { choices: [{ message: { role: "assistant", content: "Nothing to do." } }] });
  slack = await https(8003);
  collector = await world.receiver({ address: ADDRESS, port: 4318, certificate: null });
  await world.mailServer(ADDRESS);
  const output = await world.npmStart({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.shop.example:4318",
    JUNCTION_SMTP_URL: "smtp://junction:secret@mail.shop.example:25",
    JUNCTION_SMTP_TLS: "optional",
    JUNCTION_MAIL_FROM: "junction@shop.example",
  });
  const { token } = announced(output);
  key = (await world.api("POST", "/v1/auth/setup", { token, ...OWNER })).body.api_key;
});
afterAll(async () => await world?.close());

async function api(method: string, path: string, body?: unknown): Promise<Answer["body"]> {
  const answer = await world.api(method, path, body, { key });
  expect({ status: answer.status < 300, text: answer.text }).toEqual({ status: true, text: answer.text });
  return answer.body;
}

async function bodiesAt(receiver: number, path: string): Promise<Answer["body"][]> {
  const requests = await world.received(receiver);
  return requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));
}

async function arrived(receiver: number, path: string): Promise<Answer["body"]> {
  await expect.poll(async () => await bodiesAt(receiver, path)).not.toHaveLength(0);
  return (await bodiesAt(receiver, path))[0];
}

test("the webhook tester reaches a host name", async () => {
  const tested = await api("POST", "/v1/webhooks/test", { url: "https://hooks.shop.example/tester" });
  expect(tested).toMatchObject({ response: { status: 200 }, error: null });
  expect(await arrived(web, "/tester")).toMatchObject({ event: "order.created" });
});

test("an action calls its backend by host name", async () => {
  await api("POST", "/v1/action-contracts", {
    key: "billing.refund",
    label: "Refund a payment",
    surface: ["api"],
    roles: ["owner"],
    requires_confirmation: false,
    audit: true,
    params: {},
    endpoint: "https://backend.shop.example:8001/refund",
  });
  expect(await api("POST", "/v1/actions/run", { action: "billing.refund", parameters: {} })).toMatchObject({
    status: "executed",
    result: { refunded: true },
  });
  expect(await arrived(backend, "/refund")).toMatchObject({ action: "billing.refund" });
});

test("a rule's and a workflow's webhooks reach a host name", async () => {
  await api("POST", "/v1/rules", {
    name: "Big orders",
    on: ["order.created"],
    then: [{ type: "post_webhook", url: "https://hooks.shop.example/rule", body: { order: "${$.data.external_id}" } }],
  });
  await api("POST", "/v1/workflows", {
    name: "Welcome",
    trigger: { event: "order.created" },
    steps: [{ id: "tell", type: "webhook", url: "https://hooks.shop.example/workflow" }],
    enabled: true,
  });
  await api("POST", "/v1/events/fire", { event: "order.created", data: { external_id: "1042" } });
  expect(await arrived(web, "/rule")).toMatchObject({ data: { order: "1042" } });
  expect(await arrived(web, "/workflow")).toMatchObject({ event: "workflow.webhook" });
});

test("the assistant asks its model by host name", async () => {
  await api("PATCH", "/v1/workspaces/current", { settings: { assistant: "openai_compatible" } });
  await api("PATCH", "/v1/assistant", {
    base_url: "https://models.shop.example:8002/v1",
    model: "small-1",
    events: ["ticket.created"],
  });
  await api("POST", "/v1/events/fire", { event: "ticket.created", data: { external_id: "t1", subject: "Late" } });
  expect(await arrived(model, "/v1/chat/completions")).toMatchObject({ model: "small-1" });
});

test("a connector's HTTP calls and mails reach host names", async () => {
  await api("POST", "/v1/connectors/alerts/enable", {
    settings: {
      slack_url: "https://slack.shop.example:8003/services",
      slack_path: "T0/B0/very-secret-path",
      mail_to: "ops@shop.example",
    },
  });
  await api("POST", "/v1/connectors/alerts/test");
  expect(await arrived(slack, "/services/T0/B0/very-secret-path")).toHaveProperty("text");
  await expect.poll(async () => await world.mails()).toEqual([expect.objectContaining({ to: ["ops@shop.example"] })]);
});

test("traces reach a collector by host name", async () => {
  const paths = async (): Promise<unknown[]> => (await world.received(collector)).map(({ path }) => path);
  await expect.poll(paths, { timeout: 60_000 }).toContain("/v1/traces");
});
