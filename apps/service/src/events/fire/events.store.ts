import {
  arrayText,
  bulk,
  defineDependentPart,
  defineFreshPart,
  ofTenant,
  pageRows,
  sql,
} from "../../platform/db/db.ts";
import type { Query, Selectable, Tables } from "../../platform/db/db.ts";
import { toDate } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { EventCommit } from "./event.ts";

/** An event is committed at most this long after its id was made. Until then, an earlier one can still appear. */
export const COMMIT_MS = 30_000;

export type EventRow = Selectable<Tables["event"]>;

/** The only request of a statement, which is written unconditionally. */
export const oneRequest = defineFreshPart({ name: "one", text: () => "fresh as (select 1::bigint as at)" })([]);

/** Writes the events of a commit. */
export const eventPart = defineDependentPart<Pick<EventCommit, "event" | "request">>({
  name: "event",
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("id", "uuid", ({ event }) => event.id),
    bulk("name", "text", ({ event }) => event.name),
    bulk("canonical", "boolean", ({ event }) => event.canonical),
    bulk("data", "text", ({ event }) => event.data),
    bulk("occurred_at", "timestamptz", ({ event }) => toDate(event.occurredAt)),
    bulk("subject", "text", ({ event }) => event.subject),
    bulk("chain", "text", ({ event }) => arrayText(event.chain.length === 0 ? null : event.chain), "uuid[]"),
    bulk("traceparent", "text", ({ event }) => event.traceparent),
    bulk("type_version", "smallint", ({ event }) => event.typeVersion),
    bulk("tenant", "text", ({ event }) => event.tenant),
    bulk("internal", "boolean", ({ event }) => event.isInternal),
    bulk("schema_errors", "text", ({ event: { schemaErrors } }) =>
      schemaErrors === null ? null : JSON.stringify(schemaErrors),
    ),
  ],
  extras: [bulk("request", "bigint", ({ request }) => request)],
  text: ({ rows, names, selected }) => `events as (insert into event (${names})
      select ${selected("e")} from ${rows("e")} join fresh on fresh.at = e.request)`,
});

export interface EventFilter {
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
  readonly tenant?: string | undefined;
  /** True for a tenant, which does not see the events about the workspace's own work. */
  readonly withoutInternal?: boolean;
  /** The smallest id that is late enough. */
  readonly from?: Uuid | undefined;
  readonly to?: Uuid | undefined;
  readonly before?: Uuid | undefined;
}

export async function listEvents(
  query: Query,
  scope: { bucket: number; tag: Tag },
  filter: EventFilter,
  limit: number,
): Promise<EventRow[]> {
  let rows = query.selectFrom("event").selectAll().$call(ofTenant(scope));
  if (filter.event !== undefined) rows = rows.where("name", "=", filter.event);
  if (filter.subject !== undefined) rows = rows.where("subject", "=", filter.subject);
  if (filter.tenant !== undefined) rows = rows.where("tenant", "=", filter.tenant);
  if (filter.withoutInternal === true) rows = rows.where("internal", "=", false);
  if (filter.from !== undefined) rows = rows.where("id", ">=", filter.from);
  if (filter.to !== undefined) rows = rows.where("id", "<", filter.to);
  if (filter.before !== undefined) rows = rows.where("id", "<", filter.before);
  return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["data"] });
}

/** A part of a tenant's events: those before an id, newest first, or those after it. */
export interface EventSpan {
  readonly tenant: string;
  readonly before?: Uuid | undefined;
  readonly after?: Uuid | undefined;
  readonly names?: readonly string[] | undefined;
  /** Only events with these labels. */
  readonly channel?: string | undefined;
  readonly tag?: string | undefined;
  readonly limit: number;
}

/** Returns events of a tenant, without those about the workspace's own work. The newest ones come first. */
export async function eventsOfTenant(
  query: Query,
  scope: { bucket: number; tag: Tag },
  { tenant, before, after, names, channel, tag, limit }: EventSpan,
): Promise<EventRow[]> {
  let rows = query.selectFrom("event").selectAll().$call(ofTenant(scope)).where("tenant", "=", tenant);
  rows = rows.where("internal", "=", false);
  if (names !== undefined) rows = rows.where("name", "in", [...names]);
  if (before !== undefined) rows = rows.where("id", "<", before);
  if (after !== undefined) rows = rows.where("id", ">", after);
  const labelled = (label: ReturnType<typeof sql<boolean>>) => sql<boolean>`exists (select from event_label l
    where l.bucket = ${scope.bucket} and l.tag = ${scope.tag} and l.event_id = event.id and ${label})`;
  if (channel !== undefined) rows = rows.where(labelled(sql`${channel} = any(l.channels)`));
  if (tag !== undefined) rows = rows.where(labelled(sql`${tag} = any(l.tags)`));
  if (after === undefined || before !== undefined)
    return await pageRows(query, rows.orderBy("id", "desc"), { limit, large: ["data"] });
  return (await pageRows(query, rows.orderBy("id"), { limit, large: ["data"] })).toReversed();
}

/** The ids of events, of one name or of all names, as an interval without its lower end. */
export interface Interval {
  readonly name: string | null;
  readonly after: Uuid;
  readonly to: Uuid;
  /** Only events of this tenant; null: only those without one; undefined: all. */
  readonly tenant: string | null | undefined;
}

/** Returns the earliest events first. */
export async function eventsBetween(
  query: Query,
  scope: { bucket: number; tag: Tag },
  { name, after, to, tenant }: Interval,
  limit: number,
): Promise<Pick<EventRow, "id" | "name" | "data" | "tenant">[]> {
  let rows = query
    .selectFrom("event")
    .select(["id", "name", "data", "tenant"])
    .$call(ofTenant(scope))
    .where("id", ">", after)
    .where("id", "<=", to)
    .orderBy("id")
    .limit(limit);
  if (tenant !== undefined) rows = rows.where("tenant", tenant === null ? "is" : "=", tenant);
  return await (name === null ? rows : rows.where("name", "=", name)).execute();
}

/** The part of an event that is read before its data. */
export interface EventHead {
  readonly id: Uuid;
  readonly name: string;
  /** The size of the data, which PostgreSQL knows without reading it. */
  readonly bytes: number;
}

/** Returns the earliest events after an id first, without their data; for a tenant, those that it sees. */
export async function eventHeadsAfter(
  query: Query,
  scope: { bucket: number; tag: Tag },
  { after, tenant }: { readonly after: Uuid; readonly tenant: string | null },
  limit: number,
): Promise<EventHead[]> {
  const rows = query
    .selectFrom("event")
    .select(["id", "name", sql<number>`octet_length(data)`.as("bytes")])
    .$call(ofTenant(scope))
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit);
  return await (tenant === null ? rows : rows.where("tenant", "=", tenant).where("internal", "=", false)).execute();
}

export async function findEvent(
  query: Query,
  scope: { bucket: number; tag: Tag },
  id: Uuid,
): Promise<EventRow | undefined> {
  return await query.selectFrom("event").selectAll().$call(ofTenant(scope)).where("id", "=", id).executeTakeFirst();
}

/** The number of events among which the last one of a name is searched. There is no index by name. */
const MOST_SEARCHED = 1000;

/** Returns the last event of a name among the tenant's newest events. */
export async function lastOfName(
  query: Query,
  scope: { bucket: number; tag: Tag },
  name: string,
): Promise<Pick<EventRow, "id" | "data"> | undefined> {
  const newest = query
    .selectFrom("event")
    .select(["id", "name", "data"])
    .$call(ofTenant(scope))
    .orderBy("id", "desc")
    .limit(MOST_SEARCHED);
  return await query
    .selectFrom(newest.as("e"))
    .select(["e.id", "e.data"])
    .where("e.name", "=", name)
    .orderBy("e.id", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function findEvents(
  query: Query,
  bucket: number,
  places: readonly { readonly tag: Tag; readonly id: Uuid }[],
): Promise<EventRow[]> {
  if (places.length === 0) return [];
  return await query
    .selectFrom("event")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("tag", "in", [...new Set(places.map(({ tag }) => tag))])
    .where(
      "id",
      "in",
      places.map(({ id }) => id),
    )
    .execute();
}
