import {
  ListOf,
  MAX_PATH_LENGTH,
  MAX_TEMPLATE_LENGTH,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Tenant,
  Type,
  WholeQuery,
  WireId,
  strict,
} from "../../lib/lib.ts";
import type { Answer } from "./handshake.ts";
import { PRESETS } from "./presets.ts";
import { MAX_POINTS } from "./score.ts";
import { CONTACT_MODES } from "./mapping.ts";
import { SIGNATURE_SCHEMES } from "./named-schemes.ts";
import { SchemeShape } from "./scheme.ts";
import { SENDER_CATEGORIES } from "./senders.ts";
import { SCHEME_NAMES } from "./source.ts";

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

const HeaderName = (description: string): ReturnType<typeof Nullable<ReturnType<typeof Type.String>>> =>
  Nullable(
    StringExample("X-GitHub-Event", {
      minLength: 1,
      maxLength: 100,
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description,
    }),
  );

const paths = {
  contact: OneOf(
    CONTACT_MODES,
    "`required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact.",
  ),
  event_type_header: HeaderName("The header of the sender's event type. It takes precedence over event_type_path."),
  idempotency_key_header: HeaderName("The header of the sender's id of the event. It takes precedence over the path."),
  contact_email_path: Path("The contact's e-mail address."),
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
      description:
        "The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source.",
    }),
  ),
  dedupe_by_body: Type.Boolean({ description: "Whether an event with the same bytes is a duplicate." }),
};
export const mappingInput = {
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
const Respond = Type.Unsafe<Answer>(
  Type.Object(
    {
      status: Type.Unsafe<number>({ type: "integer", enum: [200, 201, 202, 204], examples: [200] }),
      content_type: OneOf(["application/json", "text/plain", "text/xml"]),
      body: StringExample("[accepted]", { maxLength: 4096 }),
    },
    {
      ...strict,
      title: "InboundResponse",
      description: "The response to accepted requests, for senders that need their own.",
    },
  ),
);
const SourceTenant = Nullable(
  Tenant(
    "Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed.",
  ),
);
const common = {
  name: Type.Optional(StringExample("Payments", { maxLength: 200 })),
  description: Type.Optional(StringExample("Live account", { maxLength: 500 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  signature_scheme: Type.Optional(
    OneOf(SIGNATURE_SCHEMES, "The signature scheme of the sender. X-Service-Inbound-Signature is also accepted."),
  ),
  scheme: Type.Optional(SchemeShape),
  respond: Type.Optional(Nullable(Respond)),
  tenant: Type.Optional(SourceTenant),
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
  {
    preset: Type.Optional(OneOf(PRESETS)),
    sender: Type.Optional(
      StringExample("github", {
        maxLength: 100,
        description: "A sender of GET /v1/senders, whose values are the start.",
      }),
    ),
    secret: Type.Optional(Secret),
    ...common,
  },
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
  sender: Nullable(StringExample("github", { description: "The sender that the source was created for." })),
  signature_scheme: OneOf(
    SCHEME_NAMES,
    "A named scheme; `sender` for that of its sender, and `custom` for a description of its own.",
  ),
  scheme: SchemeShape,
  signature_header: Nullable(StringExample("X-Service-Inbound-Signature")),
  ...mappingView,
  event_name: Nullable(StringExample("payment.received")),
  tenant: SourceTenant,
  respond: Nullable(Respond),
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
export const SourceListQuery = Type.Object(
  { tenant: Type.Optional(Tenant("The tenant of the sources.")), ...PageQuery },
  strict,
);

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

const Handshake = Type.Object(
  {
    method: OneOf(["GET", "HEAD", "POST"]),
    signed: Type.Boolean({ description: "Whether the sender signs this request." }),
  },
  { title: "SenderHandshake", description: "A request with which the sender checks the URL. The service answers it." },
);
export const SenderListView = ListOf(
  Type.Object(
    {
      object: OneOf(["sender"]),
      key: StringExample("github"),
      title: StringExample("GitHub"),
      category: OneOf(SENDER_CATEGORIES),
      description: StringExample("Pushes, issues and pull requests of repositories."),
      documentation: StringExample("https://docs.github.com/webhooks"),
      scheme: SchemeShape,
      secret: Type.Object({
        label: StringExample("Secret", { description: "The sender's own word for the secret." }),
        given_by: OneOf(["you", "sender"], "Who chooses the secret."),
      }),
      event_types: Type.Array(StringExample("push")),
      handshakes: Type.Array(Handshake),
      respond: Nullable(Respond),
      setup: Type.Array(StringExample("Open Settings > Webhooks and choose Add webhook.")),
      sample: Type.Object({
        method: StringExample("POST"),
        headers: Type.Unsafe<Readonly<Record<string, string>>>({
          type: "object",
          additionalProperties: { type: "string" },
          examples: [{ "X-GitHub-Event": "push" }],
        }),
        body: StringExample('{"ref":"refs/heads/main"}'),
      }),
      mapping: Type.Object(
        Object.fromEntries(Object.entries(paths).filter(([name]) => name !== "summary_path")) as Omit<
          typeof paths,
          "summary_path"
        >,
      ),
    },
    { title: "Sender" },
  ),
);
export const SenderListQuery = Type.Object(
  {
    category: Type.Optional(OneOf(SENDER_CATEGORIES, "Only senders of this category.")),
    ...WholeQuery,
  },
  strict,
);
