import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";
import { CAPABILITIES } from "./capabilities.ts";

const URL = "http://127.0.0.1:9/shown";
const ENDPOINTS = "/v1/webhook-endpoints";
let service: TestService;
let portal: string;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  for (const type of [{ name: "parcel.sent" }, { name: "parcel.priced", visibility: "private" }, { name: "old.type" }])
    await service.api("POST", "/v1/event-types", type);
  await service.api("DELETE", "/v1/event-types/old.type");
  portal = await opened(service.key);
});
afterAll(async () => await service.close());

async function opened(key: string): Promise<string> {
  const session = { tenant: "acme", capabilities: [...CAPABILITIES] };
  const { body } = await service.api("POST", "/v1/portal-sessions", session, { key });
  const token = /#token=(\w+)$/.exec(String(body["url"]))?.[1];
  const { body: made } = await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
  return made["credential"];
}

const asCustomer = async (method: string, path: string, body?: object, key = portal): Promise<ApiAnswer> =>
  await service.api(method, path, body, { key });

async function shown(key = portal): Promise<string[]> {
  const { body } = await asCustomer("GET", "/v1/event-types", undefined, key);
  return body["data"].map(({ name }: { name: string }) => name);
}

/** Returns the status, and each fault with its place. */
async function subscribed(body: object, path = ENDPOINTS): Promise<string> {
  const method = path === ENDPOINTS ? "POST" : "PATCH";
  const answer = await asCustomer(method, path, path === ENDPOINTS ? { url: URL, ...body } : body);
  const faults = answer.body["errors"] ?? [];
  return [answer.status, ...faults.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`)].join(
    " ",
  );
}

test("customers see the workspace's own types, and none of an unused catalogue", async () => {
  expect(await shown()).toEqual(["parcel.sent"]);
  for (const name of ["parcel.priced", "order.created", "action.proposed", "old.type", "no.such"])
    expect([name, (await asCustomer("GET", `/v1/event-types/${name}`)).status]).toEqual([name, 404]);
  const { text } = await asCustomer("GET", "/v1/event-types/parcel.sent");
  expect(text).not.toContain('reacts":[{');
});

test("customers see a canonical type once it was fired, or was chosen", async () => {
  const { body } = await service.api("PATCH", "/v1/event-types/csat.received", { visibility: "public" });
  expect(body).toMatchObject({ visibility: "public" });
  // Its enforcement says nothing of who sees it.
  await service.api("PATCH", "/v1/event-types/cart.abandoned", { enforcement: "warn" });
  await service.api("PATCH", "/v1/event-types/invoice.paid", { visibility: "private" });
  for (const event of ["order.created", "invoice.paid", "cart.abandoned", "untyped.event"])
    await service.api("POST", "/v1/events/fire", { event, data: {} });
  const expected = ["order.created", "cart.abandoned", "csat.received", "parcel.sent"];
  await expect.poll(async () => (await shown()).toSorted(), { timeout: 20_000 }).toEqual(expected.toSorted());
  const { key } = await mintKey(service, { tenant: "acme" });
  for (const credential of [key, portal]) {
    const { channels } = (await asCustomer("GET", "/asyncapi.json", undefined, credential)).body;
    expect(Object.keys(channels).toSorted()).toEqual(expected.map((name) => name.replace(".", "_")).toSorted());
  }
  await service.api("PATCH", "/v1/event-types/csat.received", { visibility: "private" });
  expect(await shown()).not.toContain("csat.received");
  expect((await service.api("PATCH", "/v1/event-types/action.proposed", { visibility: "public" })).status).toBe(409);
});

test("customers cannot subscribe to types that they do not see", async () => {
  expect(await subscribed({ events: ["parcel.sent", "parcel.*", "*"] })).toBe("201");
  const hidden = ["parcel.priced", "refund.created", "action.proposed", "old.type", "untyped.event", "no.such"];
  for (const [at, name] of hidden.entries()) {
    const events = [...hidden.slice(0, at).map(() => "parcel.sent"), name];
    expect([name, await subscribed({ events })]).toEqual([name, `422 /events/${at} event_type_unavailable`]);
    // The answer does not tell whether such a type exists.
    expect(await subscribed({ events: ["*"], event_versions: { [name]: 1 } })).toBe(
      `422 /event_versions/${name} event_type_unavailable`,
    );
  }
  const parameters = { url: URL, events: ["parcel.priced"] };
  const general = await asCustomer("POST", "/api/v1.php", { action: "webhook_endpoints.create", parameters });
  expect(general.body["code"]).toBe("validation_failed");
});

test("names that an endpoint already has stay when a customer changes it", async () => {
  const given = { url: URL, events: ["parcel.priced"], tenant: "acme" };
  const { body } = await service.api("POST", ENDPOINTS, given);
  const path = `${ENDPOINTS}/${body["id"]}`;
  expect(await subscribed({ events: ["parcel.sent", "parcel.priced"] }, path)).toBe("200");
  expect(await subscribed({ events: ["parcel.sent", "order.refunded"] }, path)).toBe(
    "422 /events/1 event_type_unavailable",
  );
  expect(await subscribed({ events: ["parcel.sent"] }, path)).toBe("200");
  expect(await subscribed({ events: ["parcel.priced"] }, path)).toBe("422 /events/0 event_type_unavailable");
});

test("a tenant's own key subscribes to any name, as it always could", async () => {
  const { key } = await mintKey(service, { tenant: "acme" });
  const body = { url: URL, events: ["untyped.event"] };
  expect((await service.api("POST", ENDPOINTS, body, { key })).status).toBe(201);
});

test("types that were fired in live are not shown in the sandbox", async () => {
  const sandbox = await opened(service.sandboxKey);
  expect(await shown(sandbox)).not.toContain("order.created");
});

test("authors of versions have names, and customers see only their own", async () => {
  const { body } = await service.api("POST", ENDPOINTS, { url: URL, events: ["*"], tenant: "acme" });
  const path = `${ENDPOINTS}/${body["id"]}`;
  const template = (n: number): object => ({ transform: { kind: "template", body: { n } } });
  await service.api("PATCH", path, template(1));
  await asCustomer("PATCH", path, template(2));
  const authors = async (key: string): Promise<unknown[]> => {
    const list = await service.api("GET", `${path}/transform/versions`, undefined, { key });
    return list.body["data"].map(({ author }: { author: unknown }) => author);
  };
  const portalName = "Portal of acme";
  expect(await authors(service.key)).toEqual([
    { kind: "key", id: expect.stringMatching(/^key_/), name: portalName },
    { kind: "key", id: expect.stringMatching(/^key_/), name: expect.stringMatching(/\w/) },
  ]);
  expect(await authors(portal)).toEqual([{ kind: "key", id: null, name: portalName }, null]);
  const { body: audit } = await service.api("GET", "/v1/audit?tenant=acme&limit=50");
  const ofPortal = audit["data"].filter(({ actor }: { actor: { display: string } }) => actor.display === portalName);
  const types = new Set(ofPortal.map(({ actor }: { actor: { type: string } }) => actor.type));
  expect([...types]).toEqual(["service"]);
});
