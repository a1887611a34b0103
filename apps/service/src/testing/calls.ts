import { absentId, tagOfId, uuidOf } from "./keys.ts";
import type { Parsed, TestService } from "./service.ts";

type Args = Record<string, unknown>;

/** How to call one operation: with arguments by name, wherever the operation takes them. Each makes objects of its own. */
interface Calls {
  good(service: TestService): Promise<Args> | Args;
  /** Arguments that are refused, or name nothing. */
  bad(service: TestService): Promise<Args> | Args;
}

interface Route {
  readonly operation: string;
  readonly method: string;
  /** With `{name}` where arguments go. */
  readonly path: string;
  readonly query: ReadonlySet<string>;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: Args;
}

const NOWHERE = "http://127.0.0.1:9/";
const endpointArgs = { url: NOWHERE, events: ["test.nothing"] };
const event = { event: "order.created", data: { total: 10.5 } };
const year = { since: "2026-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z" };

/** One row an operation of the API; a new operation gets its own. */
export const calls: Readonly<Record<string, Calls>> = {
  "keys.create": { good: () => ({ name: "k", permission_mode: "all" }), bad: () => ({ name: "" }) },
  "keys.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "keys.get": { good: freshKey, bad: async (service) => await absent(service, "key") },
  "keys.revoke": { good: freshKey, bad: async (service) => await absent(service, "key") },
  "events.fire": { good: () => event, bad: () => ({ ...event, event: "a..b" }) },
  "events.batch": { good: () => ({ events: [event, event] }), bad: () => ({ events: [event, { event: 1 }] }) },
  "events.list": { good: () => ({ limit: 1, event: "order.created" }), bad: () => ({ cursor: "x" }) },
  "events.get": { good: freshEvent, bad: async (service) => await absent(service, "evt") },
  "events.refire": { good: freshEvent, bad: async (service) => await absent(service, "evt") },
  "event_types.list": { good: () => ({}), bad: () => ({ limit: "many" }) },
  "event_types.get": { good: () => ({ name: "order.created" }), bad: () => ({ name: "no.such" }) },
  "webhook_endpoints.create": { good: () => endpointArgs, bad: () => ({ ...endpointArgs, url: "http://10.0.0.1/" }) },
  "webhook_endpoints.list": { good: () => ({}), bad: () => ({ unknown: "x" }) },
  "webhook_endpoints.get": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.update": {
    good: async (service) => ({ ...(await freshEndpoint(service)), description: "new" }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), headers: { Host: "x" } }),
  },
  "webhook_endpoints.delete": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.toggle": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.secret": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.secret.regenerate": {
    good: async (service) => ({ ...(await freshEndpoint(service)), overlap_seconds: 60 }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), overlap_seconds: -1 }),
  },
  "webhook_endpoints.replay_failed": {
    good: async (service) => ({ ...(await freshEndpoint(service)), ...year }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), since: "yesterday" }),
  },
  "webhook_endpoints.stats": { good: freshEndpoint, bad: noEndpoint },
  "deliveries.list": { good: () => ({ state: "failed", limit: 1 }), bad: () => ({ state: "lost" }) },
  "deliveries.get": { good: freshDelivery, bad: noDelivery },
  "deliveries.attempts": { good: freshDelivery, bad: noDelivery },
  "deliveries.replay": { good: failedDelivery, bad: freshDelivery },
  "deliveries.cancel": { good: freshDelivery, bad: failedDelivery },
  "webhooks.test": { good: () => ({ url: NOWHERE, dry_run: true }), bad: () => ({ url: "http://10.0.0.1/" }) },
};

/** The operations of the API as its own document lists them. */
export async function operations(service: TestService): Promise<Route[]> {
  const { body } = await service.api("GET", "/openapi.json", undefined, { key: null });
  const paths: Record<string, Record<string, Parsed>> = body.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, of]): Route[] => {
      if (of["x-operation"] === undefined) return [];
      const query = (of.parameters ?? []).filter((one: Parsed) => one.in === "query").map((one: Parsed) => one.name);
      return [{ operation: of["x-operation"], method: method.toUpperCase(), path, query: new Set(query) }];
    }),
  );
}

/** The call of the API that these arguments make. */
export function apiCall(route: Route, args: Args): ApiCall {
  const rest = new Map(Object.entries(args));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  if (route.method !== "GET")
    return { method: route.method, path, ...(rest.size > 0 && { body: Object.fromEntries(rest) }) };
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)]));
  return { method: "GET", path: rest.size === 0 ? path : `${path}?${query.toString()}` };
}

/** An id of the caller's own workspace that no object has. */
async function absent(service: TestService, prefix: "evt" | "ep" | "dlv" | "key"): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, prefix) };
}

async function freshKey(service: TestService): Promise<Args> {
  const made = await service.api("POST", "/v1/keys", { name: "fresh", permission_mode: "all" });
  return { id: made.body.id };
}

async function freshEvent(service: TestService): Promise<Args> {
  return { id: (await service.fire()).id };
}

async function freshEndpoint(service: TestService): Promise<Args> {
  return { id: (await service.endpoint(NOWHERE, { events: ["test.nothing"] })).id };
}

async function noEndpoint(service: TestService): Promise<Args> {
  return await absent(service, "ep");
}

async function noDelivery(service: TestService): Promise<Args> {
  return await absent(service, "dlv");
}

/** Waits for ever, in a service without workers. */
async function freshDelivery(service: TestService): Promise<Args> {
  const { id } = await service.endpoint(NOWHERE, { events: ["test.delivery"] });
  const fired = await service.fire("test.delivery", {});
  await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { events: ["test.nothing"] });
  return { id: fired.deliveries[0].id };
}

async function failedDelivery(service: TestService): Promise<Args> {
  const { id } = await freshDelivery(service);
  await service.database.query(
    `with gone as (delete from pending_delivery where id = $1 and tag = $2 returning *)
     insert into delivery (bucket, tag, id, event_id, event_name, endpoint_id, state, attempt_count)
       select bucket, tag, id, event_id, event_name, endpoint_id, 'failed', 6 from gone`,
    [uuidOf(String(id)), tagOfId(String(id))],
  );
  return { id };
}
