import { t } from "../lib/lib.ts";

const State = t.OneOf(["waiting", "succeeded", "failed", "cancelled"], "`waiting`: it is sent, or sent again later.");

const Auth = t.Object(
  {
    type: t.OneOf(["bearer", "basic", "api_key", "oauth2_client_credentials"]),
    secret_ref: t.StringExample("crm_token", { description: "The name of the secret. See `PUT /v1/secrets/{name}`." }),
    in: t.Optional(t.OneOf(["header", "query"], "The place of an API key. Default: `header`.")),
    name: t.Optional(t.StringExample("X-API-Key", { description: "The header or query parameter of an API key." })),
    header: t.Optional(t.StringExample("X-API-Key", { description: "The earlier spelling of `name`." })),
    token_url: t.Optional(t.StringExample("https://auth.example.com/token")),
    client_id: t.Optional(t.StringExample("junction")),
    scope: t.Optional(t.StringExample("orders.read")),
  },
  { title: "HttpCallAuth" },
);
const Request = t.Object(
  {
    method: t.StringExample("POST"),
    url: t.StringExample("https://api.example.com/orders/1001"),
    headers: t.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "Content-Type": "application/json", Authorization: "[redacted]" }],
      description: "All headers that are sent. Credentials are replaced.",
    }),
    body: t.Nullable(t.StringExample('{"status":"paid"}')),
    auth: t.Nullable(Auth),
  },
  { title: "HttpCallRequest", description: "The request as it is sent." },
);
const Response = t.Object(
  {
    status: t.Nullable(t.Integer({ examples: [200] })),
    headers: t.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "content-type": "application/json" }],
    }),
    body: t.Unsafe<unknown>({
      examples: [{ id: 7 }],
      description: "The JSON body; null for any other.",
    }),
    text: t.Nullable(t.StringExample("created", { description: "The body, if it is not JSON." })),
    truncated: t.Boolean({ description: "Whether the body was longer than 64 KiB or did not end in time." }),
  },
  { title: "HttpCallResponse", description: "The response of the last try, without secrets." },
);

export const CallView = t.Object(
  {
    id: t.WireId("call"),
    object: t.OneOf(["http_call"]),
    rule_id: t.Nullable(t.WireId("rule")),
    workflow_id: t.Nullable(t.WireId("wf")),
    owner_name: t.StringExample("Large orders", { description: "The name of the rule or workflow." }),
    run_id: t.String({
      examples: ["wfr_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"],
      description: "The run of the rule or workflow.",
    }),
    step: t.StringExample("lookup", { description: "The step of the workflow, or the position of the rule's action." }),
    event_id: t.Nullable(t.WireId("evt")),
    replay_of: t.Nullable(t.WireId("call")),
    state: State,
    attempts: t.Integer({ examples: [1] }),
    max_attempts: t.Integer({ examples: [4] }),
    status_code: t.Nullable(t.Integer({ examples: [200] })),
    error_class: t.Nullable(t.StringExample("timeout")),
    error: t.Nullable(t.StringExample("The response with status 500 is not a success.")),
    duration_ms: t.Nullable(t.Integer({ examples: [84] })),
    next_attempt_at: t.Nullable(t.Timestamp),
    ended_at: t.Nullable(t.Timestamp),
    ...t.ownershipFields,
    request: Request,
    response: t.Nullable(Response),
  },
  { title: "HttpCall" },
);
export const CallListView = t.ListOf(CallView);
export const CallListQuery = t.Object(
  {
    state: t.Optional(State),
    rule_id: t.Optional(t.WireId("rule")),
    workflow_id: t.Optional(t.WireId("wf")),
    run_id: t.Optional(
      t.String({
        examples: ["wfr_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"],
        description: "Only calls of this run of a workflow or rule.",
      }),
    ),
    ...t.PageQuery,
  },
  t.strict,
);

export type CallListQuery = t.Static<typeof CallListQuery>;

const Values = (description: string): ReturnType<typeof t.Unsafe<object>> =>
  t.Unsafe<object>({ type: "object", description, examples: [{ id: 1001 }] });
export const TestBody = t.Object(
  {
    request: t.Unsafe<object>({
      type: "object",
      description: "The call, with the members of an `http` action or step.",
      examples: [{ method: "GET", url: "https://api.example.com/orders/${$.data.id}" }],
    }),
    event: t.Optional(t.StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: t.Optional(Values("The data of the event.")),
    contact: t.Optional(Values("The contact, as `GET /v1/contacts/{id}` returns it.")),
    input: t.Optional(Values("The input of a workflow's run.")),
    steps: t.Optional(Values("The outputs of previous steps by their ids.")),
    dry_run: t.Optional(t.Boolean({ default: false, description: "Shows the request and sends nothing." })),
  },
  { ...t.strict, title: "HttpCallTest" },
);
export const TestView = t.Object(
  {
    object: t.OneOf(["http_call_test"]),
    request: Request,
    sent: t.Boolean(),
    succeeded: t.Nullable(t.Boolean({ description: "Whether the response meets `success_when`." })),
    response: t.Nullable(Response),
    error_class: t.Nullable(t.StringExample("timeout")),
    error: t.Nullable(t.StringExample("The response with status 500 is not a success.")),
    duration_ms: t.Nullable(t.Integer({ examples: [84] })),
    secret: t.Optional(
      t.StringExample("whsec_DqbVMpXVTw0cPh2uHpWqXw", {
        description: "The secret that signed this test, if the call is signed. It signs nothing else.",
      }),
    ),
  },
  { title: "HttpCallTestResult" },
);
