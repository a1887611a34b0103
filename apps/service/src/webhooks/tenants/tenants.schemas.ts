import { t } from "../../lib/lib.ts";
import { Metadata } from "../../events/events.ts";
import { PHASES } from "./deletion-phases.ts";

const count = (description: string, example: number) => t.Integer({ minimum: 0, description, examples: [example] });
const capped = (description: string) =>
  t.Object(
    {
      count: count("The number.", 420),
      capped: t.Boolean({ description: "Whether the actual number is higher than `count`." }),
    },
    { description },
  );
const { created_at: _createdAt, ...scopeFields } = t.ownershipFields;

export const TenantParams = t.Object({ tenant: t.Tenant("The tenant, by your own id.") });
export const TenantListQuery = t.Object(t.PageQuery, t.strict);

export const TenantDeletionView = t.Object(
  {
    id: t.WireId("job"),
    object: t.OneOf(["tenant_deletion"]),
    state: t.OneOf(["running", "finished"]),
    phase: t.Nullable(t.OneOf(PHASES, "What is deleted at this moment. Null once the deletion has finished.")),
    removed: t.Object(
      {
        keys: count("Keys that were revoked.", 1),
        endpoints: count("Webhook endpoints that were deleted.", 2),
        sources: count("Sources that were deleted.", 0),
        scheduled_events: count("Scheduled events that were deleted.", 0),
        deliveries: count("Deliveries whose requests and responses were removed from the log.", 420),
        receipts: count("Receipts whose payload was removed.", 0),
        events: count("Events that were deleted.", 210),
      },
      { title: "TenantObjects", description: "What was removed so far." },
    ),
    created_at: t.Timestamp,
    ended_at: t.Nullable(t.Timestamp),
  },
  { title: "TenantDeletion" },
);

export const TenantView = t.Object(
  {
    object: t.OneOf(["tenant"]),
    tenant: t.Tenant("The tenant, by your own id."),
    name: t.StringExample("Acme, Inc.", "The name for people. Default: the tenant."),
    uid: t.Nullable(
      t.StringExample("acme", "Another name of the tenant, which the Svix-compatible API accepts. Null: none."),
    ),
    metadata: Metadata,
    external_ref: t.Nullable(
      t.StringExample(
        "app_1srOrx2ZWZBpBUvZwXKQmoEYga2",
        "The id that the tenant had in the product that it was imported from. Null: it was not imported.",
      ),
    ),
    endpoints: count("The webhook endpoints of the tenant.", 2),
    sources: count("The sources of the tenant.", 0),
    keys: count("The keys of the tenant that were not revoked.", 1),
    contact_email: t.Nullable(
      t.StringExample(
        "ops@acme.example",
        "The address that gets an e-mail when an endpoint of the tenant fails or is disabled. Portal sessions set it. Null: none.",
      ),
    ),
    events_24h: capped("The events of the last 24 hours, counted up to 10 000."),
    failures_24h: capped(
      "The deliveries to the tenant's endpoints that failed in the last 24 hours, among the newest 100 000 of the workspace.",
    ),
    last_seen_at: t.Nullable(t.Timestamp),
    usage_path: t.StringExample(
      "/v1/usage/series?tenant=acme",
      "The path of the tenant's usage by hour. `/v1/usage` has it by day.",
    ),
    deletion: t.Nullable(TenantDeletionView),
    ...scopeFields,
  },
  { title: "Tenant" },
);
export const TenantPatch = t.Object(
  {
    name: t.Optional(t.StringExample("Acme, Inc.", { ...t.readable, minLength: 1, maxLength: 256 })),
    uid: t.Optional(
      t.Nullable(t.Tenant("Another name of the tenant, which the Svix-compatible API accepts. Null: none.")),
    ),
    metadata: t.Optional(Metadata),
  },
  { ...t.strict, minProperties: 1, title: "TenantChange" },
);
export const TenantListView = t.ListOf(TenantView);
