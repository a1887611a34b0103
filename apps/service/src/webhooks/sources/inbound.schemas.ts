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
import type { Answer, Handshake } from "./handshake.ts";
import { HandshakeShape, MAX_HANDSHAKES } from "./handshake.schemas.ts";
import { PRESETS } from "./presets.ts";
import { MAX_POINTS } from "./score.ts";
import { CONTACT_MODES } from "./mapping.ts";
import { MAX_IGNORED } from "./dedupe-keys.ts";
import { MAX_ELEMENTS } from "./map-request.ts";
import { MAX_CHOICES } from "./path-reader.ts";
import type { PathChoice } from "./path-reader.ts";
import { SIGNATURE_SCHEMES } from "./named-schemes.ts";
import { SchemeShape } from "./scheme.ts";
import { SENDER_CATEGORIES } from "./senders.ts";
import { SCHEME_NAMES } from "./source.ts";

const OnePath = (description: string) =>
  StringExample("$.data.value", { minLength: 1, maxLength: MAX_PATH_LENGTH, description });
const QUERY = "An RFC 9535 singular query, such as $.a.b or $.a[0]";
const Path = (description: string) =>
  Type.Unsafe<PathChoice>(
    Type.Union(
      [
        Nullable(OnePath(`${QUERY}.`)),
        Type.Array(OnePath(`${QUERY}.`), {
          minItems: 1,
          maxItems: MAX_CHOICES,
          description: "The first that finds a text that is not empty, or a number, counts.",
        }),
      ],
      { description: `${description} ${QUERY}, or up to ${MAX_CHOICES} of them.` },
    ),
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
  each: Nullable(
    OnePath(
      `The path to a list of at most ${MAX_ELEMENTS} events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates.`,
    ),
  ),
  contact: OneOf(
    CONTACT_MODES,
    "`required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact.",
  ),
  event_type_header: HeaderName("The header of the sender's event type. It takes precedence over event_type_path."),
  idempotency_key_header: HeaderName("The header of the sender's id of the event. It takes precedence over the path."),
  contact_email_path: Path("The contact's e-mail address."),
  event_type_path: Path("The sender's event type. Without it, every type is `event`."),
  event_type_default: Nullable(
    StringExample("event", {
      minLength: 1,
      maxLength: 200,
      description:
        "The event type of a request whose header and path contain none. Without it, such a request is `unmapped`.",
    }),
  ),
  idempotency_key_path: Path("The sender's id of the event. A repeated id is a `duplicate`."),
  idempotency_key_template: Nullable(
    StringExample("${$.subscriptionId}-${$.eventId}", {
      minLength: 1,
      maxLength: MAX_TEMPLATE_LENGTH,
      description:
        "The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body.",
    }),
  ),
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
  dedupe_ignore: Type.Unsafe<readonly string[]>(
    Type.Array(OnePath(`${QUERY}.`), {
      maxItems: MAX_IGNORED,
      description:
        "Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them.",
    }),
  ),
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
const Handshakes = Type.Unsafe<readonly Handshake[] | null>(
  Nullable(
    Type.Array(HandshakeShape, {
      maxItems: MAX_HANDSHAKES,
      description: "The requests with which the sender checks the URL. Null: those of the source's sender.",
    }),
  ),
);
const SourceTenant = Nullable(
  Tenant(
    "Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed.",
  ),
);
const Charset = Nullable(
  StringExample("windows-1252", {
    minLength: 1,
    maxLength: 40,
    description:
      "The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence.",
  }),
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
  charset: Type.Optional(Charset),
  handshakes: Type.Optional(Handshakes),
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
  charset: Charset,
  handshakes: Handshakes,
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
      handshakes: Type.Array(HandshakeShape),
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
