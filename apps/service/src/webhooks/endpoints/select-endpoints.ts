import { setImmediate } from "node:timers/promises";
import { audienceOf, isSystem } from "../../events/events.ts";
import type { MatchedEvent } from "../../events/events.ts";
import { ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import { byId, listenerGroups, MOST_DELIVERIES } from "./listeners.store.ts";
import type { ActiveEndpoint, ListenerGroup } from "./listeners.store.ts";
import { isPinnedVersion } from "./pinned-versions.ts";
import { filterFacts, passes } from "./filters.ts";
import type { Filters } from "./filters.ts";

type Listened = Pick<MatchedEvent, "scope" | "name" | "data" | "tenant" | "isInternal" | "canonical" | "typeVersion">;

/** The endpoints that subscribe to an event, in groups with the same filter. */
export interface Selection {
  /** The endpoints that get the event. */
  readonly passed: readonly ListenerGroup[];
  /** The endpoints whose filter the event does not pass. */
  readonly filtered: readonly ListenerGroup[];
}

/** The time after which the judgement of a batch lets other work of the process run. */
const MOST_MS = 5;

/**
 * Judges each different filter once for each event. Throws 422 if the events lead to more deliveries than one commit may
 * have.
 */
export async function selectAll<E extends Listened>(
  { clock, filters }: { readonly clock: Clock; readonly filters: Filters },
  events: readonly E[],
  foundOf: (event: E) => readonly string[],
): Promise<ReadonlyMap<E, Selection>> {
  const listeners = listenersOf(foundOf);
  assertReadWhole(events, listeners);
  const selections = new Map<E, Selection>();
  let planned = 0;
  let startedMs = clock.monotonicMs();
  for (const event of events) {
    const selection = select(filters, event, listeners(event).flat());
    planned += countOf(selection.passed);
    if (planned > MOST_DELIVERIES) throw tooMany();
    selections.set(event, selection);
    if (clock.monotonicMs() - startedMs < MOST_MS) continue;
    await setImmediate();
    startedMs = clock.monotonicMs();
  }
  return selections;
}

/** Returns the endpoints that would get the event, based on the answers for it. */
export function endpointsFor(filters: Filters, event: MatchedEvent, found: readonly string[]): readonly Uuid[] {
  return recipientsOf(select(filters, event, listenersOf(() => found)(event).flat()), event).map(({ id }) => id);
}

/** Returns the endpoints that get the event, oldest first. */
export function recipientsOf({ passed }: Selection, event: MatchedEvent): readonly ActiveEndpoint[] {
  const [first, ...rest] = passed.map((group) => group.endpoints());
  const all = rest.length === 0 ? (first ?? []) : [...(first ?? []), ...rest.flat()].toSorted(byId);
  return isSystem(event.name) ? all.filter(({ id }) => !isItsOwnNews(id, event)) : all;
}

/**
 * Returns true if the event is about the endpoint. Such an event cannot go to it, because its own failure would create
 * the next event.
 */
export function isItsOwnNews(endpointId: Uuid, event: Pick<MatchedEvent, "name" | "subject"> & Owned): boolean {
  return isSystem(event.name) && event.subject === wireId("ep", event.scope.tag, endpointId);
}

interface Owned {
  readonly scope: { readonly tag: Tag };
}

function select(filters: Filters, event: Listened, groups: readonly ListenerGroup[]): Selection {
  const facts = filterFacts(event);
  const passed: ListenerGroup[] = [];
  const filtered: ListenerGroup[] = [];
  for (const group of groups) {
    if (!isPinnedVersion(group.pinned, event)) continue;
    (passes(filters, group.filter, facts) ? passed : filtered).push(group);
  }
  return { passed, filtered };
}

/** Returns the workspace's own endpoints for an event, and those of the event's tenant. Equal events share the lists. */
type Listeners<E> = (event: E) => readonly (readonly ListenerGroup[])[];

/** Returns a function that gives the endpoints of an event. The answers of a workspace are read once. */
function listenersOf<E extends Listened>(foundOf: (event: E) => readonly string[]): Listeners<E> {
  const known = new Map<Tag, ReadonlyMap<string, readonly ListenerGroup[]>>();
  return (event) => {
    const { name } = event;
    const tenant = audienceOf(event);
    const { tag } = event.scope;
    const groups = known.get(tag) ?? Map.groupBy(foundOf(event).flatMap(listenerGroups), keyOf);
    known.set(tag, groups);
    const keys = [keyOf({ event: name, tenant: null }), ...(tenant === null ? [] : [keyOf({ event: name, tenant })])];
    return keys.map((key) => groups.get(key) ?? NONE);
  };
}

const NONE: readonly ListenerGroup[] = [];

function keyOf({ event, tenant }: Pick<ListenerGroup, "event" | "tenant">): string {
  return tenant === null ? event : `${event} ${tenant}`;
}

/** Throws if the query stopped at its limit, so that endpoints may be missing. */
function assertReadWhole<E extends Listened>(events: readonly E[], listeners: Listeners<E>): void {
  const distinct = new Set(events.flatMap((event) => listeners(event)));
  if ([...distinct].reduce((sum, groups) => sum + countOf(groups), 0) > MOST_DELIVERIES) throw tooMany();
}

function countOf(groups: readonly ListenerGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** If several calls share a batch, the batcher then divides it. */
function tooMany(): ServiceError {
  const detail = `One call can create at most ${MOST_DELIVERIES} deliveries, one for each event and subscribed endpoint. This call would create more. Send fewer events at a time.`;
  return new ServiceError("validation_failed", { detail });
}
