type Args = Record<string, unknown>;

const URL = "http://127.0.0.1:9/hook";
const TOKEN = "${$.data.id}";
const DEEP = { list: [1, "two", null, { three: TOKEN }], flag: true };
const WHEN = { all: [{ any: [{ field: "data.total", op: "gte", value: 100.5 }] }] };
const FACTS = [{ label: "Total", value: "${$.data.total} EUR" }];

/** Returns the steps of a workflow that has every type of step with every member. */
export function richSteps(action: string): Args[] {
  return [
    ...plainSteps("top", action),
    { id: "both", type: "parallel", branches: [plainSteps("left", action)], on_failure: null, next: "each" },
    {
      id: "each",
      type: "for_each",
      in: "${$.data.lines}",
      steps: plainSteps("item", action),
      max: 5,
      concurrency: 2,
      on_item_failure: "continue",
      collect: false,
      on_failure: null,
    },
  ];
}

/** Every type of step that can be inside another one. Ids begin with a prefix, because they are unique in a workflow. */
function plainSteps(prefix: string, action: string): Args[] {
  const id = (name: string): string => `${prefix}_${name}`;
  const ways = { on_rejected: null, on_expired: id("fire") };
  return [
    { id: id("if"), type: "condition", when: WHEN, then: id("set"), else: null },
    { id: id("set"), type: "set", values: { deep: DEEP } },
    { id: id("hook"), type: "webhook", url: URL, headers: { "X-Team": "red" }, body: { deep: DEEP }, on_failure: null },
    ...calls(id),
    {
      id: id("act"),
      type: "action",
      action,
      parameters: { payment: TOKEN, amount: 5.5 },
      on_approved: id("pause"),
      on_failure: null,
      ...ways,
    },
    { id: id("pause"), type: "delay", seconds: 60 },
    {
      id: id("ask"),
      type: "wait_approval",
      approver_roles: ["owner"],
      expires_in_seconds: 600,
      title: "Release",
      summary: "An order",
      fields: FACTS,
      ...ways,
    },
    {
      id: id("wait"),
      type: "wait_event",
      event: "order.*",
      match: { all: [{ not: [{ field: "data.order", op: "eq", value: TOKEN }] }] },
      tenants: "shared",
      timeout_seconds: 600,
      on_timeout: null,
    },
    { id: id("fire"), type: "fire_event", event: "test.fired", data: { deep: DEEP }, next: null },
  ];
}

function calls(id: (name: string) => string): Args[] {
  const http = { type: "http", method: "POST", url: URL };
  const grant = { token_url: "http://127.0.0.1:9/token", client_id: "me", scope: "read" };
  return [
    {
      ...http,
      id: id("json"),
      query: { page: TOKEN, size: 5 },
      headers: { "X-Team": "red" },
      body: { deep: DEEP },
      auth: { type: "api_key", secret_ref: "crm_token", in: "query", name: "key" },
      success_when: { all: [{ field: "body.status", op: "eq", value: "ok" }] },
      timeout_ms: 5000,
      retries: 2,
      expose: ["id"],
      sign: true,
      on_failure: null,
    },
    {
      ...http,
      id: id("form"),
      form: { a: TOKEN, b: 2 },
      auth: { type: "oauth2_client_credentials", secret_ref: "crm_token", ...grant },
    },
    { ...http, id: id("text"), text: "order ${$.data.id}", auth: { type: "bearer", secret_ref: "crm_token" } },
  ];
}
