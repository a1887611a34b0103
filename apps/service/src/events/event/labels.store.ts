import { arrayText, bulk, defineDependentPart, ofTenant, sql } from "../../platform/db/db.ts";
import type { Query, RequestRow, Selectable, Tables } from "../../platform/db/db.ts";
import type { TenantKey, Uuid } from "../../lib/lib.ts";
import type { Event } from "./event.ts";

export type LabelRow = Selectable<Tables["event_label"]>;

/** The index whose violation means that another event has the caller's own id. Citus adds the number of a shard. */
export const LABEL_UID = "event_label_uid";

interface Labelled extends RequestRow {
  readonly event: Pick<Event, "scope" | "id" | "tenant" | "labels">;
}

/** Writes the labels of events, together with their requests. */
export const labelPart = defineDependentPart<Labelled>({
  name: "event_label",
  columns: [
    bulk("bucket", "smallint", ({ event }) => event.scope.bucket),
    bulk("tag", "text", ({ event }) => event.scope.tag),
    bulk("event_id", "uuid", ({ event }) => event.id),
    bulk("tenant", "text", ({ event }) => event.tenant),
    bulk("uid", "text", ({ event }) => event.labels?.uid ?? null),
    bulk("channels", "text", ({ event }) => arrayText(event.labels?.channels ?? null), "text[]"),
    bulk("tags", "text", ({ event }) => arrayText(event.labels?.tags ?? null), "text[]"),
    bulk("metadata", "text", ({ event }) => event.labels?.metadata ?? null),
  ],
  // A scheduled event has its labels since it was accepted.
  text: ({ rows, names, selected }) => `labels as (insert into event_label (${names})
      select ${selected("l")} from ${rows("l")}
      on conflict (bucket, tag, event_id) do nothing)`,
});

export async function labelsOf(
  query: Query,
  place: TenantKey,
  eventIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, LabelRow>> {
  if (eventIds.length === 0) return new Map();
  const rows = await query
    .selectFrom("event_label")
    .selectAll()
    .$call(ofTenant(place))
    .where("event_id", "in", [...eventIds])
    .execute();
  return new Map(rows.map((row) => [row.event_id, row]));
}

/** The id that a caller gave an event of a tenant, or of the workspace itself. */
export interface UidOf {
  readonly tenant: string | null;
  readonly uid: string;
}

/** Returns the events of these ids, in any order. */
export async function eventsOfUids(query: Query, place: TenantKey, uids: readonly UidOf[]): Promise<Uuid[]> {
  if (uids.length === 0) return [];
  const { rows } = await sql<{ event_id: Uuid }>`select l.event_id
    from unnest(${uids.map(({ tenant }) => tenant ?? "")}::text[], ${uids.map(({ uid }) => uid)}::text[]) as w (tenant, uid)
    join event_label l on l.bucket = ${place.bucket} and l.tag = ${place.tag} and coalesce(l.tenant, '') = w.tenant and l.uid = w.uid`.execute(
    query,
  );
  return rows.map((row) => row.event_id);
}

/** Deletes the labels of events that are deleted. */
export async function deleteLabels(query: Query, place: TenantKey, eventIds: readonly Uuid[]): Promise<void> {
  if (eventIds.length > 0)
    await query
      .deleteFrom("event_label")
      .$call(ofTenant(place))
      .where("event_id", "in", [...eventIds])
      .execute();
}
