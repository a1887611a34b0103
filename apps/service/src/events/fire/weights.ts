import type { Event, PlannedEvent } from "../event/event.ts";

/** The maximum number of events and deliveries in a shared commit, which is written in a tenth of a second. */
export const SHARED_WEIGHT = 2000;
const MOST_KNOWN = 10_000;

export type Weights = ReturnType<typeof createWeights>;

/** Estimates the deliveries of events from earlier events, so that a call is weighed before it is planned. */
export function createWeights() {
  const known = new Map<string, number>();
  const set = (key: string, deliveries: number): void => {
    known.delete(key);
    known.set(key, deliveries);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  };
  const learnOne = (event: Event, deliveries: number): void => {
    if (known.get(nameOf(event)) !== deliveries) set(nameOf(event), deliveries);
    // An unknown name of a workspace is expected to cause as many deliveries as the workspace's largest known name.
    if (deliveries > (known.get(event.scope.tag) ?? 0)) set(event.scope.tag, deliveries);
  };
  return {
    /** Returns the weight of the events of one call: the events and their expected deliveries. */
    of: (events: readonly Event[]): number =>
      events.reduce((sum, event) => sum + 1 + (known.get(nameOf(event)) ?? known.get(event.scope.tag) ?? 0), 0),
    learn(planned: readonly PlannedEvent[]): void {
      for (const { event, deliveries } of planned) learnOne(event, deliveries.length);
    },
    /** Records the events of one call that would have created more than `most` deliveries. */
    learnRefused(events: readonly Event[], most: number): void {
      const each = Math.ceil(most / events.length);
      for (const event of events) learnOne(event, Math.max(each, known.get(nameOf(event)) ?? 0));
    },
  };
}

function nameOf({ scope, name }: Event): string {
  return `${scope.tag} ${name}`;
}
