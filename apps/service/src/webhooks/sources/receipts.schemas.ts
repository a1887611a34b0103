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
import { BODY_KINDS } from "./body.ts";
import { mappingInput } from "./inbound.schemas.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";

const Status = OneOf(["ok", "error", "duplicate", "unmapped"], "The result of the request.");
const Reason = {
  reason_code: Nullable(
    StringExample("email_missing", { description: "A machine-readable reason, if the result is not `ok`." }),
  ),
  reason: Nullable(StringExample("contact_email_path matched nothing")),
};
const Warnings = Type.Array(
  Type.Object(
    {
      field: StringExample("value"),
      message: StringExample("value_path matched a value that is not a number of at most 40 digits"),
    },
    { title: "MappingWarning" },
  ),
);
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
    warnings: Warnings,
  },
  { title: "ExtractedFields" },
);
const ItemReason = {
  reason_code: Type.Optional(StringExample("event_type_missing")),
  reason: Type.Optional(StringExample("event_type_path matched nothing")),
};
const ReceiptItem = Type.Object(
  {
    status: OneOf(["ok", "duplicate", "unmapped"], "The result of the element."),
    event_type: Type.Optional(StringExample("delivered")),
    event_id: Type.Optional(WireId("evt")),
    contact_id: Type.Optional(WireId("con")),
    activity_id: Type.Optional(WireId("act")),
    duplicate_of: Type.Optional(WireId("rcp")),
    ...ItemReason,
  },
  { title: "InboundReceiptItem" },
);
const Read = Nullable(
  Type.Object(
    {
      content_type: Nullable(
        StringExample("application/json", { description: "The media type that was sent, without its parameters." }),
      ),
      coding: Nullable(StringExample("gzip", { description: "The `Content-Encoding` that was undone." })),
      charset: Nullable(StringExample("utf-8", { description: "The character set by which the body was read." })),
      kind: Nullable(OneOf(BODY_KINDS, "What the body was read as.")),
    },
    {
      title: "ReadBody",
      description: "How the body was read; what was not found out is null. Null if it was not read.",
    },
  ),
);
const ComparedBy = Type.Array(OneOf(["id", "body"]), {
  description:
    "What decides whether the event is a duplicate: the sender's id of it, its body, or both if the sender does not sign the id. Empty if every request is new.",
});
/** A body of 1 MiB in base64, or with escapes, and a mapping. */
export const MAX_TRIAL_BYTES = 2 * MAX_BODY_BYTES;

export const PreviewBody = Type.Object(
  {
    payload: Type.Optional(
      Type.Unsafe<unknown>({
        examples: [{ data: { value: 89 } }],
        description: "The body that the sender would send: JSON, or a string that contains it.",
      }),
    ),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        maxProperties: 50,
        additionalProperties: { type: "string", maxLength: 2000 },
        examples: [{ "Content-Type": "application/json" }],
        description:
          "The headers that the sender would send with `payload` or `body_base64`, such as its content type and event type.",
      }),
    ),
    mapping: Type.Optional(
      Type.Object(mappingInput, { ...strict, description: "The mapping to test in place of the saved one." }),
    ),
    body_base64: Type.Optional(
      StringExample("eyJkYXRhIjp7InZhbHVlIjo4OX19", {
        maxLength: MAX_TRIAL_BYTES,
        description:
          "The alternative to `payload`: the bytes of the body in base64, such as those of a compressed one.",
      }),
    ),
    request: Type.Optional(
      StringExample('POST /hook HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"data":{"value":89}}', {
        maxLength: MAX_TRIAL_BYTES,
        description:
          "The alternative to `payload` and `headers`: the whole request as text, with its request line, headers, an empty line and the body.",
      }),
    ),
    request_base64: Type.Optional(
      StringExample("UE9TVCAvaG9vayBIVFRQLzEuMQ0KDQp7ImRhdGEiOnsidmFsdWUiOjg5fX0=", {
        maxLength: MAX_TRIAL_BYTES,
        description: "The whole request in base64, for one with bytes that are not UTF-8.",
      }),
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
    compared_by: ComparedBy,
    extracted: Extracted,
    items: Nullable(
      Type.Array(
        Type.Object(
          {
            status: OneOf(["ok", "unmapped"]),
            ...Reason,
            event: Nullable(StringExample("inbound.delivered")),
            compared_by: ComparedBy,
            extracted: Extracted,
          },
          { title: "InboundPreviewItem" },
        ),
        {
          description: "The elements of the list, in its order. Null without `each`. The values above are the first's.",
        },
      ),
    ),
    read: Read,
    warnings: Warnings,
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
  items: Nullable(
    Type.Array(ReceiptItem, {
      description:
        "The results of the elements of a list, in its order. Null for a request that is one event. The ids above are those of a list with one element.",
    }),
  ),
  payload_bytes: Type.Integer({ examples: [412] }),
  read: Read,
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
    status: Type.Optional(
      OneOf(
        ["ok", "error", "duplicate", "unmapped"],
        "The result of the request. `unmapped` also lists requests of which an element cannot be mapped.",
      ),
    ),
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
