import type { EndpointTimes } from "../endpoint-times.ts";
import { isOfDeletedTenant } from "../facts.ts";
import type { Facts, FiredEvent } from "../facts.ts";
import type { EndDelivery } from "../history.ts";
import type { Predicate } from "./predicate.ts";

/** The attempts of the retry schedule. */
const ATTEMPTS = 6;

export const delivered: Predicate = {
  name: "delivered",
  promise:
    "An event that was answered 202 is delivered to each endpoint that matched it during the whole call, and to none that did not, or its delivery says why not",
  broken(facts, endpoints) {
    const byId = new Map(facts.end.deliveries.map((one) => [one.id, one]));
    const byEvent = Map.groupBy(facts.end.deliveries, (one) => one.event_id);
    return facts.events.flatMap((fired) => [
      ...faultsOfPlan(fired, endpoints, byEvent),
      ...fired.deliveries.flatMap(({ id, endpoint_id: of }) =>
        faultsOfEnd({ facts, id, endpoint: endpoints.find((one) => one.id === of), fired }, byId.get(id)),
      ),
    ]);
  },
};

/** A fired event has the deliveries that it must have, and no others. */
function faultsOfPlan(
  { sent, effect, id, deliveries }: FiredEvent,
  endpoints: readonly EndpointTimes[],
  byEvent: ReadonlyMap<string, readonly EndDelivery[]>,
): string[] {
  if (id === undefined) return [];
  const isLater = sent.deliverAtMs !== undefined;
  const planned = new Set((isLater ? (byEvent.get(id) ?? []) : deliveries).map(({ endpoint_id: of }) => of));
  if (isLater && planned.size === 0) return [];
  // A later one is planned when it is due.
  const toMs = isLater ? Infinity : effect.endMs;
  return endpoints.flatMap((one) => {
    const matched = one.matched(sent, effect.startMs, toMs);
    if (matched === "yes" && !planned.has(one.id)) return [`event ${sent.n} (${id}) has no delivery to ${one.id}`];
    if (matched === "no" && planned.has(one.id) && !isLater)
      return [`event ${sent.n} (${id}) has a delivery to ${one.id}, which did not match`];
    return [];
  });
}

interface Ending {
  readonly facts: Facts;
  readonly id: string;
  readonly endpoint: EndpointTimes | undefined;
  readonly fired: FiredEvent;
}

function faultsOfEnd({ facts, id, endpoint, fired }: Ending, end: EndDelivery | undefined): string[] {
  // Its log goes with its tenant, and the body of the event too.
  if (isOfDeletedTenant(facts, fired) || endpoint === undefined) return [];
  return end === undefined ? [`delivery ${id} is not in the log`] : faultsOfState(facts, endpoint, end);
}

function faultsOfState(
  facts: Facts,
  endpoint: EndpointTimes,
  { id, state, attempt_count: attempts }: EndDelivery,
): string[] {
  if (state === "delivered") return faultsOfDelivered(facts, id, endpoint);
  if (state === "failed") return attempts >= ATTEMPTS ? [] : [`delivery ${id} failed after ${attempts} attempts`];
  if (state === "cancelled")
    return isCancelled(facts, id, endpoint) ? [] : [`delivery ${id} was cancelled although nobody asked for it`];
  if (state === "pending" && endpoint.kind === "pull") return [];
  return [`delivery ${id} is ${state} in the end`];
}

function faultsOfDelivered(facts: Facts, id: string, { kind, path }: EndpointTimes): string[] {
  if (kind === "pull") return [];
  const isReceived = facts.hits.some((hit) => hit.delivery === id && hit.path === path && hit.status === 200);
  return isReceived ? [] : [`delivery ${id} is delivered, but no receiver accepted it`];
}

function isCancelled(facts: Facts, id: string, endpoint: EndpointTimes): boolean {
  if (endpoint.deleted !== undefined) return true;
  return facts.of("cancel-delivery").some((one) => one.operation.delivery === id && one.outcome !== "refused");
}
