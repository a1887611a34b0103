import { closed, ListOf, Nullable, OneOf, Owned, PageQuery, Timestamp, Type, WireId } from "../kernel/kernel.ts";
import { MAX_PATH_LENGTH } from "./path.ts";
import { PRESETS } from "./presets.ts";
import { MAX_POINTS } from "./score.ts";
import { SIGNATURE_SCHEMES } from "./signature.ts";
import { MAX_TEMPLATE_LENGTH } from "./template.ts";

const Path = (description: string): ReturnType<typeof Nullable<ReturnType<typeof Type.String>>> =>
  Nullable(
    Type.String({
      minLength: 1,
      maxLength: MAX_PATH_LENGTH,
      description: `An RFC 9535 singular query, such as $.a.b or $.a[0]. ${description}`,
    }),
  );
const Points = Type.Integer({ minimum: -MAX_POINTS, maximum: MAX_POINTS });
const pointsByType = Type.Unsafe<Record<string, number>>({
  type: "object",
  maxProperties: 500,
  additionalProperties: { type: "integer", minimum: -MAX_POINTS, maximum: MAX_POINTS },
});
const perValue = Type.Number({
  minimum: -1000,
  maximum: 1000,
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
    Type.String({
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
  name: Type.Optional(Type.String({ maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  signature_scheme: Type.Optional(
    OneOf(SIGNATURE_SCHEMES, "How the sender signs; X-Service-Inbound-Signature is good besides."),
  ),
  ...mappingInput,
  event_name: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 128, description: "Fired for each event; by default inbound.<type>." }),
    ),
  ),
};
const Secret = Type.String({
  minLength: 8,
  maxLength: 512,
  description: "For senders that dictate it; made when absent.",
});

export const SourceBody = Type.Object(
  { preset: Type.Optional(OneOf(PRESETS)), secret: Type.Optional(Secret), ...common },
  closed,
);
export const SourcePatch = Type.Object(common, { ...closed, minProperties: 1 });
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
    closed,
  ),
);

const mappingView = {
  ...paths,
  score: Type.Object({ default: Points, by_event_type: pointsByType, per_value: perValue }),
};
const sourceView = {
  id: WireId("src"),
  object: OneOf(["inbound_endpoint"]),
  name: Type.String(),
  description: Type.String(),
  preset: OneOf(PRESETS),
  url: Type.String({ description: "Where the sender posts; its token names the source." }),
  active: Type.Boolean(),
  signature_scheme: OneOf(SIGNATURE_SCHEMES),
  signature_header: Type.String(),
  ...mappingView,
  event_name: Nullable(Type.String()),
  ...Owned,
};
export const SourceView = Type.Object(sourceView);
export const SourceWithSecret = Type.Object({
  ...sourceView,
  secret: Type.String({ description: "Shown in this answer only." }),
});
export const SourceListView = ListOf(SourceView);
export const SourceListQuery = Type.Object(PageQuery, closed);

export const PresetListView = ListOf(
  Type.Object({
    object: OneOf(["inbound_preset"]),
    key: OneOf(PRESETS),
    name: Type.String(),
    description: Type.String(),
    signature_scheme: OneOf(SIGNATURE_SCHEMES),
    signature_header: Type.String(),
    ...mappingView,
  }),
);

const Status = OneOf(["ok", "error", "duplicate", "unmapped"]);
const Reason = {
  reason_code: Nullable(Type.String({ description: "Why it is not ok, for programs." })),
  reason: Nullable(Type.String()),
};
const Extracted = Type.Object({
  contact_email: Nullable(Type.String()),
  contact_name: Nullable(Type.String()),
  event_type: Nullable(Type.String()),
  idempotency_key: Nullable(Type.String()),
  value: Nullable(Type.Number({ description: "Exact, with as many digits as it has; in major units." })),
  currency: Nullable(Type.String()),
  summary: Nullable(Type.String()),
  score_delta: Type.Integer(),
  warnings: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
});
export const PreviewBody = Type.Object(
  {
    payload: Type.Unsafe<unknown>({ description: "A body as the sender would send it: JSON, or a text of it." }),
    mapping: Type.Optional(Type.Object(mappingInput, { ...closed, description: "Tried in place of what is saved." })),
  },
  closed,
);
export const PreviewView = Type.Object({
  object: OneOf(["inbound_preview"]),
  status: OneOf(["ok", "unmapped"]),
  ...Reason,
  event: Nullable(Type.String({ description: "What would be fired." })),
  extracted: Extracted,
});

const receiptView = {
  id: WireId("rcp"),
  object: OneOf(["inbound_receipt"]),
  source_id: WireId("src"),
  status: Status,
  ...Reason,
  signed: Type.Boolean({ description: "Whether the signature held." }),
  event_type: Nullable(Type.String()),
  contact_id: Nullable(WireId("con")),
  activity_id: Nullable(WireId("act")),
  event_id: Nullable(WireId("evt")),
  duplicate_of: Nullable(WireId("rcp")),
  payload_bytes: Type.Integer(),
  reprocessed_at: Nullable(Timestamp),
  ...Owned,
  extracted: Extracted,
};
export const ReceiptListView = ListOf(Type.Object(receiptView));
export const ReceiptView = Type.Object({
  ...receiptView,
  raw_payload: Type.String(),
  raw_payload_encoding: OneOf(["utf8", "base64"]),
  raw_payload_truncated: Type.Boolean({ description: "Of what was not signed only 4 KiB are kept." }),
});
export const ReceiptListQuery = Type.Object(
  {
    status: Type.Optional(Status),
    source_id: Type.Optional(Type.String()),
    contact_id: Type.Optional(Type.String()),
    created_after: Type.Optional(Type.String()),
    created_before: Type.Optional(Type.String()),
    ...PageQuery,
  },
  closed,
);

export const HookQuery = Type.Object({
  t: Type.Optional(Type.String({ maxLength: 200, description: "The source's token." })),
});
export const HookAnswer = Type.Object({
  receipt_id: WireId("rcp"),
  status: OneOf(["ok", "duplicate", "unmapped"]),
  activity_id: Type.Optional(WireId("act")),
  contact_id: Type.Optional(WireId("con")),
});
