import { API_VERSIONS, UNPINNED } from "../answers/lifecycle.ts";

/** Parts of the contract that belong to no single route: headers, credentials, the areas of the API. */

const text = (description: string, example: string, more: object = {}): object => ({
  description,
  schema: { type: "string", ...more },
  example,
});
const count = (description: string, example: number): object => ({
  description,
  schema: { type: "integer", minimum: 0 },
  example,
});

const REQUEST_ID = text(
  "The id of this request in the service's logs and in the problem document.",
  "req_0000000001m7w4q17jeay9df1b7sqp908g",
);

export const headers: Readonly<Record<string, object>> = {
  "X-Service-Request-Id": { ...REQUEST_ID, required: true },
  "X-Service-Version": {
    ...text("The dated version of the API that responded.", "2026-11-21", { format: "date" }),
    required: true,
  },
  "X-Service-RateLimit-Limit": {
    ...count("The number of calls allowed in the window of the tighter limit: per minute or per hour.", 1000),
    required: true,
  },
  "X-Service-RateLimit-Remaining": { ...count("The number of calls left in the window.", 999), required: true },
  "X-Service-RateLimit-Reset": { ...count("The length of the window in seconds.", 60), required: true },
  "X-Service-Signature-Scheme": text("The signature scheme that matched, if the request was signed.", "v1", {
    enum: ["v1", "body"],
  }),
  "Idempotency-Key": text(
    "The idempotency key of the request. The service generates one if the request has none.",
    "5f0c6c1e-order-10482",
  ),
  "Idempotent-Replayed": text(
    "`true` if this is the stored response of an earlier request with the same key.",
    "true",
    {
      enum: ["true"],
    },
  ),
  "WWW-Authenticate": text(
    "RFC 6750: the required kind of credential. Contains `error` if the request had an invalid credential.",
    'Bearer realm="junction", error="invalid_token"',
  ),
  "Retry-After": count("The number of whole seconds after which the same request can succeed.", 12),
  Deprecation: text("RFC 9745: the date since which the operation is deprecated.", "@1798761600"),
  Sunset: text("RFC 8594: the date on which the operation may stop working.", "Sat, 01 Jan 2028 00:00:00 GMT"),
};

const refs = (...names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of every response. */
export const answerHeaders = refs(
  "X-Service-Request-Id",
  "X-Service-Version",
  "X-Service-RateLimit-Limit",
  "X-Service-RateLimit-Remaining",
  "X-Service-RateLimit-Reset",
  "X-Service-Signature-Scheme",
);
export const writeHeaders = refs("Idempotency-Key", "Idempotent-Replayed");
export const deprecationHeaders = refs("Deprecation", "Sunset");

export const parameters: Readonly<Record<string, object>> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes the request safe to repeat: for 7 days, the same request with the same key returns the first response again. 1 to 255 visible ASCII characters, bare or in quotes.",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    example: "5f0c6c1e-order-10482",
  },
  ServiceVersion: {
    name: "X-Service-Version",
    in: "header",
    description: "The dated version of the API that the caller was written for. Default: the oldest version.",
    required: false,
    schema: { type: "string", enum: API_VERSIONS },
    example: UNPINNED,
  },
};

export const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "jn_live_… or jn_test_…",
    description:
      "An API key. A request can also have a signature, which must then be valid. Keys with `require_signature` must sign every request.",
  },
  serviceKey: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Key",
    description: "The id of a key that has a signing secret. The request is signed with scheme `v1`.",
  },
  requestSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Signature",
    description:
      "64 lower-case hex digits. Scheme `v1` is the HMAC-SHA256 over six lines, joined by newlines: `v1`, timestamp, method, request target as on the wire, idempotency key (or an empty line), and the hex SHA-256 of the raw body. The HMAC's key is the text of the API key, or its signing secret if it has one.",
  },
  signatureTimestamp: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Timestamp",
    description: "Unix time in whole seconds, within 300 seconds of the server's time.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-junction_session",
    description:
      "A console session, from `POST /v1/auth/sign-in`. Over plain http, the cookie is named `junction_session`. Requests other than GET send the `csrf_token` of the sign-in as `X-CSRF-Token`. `X-Service-Workspace` and `X-Service-Environment` select the workspace and environment of a request.",
  },
} as const;

/** The credentials. Any one of them is enough for a request. */
export const SECURITY = [
  { bearer: [] },
  { session: [] },
  { serviceKey: [], requestSignature: [], signatureTimestamp: [] },
];

/** The areas of the API. An area is the first word of an operation's dotted name. */
export const areas: Readonly<Record<string, string>> = {
  search: "One search for the objects of a workspace, over all kinds that the caller may list.",
  events:
    "Events of your product. A 202 response means that the event, its deliveries and its idempotency record were committed in one transaction.",
  event_types: "The catalog of event types, with a schema and an example of each.",
  webhook_endpoints: "URLs that subscribe to event types and receive them as signed webhooks, with retries.",
  deliveries: "One event for one endpoint, with each attempt. Deliveries can be replayed and cancelled.",
  replays:
    "Replays of many deliveries. You can count the deliveries first, follow the progress of a replay and stop it.",
  webhooks: "Tests of an endpoint or a URL with a signed sample.",
  inboxes:
    "Built-in receivers with a name, which keep the requests they receive until a client takes them. `junction listen` reads them.",
  inbox:
    "A built-in receiver that verifies and shows the requests it receives. The token in its path is the credential.",
  inbound: "The addresses to which other services send.",
  inbound_endpoints: "Sources: addresses that receive the webhooks of other systems, with their mappings.",
  senders: "Systems whose webhooks a source understands without a mapping of your own.",
  inbound_presets: "Templates for the sources of common senders.",
  transform_presets: "Templates for the bodies that common receivers expect.",
  inbound_receipts: "Inbound requests and their results.",
  tenants: "Your own customers, with their endpoints, sources and events.",
  contacts: "People and companies, with their activities.",
  customers: "Contacts that have an external id of your product.",
  tickets: "Support tickets, built from events and from connectors.",
  actions: "Operations that your backend can run on request, under action contracts and with approvals.",
  action_contracts: "The definitions of actions: parameters, roles, surfaces, confirmation and backend.",
  approval_channels: "Where proposals are announced besides the console: channels of Slack, and e-mail.",
  slack_app: "The Slack app that announces proposals and whose buttons decide.",
  slack_links: "Slack accounts that members have linked, so that a tap counts as theirs.",
  slack: "The address to which Slack sends taps.",
  mails: "The service's own e-mail.",
  notifications: "What rules have sent to members.",
  proposals: "Actions that wait for a person's approval.",
  step_ups: "Repeated proofs of identity before decisions about actions of high risk.",
  standing_approvals: "Approvals that owners give in advance to AI clients and programs, with a budget.",
  runs: "Actions that were executed.",
  rules: "Automations that run actions when an event meets a condition.",
  mcp_tokens: "Tokens with which an AI client works for one of your customers, by the operator tools of `/mcp`.",
  portal_sessions: "Links to the portal, where your customers manage their own webhook endpoints.",
  http_calls: "Requests of rules and workflows to other APIs, with their responses.",
  workflows: "Automations of several steps, which survive restarts.",
  connectors: "Connections to other services.",
  assistant: "An AI model that receives events and proposes actions.",
  audit: "The audit log: an append-only, hash-chained record of who did what.",
  ai_history: "The requests of AI clients and the assistant, with the model's answers and the results.",
  keys: "API keys, with their rights and limits.",
  imports: "The configuration of other products, which moves in.",
  issues: "The failures of endpoints, sources, connectors and actions, grouped by what fails.",
  configuration: "The configuration of a workspace as one file: exported, compared, planned and applied.",
  connected_apps: "AI apps that members have connected by OAuth, for `/mcp`.",
  members: "The people of the workspace.",
  roles: "The roles and the operations that each may call.",
  workspaces: "The workspace itself.",
  auth: "Signing in, and the initial claim of an installation.",
  me: "The identity of the caller.",
  meta: "The operations that can be called.",
  usage: "Usage figures.",
  attention: "Items that need a person's attention.",
  installation: "Where this installation stores its data, for its operator.",
  requests: "The log of API requests.",
  stream: "The live stream of changes.",
  secrets: "Credentials that action contracts refer to by name. They are write-only.",
  mcp: "The action contracts as tools, for clients of the Model Context Protocol.",
  api: "One address that runs every operation by its dotted name.",
  service: "Health, version and metrics of the process. No API key is required.",
};

export const DESCRIPTION = `Junction accepts your product's events and delivers them as signed webhooks.

**Credentials.** Send \`Authorization: Bearer <API key>\`. You can also sign a request (\`X-Service-Signature\`).

**Errors** are RFC 9457 problem documents; branch on \`code\`. Each operation lists the codes that it can return. Any path can
also return 404 \`route_not_found\` or 405 \`method_not_allowed\`.

**Writes** can be repeated safely: send an \`Idempotency-Key\`.

**Lists** are \`{object: "list", data, has_more, next_cursor}\`, newest first; pass \`next_cursor\` as \`cursor\`.

**Versions.** Pin one with \`X-Service-Version\`. Without the header, the oldest version applies.`;
