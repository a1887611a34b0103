import { Channels, EventName, Metadata } from "../../events/events.ts";
import { t } from "../../lib/lib.ts";

/** The products that `junction import` reads. */
export const SOURCES = ["svix", "convoy", "outpost", "csv"] as const;

const Ref = (what: string, example: string) =>
  t.StringExample(example, {
    minLength: 1,
    maxLength: 256,
    description: `The id of the ${what} in the other product.`,
  });
const Rate = t.Nullable(t.Integer({ minimum: 1, maximum: 10_000, examples: [50] }));

const ImportedType = t.Object(
  {
    name: EventName,
    description: t.Optional(t.StringExample("An invoice was paid.", { maxLength: 2000 })),
    schema: t.Optional(
      t.Nullable(t.Unsafe<object>({ type: "object", additionalProperties: true, examples: [{ type: "object" }] })),
    ),
    deprecated: t.Optional(t.Boolean()),
  },
  { ...t.strict, title: "ImportedEventType" },
);
const ImportedApplication = t.Object(
  {
    ref: Ref("application", "app_1srOrx2ZWZBpBUvZwXKQmoEYga2"),
    uid: t.Optional(t.Nullable(t.Tenant("The name of the tenant. Null: the service chooses one."))),
    name: t.StringExample("Acme, Inc.", { minLength: 1, maxLength: 256 }),
    metadata: t.Optional(Metadata),
    rate_limit_per_second: t.Optional(Rate),
  },
  { ...t.strict, title: "ImportedApplication" },
);
const ImportedEndpoint = t.Object(
  {
    ref: Ref("endpoint", "ep_2cUYMGXSAdfmUhHvSBPSsWBsvD8"),
    application: t.Optional(Ref("application", "app_1srOrx2ZWZBpBUvZwXKQmoEYga2")),
    tenant: t.Optional(t.Tenant("The tenant, if it has no `application`. Default: the workspace itself.")),
    url: t.StringExample("https://hooks.example.com/junction", { minLength: 1, maxLength: 2048 }),
    events: t.Array(t.StringExample("invoice.paid", { maxLength: 128 }), { minItems: 1, maxItems: 200 }),
    description: t.Optional(t.StringExample("Billing", { maxLength: 500 })),
    active: t.Optional(t.Boolean()),
    channels: t.Optional(Channels),
    metadata: t.Optional(Metadata),
    uid: t.Optional(t.Nullable(t.StringExample("main", { minLength: 1, maxLength: 256 }))),
    rate_limit_per_second: t.Optional(Rate),
    headers: t.Optional(
      t.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string", ...t.secret },
        examples: [{ Authorization: "Bearer 9f2c" }],
      }),
    ),
    secret: t.Optional(
      t.StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
        minLength: 1,
        maxLength: 256,
        ...t.secret,
        description: "The signing secret that its receiver knows. Default: a new one.",
      }),
    ),
    wire: t.Optional(t.OneOf(["service", "svix"], "The form of its requests. Default: `svix`.")),
  },
  { ...t.strict, title: "ImportedEndpoint" },
);

export const ImportBody = t.Object(
  {
    source: t.OneOf(SOURCES, "The product that the objects come from."),
    dry_run: t.Optional(t.Boolean({ description: "Whether to only show what would change." })),
    event_types: t.Optional(t.Array(ImportedType, { maxItems: 1000 })),
    applications: t.Optional(t.Array(ImportedApplication, { maxItems: 10_000 })),
    endpoints: t.Optional(t.Array(ImportedEndpoint, { maxItems: 10_000 })),
  },
  { ...t.strict, title: "Import" },
);

const Named = t.Object(
  {
    kind: t.OneOf(["event_type", "tenant", "endpoint"]),
    name: t.StringExample("acme", "The name of an event type, and the external id of everything else."),
  },
  { title: "ImportedObject" },
);
export const ImportView = t.Object(
  {
    object: t.OneOf(["import"]),
    source: t.OneOf(SOURCES),
    dry_run: t.Boolean(),
    create: t.Array(Named, { description: "The objects that are created." }),
    unchanged: t.Integer({ description: "The number of objects that exist already.", examples: [0] }),
    left_out: t.Array(
      t.Object(
        { ...Named.properties, reason: t.StringExample("The service does not send to its URL (not_https).") },
        { title: "LeftOutObject" },
      ),
      { description: "The objects that cannot be created, and why." },
    ),
  },
  { title: "ImportResult" },
);
