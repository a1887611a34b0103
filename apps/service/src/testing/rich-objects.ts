import { contractArgs } from "./contracts.ts";
import { mintKey } from "./keys.ts";
import { OWNER, signIn } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { refund, richAutomation, richEndpoints, richSettings } from "./rich-configuration.ts";
import type { RichObject } from "./rich-object.ts";
import { richSources } from "./rich-sources.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

const SECRET = "A secret, which no reader gets.";
const DAY_MS = 86_400_000;

/** Returns, for each operation that writes an object, the object at its richest. */
export async function richObjects(service: TestService): Promise<Readonly<Record<string, RichObject>>> {
  const owner = await signIn(service, OWNER);
  await made(service, "PUT", "/v1/secrets/crm_token", { value: "a-secret-value" });
  await made(service, "POST", "/v1/event-types", { name: "parcel.scanned", schema: { type: "object" } });
  const key = String(contractArgs()["key"]);
  // One person can approve it, so that a standing approval can be for it.
  const approval = { approver_roles: ["owner"] };
  await made(service, "POST", "/v1/action-contracts", { ...refund(`${key}_used`), approval });
  const workflow = await made(service, "POST", "/v1/workflows", {
    name: "Started",
    trigger: { event: "test.nothing" },
    steps: [{ id: "pause", type: "delay", seconds: 60 }],
  });
  return {
    ...people(await mintKey(service, { actor_type: "ai", role: "ai" }), `${key}_used`, owner),
    ...richAutomation(`${key}_used`, String(workflow["id"])),
    ...richEndpoints,
    ...richSettings(`${key}_used`),
    ...invited(),
    ...contacts(await made(service, "POST", "/v1/contacts", { email: "noted@example.com" })),
    ...eventObjects(),
    "inbound_endpoints.create": {
      bodies: richSources,
      otherwise: {
        "/secret": SECRET,
        "/preset": "A sender has no preset.",
        "/signature_scheme": "A scheme of its own replaces the name of a scheme.",
        "/scheme/headers": SECRET,
      },
    },
  };
}

/** Makes an object that others name. */
async function made(service: TestService, method: string, path: string, body: Args): Promise<Parsed> {
  const answer = await service.api(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

function people(agent: { readonly id: string }, action: string, owner: TestPerson): Record<string, RichObject> {
  const until = new Date(Date.now() + DAY_MS).toISOString();
  return {
    "keys.create": {
      bodies: [
        {
          name: "Checkout",
          permission_mode: "restricted",
          actor_type: "service",
          tenant: "acme",
          blocked_actions: ["keys.*", "events.fire"],
          role: "developer",
          scopes: ["events:write", "webhooks:read"],
          permissions: [],
          rate_limit_per_hour: 500,
          ip_allowlist: ["127.0.0.0/8"],
          require_signature: false,
          accept_body_signature: true,
          expires_at: until,
          signing_secret: true,
        },
      ],
      otherwise: { "/signing_secret": "It asks for a secret, which only the response to the request has." },
    },
    "members.invitations.create": {
      bodies: [{ email: "ada@example.com", role: "viewer" }],
      read: () => "/v1/members/invitations",
      part: ({ data }, { id }) => data.find((one: Parsed) => one["id"] === id),
    },
    "standing_approvals.create": {
      by: owner,
      bodies: [
        {
          name: "Small refunds",
          action,
          contract_version: 1,
          agents: [
            { type: "key", id: agent.id },
            { type: "member", id: owner.memberId },
          ],
          when: {
            all: [
              { field: "parameters.amount", op: "lte", value: 50 },
              { not: [{ any: [{ field: "parameters.reason", op: "in", value: ["late"] }] }] },
            ],
          },
          budget: { count: 10, per: "day", sum: { parameter: "amount", max: "500.5" } },
          time_zone: "Europe/Berlin",
          expires_at: until,
        },
      ],
    },
  };
}

/** Returns the people outside the console who are asked or let in. */
function invited(): Record<string, RichObject> {
  return {
    "approval_channels.create": {
      bodies: [
        {
          kind: "email",
          name: "Refunds",
          recipients: ["approvals@example.com"],
          risks: ["low", "high"],
          actions: ["billing.*"],
          after_minutes: 5,
          remind_every_minutes: 60,
          decisions: false,
          active: false,
        },
        { kind: "slack", name: "Slack", slack_channel_id: "C0123456789" },
      ],
    },
    "portal_sessions.create": {
      bodies: [
        {
          tenant: "acme",
          capabilities: ["endpoints", "deliveries"],
          expires_in_seconds: 600,
          theme: { accent: "#4f46e5", radius: 8, font: "Inter, sans-serif", mode: "dark" },
          contact_email: "ops@acme.example",
        },
      ],
      read: () => "/v1/portal-sessions",
      part: ({ data }, { id }) => data.find((one: Parsed) => one["id"] === id),
      otherwise: {
        "/expires_in_seconds": "Readers get the end, `expires_at`.",
        "/contact_email": "It belongs to the tenant, where readers get it.",
      },
    },
    "mcp_tokens.create": {
      bodies: [
        { name: "Claude", tenant: "acme", capabilities: ["endpoints", "deliveries"], expires_in_seconds: 86_400 },
      ],
      read: () => "/v1/mcp-tokens",
      part: ({ data }, { id }) => data.find((one: Parsed) => one["id"] === id),
      otherwise: { "/expires_in_seconds": "Readers get the end, `expires_at`." },
    },
  };
}

function contacts(noted: Parsed): Record<string, RichObject> {
  const contact = {
    email: "rich@example.com",
    name: "Ada Moreau",
    lifecycle_stage: "customer",
    score: 42,
    tags: ["vip", "b2b"],
    external_ids: ["cus_4711"],
  };
  return {
    "contacts.create": { bodies: [contact] },
    "contacts.update": {
      bodies: [{ ...contact, email: "noted@example.com", external_ids: ["cus_9"], email_aliases: ["old@example.com"] }],
      names: { id: String(noted["id"]) },
    },
    "contacts.activities.create": {
      bodies: [
        {
          summary: "Asked for an invoice",
          event_type: "note",
          value: 89.5,
          score_delta: 4,
          occurred_at: "2026-01-02T03:04:05.000Z",
        },
      ],
      names: { id: String(noted["id"]) },
      part: ({ data }, { id }) => data.find((one: Parsed) => one["id"] === id),
    },
    "customers.put": {
      bodies: [{ ...contact, email: "customer@example.com", external_ids: undefined }],
      names: { id: "cus_rich" },
      read: ({ id }) => `/v1/customers/${String(id)}`,
    },
    "tickets.put": {
      bodies: [
        {
          subject: "Printer",
          status: "open",
          priority: "high",
          assignee: "ines@example.com",
          customer_id: noted["id"],
        },
        { subject: "Other", customer_external_id: "cus_rich" },
      ],
      names: { id: "tkt-rich" },
      read: ({ id }) => `/v1/tickets/${String(id)}`,
      otherwise: { "/customer_external_id": "It names a customer, whom readers get as `customer_id`." },
    },
  };
}

function eventObjects(): Record<string, RichObject> {
  const schema = {
    type: "object",
    properties: { parcel: { type: "string", enum: ["a", "b"] }, deep: { type: "array", items: { type: "object" } } },
    required: ["parcel"],
  };
  return {
    "events.fire": {
      bodies: [
        {
          event: "parcel.scanned",
          data: { parcel: "a", deep: { list: [1, { two: null }] } },
          occurred_at: "2026-01-02T03:04:05.000Z",
          subject: "parcel:1",
          deliver_at: new Date(Date.now() + DAY_MS).toISOString(),
          tenant: "acme",
          version: 1,
          uid: "scan-1",
          channels: ["red", "blue"],
          metadata: { source: "scanner" },
        },
      ],
      read: ({ id }) => `/v1/events/${String(id)}`,
    },
    "event_types.create": {
      bodies: [
        {
          name: "parcel.lost",
          title: "Parcel lost",
          description: "A parcel is missing.",
          enforcement: "warn",
          visibility: "private",
          deprecated: true,
          schema,
          examples: [{ parcel: "a", deep: [{ x: [1] }] }],
        },
      ],
      read: () => "/v1/event-types/parcel.lost",
      otherwise: { "/deprecated": "Readers get the time, `deprecated_at`." },
    },
    "event_types.versions.create": {
      bodies: [
        { schema: { type: "object", properties: { x: { type: "array", items: {} } } }, examples: [{ x: [{}] }] },
      ],
      names: { name: "parcel.scanned" },
      part: ({ data }, { version }) => data.find((one: Parsed) => one["version"] === version),
    },
  };
}
