import { t } from "../../lib/lib.ts";
import { EVENT_NAME_MAX_LENGTH } from "../catalogue/catalogue.ts";
import { EventData, SubscriberRef } from "../event/event.schemas.ts";
import { MAX_EXAMPLES } from "./type-state.ts";

export const NameParams = t.Object({
  name: t.StringExample("order.created", "The name of an event type."),
});

const TypeName = t.String({
  minLength: 1,
  maxLength: EVENT_NAME_MAX_LENGTH,
  description: "The name of the events.",
  examples: ["parcel.scanned"],
});
const DataSchemaView = t.Nullable(
  t.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    description:
      "The JSON Schema (2020-12) of `data`. Canonical types use the dialect of OpenAPI 3.0.3. Null: any data.",
    examples: [{ type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] }],
  }),
);
const Examples = t.Array(EventData, { maxItems: MAX_EXAMPLES, description: "Examples of `data`." });
/** The maximum number of types in one set. */
const MAX_SET = 500;
const Violation = t.Object(
  {
    pointer: t.StringExample("/schema/required", "An RFC 6901 pointer into the type."),
    code: t.StringExample("narrowed"),
    message: t.StringExample('must not add "weight"'),
  },
  { title: "SchemaDifference" },
);
const ENFORCEMENTS = ["off", "warn", "refuse"] as const;
const enforcementText =
  "What happens to data that does not match the schema: `off`: nothing. `warn`: the event shows `schema_errors`. `refuse`: the call is refused with 422 `event_data_invalid`; events that sources, rules, workflows, connectors and schedules fire are never refused, and act as with `warn`.";
const VISIBILITIES = ["public", "private"] as const;
const visibilityText =
  "`public`: your customers see the type in the portal, and can subscribe to it there. Your own types are public at first. A canonical type is public while you fire it, until you choose: that is, in this environment and in the last 30 days. System events are always `private`.";

const described = {
  title: t.Optional(t.StringExample("Parcel scanned", { maxLength: 200, description: "A short title." })),
  description: t.Optional(
    t.StringExample("A parcel passed a scanner.", { maxLength: 5000, description: "Says when the event is fired." }),
  ),
  enforcement: t.Optional(t.OneOf(ENFORCEMENTS, enforcementText)),
  visibility: t.Optional(t.OneOf(VISIBILITIES, visibilityText)),
  deprecated: t.Optional(t.Boolean({ description: "Whether receivers should stop using the event type." })),
};
const data = {
  schema: t.Optional(
    t.Nullable(
      t.Unsafe<object>({
        type: "object",
        additionalProperties: true,
        description:
          "A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2.",
        examples: [{ type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] }],
      }),
    ),
  ),
  examples: t.Optional(Examples),
};

export const TypeBody = t.Object({ name: TypeName, ...described, ...data }, { ...t.strict, title: "NewEventType" });
export const TypePatch = t.Object({ ...described, ...data }, { ...t.strict, title: "EventTypePatch" });
export const VersionBody = t.Object(data, { ...t.strict, title: "NewEventTypeVersion" });

export const SetBody = t.Object(
  {
    types: t.Array(
      t.Object(
        {
          name: TypeName,
          version: t.Optional(
            t.Integer({
              minimum: 1,
              maximum: 32_767,
              description:
                "The version that the type is to have. One above its current version makes a new version. Default: the current version.",
              examples: [1],
            }),
          ),
          ...described,
          ...data,
        },
        { ...t.strict, title: "EventTypeOfSet" },
      ),
      { maxItems: MAX_SET },
    ),
    prune: t.Optional(
      t.Boolean({ default: false, description: "Whether to archive your own types that are not in the set." }),
    ),
    dry_run: t.Optional(t.Boolean({ default: false, description: "Whether to only return the changes." })),
  },
  { ...t.strict, title: "EventTypeSet" },
);
const Names = (description: string) => t.Array(TypeName, { description });
export const SetView = t.Object(
  {
    object: t.OneOf(["event_type_changes"]),
    dry_run: t.Boolean(),
    create: Names("The types that are created, or taken out of the archive."),
    update: Names("The types that change."),
    archive: Names("The types that are archived."),
    incompatible: t.Array(
      t.Object(
        { name: TypeName, errors: t.Array(Violation) },
        {
          title: "IncompatibleEventType",
          description: "A type whose schema needs a new version, with pointers into the type.",
        },
      ),
      { description: "Only with `dry_run`; otherwise the call is refused with 409 `schema_incompatible`." },
    ),
  },
  { title: "EventTypeChanges" },
);

const typeView = {
  object: t.OneOf(["event_type"]),
  name: t.StringExample("order.created"),
  domain: t.StringExample("commerce", "The domain of a canonical event; otherwise `system` or `custom`."),
  title: t.StringExample("Order created"),
  description: t.StringExample("A customer placed an order."),
  origin: t.OneOf(
    ["canonical", "custom", "system"],
    "`canonical`: from the catalog. `custom`: your own. `system`: fired by the service.",
  ),
  canonical: t.Boolean(),
  system: t.Boolean(),
  enforcement: t.OneOf(ENFORCEMENTS, enforcementText),
  visibility: t.OneOf(VISIBILITIES, visibilityText),
  version: t.Integer({ minimum: 1, description: "The current version.", examples: [1] }),
  deprecated_at: t.Nullable(t.Timestamp),
  archived_at: t.Nullable(t.Timestamp),
  last_seen_at: t.Nullable(
    t.String({
      format: "date-time",
      description:
        "The beginning of the last hour in which the event occurred in the caller's environment. Null if that is more than 7 days ago.",
    }),
  ),
  violations_24h: t.Object(
    {
      refused: t.Integer({ minimum: 0, description: "Events that were refused.", examples: [0] }),
      warned: t.Integer({ minimum: 0, description: "Events that were accepted nevertheless.", examples: [0] }),
    },
    { title: "SchemaViolations", description: "Events of the last 24 hours whose data did not match the schema." },
  ),
  schema: DataSchemaView,
  example: t.Nullable(EventData),
  examples: Examples,
};
export const TypeView = t.Object(typeView, { title: "EventType" });
export const TypeListView = t.ListOf(TypeView);
export const TypeListQuery = t.Object(
  {
    archived: t.Optional(t.Boolean({ description: "Whether to return the archived types instead." })),
    ...t.WholeQuery,
  },
  t.strict,
);
export const TypeDetail = t.Object(
  {
    ...typeView,
    reacts: t.Array(SubscriberRef, { description: "The subscribers that would react now, in order." }),
    sample: t.Nullable(
      t.Object(
        { event_id: t.WireId("evt"), data: EventData },
        {
          title: "EventSample",
          description:
            "The last event of this type among the newest 1000 events of the environment, with its secrets redacted.",
        },
      ),
    ),
  },
  { title: "EventTypeDetail" },
);
export const VersionView = t.Object(
  {
    object: t.OneOf(["event_type_version"]),
    name: t.StringExample("parcel.scanned"),
    version: t.Integer({ minimum: 1, examples: [2] }),
    current: t.Boolean({ description: "Whether it is the current version." }),
    created_at: t.Timestamp,
    schema: DataSchemaView,
    examples: Examples,
  },
  { title: "EventTypeVersion" },
);
export const VersionListView = t.ListOf(VersionView);
export const VersionListQuery = t.Object(t.PageQuery, t.strict);
