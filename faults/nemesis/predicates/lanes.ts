import type { EndpointTimes } from "../endpoint-times.ts";
import { mayHaveLostLease } from "../excuses.ts";
import { isOfDeletedTenant } from "../facts.ts";
import type { Facts, FiredEvent, WebhookHit } from "../facts.ts";
import { seconds } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

export const lanes: Predicate = {
  name: "lanes",
  promise:
    "In a lane, deliveries are sent one at a time, in the order in which their events were answered, with numbers from 1 without a gap",
  broken(facts, endpoints) {
    return endpoints
      .filter(({ isOrdered }) => isOrdered)
      .flatMap((endpoint) => [...faultsOfRequests(facts, endpoint), ...faultsOfNumbers(facts, endpoint)]);
  },
};

function faultsOfRequests(facts: Facts, { id, path }: EndpointTimes): string[] {
  const hits = facts.hits.filter((hit) => hit.path === path).toSorted((a, b) => a.startMs - b.startMs);
  return [...Map.groupBy(hits, laneOf)].flatMap(([lane, inLane]) =>
    inLane.slice(1).flatMap((hit, at) => {
      const before = inLane[at];
      if (before === undefined || mayHaveLostLease(facts.faults, before.begunMs, hit.endMs)) return [];
      const what = `lane ${lane} of ${id} at ${seconds(hit.startMs)}`;
      const isReplayed = facts.effects.some(({ operation: { op } }) => op === "replay" || op === "replay-failed");
      return [
        ...(hit.startMs < before.endMs - TOGETHER_MS ? [`${what}: two requests at once`] : []),
        // A replay of what has left the lane keeps its number.
        ...(numberOf(hit) < numberOf(before) && !isReplayed
          ? [`${what}: ${numberOf(hit)} after ${numberOf(before)}`]
          : []),
      ];
    }),
  );
}

/** The end of a response is noted after the service may have read it. */
const TOGETHER_MS = 20;

function laneOf({ headers }: WebhookHit): string {
  return headers["x-service-ordering-key"] ?? "";
}

function numberOf({ headers }: WebhookHit): number {
  return Number(headers["x-service-sequence"]);
}

function faultsOfNumbers(facts: Facts, { id }: EndpointTimes): string[] {
  const { end, events } = facts;
  const inLanes = end.deliveries.filter((one) => one.endpoint_id === id && (one.ordering_key ?? null) !== null);
  return [...Map.groupBy(inLanes, (one) => one.ordering_key ?? "")].flatMap(([lane, deliveries]) => {
    const numbers = deliveries.map(({ sequence }) => sequence ?? 0).toSorted((a, b) => a - b);
    const gap = gapIn(numbers, erasedIn(facts, lane, new Set(deliveries.map((one) => one.event_id))));
    const byEvent = new Map(deliveries.map((one) => [one.event_id, one.sequence ?? 0]));
    return [
      ...(gap < 0 ? [] : [`lane ${lane} of ${id} has ${numbers[gap]} in place of ${gap + 1}`]),
      ...outOfOrder(events.filter(isPlain), byEvent).map((fault) => `lane ${lane} of ${id}: ${fault}`),
    ];
  });
}

/** Returns how many events of a lane may have gone with their tenants, and left their numbers. */
function erasedIn(facts: Facts, lane: string, listed: ReadonlySet<string>): number {
  return facts.events.filter(
    (event) =>
      JSON.stringify(event.sent.lane) === lane && !listed.has(event.id ?? "") && isOfDeletedTenant(facts, event),
  ).length;
}

/** Returns the first place with another number than it must have, after at most so many numbers that nothing has; -1 if there is none. */
function gapIn(numbers: readonly number[], erased: number): number {
  return numbers.findIndex((sequence, at) => {
    const before = numbers[at - 1] ?? 0;
    return sequence <= before || sequence - at - 1 > erased;
  });
}

/** Deliveries of a scheduled event get their places when they are due. */
export function isPlain({ sent }: FiredEvent): boolean {
  return sent.deliverAtMs === undefined;
}

/** Returns events that were answered before another was asked for, but come after it. */
export function outOfOrder(events: readonly FiredEvent[], places: ReadonlyMap<string, number>): string[] {
  const placed = events.flatMap(({ id, effect, sent }) => {
    const place = id === undefined ? undefined : places.get(id);
    return place === undefined ? [] : [{ n: sent.n, place, startMs: effect.startMs, endMs: effect.endMs }];
  });
  const byPlace = placed.toSorted((a, b) => a.place - b.place);
  // The first answered of all that come later.
  let earliest: (typeof byPlace)[number] | undefined;
  return byPlace.toReversed().flatMap((one) => {
    const faults =
      earliest !== undefined && earliest.endMs < one.startMs
        ? [`event ${earliest.n} was answered before event ${one.n} was fired, but comes after it`]
        : [];
    if (earliest === undefined || one.endMs < earliest.endMs) earliest = one;
    return faults;
  });
}
