import { isSystem, selectsEvent } from "../../events/events.ts";
import type { MatchedEvent } from "../../events/events.ts";
import type { Tag } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import { isPinnedVersion } from "./pinned-versions.ts";
import { isItsOwnNews } from "./select-endpoints.ts";
import { subscriptionsOf } from "./tenant-patterns.ts";

/** The facts of one event, given or stored, that decide besides the filter whether an endpoint may get it. */
export interface ReachingEvent {
  readonly scope: { readonly tag: Tag };
  readonly name: string;
  readonly tenant: string | null;
  readonly subject: string | null;
  readonly internal?: boolean;
  readonly version: Pick<MatchedEvent, "canonical" | "typeVersion">;
}

/** The reason why an endpoint does not get an event, as the checks of an explanation name it. */
export type Barrier = "tenant" | "events" | "version";

/** Returns the first barrier between a past event and an endpoint; undefined if there is none. */
export function barrierOf(row: EndpointRow, event: ReachingEvent): Barrier | undefined {
  if (!takesTenant(row, event)) return "tenant";
  if (!selects(row, event)) return "events";
  return isOfVersion(row, event) ? undefined : "version";
}

/** An endpoint without a tenant gets the events of all. One with a tenant gets none about the workspace's own work. */
export function takesTenant(row: EndpointRow, { tenant, internal }: ReachingEvent): boolean {
  return row.tenant === null || (row.tenant === tenant && internal !== true);
}

export function selects(row: EndpointRow, event: ReachingEvent): boolean {
  return selectsEvent(subscriptionsOf(row), event.name) && !isItsOwnNews(row.id, event) && !isOfOneWebhook(event);
}

/** Returns true for the event that a rule or a workflow makes for one webhook of its own, to which no endpoint subscribes. */
function isOfOneWebhook({ name, internal }: ReachingEvent): boolean {
  return internal === true && !isSystem(name);
}

export function isOfVersion({ event_versions: versions }: EndpointRow, { name, version }: ReachingEvent): boolean {
  const pinned = versions !== null && Object.hasOwn(versions, name) ? Number(versions[name]) : null;
  return isPinnedVersion(pinned, version);
}
