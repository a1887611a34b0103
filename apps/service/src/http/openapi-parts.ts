import { API_VERSIONS, UNPINNED } from "../server/http/lifecycle.ts";

/** The parts of the contract that no single route owns: headers, credentials, the areas of the API. */

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
  "Names this request in our logs and in the problem document.",
  "req_0000000001m7w4q17jeay9df1b7sqp908g",
);

export const headers: Readonly<Record<string, object>> = {
  "X-Service-Request-Id": { ...REQUEST_ID, required: true },
  "X-Service-Version": {
    ...text("The dated version of the API that answered.", "2026-11-21", { format: "date" }),
    required: true,
  },
  "X-Service-RateLimit-Limit": {
    ...count("Calls in the window, of whichever limit is tighter: the minute's or the hour's.", 1000),
    required: true,
  },
  "X-Service-RateLimit-Remaining": { ...count("Calls that are left in it.", 999), required: true },
  "X-Service-RateLimit-Reset": { ...count("The window's length in seconds.", 60), required: true },
  "X-Service-Signature-Scheme": text("Which scheme of signature matched, where one was sent.", "v1", {
    enum: ["v1", "body"],
  }),
  "Idempotency-Key": text("The key of the request; made by the service where none was sent.", "5f0c6c1e-order-10482"),
  "Idempotent-Replayed": text(
    "`true` where this is the stored answer of an earlier request with the same key.",
    "true",
    {
      enum: ["true"],
    },
  ),
  "WWW-Authenticate": text(
    "RFC 6750: which credential is wanted; with `error` where one was sent that does not hold.",
    'Bearer realm="junction", error="invalid_token"',
  ),
  "Retry-After": count("Whole seconds after which the same request can succeed.", 12),
  Deprecation: text("RFC 9745: since when the operation is deprecated.", "@1798761600"),
  Sunset: text("RFC 8594: when the operation may stop working.", "Sat, 01 Jan 2028 00:00:00 GMT"),
};

const refs = (...names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** On every answer. */
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
      "Makes the request safe to repeat: the same key with the same request gets the first answer again for 7 days. 1 to 255 visible ASCII characters, bare or in quotes.",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    example: "5f0c6c1e-order-10482",
  },
  ServiceVersion: {
    name: "X-Service-Version",
    in: "header",
    description: "The dated version of the API that the caller was written for. Without it the oldest one answers.",
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
      "An API key. A request may carry a signature beside it, which must then hold; a key with `require_signature` demands one.",
  },
  serviceKey: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Key",
    description: "The id of a key that has a signing secret; the request is signed with scheme `v1`.",
  },
  requestSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Signature",
    description:
      "64 lower-case hex digits. Scheme `v1`: HMAC-SHA256 with the key's text, or its signing secret if it has one, over the six lines `v1`, timestamp, method, request target as on the wire, idempotency key (or an empty line), and the hex SHA-256 of the raw body, joined by newlines.",
  },
  signatureTimestamp: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Timestamp",
    description: "Unix time in whole seconds, within 300 seconds of the server's.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-junction_session",
    description:
      "A console session, from `POST /v1/auth/sign-in` (over plain http the cookie is named `junction_session`). Requests other than GET send the sign-in's `csrf_token` as `X-CSRF-Token`; `X-Service-Workspace` and `X-Service-Environment` choose where they go.",
  },
} as const;

/** Any one of these lets a request in. */
export const SECURITY = [
  { bearer: [] },
  { session: [] },
  { serviceKey: [], requestSignature: [], signatureTimestamp: [] },
];

/** The areas of the API: the first word of an operation's dotted name. */
export const areas: Readonly<Record<string, string>> = {
  events:
    "What happened in your product. A 202 means committed: event, deliveries and idempotency record are one transaction.",
  event_types: "The catalogue of events that the service knows by name, with a schema and an example of each.",
  webhook_endpoints: "Addresses that events are delivered to, signed and retried.",
  deliveries: "One event to one endpoint, with each attempt; replay and cancel.",
  replays: "Many deliveries sent again: counted first, looked at while they run, and stopped.",
  webhooks: "Try an endpoint, or an address, with a signed sample.",
  inboxes:
    "Built-in receivers with a name, which keep what they receive until it is taken: what `junction listen` reads.",
  inbox: "A built-in receiver that verifies and shows what it got. The token in its path is the credential.",
  inbound: "Where other services send to.",
  inbound_endpoints: "Addresses that other services send to, and what becomes of what they send.",
  inbound_presets: "What the service knows of common senders.",
  inbound_receipts: "What came in, and what became of it.",
  contacts: "People and companies, and what they did.",
  customers: "Contacts that your product knows by an id of its own.",
  tickets: "Support tickets, projected from events and connectors.",
  actions: "What the service may do in your product, under contracts and with approval.",
  action_contracts: "Which actions there are: who may run them, what they take, and which backend does them.",
  proposals: "Actions that wait for a person.",
  runs: "Actions that were executed.",
  rules: "If this event, then that.",
  workflows: "Steps in order, which survive restarts.",
  connectors: "Connections to other services.",
  assistant: "A model that hears of events and asks for actions.",
  audit: "Who did what; append-only and hash-chained.",
  ai_history: "What was asked of a model, what it answered, and what came of it.",
  keys: "API keys: what each may do, and its limits.",
  members: "People of the workspace.",
  roles: "What each role may do.",
  workspaces: "The workspace itself.",
  auth: "Signing in, and the first claim of an installation.",
  me: "Who the caller is.",
  meta: "What can be called.",
  usage: "How much was used.",
  attention: "What waits for a person.",
  installation: "Where this installation keeps its data, for its operator.",
  requests: "The log of API requests.",
  stream: "What happens, as it happens.",
  secrets: "Credentials that contracts name; write-only.",
  mcp: "The action contracts as tools, for clients of the Model Context Protocol.",
  api: "Every operation by its dotted name, through one address.",
  service: "Health, version and metrics of the process. None of it needs a key.",
};

export const DESCRIPTION = `Junction takes your product's events and delivers them as signed webhooks.

**Credentials.** Send \`Authorization: Bearer <API key>\`. A request may be signed as well (\`X-Service-Signature\`).

**Errors** are RFC 9457 problem documents; branch on \`code\`. Each operation lists the codes it can give. Any path may
also answer 404 \`route_not_found\` or 405 \`method_not_allowed\`.

**Writes** can be repeated safely: send an \`Idempotency-Key\`.

**Lists** are \`{object: "list", data, has_more, next_cursor}\`, newest first; pass \`next_cursor\` as \`cursor\`.

**Versions.** Pin one with \`X-Service-Version\`; without it the oldest answers.`;
