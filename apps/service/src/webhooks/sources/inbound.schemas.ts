import {
  ListOf,
  MAX_PATH_LENGTH,
  MAX_TEMPLATE_LENGTH,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Timestamp,
  Type,
  WholeQuery,
  WireId,
  strict,
} from "../../lib/lib.ts";
import { PRESETS } from "./presets.ts";
import { MAX_POINTS } from "./score.ts";
import { SIGNATURE_SCHEMES } from "./signature.ts";

const Path = (description: string): ReturnType<typeof Nullable<ReturnType<typeof Type.String>>> =>
  Nullable(
    StringExample("$.data.value", {
      minLength: 1,
      maxLength: MAX_PATH_LENGTH,
      description: `An RFC 9535 singular query, such as $.a.b or $.a[0]. ${description}`,
    }),
  );
const Points = Type.Integer({ minimum: -MAX_POINTS, maximum: MAX_POINTS, examples: [5] });
const pointsByType = Type.Unsafe<Record<string, number>>({
  type: "object",
  maxProperties: 500,
  additionalProperties: { type: "integer", minimum: -MAX_POINTS, maximum: MAX_POINTS },
  examples: [{ "invoice.paid": 10 }],
});
const perValue = Type.Number({
  minimum: -1000,
  maximum: 1000,
  examples: [0.1],
  description: "Additional points for each unit of the value. The sum is truncated to an integer.",
});

const paths = {
  contact_email_path: Path("The contact's e-mail address. Without it, every event is `unmapped`."),
  event_type_path: Path("The sender's event type. Without it, every type is `event`."),
  idempotency_key_path: Path("The sender's id of the event. A repeated id is a `duplicate`."),
  contact_name_path: Path("The contact's name."),
  value_path: Path("An amount or another number."),
  value_unit: OneOf(
    ["major", "minor"],
    "The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones.",
  ),
  currency_path: Path("The currency of the amount, which determines the number of minor units in a major one."),
  summary_path: Path("A complete summary."),
  summary_template: Nullable(
    StringExample("Paid ${$.data.total}", {
      minLength: 1,
      maxLength: MAX_TEMPLATE_LENGTH,
      description: "The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens.",
    }),
  ),
  dedupe_by_body: Type.Boolean({ description: "Whether an event with the same bytes is a duplicate." }),
};
const mappingInput = {
  ...Type.Partial(Type.Object(paths)).properties,
  score: Type.Optional(
    Type.Object(
      {
        default: Type.Optional(Points),
        by_event_type: Type.Optional(pointsByType),
        per_value: Type.Optional(perValue),
      },
      strict,
    ),
  ),
};
const common = {
  name: Type.Optional(StringExample("Payments", { maxLength: 200 })),
  description: Type.Optional(StringExample("Live account", { maxLength: 500 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  signature_scheme: Type.Optional(
    OneOf(SIGNATURE_SCHEMES, "The signature scheme of the sender. X-Service-Inbound-Signature is also accepted."),
  ),
  ...mappingInput,
  event_name: Type.Optional(
    Nullable(
      StringExample("payment.received", {
        minLength: 1,
        maxLength: 128,
        description: "The name of the event that is fired for each inbound event. Default: inbound.<type>.",
      }),
    ),
  ),
};
const Secret = StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  minLength: 8,
  maxLength: 512,
  description: "For senders that choose the secret themselves. Default: a generated secret.",
  ...secret,
});

export const SourceBody = Type.Object(
  { preset: Type.Optional(OneOf(PRESETS)), secret: Type.Optional(Secret), ...common },
  { ...strict, title: "NewInboundEndpoint" },
);
export const SourcePatch = Type.Object(common, { ...strict, minProperties: 1, title: "InboundEndpointChange" });
/** The body of a secret regeneration. The whole body may be omitted. */
export const SecretBody = Nullable(
  Type.Object(
    {
      secret: Type.Optional(Secret),
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old secret stays valid, in seconds.",
        }),
      ),
    },
    { ...strict, title: "InboundSecretRegeneration" },
  ),
);

const mappingView = {
  ...paths,
  score: Type.Object({ default: Points, by_event_type: pointsByType, per_value: perValue }),
};
const sourceView = {
  id: WireId("src"),
  object: OneOf(["inbound_endpoint"]),
  name: StringExample("Payments"),
  description: StringExample("Live account"),
  preset: OneOf(PRESETS),
  url: StringExample("https://junction.example.com/api/v1/inbound.php?t=Zk3vQ1tqJ8wL5xYb2NcR", {
    description: "The URL that the sender posts to. Its token identifies the source.",
  }),
  active: Type.Boolean(),
  signature_scheme: OneOf(SIGNATURE_SCHEMES),
  signature_header: StringExample("X-Service-Inbound-Signature"),
  ...mappingView,
  event_name: Nullable(StringExample("payment.received")),
  ...ownershipFields,
};
export const SourceView = Type.Object(sourceView, { title: "InboundEndpoint" });
export const SourceWithSecret = Type.Object(
  {
    ...sourceView,
    secret: StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
      description: "The secret, shown only in this response.",
    }),
  },
  { title: "InboundEndpointWithSecret" },
);
export const SourceListView = ListOf(SourceView);
export const SourceListQuery = Type.Object(PageQuery, strict);

export const PresetListView = ListOf(
  Type.Object(
    {
      object: OneOf(["inbound_preset"]),
      key: OneOf(PRESETS),
      name: StringExample("Payment processor"),
      description: StringExample("Invoices and payments."),
      signature_scheme: OneOf(SIGNATURE_SCHEMES),
      signature_header: StringExample("X-Service-Inbound-Signature"),
      ...mappingView,
    },
    { title: "InboundPreset" },
  ),
);
export const PresetListQuery = Type.Object(WholeQuery, strict);

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
