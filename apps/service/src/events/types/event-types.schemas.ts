import {
  ListOf,
  Nullable,
  OneOf,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WholeQuery,
  WireId,
} from "../../lib/lib.ts";
import { EVENT_NAME_MAX_LENGTH } from "../catalogue/catalogue.ts";
import { EventData, SubscriberRef } from "../event/event.schemas.ts";
import { MAX_EXAMPLES } from "./type-state.ts";

export const NameParams = Type.Object({
  name: StringExample("order.created", { description: "The name of an event type." }),
});

const TypeName = Type.String({
  minLength: 1,
  maxLength: EVENT_NAME_MAX_LENGTH,
  description: "The name of the events.",
  examples: ["parcel.scanned"],
});
const DataSchemaView = Nullable(
  Type.Unsafe<object>({
    type: "object",
    additionalProperties: true,
    description:
      "The JSON Schema (2020-12) of `data`. Canonical types use the dialect of OpenAPI 3.0.3. Null: any data.",
    examples: [{ type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] }],
  }),
);
const Examples = Type.Array(EventData, { maxItems: MAX_EXAMPLES, description: "Examples of `data`." });
/** The maximum number of types in one set. */
const MAX_SET = 500;
const Violation = Type.Object(
  {
    pointer: StringExample("/schema/required", { description: "An RFC 6901 pointer into the type." }),
    code: StringExample("narrowed"),
    message: StringExample('must not add "weight"'),
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
  title: Type.Optional(StringExample("Parcel scanned", { maxLength: 200, description: "A short title." })),
  description: Type.Optional(
    StringExample("A parcel passed a scanner.", { maxLength: 5000, description: "Says when the event is fired." }),
  ),
  enforcement: Type.Optional(OneOf(ENFORCEMENTS, enforcementText)),
  visibility: Type.Optional(OneOf(VISIBILITIES, visibilityText)),
  deprecated: Type.Optional(Type.Boolean({ description: "Whether receivers should stop using the event type." })),
};
const data = {
  schema: Type.Optional(
    Nullable(
      Type.Unsafe<object>({
        type: "object",
        additionalProperties: true,
        description:
          "A JSON Schema (2020-12) of `data`: at most 64 KiB and 32 schemas deep, with references within the schema only and without cycles. Patterns have the syntax of RE2.",
        examples: [{ type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] }],
      }),
    ),
  ),
  examples: Type.Optional(Examples),
};

export const TypeBody = Type.Object({ name: TypeName, ...described, ...data }, { ...strict, title: "NewEventType" });
export const TypePatch = Type.Object({ ...described, ...data }, { ...strict, title: "EventTypePatch" });
export const VersionBody = Type.Object(data, { ...strict, title: "NewEventTypeVersion" });

export const SetBody = Type.Object(
  {
    types: Type.Array(
      Type.Object(
        {
          name: TypeName,
          version: Type.Optional(
            Type.Integer({
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
        { ...strict, title: "EventTypeOfSet" },
      ),
      { maxItems: MAX_SET },
    ),
    prune: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to archive your own types that are not in the set." }),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: "Whether to only return the changes." })),
  },
  { ...strict, title: "EventTypeSet" },
);
const Names = (description: string) => Type.Array(TypeName, { description });
export const SetView = Type.Object(
  {
    object: OneOf(["event_type_changes"]),
    dry_run: Type.Boolean(),
    create: Names("The types that are created, or taken out of the archive."),
    update: Names("The types that change."),
    archive: Names("The types that are archived."),
    incompatible: Type.Array(
      Type.Object(
        { name: TypeName, errors: Type.Array(Violation) },
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
  object: OneOf(["event_type"]),
  name: StringExample("order.created"),
  domain: StringExample("commerce", {
    description: "The domain of a canonical event; otherwise `system` or `custom`.",
  }),
  title: StringExample("Order created"),
  description: StringExample("A customer placed an order."),
  origin: OneOf(
    ["canonical", "custom", "system"],
    "`canonical`: from the catalog. `custom`: your own. `system`: fired by the service.",
  ),
  canonical: Type.Boolean(),
  system: Type.Boolean(),
  enforcement: OneOf(ENFORCEMENTS, enforcementText),
  visibility: OneOf(VISIBILITIES, visibilityText),
  version: Type.Integer({ minimum: 1, description: "The current version.", examples: [1] }),
  deprecated_at: Nullable(Timestamp),
  archived_at: Nullable(Timestamp),
  last_seen_at: Nullable(
    Type.String({
      format: "date-time",
      description:
        "The beginning of the last hour in which the event occurred in the caller's environment. Null if that is more than 7 days ago.",
    }),
  ),
  violations_24h: Type.Object(
    {
      refused: Type.Integer({ minimum: 0, description: "Events that were refused.", examples: [0] }),
      warned: Type.Integer({ minimum: 0, description: "Events that were accepted nevertheless.", examples: [0] }),
    },
    { title: "SchemaViolations", description: "Events of the last 24 hours whose data did not match the schema." },
  ),
  schema: DataSchemaView,
  example: Nullable(EventData),
  examples: Examples,
};
export const TypeView = Type.Object(typeView, { title: "EventType" });
export const TypeListView = ListOf(TypeView);
export const TypeListQuery = Type.Object(
  {
    archived: Type.Optional(Type.Boolean({ description: "Whether to return the archived types instead." })),
    ...WholeQuery,
  },
  strict,
);
export const TypeDetail = Type.Object(
  {
    ...typeView,
    reacts: Type.Array(SubscriberRef, { description: "The subscribers that would react now, in order." }),
    sample: Nullable(
      Type.Object(
        { event_id: WireId("evt"), data: EventData },
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
export const VersionView = Type.Object(
  {
    object: OneOf(["event_type_version"]),
    name: StringExample("parcel.scanned"),
    version: Type.Integer({ minimum: 1, examples: [2] }),
    current: Type.Boolean({ description: "Whether it is the current version." }),
    created_at: Timestamp,
    schema: DataSchemaView,
    examples: Examples,
  },
  { title: "EventTypeVersion" },
);
export const VersionListView = ListOf(VersionView);
export const VersionListQuery = Type.Object(PageQuery, strict);
