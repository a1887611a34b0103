import { contractArgs } from "./contracts.ts";
import { richBrokerEndpoints } from "./rich-destinations.ts";
import type { RichObject } from "./rich-object.ts";
import { richSteps } from "./rich-steps.ts";
import type { Parsed } from "./test-service.ts";

type Args = Record<string, unknown>;

const URL = "http://127.0.0.1:9/hook";
const WHEN = {
  all: [
    {
      any: [
        { field: "data.total", op: "gte", value: 100.5 },
        { field: "event", op: "eq", value: "order.created" },
      ],
    },
    { not: [{ field: "data.tags", op: "in", value: ["a", 1, null, true] }] },
  ],
};
const SECRET = "A secret, which no reader gets.";
const HEADERS = "Values of headers can be credentials, so that readers get a placeholder.";

const HTTP = {
  type: "http",
  method: "POST",
  url: URL,
  query: { page: "${$.data.page}" },
  body: { order: "${$.data.id}", deep: { list: [1, "two", null] } },
  auth: { type: "api_key", secret_ref: "crm_token", in: "query", name: "key" },
  success_when: { field: "body.status", op: "eq", value: "ok" },
  timeout_ms: 5000,
  retries: 2,
  expose: ["id"],
  sign: true,
};

/** Returns the objects that act on events. */
export function richAutomation(action: string, workflow: string): Record<string, RichObject> {
  return {
    "action_contracts.create": {
      bodies: [refund("refunds.rich")],
      read: ({ key }) => `/v1/action-contracts/${String(key)}`,
    },
    "rules.create": {
      bodies: [
        {
          name: "Big orders",
          on: ["order.created", "parcel.*"],
          when: WHEN,
          then: [
            { type: "fire_event", event: "test.fired", data: { deep: { list: [1, { a: "${$.data.x}" }] } } },
            { type: "post_webhook", url: URL, body: { deep: { list: [1] } } },
            { type: "adjust_score", by: -2 },
            { type: "add_tag", tag: "big" },
            { type: "notify", to: ["admin"], message: "An order of ${$.data.total}" },
            { type: "run_action", action, parameters: { payment: "${$.data.id}", amount: 5.5 } },
            { type: "start_workflow", workflow_id: workflow, input: { deep: { list: [1] } } },
            HTTP,
          ],
          priority: 7,
          enabled: false,
          max_runs_per_minute: 5,
        },
      ],
    },
    "workflows.create": {
      bodies: [
        {
          name: "All steps",
          trigger: { event: "order.created", when: WHEN },
          steps: richSteps(action),
          enabled: false,
          max_runs_per_minute: 5,
        },
        {
          name: "By schedule",
          trigger: { schedule: { cron: "0 9 * * MON", time_zone: "Europe/Berlin", missed: "once" } },
          steps: [{ id: "pause", type: "delay", seconds: 60 }],
        },
      ],
      otherwise: {
        "/steps/*/headers/*": HEADERS,
        "/steps/*/steps/*/headers/*": HEADERS,
        "/steps/*/branches/*/*/headers/*": HEADERS,
      },
    },
  };
}

export const richEndpoints: Record<string, RichObject> = {
  "webhook_endpoints.create": {
    bodies: [
      {
        url: URL,
        name: "warehouse",
        events: ["parcel.scanned", "order.*"],
        active: false,
        description: "Warehouse",
        headers: { "X-Team": "red" },
        rate_limit_per_second: 5,
        max_in_flight: 3,
        tenant: "acme",
        filter: WHEN,
        transform: {
          kind: "template",
          method: "PUT",
          headers: { "X-Order": "${$.data.id}" },
          body: { text: "${$.event}", deep: { list: [1, "${$.data.total}"] } },
          cases: [
            {
              event: "order.created",
              data: { total: 12.5, deep: { list: [1] } },
              expect: { text: "order.created", deep: { list: [1, 12.5] } },
            },
          ],
        },
        event_versions: { "parcel.scanned": 1 },
        retry_schedule: [10, 600],
        signatures: ["standard", "ed25519"],
        auth: { type: "api_key", secret_ref: "crm_token", in: "query", name: "key" },
      },
      {
        url: URL,
        events: ["order.created"],
        filter: { field: "data.total", op: "gt", value: 1 },
        transform: { kind: "script", source: "export function transform({ data }) {\n  return { body: data };\n}" },
        auth: {
          type: "oauth2_client_credentials",
          secret_ref: "crm_token",
          token_url: URL,
          client_id: "junction",
          scope: "a b",
          audience: "api",
        },
      },
      {
        url: URL,
        events: ["order.created"],
        ordering: { key: "$.data.id", on_failed: "skip" },
        auth: { type: "basic", secret_ref: "crm_token", username: "junction" },
        wire: "svix",
        channels: ["red", "blue"],
        metadata: { crm: "1" },
        uid: "rich-endpoint",
      },
      { url: URL, events: ["order.created"], auth: { type: "api_key", secret_ref: "crm_token", header: "X-Api-Key" } },
      { kind: "pull", events: ["order.created"] },
      ...richBrokerEndpoints,
    ],
    otherwise: { "/headers/*": HEADERS },
  },
  "tenants.update": {
    bodies: [{ name: "Acme, Inc.", uid: "acme-2", metadata: { plan: "pro" } }],
    names: { tenant: "acme" },
  },
};

/** Returns the settings of the workspace, and the secrets. */
export function richSettings(action: string): Record<string, RichObject> {
  return {
    "secrets.put": {
      bodies: [{ value: "another-secret-value", hosts: ["api.example.com", "*.example.org"] }],
      names: { name: "rich_secret" },
      read: () => "/v1/secrets",
      part: ({ data }) => data.find((one: Parsed) => one["name"] === "rich_secret"),
      otherwise: { "/value": SECRET },
    },
    "slack_app.put": {
      bodies: [{ team_id: "T0123456789", signing_secret: "a-signing-secret", bot_token: "xoxb-0123456789-token" }],
      otherwise: { "/signing_secret": SECRET, "/bot_token": SECRET },
    },
    "assistant.update": {
      bodies: [
        {
          base_url: "http://127.0.0.1:9/v1",
          model: "small-1",
          secret_ref: "crm_token",
          instructions: "Offer a refund only where the order is late.",
          events: ["ticket.created"],
          max_per_minute: 2,
          max_per_day: 3,
          script: [
            {
              on: ["ticket.created"],
              say: "A note helps.",
              calls: [{ action, arguments: { payment: "${$.data.id}", deep: { list: [1] } } }],
            },
          ],
        },
      ],
    },
    "workspaces.update": {
      bodies: [
        {
          name: "Renamed",
          settings: {
            retention_days: 20,
            inline_confirmation: false,
            solo_approval: true,
            require_step_up: false,
            require_approval_for_configuration: false,
            password_sign_in: true,
            assistant: "scripted",
            time_zone: "Europe/Berlin",
            portal_name: "Acme",
            portal_logo: "data:image/png;base64,iVBORw0KGgo=",
            portal_origins: ["https://app.example.com"],
          },
        },
      ],
    },
    "mails.preferences.update": {
      bodies: [{ notifications: false, approvals: false, endpoint_failures: false }],
    },
  };
}

/** Returns the arguments of a contract with every member. */
export function refund(key: string): Args {
  return {
    ...contractArgs({ key }),
    label: "Refund",
    surface: ["api", "console", "mcp", "workflow", "rule"],
    roles: ["owner", "admin", "ai"],
    requires_confirmation: true,
    params: {
      payment: { type: "string", required: true, min: 1, max: 64, description: "The payment." },
      amount: { type: "number", min: 0.5, max: 1000, sensitive: false },
      reason: { type: "string", enum: ["late", "broken"] },
    },
    description: "Returns the money.",
    risk: "high",
    destructive: false,
    reversible: true,
    undo: { endpoint: "http://127.0.0.1:9/undo", window_seconds: 60 },
    idempotent: true,
    scope: "billing:write",
    permission: "refunds",
    delivery: "async",
    auth: { type: "api_key", secret_ref: "crm_token", header: "X-Api-Key" },
    response: {
      json: true,
      success_when: { path: "$.status", equals: "ok" },
      result_path: "$.data",
      error_path: "$.error",
      expose: ["refund_id"],
    },
    timeout_ms: 5000,
    approval: {
      approver_roles: ["owner", "admin"],
      four_eyes: true,
      required: 2,
      expires_in_seconds: 600,
      allow_rule: [],
    },
    sandbox_endpoint: "http://127.0.0.1:9/sandbox",
  };
}
