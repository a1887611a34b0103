import type { EndpointTimes } from "../endpoint-times.ts";
import type { Effect, Facts, WebhookHit } from "../facts.ts";
import { heldMs } from "../excuses.ts";
import { seconds, SLACK_MS } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

export const neverAfter: Predicate = {
  name: "never-after",
  promise: "No attempt begins after the answered deletion of its endpoint, or while it is inactive",
  broken(facts, endpoints) {
    const byPath = new Map(endpoints.map((one) => [one.path, one]));
    return facts.hits.flatMap((hit) => {
      const endpoint = byPath.get(hit.path);
      if (endpoint === undefined) return [];
      const fromMs = hit.begunMs - SLACK_MS - heldBefore(facts, hit);
      // A state in which nothing is sent, from well before the attempt until it was received.
      const states = endpoint.possible(fromMs, hit.startMs);
      if (fromMs < endpoint.created.endMs || states.some((one) => one !== null && one.active)) return [];
      const why = states.includes(null) ? "was deleted" : "was inactive";
      return [`delivery ${hit.delivery} was sent at ${seconds(hit.begunMs)} although ${endpoint.id} ${why}`];
    });
  },
};

/** The faults that delayed an attempt between the read of its endpoint and its request. */
function heldBefore({ faults }: Facts, { begunMs, startMs }: WebhookHit): number {
  return heldMs(faults, begunMs - MOST_HELD_MS, startMs);
}

const MOST_HELD_MS = 60_000;

export const revoked: Predicate = {
  name: "revoked",
  promise: "A call that begins after the answered revocation of its key is refused, on every node",
  broken(facts) {
    const revocations = facts.of("revoke-key").filter(({ outcome }) => outcome === "done");
    const isLate = (use: Effect, key: string): boolean =>
      revocations.some((one) => one.operation.key === key && one.endMs < use.startMs);
    return facts
      .of("use-key")
      .filter((use) => use.outcome === "done" && isLate(use, use.operation.key))
      .map((use) => `${use.operation.key} was accepted at ${seconds(use.startMs)}, after its revocation`);
  },
};

export const cancelled: Predicate = {
  name: "cancelled",
  promise: "A scheduled event is not sent before its time, and never after its answered cancellation",
  broken(facts) {
    const cancels = facts.of("cancel-scheduled").filter(({ outcome }) => outcome === "done");
    const byEvent = new Map(facts.events.map((fired) => [fired.sent.n, fired]));
    return facts.hits.flatMap((hit) => {
      const fired = byEvent.get(hit.data.n);
      const { deliverAtMs } = fired?.sent ?? {};
      if (fired === undefined || deliverAtMs === undefined) return [];
      const isEarly = hit.begunMs + EARLY_MS < deliverAtMs - facts.originMs;
      const isCancelled = cancels.some(({ operation }) => operation.event === fired.id);
      return [
        ...(isEarly ? [`event ${hit.data.n} was sent at ${seconds(hit.begunMs)}, before its time`] : []),
        ...(isCancelled ? [`event ${hit.data.n} was sent although it was cancelled`] : []),
      ];
    });
  },
};

/** The signed time is in whole seconds. */
const EARLY_MS = 1100;

export function pathsOf(endpoints: readonly EndpointTimes[]): ReadonlyMap<string, EndpointTimes> {
  return new Map(endpoints.map((one) => [one.path, one]));
}
