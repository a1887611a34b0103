import type { IdPrefix } from "../lib/lib.ts";
import { approvalChannelCalls } from "./approval-channel-calls.ts";
import { auditCalls } from "./audit-calls.ts";
import { absentId, tagOfId, uuidOf } from "./keys.ts";
import { invite, joined, OWNER, signIn, withTotp } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { actionCalls } from "./action-calls.ts";
import { configurationCalls } from "./configuration-calls.ts";
import { connectedAppCalls } from "./connected-app-calls.ts";
import { connectorCalls } from "./connectors.ts";
import { assistantCalls } from "./assistant.ts";
import { endpointCalls, sentEvent } from "./endpoint-calls.ts";
import { eventTypeCalls } from "./event-type-calls.ts";
import { issueCalls } from "./issue-calls.ts";
import { inboxCalls } from "./inbox-calls.ts";
import { insightCalls } from "./insight-calls.ts";
import { portalCalls } from "./portal-calls.ts";
import { pullCalls } from "./pull-calls.ts";
import { runCalls } from "./run-calls.ts";
import { signInCalls } from "./sign-in-calls.ts";
import { refreshed, resolved } from "./late-arguments.ts";
import { httpCallCalls } from "./http-call-calls.ts";
import { ruleCalls } from "./rule-calls.ts";
import { standingApprovalCalls } from "./standing-approval-calls.ts";
import { workflowCalls } from "./workflow-calls.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";
import { tenantCalls } from "./tenant-calls.ts";

type Args = Record<string, unknown>;

/**
 * Arguments by name, wherever the operation takes them, and the caller: by default the workspace's owner with a key. A
 * function makes its argument when it is sent, such as a code that is valid for a minute.
 */
interface Call {
  readonly args: Args;
  readonly person?: TestPerson;
  readonly key?: string;
}

type Make = (service: TestService) => Promise<Args | Call> | Args | Call;

/** Good and bad calls of one operation. Each call creates its own objects. */
interface Calls {
  readonly good: Make;
  /** Arguments that are refused, or that name an object that does not exist. */
  readonly bad: Make;
}

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly access: "read" | "write";
  /** The path with `{name}` for its arguments. */
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
/** A range until now would be read once more 30 s later. */
const past = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
const year = { since: "2026-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z" };

/** Calls of every operation of the API. Each new operation needs a row. */
export const calls: Readonly<Record<string, Calls>> = {
  ...auditCalls(absent),
  ...insightCalls(absent, newWorkspace),
  ...portalCalls,
  ...configurationCalls,
  ...connectedAppCalls(byPerson),
  ...signInCalls<Make>({ byPerson, byKey: () => ({}), recoveryCode }),
  "members.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "members.update": {
    good: async (service) => ({ ...(await freshMember(service)), role: "operator" }),
    bad: async (service) => ({ ...(await freshMember(service)), role: "god" }),
  },
  "members.remove": { good: freshMember, bad: async (service) => ({ id: (await signIn(service, OWNER)).memberId }) },
  "members.reset_link": { good: freshMember, bad: () => ({ id: "mem_1" }) },
  "members.invitations.create": { good: () => ({ email: newEmail(), role: "viewer" }), bad: () => ({ email: "x" }) },
  "members.invitations.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 101 }) },
  "members.invitations.revoke": { good: freshInvitation, bad: () => ({ id: "inv_1" }) },
  "workspaces.create": { good: () => ({ name: "Another" }), bad: () => ({ name: "" }) },
  "workspaces.get": { good: () => ({}), bad: () => ({ x: "1" }) },
  "workspaces.update": {
    good: () => ({ name: newEmail() }),
    bad: () => ({ settings: { time_zone: "Nowhere" } }),
  },
  "workspaces.delete": {
    good: async (service) => ({ args: { name: "Doomed" }, key: await newWorkspace(service) }),
    bad: () => ({ name: "not its name" }),
  },
  "workspaces.restore": { good: doomedWorkspace, bad: () => ({}) },
  "roles.list": { good: () => ({}), bad: () => ({ limit: "x" }) },
  "keys.create": { good: () => ({ name: "k", permission_mode: "all" }), bad: () => ({ name: "" }) },
  "keys.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "keys.get": { good: freshKey, bad: async (service) => await absent(service, "key") },
  "keys.update": {
    good: async (service) => ({ ...(await freshKey(service)), name: "renamed" }),
    bad: async (service) => ({ ...(await freshKey(service)), rate_limit_per_hour: 0 }),
  },
  "keys.roll": {
    good: async (service) => ({ ...(await freshKey(service)), overlap_seconds: 60 }),
    bad: async (service) => ({ ...(await freshKey(service)), overlap_seconds: -1 }),
  },
  "keys.usage": { good: freshKey, bad: async (service) => await absent(service, "key") },
  "keys.test": {
    good: async (service) => ({ ...(await freshKey(service)), operation: "events.fire" }),
    bad: async (service) => ({ ...(await freshKey(service)), operation: "events.fier" }),
  },
  ...tenantCalls,
  "me.get": { good: () => ({}), bad: () => ({ limit: 1 }) },
  "keys.revoke": { good: freshKey, bad: async (service) => await absent(service, "key") },
  "events.fire": { good: () => event, bad: () => ({ ...event, event: "a..b" }) },
  "events.batch": { good: () => ({ events: [event, event] }), bad: () => ({ events: [event, { event: 1 }] }) },
  "events.list": { good: () => ({ limit: 1, event: "order.created" }), bad: () => ({ cursor: "x" }) },
  "events.get": { good: freshEvent, bad: async (service) => await absent(service, "evt") },
  "events.cancel": { good: scheduledEvent, bad: async (service) => await absent(service, "evt") },
  "events.refire": { good: sentEvent, bad: async (service) => await absent(service, "evt") },
  ...eventTypeCalls,
  "contacts.list": { good: () => ({ tag: "vip", limit: 1 }), bad: () => ({ created_after: "yesterday" }) },
  "contacts.create": { good: () => ({ email: newEmail(), name: "Ada" }), bad: () => ({ email: "nobody" }) },
  "contacts.get": { good: freshContact, bad: noContact },
  "contacts.update": {
    good: async (service) => ({ ...(await freshContact(service)), email: newEmail(), tags: ["vip"] }),
    bad: async (service) => ({ ...(await freshContact(service)), email_aliases: ["nobody"] }),
  },
  "contacts.delete": { good: freshContact, bad: noContact },
  "contacts.merge": {
    good: async (service) => ({ ...(await freshContact(service)), into: (await freshContact(service))["id"] }),
    bad: async (service) => ({ ...(await freshContact(service)), into: (await noContact(service))["id"] }),
  },
  "contacts.export": { good: freshContact, bad: noContact },
  "contacts.activities.list": {
    good: async (service) => ({ ...(await freshContact(service)), kind: "note" }),
    bad: async (service) => ({ ...(await freshContact(service)), kind: "rumour" }),
  },
  "contacts.activities.create": {
    good: async (service) => ({ ...(await freshContact(service)), summary: "Called", value: 10.5 }),
    bad: async (service) => ({ ...(await freshContact(service)), summary: "" }),
  },
  "customers.list": { good: () => ({ external_id: "cus_1" }), bad: () => ({ unknown: "x" }) },
  "customers.get": { good: freshContact, bad: noContact },
  "customers.put": { good: () => ({ id: newEmail(), name: "Ada" }), bad: () => ({ id: newEmail(), email: "nobody" }) },
  "tickets.list": { good: () => ({ status: "open" }), bad: () => ({ cursor: "x" }) },
  "tickets.get": { good: freshTicket, bad: async (service) => await absent(service, "tkt") },
  "tickets.put": {
    good: () => ({ id: newEmail(), subject: "Help", customer_external_id: newEmail() }),
    bad: async (service) => ({ id: newEmail(), customer_id: (await noContact(service))["id"] }),
  },
  "webhook_endpoints.create": { good: () => endpointArgs, bad: () => ({ ...endpointArgs, url: "http://10.0.0.1/" }) },
  "webhook_endpoints.list": { good: () => ({}), bad: () => ({ unknown: "x" }) },
  "webhook_endpoints.get": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.update": {
    good: async (service) => ({ ...(await freshEndpoint(service)), description: "new" }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), headers: { Host: "x" } }),
  },
  "webhook_endpoints.delete": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.toggle": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.headers": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.secret": { good: freshEndpoint, bad: noEndpoint },
  "webhook_endpoints.secret.regenerate": {
    good: async (service) => ({ ...(await freshEndpoint(service)), overlap_seconds: 60 }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), overlap_seconds: -1 }),
  },
  "webhook_endpoints.replay_failed": {
    good: async (service) => ({ ...(await freshEndpoint(service)), ...year }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), since: "yesterday" }),
  },
  "webhook_endpoints.backfill": {
    good: async (service) => ({ ...(await freshEndpoint(service)), ...past }),
    bad: async (service) => ({ ...(await freshEndpoint(service)), from: "yesterday" }),
  },
  "webhook_endpoints.stats": { good: freshEndpoint, bad: noEndpoint },
  ...endpointCalls({ freshEndpoint, noEndpoint }),
  ...pullCalls,
  ...issueCalls({ freshEndpoint, absent }),
  "deliveries.list": { good: () => ({ state: "failed", limit: 1 }), bad: () => ({ state: "lost" }) },
  "deliveries.get": { good: freshDelivery, bad: async (service) => await absent(service, "dlv") },
  "deliveries.attempts": { good: freshDelivery, bad: async (service) => await absent(service, "dlv") },
  "deliveries.replay": { good: failedDelivery, bad: freshDelivery },
  "deliveries.cancel": { good: freshDelivery, bad: failedDelivery },
  "inbound_endpoints.create": {
    good: () => ({ preset: "payment_processor", name: "Shop" }),
    bad: () => ({ contact_email_path: "$..email" }),
  },
  "inbound_endpoints.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "inbound_endpoints.get": { good: freshSource, bad: noSource },
  "inbound_endpoints.update": {
    good: async (service) => ({ ...(await freshSource(service)), description: "new" }),
    bad: async (service) => ({ ...(await freshSource(service)), value_path: "amount" }),
  },
  "inbound_endpoints.delete": { good: freshSource, bad: noSource },
  "inbound_endpoints.toggle": { good: freshSource, bad: noSource },
  "inbound_endpoints.secret.regenerate": {
    good: async (service) => ({ ...(await freshSource(service)), overlap_seconds: 60 }),
    bad: async (service) => ({ ...(await freshSource(service)), secret: "short" }),
  },
  "inbound_endpoints.token.regenerate": { good: freshSource, bad: noSource },
  "inbound_endpoints.preview": {
    good: async (service) => ({ ...(await freshSource(service)), payload: { email: "a@example.com", amount: 1.5 } }),
    bad: async (service) => ({ ...(await freshSource(service)), payload: {}, mapping: { value_path: "$.*" } }),
  },
  "inbound_presets.list": { good: () => ({}), bad: () => ({ limit: "x" }) },
  "senders.list": { good: () => ({ category: "chat" }), bad: () => ({ category: "nothing" }) },
  "inbound_receipts.list": { good: () => ({ status: "unmapped", limit: 1 }), bad: () => ({ status: "lost" }) },
  "inbound_receipts.get": { good: freshReceipt, bad: async (service) => await absent(service, "rcp") },
  "inbound_receipts.reprocess": { good: freshReceipt, bad: async (service) => await absent(service, "rcp") },
  ...connectorCalls,
  ...standingApprovalCalls,
  ...httpCallCalls,
  ...ruleCalls,
  ...workflowCalls,
  ...actionCalls,
  ...assistantCalls,
  ...runCalls,
  ...inboxCalls,
  ...approvalChannelCalls,
  "webhooks.test": { good: () => ({ url: NOWHERE, dry_run: true }), bad: () => ({ url: "http://10.0.0.1/" }) },
};

/** Returns a good or a bad call of an operation: its arguments, and a function that sends as its caller. */
export async function callOf(
  service: TestService,
  operation: string,
  kind: keyof Calls,
): Promise<{ args: Args; send(call: ApiCall, headers?: Record<string, string>): Promise<ApiAnswer> }> {
  const own = calls[operation];
  if (own === undefined) throw new Error(`testing/calls.ts has no calls for ${operation}`);
  const made = await own[kind](service);
  const { args: given, person, key } = "args" in made ? (made as Call) : { args: made };
  const args = resolved(given);
  return {
    args,
    send: async ({ method, path, body: prepared }, headers = {}) => {
      const body = prepared === undefined ? undefined : refreshed(prepared, { given, args });
      return person === undefined
        ? await service.api(method, path, body, { headers, ...(key !== undefined && { key }) })
        : await service.api(method, path, body, {
            key: null,
            headers: { Cookie: person.cookie, "X-CSRF-Token": person.csrfToken, ...headers },
          });
    },
  };
}

/** Returns the operations of the API's own document. */
export async function operations(service: TestService): Promise<Route[]> {
  const { body } = await service.api("GET", "/openapi.json", undefined, { key: null });
  const paths: Record<string, Record<string, Parsed>> = body.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, of]): Route[] => {
      if (of["x-operation"] === undefined) return [];
      const query = (of.parameters ?? []).filter((one: Parsed) => one.in === "query").map((one: Parsed) => one.name);
      const { "x-operation": operation, "x-access": access } = of;
      return [{ operation, access, method: method.toUpperCase(), path, query: new Set(query) }];
    }),
  );
}

/** Returns the API call for these arguments. */
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

/** Returns an id of the caller's own workspace that no object has. */
async function absent(service: TestService, prefix: IdPrefix): Promise<Args> {
  return { id: absentId({ tag: tagOfId((await service.fire()).id) }, prefix) };
}

async function freshKey(service: TestService): Promise<Args> {
  const made = await service.api("POST", "/v1/keys", { name: "fresh", permission_mode: "all" });
  return { id: made.body.id };
}

async function freshEvent(service: TestService): Promise<Args> {
  return { id: (await service.fire()).id };
}

async function scheduledEvent(service: TestService): Promise<Args> {
  const deliverAt = new Date(Date.now() + 3_600_000).toISOString();
  return { id: (await service.api("POST", "/v1/events/fire", { ...event, deliver_at: deliverAt })).body["id"] };
}

async function freshContact(service: TestService): Promise<Args> {
  return { id: (await service.api("POST", "/v1/contacts", { email: newEmail() })).body["id"] };
}

async function noContact(service: TestService): Promise<Args> {
  return await absent(service, "con");
}

async function freshTicket(service: TestService): Promise<Args> {
  return { id: (await service.api("PUT", `/v1/tickets/${newEmail()}`, {})).body["id"] };
}

async function freshEndpoint(service: TestService): Promise<Args> {
  return { id: (await service.endpoint(NOWHERE, { events: ["test.nothing"] })).id };
}

async function noEndpoint(service: TestService): Promise<Args> {
  return await absent(service, "ep");
}

async function freshSource(service: TestService): Promise<Args> {
  const mapping = { contact_email_path: "$.email", idempotency_key_path: "$.id" };
  return { id: (await service.api("POST", "/v1/inbound-endpoints", mapping)).body.id };
}

async function noSource(service: TestService): Promise<Args> {
  return await absent(service, "src");
}

/** Creates a failed receipt, which is not processed further in the background. */
async function freshReceipt(service: TestService): Promise<Args> {
  const { id: sourceId } = await freshSource(service);
  const id = (await absent(service, "rcp"))["id"];
  await service.database.query(
    `insert into inbound_receipt (bucket, tag, id, source_id, status, extracted, signed, body, body_bytes)
       select bucket, tag, $1, id, 'error', '{}', true, $3::bytea, 2 from inbound_source where id = $2`,
    [uuidOf(String(id)), uuidOf(String(sourceId)), Buffer.from(`{"email":"${String(id)}@example.com"}`)],
  );
  return { id };
}

/** Creates a delivery that stays pending in a service without workers. */
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

/** Makes a call by a new person with a console session. */
function byPerson(args: (person: TestPerson, service: TestService) => Promise<Args> | Args): Make {
  return async (service) => {
    const person = await joined(service, "developer");
    return { args: await args(person, service), person };
  };
}

async function recoveryCode(service: TestService): Promise<Call> {
  const { person, recovery } = await withTotp(service);
  return { args: { code: recovery[0] }, person };
}

async function freshMember(service: TestService): Promise<Args> {
  return { id: (await joined(service, "viewer")).memberId };
}

let emails = 0;

function newEmail(): string {
  emails += 1;
  return `invited-${emails}@example.com`;
}

async function freshInvitation(service: TestService): Promise<Args> {
  const email = newEmail();
  await invite(service, email, "viewer");
  const { data } = (await service.api("GET", "/v1/members/invitations?limit=100")).body;
  return { id: data.find((one: Parsed) => one.email === email).id };
}

async function newWorkspace(service: TestService): Promise<string> {
  return (await service.api("POST", "/v1/workspaces", { name: "Doomed" })).body["api_key"];
}

async function doomedWorkspace(service: TestService): Promise<Call> {
  const key = await newWorkspace(service);
  await service.api("DELETE", "/v1/workspaces/current", { name: "Doomed" }, { key });
  return { args: {}, key };
}
