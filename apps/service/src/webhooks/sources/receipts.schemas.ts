import {
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  Timestamp,
  Type,
  WireId,
  strict,
} from "../../lib/lib.ts";
import { mappingInput } from "./inbound.schemas.ts";

const Status = OneOf(["ok", "error", "duplicate", "unmapped"], "The result of the request.");
const Reason = {
  reason_code: Nullable(
    StringExample("email_missing", { description: "A machine-readable reason, if the result is not `ok`." }),
  ),
  reason: Nullable(StringExample("contact_email_path matched nothing")),
};
const Extracted = Type.Object(
  {
    contact_email: Nullable(StringExample("ada.moreau@example.com")),
    contact_name: Nullable(StringExample("Ada Moreau")),
    event_type: Nullable(StringExample("invoice.paid")),
    idempotency_key: Nullable(StringExample("evt_1042")),
    value: Nullable(
      Type.Number({ examples: [89], description: "The exact value with all of its digits, in major units." }),
    ),
    currency: Nullable(StringExample("EUR")),
    summary: Nullable(StringExample("Paid 89.00 EUR")),
    score_delta: Type.Integer({ examples: [10] }),
    warnings: Type.Array(
      Type.Object(
        {
          field: StringExample("value"),
          message: StringExample("value_path matched a value that is not a number of at most 40 digits"),
        },
        { title: "MappingWarning" },
      ),
    ),
  },
  { title: "ExtractedFields" },
);
export const PreviewBody = Type.Object(
  {
    payload: Type.Unsafe<unknown>({
      examples: [{ data: { value: 89 } }],
      description: "The body that the sender would send: JSON, or a string that contains it.",
    }),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        maxProperties: 50,
        additionalProperties: { type: "string", maxLength: 2000 },
        examples: [{ "Content-Type": "application/json" }],
        description: "The headers that the sender would send, such as its content type and event type.",
      }),
    ),
    mapping: Type.Optional(
      Type.Object(mappingInput, { ...strict, description: "The mapping to test in place of the saved one." }),
    ),
  },
  { ...strict, title: "InboundTrial" },
);
export const PreviewView = Type.Object(
  {
    object: OneOf(["inbound_preview"]),
    status: OneOf(["ok", "unmapped"]),
    ...Reason,
    event: Nullable(StringExample("inbound.invoice.paid", { description: "The event that would be fired." })),
    extracted: Extracted,
    payload: Type.Unsafe<unknown>({
      examples: [{ data: { value: 89 } }],
      description: "The body as JSON, as paths and the event see it. Null if it cannot be read.",
    }),
  },
  { title: "InboundPreview" },
);

const receiptView = {
  id: WireId("rcp"),
  object: OneOf(["inbound_receipt"]),
  source_id: WireId("src"),
  status: Status,
  ...Reason,
  signed: Type.Boolean({ description: "Whether the signature was valid." }),
  event_type: Nullable(StringExample("invoice.paid")),
  contact_id: Nullable(WireId("con")),
  activity_id: Nullable(WireId("act")),
  event_id: Nullable(WireId("evt")),
  duplicate_of: Nullable(WireId("rcp")),
  payload_bytes: Type.Integer({ examples: [412] }),
  reprocessed_at: Nullable(Timestamp),
  ...ownershipFields,
  extracted: Type.Partial(Type.Object(Extracted.properties), {
    title: "ReceiptFields",
    description: "The values that the mapping extracted. Empty if the mapping was not applied.",
  }),
};
export const ReceiptListView = ListOf(Type.Object(receiptView, { title: "InboundReceipt" }));
export const ReceiptView = Type.Object(
  {
    ...receiptView,
    headers: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "content-type": "application/json" }],
      description: "The headers of the request, without credentials.",
    }),
    raw_payload: StringExample('{"type":"invoice.paid"}'),
    raw_payload_encoding: OneOf(["utf8", "base64"]),
    raw_payload_truncated: Type.Boolean({
      description: "Whether the payload was cut. Only 4 KiB of a request without a valid signature are kept.",
    }),
  },
  { title: "InboundReceiptDetail" },
);
export const ReceiptListQuery = Type.Object(
  {
    status: Type.Optional(Status),
    source_id: Type.Optional(WireId("src")),
    contact_id: Type.Optional(WireId("con")),
    created_after: Type.Optional(DateTimeFilter("Created at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Created before this time.")),
    ...PageQuery,
  },
  strict,
);

export const HookQuery = Type.Object({
  t: Type.Optional(StringExample("Zk3vQ1tqJ8wL5xYb2NcR", { maxLength: 200, description: "The source's token." })),
});
export const HookAnswer = Type.Object(
  {
    receipt_id: WireId("rcp"),
    status: OneOf(["ok", "duplicate", "unmapped"]),
    activity_id: Type.Optional(WireId("act")),
    contact_id: Type.Optional(WireId("con")),
  },
  { title: "InboundAnswer" },
);
