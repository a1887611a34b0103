import type { Readable } from "node:stream";
import {
  closed,
  ListOf,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  Timestamp,
  Type,
  WireId,
} from "../lib/lib.ts";
import { AUDIT_ACTOR_TYPES, AUDIT_KINDS } from "./entry.ts";
import { SOURCES } from "./history.ts";

const HASH = "9f2c1f0b7d5b5a2f4f0d3f8a6f6d2c5b8e1a7c4d9b0e3f6a2d5c8b1e4f7a0d3c";
const Hash = (description: string) => Sample(HASH, { description, minLength: 64, maxLength: 64 });
const Json = (description: string, example: unknown) => Type.Unsafe<unknown>({ description, examples: [example] });
const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [42] });

const actorFields = {
  type: OneOf(AUDIT_ACTOR_TYPES),
  id: Nullable(
    Sample("mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", { description: "The person, or the key, rule or workflow." }),
  ),
  display: Nullable(Sample("Ines Costa")),
  key_id: Nullable(WireId("key")),
  ip: Nullable(Sample("203.0.113.7")),
};
const Actor = Type.Object(actorFields, { title: "AuditActor", description: "Who did it." });

export const AuditRowShape = Type.Object(
  {
    id: WireId("aud"),
    object: OneOf(["audit_row"]),
    ...Owned,
    seq: Type.Integer({ minimum: 1, description: "Its number in the chain.", examples: [1042] }),
    occurred_at: Timestamp,
    kind: OneOf(AUDIT_KINDS, "What it is about."),
    action: Sample("keys.revoke", { description: "The name of an operation, or a contract's key." }),
    contract_version: Nullable(Count("Of the contract.")),
    proposal_id: Nullable(WireId("prop")),
    run_id: Nullable(WireId("run")),
    actor: Actor,
    approver: Nullable(Type.Object(actorFields, { description: "Who allowed it." })),
    prompt: Nullable(Sample("Refund the last order of Ada Moreau", { description: "What an AI was asked, redacted." })),
    params_redacted: Json("The parameters, redacted.", { order: "10482", password: "[redacted]" }),
    result_redacted: Json("What came of it, redacted.", { id: "key_7k2m9qaw01m7w4q17jeay9df1b7sqp908g" }),
    status: Sample("ok", { description: "How it ended: `ok`, `refused`, `failed`, or a state such as `executed`." }),
    error_code: Nullable(Sample("action_endpoint_failed")),
    duration_ms: Nullable(Count("How long it took.")),
    backend: Nullable(
      Type.Object(
        { host: Sample("api.example.com"), status: Nullable(Type.Integer({ examples: [200] })) },
        { description: "Where an action was executed, and the HTTP status." },
      ),
    ),
    deployment: Type.Object(
      {
        version: Sample("1.4.0"),
        git_sha: Nullable(Sample("5d1af29")),
        instance_id: Sample("node-1/Zk3vQ1tq", { description: "The process." }),
        contract_sha256: Nullable(Hash("Of the contract as it was executed.")),
      },
      { description: "What wrote the row." },
    ),
    request_id: Nullable(WireId("req")),
    prev_hash: Hash("The hash of the row before; zeros for the first."),
    hash: Hash("SHA-256 of `prev_hash`, a newline, and the RFC 8785 form of this object without `hash`."),
  },
  { title: "AuditRow" },
);
export const AuditRowList = ListOf(AuditRowShape);
export const AuditParams = Type.Object({ id: WireId("aud") });

const filters = {
  kind: Type.Optional(OneOf(AUDIT_KINDS, "What it is about.")),
  action: Type.Optional(Sample("keys.revoke", { maxLength: 200, description: "An operation, or a contract's key." })),
  actor_type: Type.Optional(OneOf(AUDIT_ACTOR_TYPES, "What kind of actor did it.")),
  actor_id: Type.Optional(
    Sample("mem_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", { maxLength: 200, description: "Who did it." }),
  ),
  status: Type.Optional(Sample("refused", { maxLength: 50, description: "How it ended." })),
  proposal_id: Type.Optional(WireId("prop")),
  run_id: Type.Optional(WireId("run")),
  created_after: Type.Optional(Moment("Written from here on.")),
  created_before: Type.Optional(Moment("Written before this.")),
};
export const AuditFilterQuery = Type.Object(filters, closed);
export const AuditListQuery = Type.Object({ ...filters, ...PageQuery }, closed);
/** It is sent as it is read. */
export const AuditExportStream = Type.Unsafe<Readable>(
  Type.String({
    description: "RFC 4180 with a header line; a cell that a spreadsheet would calculate begins with an apostrophe.",
    examples: ["seq,id,occurred_at\r\n1042,aud_7k2m9qaw01m7w4q17jeay9df1b7sqp908g,2026-11-21T13:00:00.000Z\r\n"],
  }),
);

const Seq = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description, examples: [1] }));
export const VerifyQuery = Type.Object(
  { from_seq: Seq("The first row to check; 1 unless told."), to_seq: Seq("The last one; the end unless told.") },
  closed,
);
export const VerificationShape = Type.Object(
  {
    object: OneOf(["audit_verification"]),
    ok: Type.Boolean(),
    checked: Count("Rows that are as they were written, before the first that is not."),
    first_bad_seq: Nullable(Type.Integer({ examples: [17], description: "Where the chain breaks." })),
    reason: Nullable(
      OneOf(
        ["changed", "missing", "cut", "digest"],
        "The row is not what was written; is not there; the chain ends too early; it is not what a signed digest says.",
      ),
    ),
  },
  { title: "AuditVerification" },
);

const DigestShape = Type.Object(
  {
    id: WireId("dig"),
    object: OneOf(["audit_digest"]),
    ...Owned,
    seq: Type.Integer({ minimum: 1, description: "The last row that it covers.", examples: [1042] }),
    hash: Hash("That row's hash."),
    from: Timestamp,
    to: Timestamp,
    at: Timestamp,
    signature: Sample("3q2+7w==", {
      description: "Ed25519, in base64, over the RFC 8785 form of this object without `signature`.",
    }),
  },
  { title: "AuditDigest" },
);
export const DigestListQuery = Type.Object(PageQuery, closed);
export const DigestList = Type.Object(
  {
    ...ListOf(DigestShape).properties,
    public_key: Sample("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n", {
      description: "PEM. Of the key pair that this installation made once.",
    }),
  },
  { title: "AuditDigestList" },
);

const Source = OneOf(
  SOURCES,
  "The built-in assistant, an MCP client, or an AI key on the API. Of the last two each call of an action is an exchange.",
);
export const ExchangeShape = Type.Object(
  {
    id: WireId("air"),
    object: OneOf(["ai_exchange"]),
    ...Owned,
    source: Source,
    trigger: Sample("event", {
      description: "What made the assistant ask: `event` or `console`. Of other callers it is their source.",
    }),
    event_id: Nullable(WireId("evt")),
    actor: Type.Object(actorFields, { description: "On whose behalf." }),
    provider: Sample("openai_compatible", { description: "`client` for callers that bring their own model." }),
    model: Nullable(Sample("gpt-5.2")),
    prompt: Sample("A ticket came in: …", { description: "What the model was given, redacted." }),
    response: Nullable(Sample("I propose to refund order 10482.")),
    tool_calls: Type.Unsafe<unknown>({
      type: "array",
      items: {},
      description: "As the model made them, redacted.",
      examples: [[{ id: "call_1", name: "billing.refund", arguments: { order: "10482" } }]],
    }),
    results: Type.Array(
      Type.Object(
        {
          tool_call_id: Nullable(Sample("call_1")),
          action: Sample("billing.refund"),
          proposal_id: Nullable(WireId("prop")),
          run_id: Nullable(WireId("run")),
          status: Sample("proposed"),
          result: Json("What the action answered, redacted.", { refunded: true }),
          error_code: Nullable(Sample("action_endpoint_failed")),
          occurred_at: Timestamp,
        },
        { title: "AiActionResult" },
      ),
      { description: "What came of the tool calls, in the order in which it did." },
    ),
    status: Sample("ok", { description: "`ok`, `failed` or `refused`." }),
    error_code: Nullable(Sample("service_unavailable")),
    usage: Type.Object({
      input_tokens: Nullable(Count("Tokens of the prompt.")),
      output_tokens: Nullable(Count("Tokens of the answer.")),
    }),
    duration_ms: Nullable(Count("How long the model took.")),
    request_id: Nullable(WireId("req")),
  },
  { title: "AiExchange" },
);
export const ExchangeList = ListOf(ExchangeShape);
export const ExchangeParams = Type.Object({ id: WireId("air") });
export const ExchangeListQuery = Type.Object(
  {
    source: Type.Optional(Source),
    status: Type.Optional(Sample("failed", { maxLength: 50, description: "How it ended." })),
    event_id: Type.Optional(WireId("evt")),
    created_after: Type.Optional(Moment("Written from here on.")),
    created_before: Type.Optional(Moment("Written before this.")),
    ...PageQuery,
  },
  closed,
);
