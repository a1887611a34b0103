import { selectsEvent } from "../../events/events.ts";
import type { Events, StoredEvent } from "../../events/events.ts";
import { createFilters, filterFacts, passes } from "../../webhooks/webhooks.ts";
import { after, uuidFloor, wireId } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { MOST_SEEN } from "./event-position.ts";
import type { EventPosition } from "./event-position.ts";

/** The events that a client asks for (contract, section 10). */
export interface EventSelection {
  readonly patterns: readonly string[];
  /** JSON text of a condition; null for none. */
  readonly filter: string | null;
  readonly tenant: string | null;
}

export interface FeedPage {
  readonly events: readonly StoredEvent[];
  readonly position: EventPosition;
  readonly hasMore: boolean;
}

/** The events of a workspace, for clients that ask again and again. No client misses one, and none gets one twice. */
export interface EventFeed {
  /** Returns the position of a client that begins now. */
  now(): EventPosition;
  read(scope: Scope, selection: EventSelection, from: EventPosition, limit: number): Promise<FeedPage>;
}

export interface EventFeedDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, "after">;
}

const MOST_READ = 100;
/** An event is committed at most this long after its id was made. Until then, an earlier one can still appear. */
const COMMIT_MS = 30_000;

export function createEventFeed({ clock, events }: EventFeedDeps): EventFeed {
  const filters = createFilters();
  const matches = ({ patterns, filter }: EventSelection, { row }: StoredEvent): boolean =>
    selectsEvent(patterns, row.name) &&
    passes(filters, filter, filterFacts({ name: row.name, data: row.data, tenant: row.tenant }));
  return {
    now: () => ({ after: uuidFloor(clock.now()), seen: [] }),
    async read(scope, selection, from, limit) {
      const settled = uuidFloor(after(clock.now(), -COMMIT_MS));
      const rows = await events.after(scope, { after: from.after, tenant: selection.tenant }, MOST_READ);
      const got = new Set(from.seen);
      const page: { events: StoredEvent[]; after: Uuid; seen: Uuid[] } = { events: [], after: from.after, seen: [] };
      for (const event of rows) {
        const isNew = !got.has(event.id) && matches(selection, event);
        if (isNew && (page.events.length === limit || page.seen.length === MOST_SEEN))
          return { events: page.events, position: positionAfter(page, from, settled), hasMore: true };
        if (isNew) page.events.push(event);
        if (event.id <= settled) page.after = event.id;
        else if (isNew || got.has(event.id)) page.seen.push(event.id);
      }
      return {
        events: page.events,
        position: positionAfter(page, from, settled),
        hasMore: rows.length === MOST_READ && page.after !== from.after,
      };
    },
  };
}

/** Keeps the events of the earlier position that were not read again. */
function positionAfter(
  page: { readonly after: Uuid; readonly seen: readonly Uuid[] },
  from: EventPosition,
  settled: Uuid,
): EventPosition {
  const kept = from.seen.filter((id) => id > page.after && id > settled);
  return { after: page.after, seen: [...new Set([...page.seen, ...kept])].slice(0, MOST_SEEN) };
}

/** Returns the JSON text of an event. Its data is as the caller wrote it. */
export function eventText(scope: Scope, { id, row, occurredAt }: StoredEvent): string {
  const head = {
    eventId: wireId("evt", scope.tag, id),
    name: row.name,
    timestamp: occurredAt,
    subject: row.subject,
    tenant: row.tenant,
    version: row.type_version,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${row.data}}`;
}
