import {
  ListOf,
  MAX_PATH_LENGTH,
  MAX_TEMPLATE_LENGTH,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  secret,
  Timestamp,
  Type,
  WholeQuery,
  WireId,
  closed,
} from "../../lib/lib.ts";
import { PRESETS } from "./presets.ts";
import { MAX_POINTS } from "./score.ts";
import { SIGNATURE_SCHEMES } from "./signature.ts";

const Path = (description: string): ReturnType<typeof Nullable<ReturnType<typeof Type.String>>> =>
  Nullable(
    Sample("$.data.value", {
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
  description: "Points for each unit of the value, besides; the sum is cut to a whole number.",
});

const paths = {
  contact_email_path: Path("The contact's e-mail address; without it every event is `unmapped`."),
  event_type_path: Path("The event's type; without it every type is `event`."),
  idempotency_key_path: Path("The sender's id of the event; a repeat is a `duplicate`."),
  contact_name_path: Path("The contact's name."),
  value_path: Path("An amount or another number."),
  value_unit: OneOf(["major", "minor"], "Whether amounts count euros or cents; minor ones are shown as major ones."),
  currency_path: Path("The amount's currency: it says how many minor units make a major one."),
  summary_path: Path("A ready summary."),
  summary_template: Nullable(
    Sample("Paid ${$.data.total}", {
      minLength: 1,
      maxLength: MAX_TEMPLATE_LENGTH,
      description: "Instead of `summary_path`: text with ${$.a.b} or ${a.b} tokens.",
    }),
  ),
  dedupe_by_body: Type.Boolean({ description: "Takes an event with the same bytes for a repeat." }),
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
      closed,
    ),
  ),
};
const common = {
  name: Type.Optional(Sample("Payments", { maxLength: 200 })),
  description: Type.Optional(Sample("Live account", { maxLength: 500 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  signature_scheme: Type.Optional(
    OneOf(SIGNATURE_SCHEMES, "How the sender signs; X-Service-Inbound-Signature is good besides."),
  ),
  ...mappingInput,
  event_name: Type.Optional(
    Nullable(
      Sample("payment.received", {
        minLength: 1,
        maxLength: 128,
        description: "Fired for each event; by default inbound.<type>.",
      }),
    ),
  ),
};
const Secret = Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  minLength: 8,
  maxLength: 512,
  description: "For senders that dictate it; made when absent.",
  ...secret,
});

export const SourceBody = Type.Object(
  { preset: Type.Optional(OneOf(PRESETS)), secret: Type.Optional(Secret), ...common },
  { ...closed, title: "NewInboundEndpoint" },
);
export const SourcePatch = Type.Object(common, { ...closed, minProperties: 1, title: "InboundEndpointChange" });
/** The whole body may be left out. */
export const SecretBody = Nullable(
  Type.Object(
    {
      secret: Type.Optional(Secret),
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old secret is good beside it.",
        }),
      ),
    },
    { ...closed, title: "InboundSecretRegeneration" },
  ),
);

const mappingView = {
  ...paths,
  score: Type.Object({ default: Points, by_event_type: pointsByType, per_value: perValue }),
};
const sourceView = {
  id: WireId("src"),
  object: OneOf(["inbound_endpoint"]),
  name: Sample("Payments"),
  description: Sample("Live account"),
  preset: OneOf(PRESETS),
  url: Sample("https://junction.example.com/api/v1/inbound.php?t=Zk3vQ1tqJ8wL5xYb2NcR", {
    description: "Where the sender posts; its token names the source.",
  }),
  active: Type.Boolean(),
  signature_scheme: OneOf(SIGNATURE_SCHEMES),
  signature_header: Sample("X-Service-Inbound-Signature"),
  ...mappingView,
  event_name: Nullable(Sample("payment.received")),
  ...Owned,
};
export const SourceView = Type.Object(sourceView, { title: "InboundEndpoint" });
export const SourceWithSecret = Type.Object(
  {
    ...sourceView,
    secret: Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", { description: "Shown in this answer only." }),
  },
  { title: "InboundEndpointWithSecret" },
);
export const SourceListView = ListOf(SourceView);
export const SourceListQuery = Type.Object(PageQuery, closed);

export const PresetListView = ListOf(
  Type.Object(
    {
      object: OneOf(["inbound_preset"]),
      key: OneOf(PRESETS),
      name: Sample("Payment processor"),
      description: Sample("Invoices and payments."),
      signature_scheme: OneOf(SIGNATURE_SCHEMES),
      signature_header: Sample("X-Service-Inbound-Signature"),
      ...mappingView,
    },
    { title: "InboundPreset" },
  ),
);
export const PresetListQuery = Type.Object(WholeQuery, closed);

const Status = OneOf(["ok", "error", "duplicate", "unmapped"], "What became of it.");
const Reason = {
  reason_code: Nullable(Sample("email_missing", { description: "Why it is not ok, for programs." })),
  reason: Nullable(Sample("contact_email_path matched nothing")),
};
const Extracted = Type.Object(
  {
    contact_email: Nullable(Sample("ada.moreau@example.com")),
    contact_name: Nullable(Sample("Ada Moreau")),
    event_type: Nullable(Sample("invoice.paid")),
    idempotency_key: Nullable(Sample("evt_1042")),
    value: Nullable(
      Type.Number({ examples: [89], description: "Exact, with as many digits as it has; in major units." }),
    ),
    currency: Nullable(Sample("EUR")),
    summary: Nullable(Sample("Paid 89.00 EUR")),
    score_delta: Type.Integer({ examples: [10] }),
    warnings: Type.Array(
      Type.Object({ field: Sample("value_path"), message: Sample("is no number") }, { title: "MappingWarning" }),
    ),
  },
  { title: "ExtractedFields" },
);
export const PreviewBody = Type.Object(
  {
    payload: Type.Unsafe<unknown>({
      examples: [{ data: { value: 89 } }],
      description: "A body as the sender would send it: JSON, or a text of it.",
    }),
    mapping: Type.Optional(Type.Object(mappingInput, { ...closed, description: "Tried in place of what is saved." })),
  },
  { ...closed, title: "InboundTrial" },
);
export const PreviewView = Type.Object(
  {
    object: OneOf(["inbound_preview"]),
    status: OneOf(["ok", "unmapped"]),
    ...Reason,
    event: Nullable(Sample("inbound.invoice.paid", { description: "What would be fired." })),
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
  signed: Type.Boolean({ description: "Whether the signature held." }),
  event_type: Nullable(Sample("invoice.paid")),
  contact_id: Nullable(WireId("con")),
  activity_id: Nullable(WireId("act")),
  event_id: Nullable(WireId("evt")),
  duplicate_of: Nullable(WireId("rcp")),
  payload_bytes: Type.Integer({ examples: [412] }),
  reprocessed_at: Nullable(Timestamp),
  ...Owned,
  extracted: Type.Partial(Type.Object(Extracted.properties), {
    title: "ReceiptFields",
    description: "What the mapping read; empty where it did not come to it.",
  }),
};
export const ReceiptListView = ListOf(Type.Object(receiptView, { title: "InboundReceipt" }));
export const ReceiptView = Type.Object(
  {
    ...receiptView,
    raw_payload: Sample('{"type":"invoice.paid"}'),
    raw_payload_encoding: OneOf(["utf8", "base64"]),
    raw_payload_truncated: Type.Boolean({ description: "Of what was not signed only 4 KiB are kept." }),
  },
  { title: "InboundReceiptDetail" },
);
export const ReceiptListQuery = Type.Object(
  {
    status: Type.Optional(Status),
    source_id: Type.Optional(WireId("src")),
    contact_id: Type.Optional(WireId("con")),
    created_after: Type.Optional(Moment("Created from here on.")),
    created_before: Type.Optional(Moment("Created before this.")),
    ...PageQuery,
  },
  closed,
);

export const HookQuery = Type.Object({
  t: Type.Optional(Sample("Zk3vQ1tqJ8wL5xYb2NcR", { maxLength: 200, description: "The source's token." })),
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
