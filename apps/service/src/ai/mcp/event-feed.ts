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
      const rows = await events.after(scope, { after: from.after, tenant: selection.tenant }, MOST_READ);
      const reading = { from, limit, settled: uuidFloor(after(clock.now(), -COMMIT_MS)) };
      return pageOfRows(rows, reading, (event) => matches(selection, event));
    },
  };
}

interface Reading {
  readonly from: EventPosition;
  readonly limit: number;
  /** No event before this id can still appear. */
  readonly settled: Uuid;
}

function pageOfRows(
  rows: readonly StoredEvent[],
  { from, limit, settled }: Reading,
  matches: (event: StoredEvent) => boolean,
): FeedPage {
  const got = new Set(from.seen);
  const page = { events: [] as StoredEvent[], seen: [] as Uuid[], last: from.after };
  const isFull = (): boolean => page.events.length === limit || page.seen.length === MOST_SEEN;
  for (const event of rows) {
    const isNew = !got.has(event.id) && matches(event);
    if (isNew && isFull()) return { events: page.events, position: positionAfter(page, from, settled), hasMore: true };
    if (isNew) page.events.push(event);
    if (event.id <= settled) page.last = event.id;
    else if (isNew || got.has(event.id)) page.seen.push(event.id);
  }
  const hasMore = rows.length === MOST_READ && page.last !== from.after;
  return { events: page.events, position: positionAfter(page, from, settled), hasMore };
}

/** Keeps the events of the earlier position that were not read again. */
function positionAfter(
  { last, seen }: { readonly last: Uuid; readonly seen: readonly Uuid[] },
  from: EventPosition,
  settled: Uuid,
): EventPosition {
  const kept = from.seen.filter((id) => id > last && id > settled);
  return { after: last, seen: [...new Set([...seen, ...kept])].slice(0, MOST_SEEN) };
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
