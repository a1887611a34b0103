import { Channels, EventName, Metadata } from "../../events/events.ts";
import { Nullable, OneOf, secret, strict, StringExample, Tenant, Type } from "../../lib/lib.ts";

/** The products that `junction import` reads. */
export const SOURCES = ["svix", "convoy", "outpost", "csv"] as const;

const Ref = (what: string, example: string) =>
  StringExample(example, { minLength: 1, maxLength: 256, description: `The id of the ${what} in the other product.` });
const Rate = Nullable(Type.Integer({ minimum: 1, maximum: 10_000, examples: [50] }));

const ImportedType = Type.Object(
  {
    name: EventName,
    description: Type.Optional(StringExample("An invoice was paid.", { maxLength: 2000 })),
    schema: Type.Optional(
      Nullable(Type.Unsafe<object>({ type: "object", additionalProperties: true, examples: [{ type: "object" }] })),
    ),
    deprecated: Type.Optional(Type.Boolean()),
  },
  { ...strict, title: "ImportedEventType" },
);
const ImportedApplication = Type.Object(
  {
    ref: Ref("application", "app_1srOrx2ZWZBpBUvZwXKQmoEYga2"),
    uid: Type.Optional(Nullable(Tenant("The name of the tenant. Null: the service chooses one."))),
    name: StringExample("Acme, Inc.", { minLength: 1, maxLength: 256 }),
    metadata: Type.Optional(Metadata),
    rate_limit_per_second: Type.Optional(Rate),
  },
  { ...strict, title: "ImportedApplication" },
);
const ImportedEndpoint = Type.Object(
  {
    ref: Ref("endpoint", "ep_2cUYMGXSAdfmUhHvSBPSsWBsvD8"),
    application: Type.Optional(Ref("application", "app_1srOrx2ZWZBpBUvZwXKQmoEYga2")),
    tenant: Type.Optional(Tenant("The tenant, if it has no `application`. Default: the workspace itself.")),
    url: StringExample("https://hooks.example.com/junction", { minLength: 1, maxLength: 2048 }),
    events: Type.Array(StringExample("invoice.paid", { maxLength: 128 }), { minItems: 1, maxItems: 200 }),
    description: Type.Optional(StringExample("Billing", { maxLength: 500 })),
    active: Type.Optional(Type.Boolean()),
    channels: Type.Optional(Channels),
    metadata: Type.Optional(Metadata),
    uid: Type.Optional(Nullable(StringExample("main", { minLength: 1, maxLength: 256 }))),
    rate_limit_per_second: Type.Optional(Rate),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string", ...secret },
        examples: [{ Authorization: "Bearer 9f2c" }],
      }),
    ),
    secret: Type.Optional(
      StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
        minLength: 1,
        maxLength: 256,
        ...secret,
        description: "The signing secret that its receiver knows. Default: a new one.",
      }),
    ),
    wire: Type.Optional(OneOf(["service", "svix"], "The form of its requests. Default: `svix`.")),
  },
  { ...strict, title: "ImportedEndpoint" },
);

export const ImportBody = Type.Object(
  {
    source: OneOf(SOURCES, "The product that the objects come from."),
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to only show what would change." })),
    event_types: Type.Optional(Type.Array(ImportedType, { maxItems: 1000 })),
    applications: Type.Optional(Type.Array(ImportedApplication, { maxItems: 10_000 })),
    endpoints: Type.Optional(Type.Array(ImportedEndpoint, { maxItems: 10_000 })),
  },
  { ...strict, title: "Import" },
);

const Named = Type.Object(
  {
    kind: OneOf(["event_type", "tenant", "endpoint"]),
    name: StringExample("acme", { description: "The name of an event type, and the external id of everything else." }),
  },
  { title: "ImportedObject" },
);
export const ImportView = Type.Object(
  {
    object: OneOf(["import"]),
    source: OneOf(SOURCES),
    dry_run: Type.Boolean(),
    create: Type.Array(Named, { description: "The objects that are created." }),
    unchanged: Type.Integer({ description: "The number of objects that exist already.", examples: [0] }),
    left_out: Type.Array(
      Type.Object(
        { ...Named.properties, reason: StringExample("The service does not send to its URL (not_https).") },
        { title: "LeftOutObject" },
      ),
      { description: "The objects that cannot be created, and why." },
    ),
  },
  { title: "ImportResult" },
);
