import { labelsOf, selectsEvent } from "../../events/events.ts";
import type { Query } from "../../platform/db/db.ts";
import { after, createPauses, uuidFloor, uuidTime, WorkBudget } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import { createFilters, filterFacts, judge, TOO_EXPENSIVE } from "../endpoints/filters.ts";
import { laneOf } from "../endpoints/ordering.ts";
import { EVENT_SPREAD_MS } from "./delivery-plans.ts";
import { dataOfEvents, eventsInRange, eventsOfEndpoint, MOST_BYTES_READ } from "./missed-events.store.ts";
import type { EventFacts } from "./missed-events.store.ts";
import { barrierOf } from "../endpoints/tenant-reach.ts";

/** Which stored events an endpoint is sent (contract, section 14). */
export interface Backfill {
  /** Patterns within those of the endpoint; null for all that it subscribes to. */
  readonly events: readonly string[] | null;
  /** True to leave out the events that the endpoint has a delivery of, in any state. */
  readonly missingOnly: boolean;
}

export interface MissedEvent {
  readonly id: Uuid;
  readonly name: string;
  /** True if the endpoint's filter is too expensive for the event. */
  readonly isUnjudged: boolean;
  /** The key of its lane; null without one. */
  readonly lane: string | null;
}

export interface MissedPage {
  readonly events: readonly MissedEvent[];
  /** The last event that was examined, and the first one; undefined if there was none. */
  readonly examined: { readonly first: Uuid; readonly last: Uuid } | undefined;
  readonly isLast: boolean;
}

export interface Missing {
  readonly row: EndpointRow;
  readonly backfill: Backfill;
  readonly after: Uuid;
  readonly to: Uuid;
  /** The maximum number of events on the page. */
  readonly most: number;
}

const MOST_EXAMINED = 2000;
const FILTERS = createFilters();

/** Returns the next events for the endpoint as it is now, oldest first. A page reads a limited amount of data. */
export async function missedEvents(
  { query, clock }: { readonly query: Query; readonly clock: Clock },
  missing: Missing,
): Promise<MissedPage> {
  const { row, backfill } = missing;
  const found = await eventsInRange(query, row, { ...missing, tenant: row.tenant }, MOST_EXAMINED);
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return { events: [], examined: undefined, isLast: true };
  const known = backfill.missingOnly ? await eventsOfEndpoint(query, spanOf(row, first.id, last.id)) : NONE;
  const reaching = found.filter((event) => !known.has(event.id) && isMeant(row, backfill, event));
  const read = withinBytes(row, reaching.slice(0, missing.most));
  const events = await judgedOf({ query, clock }, row, read);
  const rest = read.length < reaching.length ? read.at(-1)?.id : undefined;
  return {
    events,
    examined: { first: first.id, last: rest ?? last.id },
    isLast: rest === undefined && found.length < MOST_EXAMINED,
  };
}

const NONE: ReadonlySet<Uuid> = new Set();

/** Returns the ids between which all deliveries of these events to the endpoint are. */
export function spanOf({ bucket, tag, id }: EndpointRow, first: Uuid, last: Uuid) {
  return { bucket, tag, endpointId: id, from: first, to: uuidFloor(after(uuidTime(last), EVENT_SPREAD_MS)) };
}

function isMeant(row: EndpointRow, { events }: Backfill, event: EventFacts): boolean {
  const { canonical, type_version: typeVersion } = event;
  if (events !== null && !selectsEvent(events, event.name)) return false;
  return barrierOf(row, { scope: row, ...event, version: { canonical, typeVersion } }) === undefined;
}

async function judgedOf(
  { query, clock }: { readonly query: Query; readonly clock: Clock },
  row: EndpointRow,
  events: readonly EventFacts[],
): Promise<readonly MissedEvent[]> {
  if (!readsData(row) || events.length === 0)
    return events.map(({ id, name }) => ({ id, name, isUnjudged: false, lane: null }));
  const ids = events.map(({ id }) => id);
  const data = await dataOfEvents(query, row, ids);
  const labels = row.channels === null ? undefined : await labelsOf(query, row, ids);
  const pauses = createPauses(clock);
  const passed: MissedEvent[] = [];
  for (const { id, name, subject, tenant } of events) {
    const text = data.get(id);
    if (text === undefined) continue;
    const judged = judgedBy(row, { name, data: text, subject, tenant, labels: labels?.get(id) ?? null });
    if (judged !== undefined) passed.push({ id, name, ...judged });
    if (pauses.isDue()) await pauses.pause();
  }
  return passed;
}

/** Returns undefined if the filter of the endpoint excludes the event. */
function judgedBy(
  row: EndpointRow,
  facts: Parameters<typeof filterFacts>[0],
): Pick<MissedEvent, "isUnjudged" | "lane"> | undefined {
  const read = filterFacts(facts);
  const judgement = judge(FILTERS, row.filter, read);
  if (judgement === "filtered") return undefined;
  const { ordering_key: key } = row;
  const lane =
    key === null ? null : laneOf(key, { scope: row, ...facts }, { facts: read.facts, budget: new WorkBudget() });
  return { isUnjudged: judgement === TOO_EXPENSIVE || lane === undefined, lane: lane?.(row.id) ?? null };
}

function readsData(row: EndpointRow): boolean {
  return row.filter !== null || row.ordering_key !== null;
}

/** Returns the first events whose data can be read at once, if a filter or an order needs it; at least one. */
function withinBytes(row: EndpointRow, events: readonly EventFacts[]): readonly EventFacts[] {
  if (!readsData(row)) return events;
  let bytes = 0;
  const end = events.findIndex((event, at) => (bytes += event.bytes) > MOST_BYTES_READ && at > 0);
  return end === -1 ? events : events.slice(0, end);
}
