import type { Readable } from "node:stream";
import { t } from "../lib/lib.ts";
import { AUDIT_ACTOR_TYPES, AUDIT_KINDS } from "./entry.ts";

const HASH = "9f2c1f0b7d5b5a2f4f0d3f8a6f6d2c5b8e1a7c4d9b0e3f6a2d5c8b1e4f7a0d3c";
const Hash = (description: string) => t.StringExample(HASH, { description, minLength: 64, maxLength: 64 });
const Json = (description: string, example: unknown) => t.Unsafe<unknown>({ description, examples: [example] });
const Count = (description: string) => t.Integer({ minimum: 0, description, examples: [42] });

const actorFields = {
  type: t.OneOf(AUDIT_ACTOR_TYPES),
  id: t.Nullable(
    t.StringExample(
      "mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
      "The id of the person, key, rule, workflow or standing approval.",
    ),
  ),
  display: t.Nullable(t.StringExample("Ines Costa")),
  key_id: t.Nullable(t.WireId("key")),
  ip: t.Nullable(t.StringExample("203.0.113.7")),
};
const Actor = t.Object(actorFields, { title: "AuditActor", description: "The actor." });

export const AuditRowShape = t.Object(
  {
    id: t.WireId("aud"),
    object: t.OneOf(["audit_row"]),
    ...t.ownershipFields,
    seq: t.Integer({ minimum: 1, description: "The position of the row in the chain.", examples: [1042] }),
    occurred_at: t.Timestamp,
    kind: t.OneOf(AUDIT_KINDS, "The kind of object or activity that the row is about."),
    action: t.StringExample("keys.revoke", "The name of an operation, or the key of a contract."),
    contract_version: t.Nullable(Count("The version of the contract.")),
    proposal_id: t.Nullable(t.WireId("prop")),
    run_id: t.Nullable(t.WireId("run")),
    actor: Actor,
    approver: t.Nullable(t.Object(actorFields, { description: "The approver." })),
    prompt: t.Nullable(t.StringExample("Refund the last order of Ada Moreau", "The prompt of the AI, redacted.")),
    params_redacted: Json("The parameters, redacted.", { order: "10482", password: "[redacted]" }),
    result_redacted: Json("The result, redacted.", { id: "key_7k2m9qaw01m7w4q17jeay9df1b7sqp908g" }),
    status: t.StringExample("ok", "The final status: `ok`, `refused`, `failed`, or a state such as `executed`."),
    error_code: t.Nullable(t.StringExample("action_endpoint_failed")),
    duration_ms: t.Nullable(Count("The duration in milliseconds.")),
    backend: t.Nullable(
      t.Object(
        { host: t.StringExample("api.example.com"), status: t.Nullable(t.Integer({ examples: [200] })) },
        { description: "The backend that ran the action, and its HTTP status." },
      ),
    ),
    deployment: t.Object(
      {
        version: t.StringExample("1.4.0"),
        git_sha: t.Nullable(t.StringExample("5d1af29")),
        instance_id: t.StringExample("node-1/Zk3vQ1tq", "The process that wrote the row."),
        contract_sha256: t.Nullable(Hash("The SHA-256 of the contract version that ran.")),
      },
      { description: "The deployment that wrote the row." },
    ),
    request_id: t.Nullable(t.WireId("req")),
    prev_hash: Hash("The hash of the previous row. Zeros for the first row."),
    hash: Hash("SHA-256 of `prev_hash`, a newline, and the RFC 8785 form of this object without `hash`."),
  },
  { title: "AuditRow" },
);
export const AuditRowList = t.ListOf(AuditRowShape);
export const AuditParams = t.Object({ id: t.WireId("aud") });

const filters = {
  kind: t.Optional(t.OneOf(AUDIT_KINDS, "The kind of object or activity that the row is about.")),
  action: t.Optional(
    t.StringExample("keys.revoke", {
      maxLength: 200,
      description: "The name of an operation, or the key of a contract.",
    }),
  ),
  actor_type: t.Optional(t.OneOf(AUDIT_ACTOR_TYPES, "The kind of actor.")),
  actor_id: t.Optional(
    t.StringExample("mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", { maxLength: 200, description: "The actor." }),
  ),
  status: t.Optional(t.StringExample("refused", { maxLength: 50, description: "The final status." })),
  proposal_id: t.Optional(t.WireId("prop")),
  run_id: t.Optional(t.WireId("run")),
  tenant: t.Optional(
    t.Tenant(
      "The tenant: what its keys did, and what was done to its webhook endpoints, sources, keys, portal sessions and events, or to itself. Rows written by a version before this filter are not found.",
    ),
  ),
  created_after: t.Optional(t.DateTimeFilter("Recorded at or after this time.")),
  created_before: t.Optional(t.DateTimeFilter("Recorded before this time.")),
};
export const AuditFilterQuery = t.Object(filters, t.strict);
export const AuditListQuery = t.Object({ ...filters, ...t.PageQuery }, t.strict);
/** The file is sent while it is read. */
export const AuditExportStream = t.Unsafe<Readable>(
  t.String({
    description:
      "RFC 4180 with a header line. A cell that a spreadsheet would evaluate as a formula begins with an apostrophe.",
    examples: ["seq,id,occurred_at\r\n1042,aud_7k2m9qaw01m7w4q17jeay9df1b7sqp908g,2026-11-21T13:00:00.000Z\r\n"],
  }),
);

const Seq = (description: string) => t.Optional(t.Integer({ minimum: 1, description, examples: [1] }));
export const VerifyQuery = t.Object(
  {
    from_seq: Seq("The `seq` of the first row to verify. Default: 1."),
    to_seq: Seq("The `seq` of the last row to verify. Default: the last row."),
  },
  t.strict,
);
export const VerificationShape = t.Object(
  {
    object: t.OneOf(["audit_verification"]),
    ok: t.Boolean(),
    checked: Count("The number of intact rows before the first row that is not intact."),
    first_bad_seq: t.Nullable(t.Integer({ examples: [17], description: "The `seq` at which the chain is broken." })),
    reason: t.Nullable(
      t.OneOf(
        ["changed", "missing", "cut", "digest"],
        "`changed`: the row differs from what was written. `missing`: the row does not exist. `cut`: the chain ends too early. `digest`: the row does not match a signed digest.",
      ),
    ),
  },
  { title: "AuditVerification" },
);

const DigestShape = t.Object(
  {
    id: t.WireId("dig"),
    object: t.OneOf(["audit_digest"]),
    ...t.ownershipFields,
    seq: t.Integer({
      minimum: 1,
      description: "The `seq` of the last row that the digest covers.",
      examples: [1042],
    }),
    hash: Hash("The hash of that row."),
    from: t.Timestamp,
    to: t.Timestamp,
    at: t.Timestamp,
    signature: t.StringExample(
      "3q2+7w==",
      "The Ed25519 signature, in base64, of the RFC 8785 form of this object without `signature`.",
    ),
  },
  { title: "AuditDigest" },
);
export const DigestListQuery = t.Object(t.PageQuery, t.strict);
export const DigestList = t.Object(
  {
    ...t.ListOf(DigestShape).properties,
    public_key: t.StringExample(
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n",
      "The public key of this installation's key pair, as PEM. The key pair is created once.",
    ),
  },
  { title: "AuditDigestList" },
);

const Source = t.OneOf(
  ["assistant", "mcp", "api"],
  "The caller: the built-in assistant, an MCP client, or an AI key on the API. For the last two, each call of an action is one exchange.",
);
const Kind = t.OneOf(
  ["question", "call", "dry_run", "poll"],
  "`question`: to the assistant's model. `call`: of an action, a tool or a method. `dry_run`: what a call would do. `poll`: of a status or of events.",
);
export const ExchangeShape = t.Object(
  {
    id: t.WireId("air"),
    object: t.OneOf(["ai_exchange"]),
    ...t.ownershipFields,
    source: Source,
    kind: Kind,
    trigger: t.StringExample(
      "event",
      "The cause of the exchange. For the assistant, `event` or `console`. For other callers, the same as `source`.",
    ),
    event_id: t.Nullable(t.WireId("evt")),
    actor: t.Object(actorFields, { description: "The caller on whose behalf the model was used." }),
    client: t.Nullable(
      t.StringExample(
        "claude-code 2.1.0",
        "The program that an MCP client says it is, with its version, or the name of its connected app. Nothing proves it. Null for all others.",
      ),
    ),
    target: t.Nullable(
      t.Object(
        {
          id: t.Nullable(
            t.StringExample(
              "prop_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
              "The id of the object, or the key of the action.",
            ),
          ),
          name: t.Nullable(t.StringExample("Refund a payment", "The name that the object had at that time.")),
        },
        { description: "The object of the request, as the caller named it." },
      ),
    ),
    provider: t.StringExample(
      "openai_compatible",
      "The provider of the model. `client`: the caller uses its own model.",
    ),
    model: t.Nullable(t.StringExample("gpt-5.2")),
    prompt: t.StringExample("A ticket came in: …", "The input of the model, redacted."),
    response: t.Nullable(t.StringExample("I propose to refund order 10482.")),
    tool_calls: t.Unsafe<unknown>({
      type: "array",
      items: {},
      description: "The tool calls of the model, redacted.",
      examples: [[{ id: "call_1", name: "billing.refund", arguments: { order: "10482" } }]],
    }),
    results: t.Array(
      t.Object(
        {
          tool_call_id: t.Nullable(t.StringExample("call_1")),
          action: t.StringExample("billing.refund"),
          proposal_id: t.Nullable(t.WireId("prop")),
          run_id: t.Nullable(t.WireId("run")),
          status: t.StringExample("proposed"),
          result: Json("The result of the action, redacted.", { refunded: true }),
          error_code: t.Nullable(t.StringExample("action_endpoint_failed")),
          occurred_at: t.Timestamp,
        },
        { title: "AiActionResult" },
      ),
      { description: "The results of the tool calls, in chronological order." },
    ),
    status: t.StringExample("ok", "The final status: `ok`, `failed` or `refused`."),
    error_code: t.Nullable(t.StringExample("service_unavailable")),
    usage: t.Object({
      input_tokens: t.Nullable(Count("The number of tokens in the prompt.")),
      output_tokens: t.Nullable(Count("The number of tokens in the response.")),
    }),
    duration_ms: t.Nullable(Count("How long the model took, in milliseconds.")),
    request_id: t.Nullable(t.WireId("req")),
    count: t.Integer({
      minimum: 1,
      examples: [1],
      description:
        "The number of requests. Alike polls, reads, dry runs and refusals of a client in one minute are one entry. A caller has at most 30 different ones per minute; the others are counted by outcome, without client, tool and target.",
    }),
    last_at: t.Timestamp,
  },
  { title: "AiExchange" },
);
export const ExchangeList = t.ListOf(ExchangeShape);
export const ExchangeParams = t.Object({ id: t.WireId("air") });
export const ExchangeListQuery = t.Object(
  {
    source: t.Optional(Source),
    kind: t.Optional(Kind),
    client: t.Optional(
      t.StringExample("claude-code", { maxLength: 100, description: "The beginning of the client's name." }),
    ),
    status: t.Optional(t.StringExample("failed", { maxLength: 50, description: "The final status." })),
    error_code: t.Optional(
      t.StringExample("scope_missing", { maxLength: 100, description: "The code of the refusal or the failure." }),
    ),
    event_id: t.Optional(t.WireId("evt")),
    key_id: t.Optional(t.WireId("key")),
    proposal_id: t.Optional(t.WireId("prop")),
    run_id: t.Optional(t.WireId("run")),
    created_after: t.Optional(t.DateTimeFilter("Recorded at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Recorded before this time.")),
    ...t.PageQuery,
  },
  t.strict,
);
