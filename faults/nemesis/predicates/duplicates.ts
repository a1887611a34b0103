import { disturbances, receiverFaults } from "../excuses.ts";
import type { Facts, WebhookHit } from "../facts.ts";
import { seconds, SLACK_MS } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

export const duplicates: Predicate = {
  name: "duplicates",
  promise:
    "A delivery that its receiver accepted is not sent again without a replay, or a fault of a node, of the database or of the receiver",
  broken(facts) {
    const byDelivery = Map.groupBy(facts.hits, ({ delivery }) => delivery);
    return [...byDelivery.values()].flatMap((hits) =>
      hits.slice(1).flatMap((hit, at) => {
        const before = hits[at];
        if (before?.status !== 200 || isExcused(facts, before, hit)) return [];
        return [`delivery ${hit.delivery} was sent again at ${seconds(hit.startMs)} after its success`];
      }),
    );
  },
};

/** Returns the number of repeated arrivals. */
export function duplicatesIn({ hits }: Facts): number {
  return hits.length - new Set(hits.map(({ delivery }) => delivery)).size;
}

function isExcused(facts: Facts, before: WebhookHit, again: WebhookHit): boolean {
  const [fromMs, toMs] = [before.startMs - SLACK_MS, again.startMs];
  if (disturbances(facts.faults, fromMs, toMs).length > 0) return true;
  if (receiverFaults(facts.faults, fromMs, toMs).length > 0) return true;
  return facts
    .of("replay")
    .some(
      ({ operation, outcome, startMs }) =>
        operation.delivery === again.delivery && outcome !== "refused" && startMs <= toMs,
    );
}
