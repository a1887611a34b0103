import type { Readable } from "node:stream";
import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import { AUDIT_ACTOR_TYPES, AUDIT_KINDS } from "./entry.ts";
import { SOURCES } from "./history.ts";

const HASH = "9f2c1f0b7d5b5a2f4f0d3f8a6f6d2c5b8e1a7c4d9b0e3f6a2d5c8b1e4f7a0d3c";
const Hash = (description: string) => StringExample(HASH, { description, minLength: 64, maxLength: 64 });
const Json = (description: string, example: unknown) => Type.Unsafe<unknown>({ description, examples: [example] });
const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [42] });

const actorFields = {
  type: OneOf(AUDIT_ACTOR_TYPES),
  id: Nullable(
    StringExample("mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
      description: "The id of the person, key, rule, workflow or standing approval.",
    }),
  ),
  display: Nullable(StringExample("Ines Costa")),
  key_id: Nullable(WireId("key")),
  ip: Nullable(StringExample("203.0.113.7")),
};
const Actor = Type.Object(actorFields, { title: "AuditActor", description: "The actor." });

export const AuditRowShape = Type.Object(
  {
    id: WireId("aud"),
    object: OneOf(["audit_row"]),
    ...ownershipFields,
    seq: Type.Integer({ minimum: 1, description: "The position of the row in the chain.", examples: [1042] }),
    occurred_at: Timestamp,
    kind: OneOf(AUDIT_KINDS, "The kind of object or activity that the row is about."),
    action: StringExample("keys.revoke", { description: "The name of an operation, or the key of a contract." }),
    contract_version: Nullable(Count("The version of the contract.")),
    proposal_id: Nullable(WireId("prop")),
    run_id: Nullable(WireId("run")),
    actor: Actor,
    approver: Nullable(Type.Object(actorFields, { description: "The approver." })),
    prompt: Nullable(
      StringExample("Refund the last order of Ada Moreau", { description: "The prompt of the AI, redacted." }),
    ),
    params_redacted: Json("The parameters, redacted.", { order: "10482", password: "[redacted]" }),
    result_redacted: Json("The result, redacted.", { id: "key_7k2m9qaw01m7w4q17jeay9df1b7sqp908g" }),
    status: StringExample("ok", {
      description: "The final status: `ok`, `refused`, `failed`, or a state such as `executed`.",
    }),
    error_code: Nullable(StringExample("action_endpoint_failed")),
    duration_ms: Nullable(Count("The duration in milliseconds.")),
    backend: Nullable(
      Type.Object(
        { host: StringExample("api.example.com"), status: Nullable(Type.Integer({ examples: [200] })) },
        { description: "The backend that ran the action, and its HTTP status." },
      ),
    ),
    deployment: Type.Object(
      {
        version: StringExample("1.4.0"),
        git_sha: Nullable(StringExample("5d1af29")),
        instance_id: StringExample("node-1/Zk3vQ1tq", { description: "The process that wrote the row." }),
        contract_sha256: Nullable(Hash("The SHA-256 of the contract version that ran.")),
      },
      { description: "The deployment that wrote the row." },
    ),
    request_id: Nullable(WireId("req")),
    prev_hash: Hash("The hash of the previous row. Zeros for the first row."),
    hash: Hash("SHA-256 of `prev_hash`, a newline, and the RFC 8785 form of this object without `hash`."),
  },
  { title: "AuditRow" },
);
export const AuditRowList = ListOf(AuditRowShape);
export const AuditParams = Type.Object({ id: WireId("aud") });

const filters = {
  kind: Type.Optional(OneOf(AUDIT_KINDS, "The kind of object or activity that the row is about.")),
  action: Type.Optional(
    StringExample("keys.revoke", {
      maxLength: 200,
      description: "The name of an operation, or the key of a contract.",
    }),
  ),
  actor_type: Type.Optional(OneOf(AUDIT_ACTOR_TYPES, "The kind of actor.")),
  actor_id: Type.Optional(
    StringExample("mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", { maxLength: 200, description: "The actor." }),
  ),
  status: Type.Optional(StringExample("refused", { maxLength: 50, description: "The final status." })),
  proposal_id: Type.Optional(WireId("prop")),
  run_id: Type.Optional(WireId("run")),
  tenant: Type.Optional(
    Tenant(
      "The tenant: what its keys did, and what was done to its webhook endpoints, sources, keys, portal sessions and events, or to itself. Rows written by a version before this filter are not found.",
    ),
  ),
  created_after: Type.Optional(DateTimeFilter("Recorded at or after this time.")),
  created_before: Type.Optional(DateTimeFilter("Recorded before this time.")),
};
export const AuditFilterQuery = Type.Object(filters, strict);
export const AuditListQuery = Type.Object({ ...filters, ...PageQuery }, strict);
/** The file is sent while it is read. */
export const AuditExportStream = Type.Unsafe<Readable>(
  Type.String({
    description:
      "RFC 4180 with a header line. A cell that a spreadsheet would evaluate as a formula begins with an apostrophe.",
    examples: ["seq,id,occurred_at\r\n1042,aud_7k2m9qaw01m7w4q17jeay9df1b7sqp908g,2026-11-21T13:00:00.000Z\r\n"],
  }),
);

const Seq = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description, examples: [1] }));
export const VerifyQuery = Type.Object(
  {
    from_seq: Seq("The `seq` of the first row to verify. Default: 1."),
    to_seq: Seq("The `seq` of the last row to verify. Default: the last row."),
  },
  strict,
);
export const VerificationShape = Type.Object(
  {
    object: OneOf(["audit_verification"]),
    ok: Type.Boolean(),
    checked: Count("The number of intact rows before the first row that is not intact."),
    first_bad_seq: Nullable(Type.Integer({ examples: [17], description: "The `seq` at which the chain is broken." })),
    reason: Nullable(
      OneOf(
        ["changed", "missing", "cut", "digest"],
        "`changed`: the row differs from what was written. `missing`: the row does not exist. `cut`: the chain ends too early. `digest`: the row does not match a signed digest.",
      ),
    ),
  },
  { title: "AuditVerification" },
);

const DigestShape = Type.Object(
  {
    id: WireId("dig"),
    object: OneOf(["audit_digest"]),
    ...ownershipFields,
    seq: Type.Integer({
      minimum: 1,
      description: "The `seq` of the last row that the digest covers.",
      examples: [1042],
    }),
    hash: Hash("The hash of that row."),
    from: Timestamp,
    to: Timestamp,
    at: Timestamp,
    signature: StringExample("3q2+7w==", {
      description: "The Ed25519 signature, in base64, of the RFC 8785 form of this object without `signature`.",
    }),
  },
  { title: "AuditDigest" },
);
export const DigestListQuery = Type.Object(PageQuery, strict);
export const DigestList = Type.Object(
  {
    ...ListOf(DigestShape).properties,
    public_key: StringExample("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n", {
      description: "The public key of this installation's key pair, as PEM. The key pair is created once.",
    }),
  },
  { title: "AuditDigestList" },
);

const Source = OneOf(
  SOURCES,
  "The caller: the built-in assistant, an MCP client, or an AI key on the API. For the last two, each call of an action is one exchange.",
);
export const ExchangeShape = Type.Object(
  {
    id: WireId("air"),
    object: OneOf(["ai_exchange"]),
    ...ownershipFields,
    source: Source,
    trigger: StringExample("event", {
      description:
        "The cause of the exchange. For the assistant, `event` or `console`. For other callers, the same as `source`.",
    }),
    event_id: Nullable(WireId("evt")),
    actor: Type.Object(actorFields, { description: "The caller on whose behalf the model was used." }),
    client: Nullable(
      StringExample("claude-code 2.1.0", {
        description:
          "The program that an MCP client says it is, with its version. Nothing proves it. Null for all others.",
      }),
    ),
    provider: StringExample("openai_compatible", {
      description: "The provider of the model. `client`: the caller uses its own model.",
    }),
    model: Nullable(StringExample("gpt-5.2")),
    prompt: StringExample("A ticket came in: …", { description: "The input of the model, redacted." }),
    response: Nullable(StringExample("I propose to refund order 10482.")),
    tool_calls: Type.Unsafe<unknown>({
      type: "array",
      items: {},
      description: "The tool calls of the model, redacted.",
      examples: [[{ id: "call_1", name: "billing.refund", arguments: { order: "10482" } }]],
    }),
    results: Type.Array(
      Type.Object(
        {
          tool_call_id: Nullable(StringExample("call_1")),
          action: StringExample("billing.refund"),
          proposal_id: Nullable(WireId("prop")),
          run_id: Nullable(WireId("run")),
          status: StringExample("proposed"),
          result: Json("The result of the action, redacted.", { refunded: true }),
          error_code: Nullable(StringExample("action_endpoint_failed")),
          occurred_at: Timestamp,
        },
        { title: "AiActionResult" },
      ),
      { description: "The results of the tool calls, in chronological order." },
    ),
    status: StringExample("ok", { description: "The final status: `ok`, `failed` or `refused`." }),
    error_code: Nullable(StringExample("service_unavailable")),
    usage: Type.Object({
      input_tokens: Nullable(Count("The number of tokens in the prompt.")),
      output_tokens: Nullable(Count("The number of tokens in the response.")),
    }),
    duration_ms: Nullable(Count("How long the model took, in milliseconds.")),
    request_id: Nullable(WireId("req")),
  },
  { title: "AiExchange" },
);
export const ExchangeList = ListOf(ExchangeShape);
export const ExchangeParams = Type.Object({ id: WireId("air") });
export const ExchangeListQuery = Type.Object(
  {
    source: Type.Optional(Source),
    status: Type.Optional(StringExample("failed", { maxLength: 50, description: "The final status." })),
    event_id: Type.Optional(WireId("evt")),
    key_id: Type.Optional(WireId("key")),
    proposal_id: Type.Optional(WireId("prop")),
    run_id: Type.Optional(WireId("run")),
    created_after: Type.Optional(DateTimeFilter("Recorded at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Recorded before this time.")),
    ...PageQuery,
  },
  strict,
);
