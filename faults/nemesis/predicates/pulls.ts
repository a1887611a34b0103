import type { EndpointTimes } from "../endpoint-times.ts";
import type { Effect, EffectOf, Facts } from "../facts.ts";
import type { EndMessage } from "../history.ts";
import { isPlain, outOfOrder } from "./lanes.ts";
import type { Predicate } from "./predicate.ts";

export const pulls: Predicate = {
  name: "pulls",
  promise:
    "The offsets of a pull endpoint are dense, in the order in which events were answered, and the same for every consumer; a consumer gets nothing again that it has committed",
  broken(facts, endpoints) {
    return endpoints
      .filter(({ id }) => facts.end.pulled[id] !== undefined)
      .flatMap((endpoint) => [...faultsOfLog(facts, endpoint), ...faultsOfConsumers(facts, endpoint)]);
  },
};

function faultsOfLog(facts: Facts, { id }: EndpointTimes): string[] {
  const log = facts.end.pulled[id] ?? [];
  const gap = log.findIndex(({ offset }, at) => offset !== at + 1);
  const logged = new Set(log.map(({ delivery_id: delivery }) => delivery));
  const bodies = log.flatMap(({ offset, body }) => (body === null ? [] : [{ offset, id: eventIn(body) }]));
  const missing = facts.events.flatMap(({ sent, deliveries }) =>
    deliveries
      .filter((one) => one.endpoint_id === id && !logged.has(one.id))
      .map((one) => `${one.id} of event ${sent.n}`),
  );
  const isCancelled = facts.of("cancel-delivery").some(({ outcome }) => outcome !== "refused");
  return [
    ...(gap < 0 ? [] : [`${id} has offset ${log[gap]?.offset} in place of ${gap + 1}`]),
    ...(logged.size === log.length ? [] : [`${id} has a delivery at two offsets`]),
    ...(isCancelled ? [] : missing.map((what) => `${id} has no message of delivery ${what}`)),
    ...outOfOrder(facts.events.filter(isPlain), new Map(bodies.map((one) => [one.id, one.offset]))).map(
      (fault) => `${id}: ${fault}`,
    ),
  ];
}

function eventIn(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}

function faultsOfConsumers(facts: Facts, { id }: EndpointTimes): string[] {
  const at = new Map((facts.end.pulled[id] ?? []).map((message) => [message.offset, message.delivery_id]));
  return facts
    .of("pull")
    .filter((pull) => pull.operation.endpoint === id && pull.outcome === "done")
    .flatMap((pull) => {
      const messages = pull.body["messages"] as readonly EndMessage[];
      const other = messages.find((one) => at.get(one.offset) !== one.delivery_id);
      const gap = messages.find((one, index) => one.offset !== (messages[0]?.offset ?? 0) + index);
      const again = committed(facts, pull) > (messages[0]?.offset ?? Infinity) - 1;
      return [
        ...(other === undefined
          ? []
          : [`${id} gave ${other.delivery_id} at offset ${other.offset}, and later another`]),
        ...(gap === undefined ? [] : [`${id} left out an offset before ${gap.offset}`]),
        ...(again ? [`${id} gave offset ${messages[0]?.offset} again after its commit`] : []),
      ];
    });
}

/** The last offset that the consumer had certainly committed, unless it may have gone back since. */
function committed({ effects }: Facts, pull: EffectOf<"pull">): number {
  const { endpoint, consumer } = pull.operation;
  const own = effects.filter(
    ({ operation: of, startMs }) =>
      "consumer" in of && of.consumer === consumer && of.endpoint === endpoint && startMs < pull.endMs,
  );
  return own.toSorted((a, b) => a.startMs - b.startMs).reduce((last, effect) => committedAfter(last, effect, pull), 0);
}

function committedAfter(last: number, { operation, outcome, endMs }: Effect, pull: Effect): number {
  if (operation.op === "seek" && outcome !== "refused") return outcome === "unknown" ? -Infinity : 0;
  const isSure = operation.op === "commit" && outcome === "done" && endMs < pull.startMs;
  return isSure ? Math.max(last, operation.offset) : last;
}
