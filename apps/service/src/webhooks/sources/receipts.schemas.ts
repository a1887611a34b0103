import { t } from "../../lib/lib.ts";
import { BODY_KINDS } from "./body.ts";
import { mappingInput } from "./inbound.schemas.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";

const Status = t.OneOf(["ok", "error", "duplicate", "unmapped"], "The result of the request.");
const Reason = {
  reason_code: t.Nullable(t.StringExample("email_missing", "A machine-readable reason, if the result is not `ok`.")),
  reason: t.Nullable(t.StringExample("contact_email_path matched nothing")),
};
const Warnings = t.Array(
  t.Object(
    {
      field: t.StringExample("value"),
      message: t.StringExample("value_path matched a value that is not a number of at most 40 digits"),
    },
    { title: "MappingWarning" },
  ),
);
const Extracted = t.Object(
  {
    contact_email: t.Nullable(t.StringExample("ada.moreau@example.com")),
    contact_name: t.Nullable(t.StringExample("Ada Moreau")),
    event_type: t.Nullable(t.StringExample("invoice.paid")),
    idempotency_key: t.Nullable(t.StringExample("evt_1042")),
    value: t.Nullable(
      t.Number({ examples: [89], description: "The exact value with all of its digits, in major units." }),
    ),
    currency: t.Nullable(t.StringExample("EUR")),
    summary: t.Nullable(t.StringExample("Paid 89.00 EUR")),
    score_delta: t.Integer({ examples: [10] }),
    warnings: Warnings,
  },
  { title: "ExtractedFields" },
);
const ItemReason = {
  reason_code: t.Optional(t.StringExample("event_type_missing")),
  reason: t.Optional(t.StringExample("event_type_path matched nothing")),
};
const ReceiptItem = t.Object(
  {
    status: t.OneOf(["ok", "duplicate", "unmapped"], "The result of the element."),
    event_type: t.Optional(t.StringExample("delivered")),
    event_id: t.Optional(t.WireId("evt")),
    contact_id: t.Optional(t.WireId("con")),
    activity_id: t.Optional(t.WireId("act")),
    duplicate_of: t.Optional(t.WireId("rcp")),
    ...ItemReason,
  },
  { title: "InboundReceiptItem" },
);
const Read = t.Nullable(
  t.Object(
    {
      content_type: t.Nullable(
        t.StringExample("application/json", "The media type that was sent, without its parameters."),
      ),
      coding: t.Nullable(t.StringExample("gzip", "The `Content-Encoding` that was undone.")),
      charset: t.Nullable(t.StringExample("utf-8", "The character set by which the body was read.")),
      kind: t.Nullable(t.OneOf(BODY_KINDS, "What the body was read as.")),
    },
    {
      title: "ReadBody",
      description: "How the body was read; what was not found out is null. Null if it was not read.",
    },
  ),
);
const ComparedBy = t.Array(t.OneOf(["id", "body"]), {
  description:
    "What decides whether the event is a duplicate: the sender's id of it, its body, or both if the sender does not sign the id. Empty if every request is new.",
});
/** A body of 1 MiB in base64, or with escapes, and a mapping. */
export const MAX_TRIAL_BYTES = 2 * MAX_BODY_BYTES;

export const PreviewBody = t.Object(
  {
    payload: t.Optional(
      t.Unsafe<unknown>({
        examples: [{ data: { value: 89 } }],
        description: "The body that the sender would send: JSON, or a string that contains it.",
      }),
    ),
    headers: t.Optional(
      t.Unsafe<Record<string, string>>({
        type: "object",
        maxProperties: 50,
        additionalProperties: { type: "string", maxLength: 2000 },
        examples: [{ "Content-Type": "application/json" }],
        description:
          "The headers that the sender would send with `payload` or `body_base64`, such as its content type and event type.",
      }),
    ),
    mapping: t.Optional(
      t.Object(mappingInput, { ...t.strict, description: "The mapping to test in place of the saved one." }),
    ),
    body_base64: t.Optional(
      t.StringExample("eyJkYXRhIjp7InZhbHVlIjo4OX19", {
        maxLength: MAX_TRIAL_BYTES,
        description:
          "The alternative to `payload`: the bytes of the body in base64, such as those of a compressed one.",
      }),
    ),
    request: t.Optional(
      t.StringExample('POST /hook HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"data":{"value":89}}', {
        maxLength: MAX_TRIAL_BYTES,
        description:
          "The alternative to `payload` and `headers`: the whole request as text, with its request line, headers, an empty line and the body.",
      }),
    ),
    request_base64: t.Optional(
      t.StringExample("UE9TVCAvaG9vayBIVFRQLzEuMQ0KDQp7ImRhdGEiOnsidmFsdWUiOjg5fX0=", {
        maxLength: MAX_TRIAL_BYTES,
        description: "The whole request in base64, for one with bytes that are not UTF-8.",
      }),
    ),
  },
  { ...t.strict, title: "InboundTrial" },
);
export const PreviewView = t.Object(
  {
    object: t.OneOf(["inbound_preview"]),
    status: t.OneOf(["ok", "unmapped"]),
    ...Reason,
    event: t.Nullable(t.StringExample("inbound.invoice.paid", "The event that would be fired.")),
    compared_by: ComparedBy,
    extracted: Extracted,
    items: t.Nullable(
      t.Array(
        t.Object(
          {
            status: t.OneOf(["ok", "unmapped"]),
            ...Reason,
            event: t.Nullable(t.StringExample("inbound.delivered")),
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
    payload: t.Unsafe<unknown>({
      examples: [{ data: { value: 89 } }],
      description: "The body as JSON, as paths and the event see it. Null if it cannot be read.",
    }),
  },
  { title: "InboundPreview" },
);

const receiptView = {
  id: t.WireId("rcp"),
  object: t.OneOf(["inbound_receipt"]),
  source_id: t.WireId("src"),
  status: Status,
  ...Reason,
  signed: t.Boolean({ description: "Whether the signature was valid." }),
  event_type: t.Nullable(t.StringExample("invoice.paid")),
  contact_id: t.Nullable(t.WireId("con")),
  activity_id: t.Nullable(t.WireId("act")),
  event_id: t.Nullable(t.WireId("evt")),
  duplicate_of: t.Nullable(t.WireId("rcp")),
  items: t.Nullable(
    t.Array(ReceiptItem, {
      description:
        "The results of the elements of a list, in its order. Null for a request that is one event. The ids above are those of a list with one element.",
    }),
  ),
  payload_bytes: t.Integer({ examples: [412] }),
  read: Read,
  reprocessed_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
  extracted: t.Partial(t.Object(Extracted.properties), {
    title: "ReceiptFields",
    description: "The values that the mapping extracted. Empty if the mapping was not applied.",
  }),
};
export const ReceiptListView = t.ListOf(t.Object(receiptView, { title: "InboundReceipt" }));
export const ReceiptView = t.Object(
  {
    ...receiptView,
    headers: t.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      examples: [{ "content-type": "application/json" }],
      description: "The headers of the request, without credentials.",
    }),
    raw_payload: t.StringExample('{"type":"invoice.paid"}'),
    raw_payload_encoding: t.OneOf(["utf8", "base64"]),
    raw_payload_truncated: t.Boolean({
      description: "Whether the payload was cut. Only 4 KiB of a request without a valid signature are kept.",
    }),
  },
  { title: "InboundReceiptDetail" },
);
export const ReceiptListQuery = t.Object(
  {
    status: t.Optional(
      t.OneOf(
        ["ok", "error", "duplicate", "unmapped"],
        "The result of the request. `unmapped` also lists requests of which an element cannot be mapped.",
      ),
    ),
    source_id: t.Optional(t.WireId("src")),
    contact_id: t.Optional(t.WireId("con")),
    created_after: t.Optional(t.DateTimeFilter("Created at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Created before this time.")),
    ...t.PageQuery,
  },
  t.strict,
);

export const HookQuery = t.Object({
  t: t.Optional(t.StringExample("Zk3vQ1tqJ8wL5xYb2NcR", { maxLength: 200, description: "The source's token." })),
});
export const HookAnswer = t.Object(
  {
    receipt_id: t.WireId("rcp"),
    status: t.OneOf(["ok", "duplicate", "unmapped"]),
    activity_id: t.Optional(t.WireId("act")),
    contact_id: t.Optional(t.WireId("con")),
  },
  { title: "InboundAnswer" },
);
