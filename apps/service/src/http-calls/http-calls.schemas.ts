import {
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  strict,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import type { Static } from "../lib/lib.ts";

const State = OneOf(["waiting", "succeeded", "failed", "cancelled"], "`waiting`: it is sent, or sent again later.");

const Auth = Type.Object(
  {
    type: OneOf(["bearer", "basic", "api_key", "oauth2_client_credentials"]),
    secret_ref: StringExample("crm_token", { description: "The name of the secret. See `PUT /v1/secrets/{name}`." }),
    in: Type.Optional(OneOf(["header", "query"], "The place of an API key. Default: `header`.")),
    name: Type.Optional(StringExample("X-API-Key", { description: "The header or query parameter of an API key." })),
    header: Type.Optional(StringExample("X-API-Key", { description: "The earlier spelling of `name`." })),
    token_url: Type.Optional(StringExample("https://auth.example.com/token")),
    client_id: Type.Optional(StringExample("junction")),
    scope: Type.Optional(StringExample("orders.read")),
  },
  { title: "HttpCallAuth" },
);
const Request = Type.Object(
  {
    method: StringExample("POST"),
    url: StringExample("https://api.example.com/orders/1001"),
    headers: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "Content-Type": "application/json", Authorization: "[redacted]" }],
      description: "All headers that are sent. Credentials are replaced.",
    }),
    body: Nullable(StringExample('{"status":"paid"}')),
    auth: Nullable(Auth),
  },
  { title: "HttpCallRequest", description: "The request as it is sent." },
);
const Response = Type.Object(
  {
    status: Nullable(Type.Integer({ examples: [200] })),
    headers: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "content-type": "application/json" }],
    }),
    body: Type.Unsafe<unknown>({
      examples: [{ id: 7 }],
      description: "The JSON body; null for any other.",
    }),
    text: Nullable(StringExample("created", { description: "The body, if it is not JSON." })),
    truncated: Type.Boolean({ description: "Whether the body was longer than 64 KiB or did not end in time." }),
  },
  { title: "HttpCallResponse", description: "The response of the last try, without secrets." },
);

export const CallView = Type.Object(
  {
    id: WireId("call"),
    object: OneOf(["http_call"]),
    rule_id: Nullable(WireId("rule")),
    workflow_id: Nullable(WireId("wf")),
    owner_name: StringExample("Large orders", { description: "The name of the rule or workflow." }),
    run_id: Type.String({
      examples: ["wfr_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"],
      description: "The run of the rule or workflow.",
    }),
    step: StringExample("lookup", { description: "The step of the workflow, or the position of the rule's action." }),
    event_id: Nullable(WireId("evt")),
    replay_of: Nullable(WireId("call")),
    state: State,
    attempts: Type.Integer({ examples: [1] }),
    max_attempts: Type.Integer({ examples: [4] }),
    status_code: Nullable(Type.Integer({ examples: [200] })),
    error_class: Nullable(StringExample("timeout")),
    error: Nullable(StringExample("The response with status 500 is not a success.")),
    duration_ms: Nullable(Type.Integer({ examples: [84] })),
    next_attempt_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
    ...ownershipFields,
    request: Request,
    response: Nullable(Response),
  },
  { title: "HttpCall" },
);
export const CallListView = ListOf(CallView);
export const CallListQuery = Type.Object(
  {
    state: Type.Optional(State),
    rule_id: Type.Optional(WireId("rule")),
    workflow_id: Type.Optional(WireId("wf")),
    run_id: Type.Optional(
      Type.String({
        examples: ["wfr_7k2m9qaw01m7w4q17jeay9df1b7sqp908g"],
        description: "Only calls of this run of a workflow or rule.",
      }),
    ),
    ...PageQuery,
  },
  strict,
);

export type CallListQuery = Static<typeof CallListQuery>;

const Values = (description: string): ReturnType<typeof Type.Unsafe<object>> =>
  Type.Unsafe<object>({ type: "object", description, examples: [{ id: 1001 }] });
export const TestBody = Type.Object(
  {
    request: Type.Unsafe<object>({
      type: "object",
      description: "The call, with the members of an `http` action or step.",
      examples: [{ method: "GET", url: "https://api.example.com/orders/${$.data.id}" }],
    }),
    event: Type.Optional(StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: Type.Optional(Values("The data of the event.")),
    contact: Type.Optional(Values("The contact, as `GET /v1/contacts/{id}` returns it.")),
    input: Type.Optional(Values("The input of a workflow's run.")),
    steps: Type.Optional(Values("The outputs of previous steps by their ids.")),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: "Shows the request and sends nothing." })),
  },
  { ...strict, title: "HttpCallTest" },
);
export const TestView = Type.Object(
  {
    object: OneOf(["http_call_test"]),
    request: Request,
    sent: Type.Boolean(),
    succeeded: Nullable(Type.Boolean({ description: "Whether the response meets `success_when`." })),
    response: Nullable(Response),
    error_class: Nullable(StringExample("timeout")),
    error: Nullable(StringExample("The response with status 500 is not a success.")),
    duration_ms: Nullable(Type.Integer({ examples: [84] })),
    secret: Type.Optional(
      StringExample("whsec_DqbVMpXVTw0cPh2uHpWqXw", {
        description: "The secret that signed this test, if the call is signed. It signs nothing else.",
      }),
    ),
  },
  { title: "HttpCallTestResult" },
);
