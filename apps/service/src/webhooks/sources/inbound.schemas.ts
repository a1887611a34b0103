import { MAX_PATH_LENGTH, MAX_TEMPLATE_LENGTH, t } from "../../lib/lib.ts";
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

/** A named scheme; `sender` for that of its sender, and `custom` for a description of its own. */
export const SCHEME_NAMES = [...SIGNATURE_SCHEMES, "sender", "custom"] as const;

const OnePath = (description: string) =>
  t.StringExample("$.data.value", { minLength: 1, maxLength: MAX_PATH_LENGTH, description });
const QUERY = "An RFC 9535 singular query, such as $.a.b or $.a[0]";
const Path = (description: string) =>
  t.Unsafe<PathChoice>(
    t.Union(
      [
        t.Nullable(OnePath(`${QUERY}.`)),
        t.Array(OnePath(`${QUERY}.`), {
          minItems: 1,
          maxItems: MAX_CHOICES,
          description: "The first that finds a text that is not empty, or a number, counts.",
        }),
      ],
      { description: `${description} ${QUERY}, or up to ${MAX_CHOICES} of them.` },
    ),
  );
const Points = t.Integer({ minimum: -MAX_POINTS, maximum: MAX_POINTS, examples: [5] });
const pointsByType = t.Unsafe<Record<string, number>>({
  type: "object",
  maxProperties: 500,
  additionalProperties: { type: "integer", minimum: -MAX_POINTS, maximum: MAX_POINTS },
  examples: [{ "invoice.paid": 10 }],
});
const perValue = t.Number({
  minimum: -1000,
  maximum: 1000,
  examples: [0.1],
  description: "Additional points for each unit of the value. The sum is truncated to an integer.",
});

const HeaderName = (description: string): ReturnType<typeof t.Nullable<ReturnType<typeof t.String>>> =>
  t.Nullable(
    t.StringExample("X-GitHub-Event", {
      minLength: 1,
      maxLength: 100,
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description,
    }),
  );

const paths = {
  each: t.Nullable(
    OnePath(
      `The path to a list of at most ${MAX_ELEMENTS} events, such as $ or $.events. Each element is mapped, deduplicated and fired by itself: $ is the element in all other paths and templates.`,
    ),
  ),
  contact: t.OneOf(
    CONTACT_MODES,
    "`required`: an event without a contact's e-mail address is `unmapped`. `if_present`: an event with an address becomes an activity of its contact, and any other only fires. `none`: no event has a contact.",
  ),
  event_type_header: HeaderName("The header of the sender's event type. It takes precedence over event_type_path."),
  idempotency_key_header: HeaderName("The header of the sender's id of the event. It takes precedence over the path."),
  contact_email_path: Path("The contact's e-mail address."),
  event_type_path: Path("The sender's event type. Without it, every type is `event`."),
  event_type_default: t.Nullable(
    t.StringExample("event", {
      minLength: 1,
      maxLength: 200,
      description:
        "The event type of a request whose header and path contain none. Without it, such a request is `unmapped`.",
    }),
  ),
  idempotency_key_path: Path("The sender's id of the event. A repeated id is a `duplicate`."),
  idempotency_key_template: t.Nullable(
    t.StringExample("${$.subscriptionId}-${$.eventId}", {
      minLength: 1,
      maxLength: MAX_TEMPLATE_LENGTH,
      description:
        "The alternative to `idempotency_key_path`: several members that are the sender's id of the event together. If one is missing, the event is compared by its body. ${@cloudevent.source} and the like are attributes of a CloudEvent, from its headers or its body.",
    }),
  ),
  contact_name_path: Path("The contact's name."),
  value_path: Path("An amount or another number."),
  value_unit: t.OneOf(
    ["major", "minor"],
    "The unit of amounts: `major` (such as euros) or `minor` (such as cents). Minor amounts are shown as major ones.",
  ),
  currency_path: Path("The currency of the amount, which determines the number of minor units in a major one."),
  summary_path: Path("A complete summary."),
  summary_template: t.Nullable(
    t.StringExample("Paid ${$.data.total}", {
      minLength: 1,
      maxLength: MAX_TEMPLATE_LENGTH,
      description:
        "The alternative to `summary_path`: a text with ${$.a.b} or ${a.b} tokens. ${@tenant} is the tenant of the source.",
    }),
  ),
  dedupe_by_body: t.Boolean({ description: "Whether an event with the same bytes is a duplicate." }),
  dedupe_ignore: t.Unsafe<readonly string[]>(
    t.Array(OnePath(`${QUERY}.`), {
      maxItems: MAX_IGNORED,
      description:
        "Members that differ between the tries of one event, such as $.attemptNumber. Bodies are compared without them.",
    }),
  ),
};
export const mappingInput = {
  ...t.Partial(t.Object(paths)).properties,
  score: t.Optional(
    t.Object(
      {
        default: t.Optional(Points),
        by_event_type: t.Optional(pointsByType),
        per_value: t.Optional(perValue),
      },
      t.strict,
    ),
  ),
};
const Respond = t.Unsafe<Answer>(
  t.Object(
    {
      status: t.Unsafe<number>({ type: "integer", enum: [200, 201, 202, 204], examples: [200] }),
      content_type: t.OneOf(["application/json", "text/plain", "text/xml"]),
      body: t.StringExample("[accepted]", { maxLength: 4096 }),
    },
    {
      ...t.strict,
      title: "InboundResponse",
      description: "The response to accepted requests, for senders that need their own.",
    },
  ),
);
const Handshakes = t.Unsafe<readonly Handshake[] | null>(
  t.Nullable(
    t.Array(HandshakeShape, {
      maxItems: MAX_HANDSHAKES,
      description: "The requests with which the sender checks the URL. Null: those of the source's sender.",
    }),
  ),
);
const SourceTenant = t.Nullable(
  t.Tenant(
    "Your customer that the source belongs to, by your own id: its events are of this tenant. It cannot be changed.",
  ),
);
const Charset = t.Nullable(
  t.StringExample("windows-1252", {
    minLength: 1,
    maxLength: 40,
    description:
      "The character set of requests that name none, for senders of old forms. Default: UTF-8. A request's own `charset`, XML declaration or byte order mark takes precedence.",
  }),
);
const common = {
  name: t.Optional(t.StringExample("Payments", { maxLength: 200 })),
  description: t.Optional(t.StringExample("Live account", { maxLength: 500 })),
  active: t.Optional(t.Boolean({ default: true })),
  signature_scheme: t.Optional(
    t.OneOf(SIGNATURE_SCHEMES, "The signature scheme of the sender. X-Service-Inbound-Signature is also accepted."),
  ),
  scheme: t.Optional(SchemeShape),
  respond: t.Optional(t.Nullable(Respond)),
  charset: t.Optional(Charset),
  handshakes: t.Optional(Handshakes),
  tenant: t.Optional(SourceTenant),
  ...mappingInput,
  event_name: t.Optional(
    t.Nullable(
      t.StringExample("payment.received", {
        minLength: 1,
        maxLength: 128,
        description: "The name of the event that is fired for each inbound event. Default: inbound.<type>.",
      }),
    ),
  ),
};
const Secret = t.StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  minLength: 8,
  maxLength: 512,
  description: "For senders that choose the secret themselves. Default: a generated secret.",
  ...t.secret,
});

export const SourceBody = t.Object(
  {
    preset: t.Optional(t.OneOf(PRESETS)),
    sender: t.Optional(
      t.StringExample("github", {
        maxLength: 100,
        description: "A sender of GET /v1/senders, whose values are the start.",
      }),
    ),
    secret: t.Optional(Secret),
    ...common,
  },
  { ...t.strict, title: "NewInboundEndpoint" },
);
export const SourcePatch = t.Object(common, { ...t.strict, minProperties: 1, title: "InboundEndpointChange" });
/** The body of a secret regeneration. The whole body may be omitted. */
export const SecretBody = t.Nullable(
  t.Object(
    {
      secret: t.Optional(Secret),
      overlap_seconds: t.Optional(
        t.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old secret stays valid, in seconds.",
        }),
      ),
    },
    { ...t.strict, title: "InboundSecretRegeneration" },
  ),
);

const mappingView = {
  ...paths,
  score: t.Object({ default: Points, by_event_type: pointsByType, per_value: perValue }),
};
const sourceView = {
  id: t.WireId("src"),
  object: t.OneOf(["inbound_endpoint"]),
  name: t.StringExample("Payments"),
  description: t.StringExample("Live account"),
  preset: t.OneOf(PRESETS),
  url: t.StringExample(
    "https://junction.example.com/api/v1/inbound.php?t=Zk3vQ1tqJ8wL5xYb2NcR",
    "The URL that the sender posts to. Its token identifies the source.",
  ),
  active: t.Boolean(),
  sender: t.Nullable(t.StringExample("github", "The sender that the source was created for.")),
  signature_scheme: t.OneOf(
    SCHEME_NAMES,
    "A named scheme; `sender` for that of its sender, and `custom` for a description of its own.",
  ),
  scheme: SchemeShape,
  signature_header: t.Nullable(t.StringExample("X-Service-Inbound-Signature")),
  ...mappingView,
  event_name: t.Nullable(t.StringExample("payment.received")),
  tenant: SourceTenant,
  respond: t.Nullable(Respond),
  charset: Charset,
  handshakes: Handshakes,
  ...t.ownershipFields,
};
export const SourceView = t.Object(sourceView, { title: "InboundEndpoint" });
export const SourceWithSecret = t.Object(
  {
    ...sourceView,
    secret: t.StringExample(
      "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
      "The secret, shown only in this response.",
    ),
  },
  { title: "InboundEndpointWithSecret" },
);
export const SourceListView = t.ListOf(SourceView);
export const SourceListQuery = t.Object(
  { tenant: t.Optional(t.Tenant("The tenant of the sources.")), ...t.PageQuery },
  t.strict,
);

export const PresetListView = t.ListOf(
  t.Object(
    {
      object: t.OneOf(["inbound_preset"]),
      key: t.OneOf(PRESETS),
      name: t.StringExample("Payment processor"),
      description: t.StringExample("Invoices and payments."),
      signature_scheme: t.OneOf(SIGNATURE_SCHEMES),
      signature_header: t.StringExample("X-Service-Inbound-Signature"),
      ...mappingView,
    },
    { title: "InboundPreset" },
  ),
);
export const PresetListQuery = t.Object(t.WholeQuery, t.strict);

export const SenderListView = t.ListOf(
  t.Object(
    {
      object: t.OneOf(["sender"]),
      key: t.StringExample("github"),
      title: t.StringExample("GitHub"),
      category: t.OneOf(SENDER_CATEGORIES),
      description: t.StringExample("Pushes, issues and pull requests of repositories."),
      documentation: t.StringExample("https://docs.github.com/webhooks"),
      scheme: SchemeShape,
      secret: t.Object({
        label: t.StringExample("Secret", "The sender's own word for the secret."),
        given_by: t.OneOf(["you", "sender"], "Who chooses the secret."),
      }),
      event_types: t.Array(t.StringExample("push")),
      handshakes: t.Array(HandshakeShape),
      respond: t.Nullable(Respond),
      setup: t.Array(t.StringExample("Open Settings > Webhooks and choose Add webhook.")),
      sample: t.Object({
        method: t.StringExample("POST"),
        headers: t.Unsafe<Readonly<Record<string, string>>>({
          type: "object",
          additionalProperties: { type: "string" },
          examples: [{ "X-GitHub-Event": "push" }],
        }),
        body: t.StringExample('{"ref":"refs/heads/main"}'),
      }),
      mapping: t.Object(
        Object.fromEntries(Object.entries(paths).filter(([name]) => name !== "summary_path")) as Omit<
          typeof paths,
          "summary_path"
        >,
      ),
    },
    { title: "Sender" },
  ),
);
export const SenderListQuery = t.Object(
  {
    category: t.Optional(t.OneOf(SENDER_CATEGORIES, "Only senders of this category.")),
    ...t.WholeQuery,
  },
  t.strict,
);
