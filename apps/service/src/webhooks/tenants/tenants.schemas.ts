import {
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  readable,
  strict,
  StringExample,
  Tenant,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { Metadata } from "../../events/events.ts";
import { PHASES } from "./deletion-phases.ts";

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });
const capped = (description: string) =>
  Type.Object(
    {
      count: count("The number.", 420),
      capped: Type.Boolean({ description: "Whether the actual number is higher than `count`." }),
    },
    { description },
  );
const { created_at: _createdAt, ...scopeFields } = ownershipFields;

export const TenantParams = Type.Object({ tenant: Tenant("The tenant, by your own id.") });
export const TenantListQuery = Type.Object(PageQuery, strict);

export const TenantDeletionView = Type.Object(
  {
    id: WireId("job"),
    object: OneOf(["tenant_deletion"]),
    state: OneOf(["running", "finished"]),
    phase: Nullable(OneOf(PHASES, "What is deleted at this moment. Null once the deletion has finished.")),
    removed: Type.Object(
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
    created_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: "TenantDeletion" },
);

export const TenantView = Type.Object(
  {
    object: OneOf(["tenant"]),
    tenant: Tenant("The tenant, by your own id."),
    name: StringExample("Acme, Inc.", { description: "The name for people. Default: the tenant." }),
    uid: Nullable(
      StringExample("acme", {
        description: "Another name of the tenant, which the Svix-compatible API accepts. Null: none.",
      }),
    ),
    metadata: Metadata,
    external_ref: Nullable(
      StringExample("app_1srOrx2ZWZBpBUvZwXKQmoEYga2", {
        description: "The id that the tenant had in the product that it was imported from. Null: it was not imported.",
      }),
    ),
    endpoints: count("The webhook endpoints of the tenant.", 2),
    sources: count("The sources of the tenant.", 0),
    keys: count("The keys of the tenant that were not revoked.", 1),
    contact_email: Nullable(
      StringExample("ops@acme.example", {
        description:
          "The address that gets an e-mail when an endpoint of the tenant fails or is disabled. Portal sessions set it. Null: none.",
      }),
    ),
    events_24h: capped("The events of the last 24 hours, counted up to 10 000."),
    failures_24h: capped(
      "The deliveries to the tenant's endpoints that failed in the last 24 hours, among the newest 100 000 of the workspace.",
    ),
    last_seen_at: Nullable(Timestamp),
    usage_path: StringExample("/v1/usage/series?tenant=acme", {
      description: "The path of the tenant's usage by hour. `/v1/usage` has it by day.",
    }),
    deletion: Nullable(TenantDeletionView),
    ...scopeFields,
  },
  { title: "Tenant" },
);
export const TenantPatch = Type.Object(
  {
    name: Type.Optional(StringExample("Acme, Inc.", { ...readable, minLength: 1, maxLength: 256 })),
    uid: Type.Optional(
      Nullable(Tenant("Another name of the tenant, which the Svix-compatible API accepts. Null: none.")),
    ),
    metadata: Type.Optional(Metadata),
  },
  { ...strict, minProperties: 1, title: "TenantChange" },
);
export const TenantListView = ListOf(TenantView);
