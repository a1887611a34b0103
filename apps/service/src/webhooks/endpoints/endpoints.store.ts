import type { TenantKey, Uuid } from "../../lib/lib.ts";
import { lockName, matching, newestFirst, ofTenant, sql } from "../../platform/db/db.ts";
import type { Db, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";

export type EndpointRow = Selectable<Tables["endpoint"]>;

/** Reads the addresses and signing secrets of a batch of endpoints. Hot, and never cached. */
const TARGETS: HotStatement = {
  name: "endpoint_targets",
  text: `select e.*, c.owner, coalesce(c.awaits, false) as awaits, coalesce(c.secret_sealed, e.secret_sealed) as secret_sealed,
      coalesce(c.previous_secret_sealed, e.previous_secret_sealed) as previous_secret_sealed,
      coalesce(c.previous_expires_at, e.previous_expires_at) as previous_expires_at
    from unnest($1::smallint[], $2::text[], $3::uuid[]) as w (bucket, tag, id)
    join endpoint e on e.bucket = w.bucket and e.tag = w.tag and e.id = w.id
    left join channel c on c.workspace_id = e.workspace_id and c.id = e.channel_id`,
};

/** An endpoint with the secrets that sign its requests: its channel's, or its own. */
export interface TargetRow extends EndpointRow {
  /** The owner of its channel; null for an endpoint of a caller. */
  readonly owner: string | null;
  readonly awaits: boolean;
}

export async function endpointTargets(db: Db, keys: readonly (TenantKey & { id: Uuid })[]): Promise<TargetRow[]> {
  return await db.hot<TargetRow & Record<string, unknown>>(TARGETS, [
    keys.map((key) => key.bucket),
    keys.map((key) => key.tag),
    keys.map((key) => key.id),
  ]);
}

export interface EndpointInsert extends TenantKey {
  readonly id: Uuid;
  readonly workspace_id: Uuid;
  readonly kind?: string;
  /** Null: the host of the URL. */
  readonly name?: string | null;
  /** Empty for kind `pull`, and the address of a broker for its kinds. */
  readonly url: string;
  /** JSON text of what a broker needs. */
  readonly destination?: string | null;
  readonly events: string[];
  readonly active: boolean;
  readonly description: string;
  readonly secret_sealed: Buffer | null;
  readonly headers: string;
  readonly headers_sealed: Buffer | null;
  readonly rate_limit_per_second: number | null;
  readonly max_in_flight: number;
  readonly tenant?: string | null;
  /** JSON text of a condition. Without it, the endpoint gets every event that it subscribes to. */
  readonly filter?: string | null;
  readonly wire?: string | null;
  readonly channels?: string[] | null;
  /** JSON text of an object. */
  readonly metadata?: string | null;
  readonly uid?: string | null;
  /** The id that the endpoint had in the product that it was imported from. */
  readonly external_ref?: string | null;
  /** JSON text of a transformation. Without it, the usual body is sent. */
  readonly transform?: string | null;
  readonly transform_version?: number | null;
  /** JSON text: the versions of event types that the endpoint gets. */
  readonly event_versions?: string | null;
  readonly ordering_key?: string | null;
  readonly on_failed?: string | null;
  /** The waits between attempts in seconds. Without them, the installation's are used. */
  readonly retry_schedule?: number[] | null;
  readonly auth?: string | null;
  readonly auth_author_kind?: string | null;
  readonly auth_author_id?: Uuid | null;
  readonly certificate_expires_at?: Date | null;
  readonly certificate_noticed_at?: Date | null;
  readonly signatures?: string[] | null;
  readonly ed25519_sealed?: Buffer | null;
  readonly ed25519_public?: string | null;
  readonly previous_ed25519_sealed?: Buffer | null;
  readonly previous_ed25519_public?: string | null;
  /** The member or key that created the secret. Without it, only owners see the secret. */
  readonly secret_maker_kind?: string;
  readonly secret_maker_id?: Uuid;
  /**
   * The channel that the endpoint belongs to. Without it, the endpoint belongs to a caller and subscribes to events.
   */
  readonly channel_id?: Uuid;
  /** The key of the client that subscribes. Without it, the endpoint has no end. */
  readonly subscriber_key_id?: Uuid;
  readonly ends_at?: Date;
  readonly subscriber_lineage_id?: Uuid;
  /** The id that an AI client has for its subscription. */
  readonly subscription_id?: string;
  readonly subscription_arguments?: string;
  readonly callback_verified_at?: Date;
  readonly inactive_since?: Date;
}

export async function insertEndpoint(query: Query, endpoint: EndpointInsert): Promise<EndpointRow> {
  return await query.insertInto("endpoint").values(endpoint).returningAll().executeTakeFirstOrThrow();
}

/** Returns an endpoint of a caller. */
export async function findEndpoint(query: Query, place: TenantKey, id: Uuid): Promise<EndpointRow | undefined> {
  const row = await findAnyEndpoint(query, place, id);
  return row?.channel_id === null ? row : undefined;
}

export async function findAnyEndpoint(query: Query, place: TenantKey, id: Uuid): Promise<EndpointRow | undefined> {
  return await query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** Returns an endpoint of a caller, and locks it until the transaction ends. */
export async function holdEndpoint(tx: Tx, place: TenantKey, id: Uuid): Promise<EndpointRow | undefined> {
  return await tx.query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

export interface EndpointRange {
  readonly tenant?: string | undefined;
  readonly before: Uuid | undefined;
}

export async function listEndpoints(
  query: Query,
  place: TenantKey,
  { tenant, before }: EndpointRange,
  limit: number,
): Promise<EndpointRow[]> {
  return await query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .$call(matching({ tenant }))
    .$call(newestFirst({ before }))
    .limit(limit)
    .execute();
}

/** Returns the endpoints of the workspace itself, without those of tenants and of clients' subscriptions. */
export async function ownEndpoints(query: Query, place: TenantKey): Promise<EndpointRow[]> {
  return await query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("channel_id", "is", null)
    .where("subscriber_key_id", "is", null)
    .where("tenant", "is", null)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
}

export type EndpointKey = TenantKey & { readonly id: Uuid };

/** Returns the customer that an endpoint belongs to; null for an endpoint of the workspace, and for none. */
export async function tenantOfEndpoint(query: Query, { id, ...place }: EndpointKey): Promise<string | null> {
  const row = await query
    .selectFrom("endpoint")
    .select("tenant")
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.tenant ?? null;
}

/** Returns the own waits of an endpoint in seconds, also of a deleted one. */
export async function waitsOfEndpoint(
  query: Query,
  { id, ...place }: EndpointKey,
): Promise<Pick<EndpointRow, "retry_schedule"> | undefined> {
  return await query
    .selectFrom("endpoint")
    .select("retry_schedule")
    .$call(ofTenant(place))
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Serializes the creations of an environment until the transaction ends. */
export async function lockCreation(tx: Tx, { tag }: TenantKey): Promise<void> {
  await lockName(tx, `endpoints ${tag}`);
}

/** Counts the endpoints of one tenant, or the workspace's own, up to `most`. */
export async function countEndpoints(
  query: Query,
  { tenant, ...place }: TenantKey & { readonly tenant: string | null },
  most: number,
): Promise<number> {
  const rows = query
    .selectFrom("endpoint")
    .select("id")
    .$call(ofTenant(place))
    .where("tenant", tenant === null ? "is" : "=", tenant)
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .limit(most);
  const { count } = await query
    .selectFrom(rows.as("e"))
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the size in bytes of the different filters of callers' endpoints. */
export async function sizeOfFilters(query: Query, place: TenantKey): Promise<number> {
  const filters = query
    .selectFrom("endpoint")
    .select("filter")
    .distinct()
    .$call(ofTenant(place))
    .where("filter", "is not", null)
    .where("deleted_at", "is", null);
  const { size } = await query
    .selectFrom(filters.as("f"))
    .select(sql<number>`coalesce(sum(octet_length(f.filter)), 0)::float8`.as("size"))
    .executeTakeFirstOrThrow();
  return size;
}

export async function endpointsById(query: Query, place: TenantKey, ids: readonly Uuid[]): Promise<EndpointRow[]> {
  return await query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(place))
    .where("id", "in", [...ids])
    .where("deleted_at", "is", null)
    .execute();
}

/**
 * Returns every endpoint, including those of rules and workflows, that refers to the inbox or whose URL ends like the
 * inbox's. The token contains only letters and digits.
 */
export async function endpointsOfInbox(
  query: Query,
  place: TenantKey,
  { token, reference }: { readonly token: string; readonly reference: string },
): Promise<TargetRow[]> {
  return await query
    .selectFrom("endpoint as e")
    .leftJoin("channel as c", (join) =>
      join.onRef("c.workspace_id", "=", "e.workspace_id").onRef("c.id", "=", "e.channel_id"),
    )
    .selectAll("e")
    .select(({ fn, ref, val }) => [
      "c.owner",
      fn.coalesce("c.awaits", val(false)).as("awaits"),
      fn.coalesce("c.secret_sealed", ref("e.secret_sealed")).as("secret_sealed"),
      fn.coalesce("c.previous_secret_sealed", ref("e.previous_secret_sealed")).as("previous_secret_sealed"),
      fn.coalesce("c.previous_expires_at", ref("e.previous_expires_at")).as("previous_expires_at"),
    ])
    .where("e.bucket", "=", place.bucket)
    .where("e.tag", "=", place.tag)
    .where(({ or, eb }) => or([eb("e.url", "=", reference), eb("e.url", "like", `%/inbox/${token}`)]))
    .where("e.deleted_at", "is", null)
    .execute();
}

export type EndpointChange = Partial<
  Pick<
    EndpointInsert,
    | "url"
    | "destination"
    | "events"
    | "active"
    | "description"
    | "headers"
    | "headers_sealed"
    | "rate_limit_per_second"
    | "max_in_flight"
    | "filter"
    | "wire"
    | "channels"
    | "metadata"
    | "uid"
    | "transform"
    | "transform_version"
    | "event_versions"
    | "ordering_key"
    | "on_failed"
    | "retry_schedule"
    | "auth"
    | "auth_author_kind"
    | "auth_author_id"
    | "certificate_expires_at"
    | "certificate_noticed_at"
    | "signatures"
    | "ed25519_sealed"
    | "ed25519_public"
    | "previous_ed25519_sealed"
    | "previous_ed25519_public"
    | "secret_sealed"
    | "secret_maker_kind"
    | "secret_maker_id"
    | "subscriber_key_id"
    | "ends_at"
    | "callback_verified_at"
  >
> & {
  previous_secret_sealed?: Buffer | null;
  previous_expires_at?: Date | null;
  failing_since?: Date | null;
  disabled_reason?: string | null;
  inactive_since?: Date | null;
};

export async function changeEndpoint(
  query: Query,
  place: TenantKey,
  id: Uuid,
  change: EndpointChange,
): Promise<EndpointRow | undefined> {
  return await query
    .updateTable("endpoint")
    .set(change)
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** Disables an endpoint on behalf of the service. Returns false if it was already inactive. */
export async function disableEndpoint(
  tx: Tx,
  place: TenantKey & { id: Uuid },
  reason: string,
  now: Date,
): Promise<boolean> {
  const result = await tx.query
    .updateTable("endpoint")
    .set({ active: false, disabled_reason: reason, inactive_since: now })
    .$call(ofTenant(place))
    .where("id", "=", place.id)
    .where("active", "=", true)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks the endpoint deleted; its log is kept. */
export async function deleteEndpoint(tx: Tx, place: TenantKey, id: Uuid, now: Date): Promise<boolean> {
  const result = await tx.query
    .updateTable("endpoint")
    .set({ deleted_at: now, active: false })
    .$call(ofTenant(place))
    .where("id", "=", id)
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
