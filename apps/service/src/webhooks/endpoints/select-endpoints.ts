import { audienceOf, isSystem } from "../../events/events.ts";
import type { MatchedEvent } from "../../events/events.ts";
import { createWorkShares, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, Tag, Uuid, WorkShares } from "../../lib/lib.ts";
import { byId, listenerGroups, MOST_DELIVERIES } from "./listeners.store.ts";
import type { ActiveEndpoint, ListenerGroup } from "./listeners.store.ts";
import { isPinnedVersion } from "./pinned-versions.ts";
import { filterFacts, judge, TOO_EXPENSIVE } from "./filters.ts";
import type { Filters, Judgement } from "./filters.ts";
import { laneOf } from "./ordering.ts";
import type { LaneOf } from "./ordering.ts";

type Listened = Pick<
  MatchedEvent,
  "scope" | "name" | "data" | "subject" | "tenant" | "isInternal" | "canonical" | "typeVersion" | "labels"
>;

/** The endpoints that subscribe to an event, in groups with the same filter. */
export interface Selection {
  /** The endpoints that get the event. */
  readonly passed: readonly ListenerGroup[];
  /** The endpoints whose filter the event does not pass. */
  readonly filtered: readonly ListenerGroup[];
  /** The endpoints whose filter is too expensive for this event. Their deliveries fail, and a replay judges them. */
  readonly unjudged: readonly ListenerGroup[];
  /** The lanes of the event, by the keys of ordered endpoints. */
  readonly lanes: ReadonlyMap<string, LaneOf>;
}

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
  const judging = { filters, shares: createWorkShares(clock) };
  let planned = 0;
  for (const event of events) {
    const selection = await select(judging, event, listeners(event).flat());
    planned += countOf(selection.passed) + countOf(selection.unjudged);
    if (planned > MOST_DELIVERIES) throw tooMany();
    selections.set(event, selection);
  }
  return selections;
}

/** Returns the endpoints that would get the event, based on the answers for it. */
export async function endpointsFor(
  { clock, filters }: { readonly clock: Clock; readonly filters: Filters },
  event: MatchedEvent,
  found: readonly string[],
): Promise<readonly Uuid[]> {
  const judging = { filters, shares: createWorkShares(clock) };
  const { passed } = await select(judging, event, listenersOf(() => found)(event).flat());
  return recipientsOf(passed, event).map(({ id }) => id);
}

/** Returns the endpoints of these groups that get the event, oldest first. */
export function recipientsOf(groups: readonly ListenerGroup[], event: MatchedEvent): readonly ActiveEndpoint[] {
  const [first, ...rest] = groups.map((group) => group.endpoints());
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

interface Judging {
  readonly filters: Filters;
  readonly shares: WorkShares;
}

async function select(judging: Judging, event: Listened, groups: readonly ListenerGroup[]): Promise<Selection> {
  const { shares } = judging;
  const judged = { event, facts: filterFacts(event), lanes: new Map<string, LaneOf>() };
  const by = { passed: [] as ListenerGroup[], filtered: [] as ListenerGroup[], too_expensive: [] as ListenerGroup[] };
  for (const group of groups) {
    if (!isPinnedVersion(group.pinned, event)) continue;
    by[judgementOf(judging, judged, group)].push(group);
    if (shares.isDue()) await shares.pause();
  }
  return { passed: by.passed, filtered: by.filtered, unjudged: by.too_expensive, lanes: judged.lanes };
}

interface Judged {
  readonly event: Listened;
  readonly facts: ReturnType<typeof filterFacts>;
  readonly lanes: Map<string, LaneOf>;
}

/** Judges the filter, and finds the lane. An event whose data is too large to find its lane cannot be sent in order. */
function judgementOf({ filters, shares }: Judging, { event, facts, lanes }: Judged, group: ListenerGroup): Judgement {
  const { filter, tenant, ordering } = group;
  if (filter === null && ordering === null) return "passed";
  const owner = tenant === null ? event.scope.tag : `${event.scope.tag} ${tenant}`;
  const judgement = filter === null ? "passed" : judge(filters, filter, facts, shares.budgetOf(owner));
  if (ordering === null || judgement === "filtered") return judgement;
  if (!lanes.has(ordering))
    lanes.set(ordering, laneOf(ordering, event, { facts: facts.facts, budget: shares.budgetOf(owner) }));
  return lanes.get(ordering) === undefined ? TOO_EXPENSIVE : judgement;
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
