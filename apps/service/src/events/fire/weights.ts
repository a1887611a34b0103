import type { Event, EventCommit } from "../event/event.ts";

/** Estimates the deliveries of events from earlier events, so that a call is weighed before it is planned. */
export interface Weights {
  /** Returns the weight of the events of one call: the events and their expected deliveries. */
  of(events: readonly Event[]): number;
  learn(commits: readonly EventCommit[]): void;
  /** Records the events of one call that would have created more than `most` deliveries. */
  learnRefused(events: readonly Event[], most: number): void;
}

const MOST_KNOWN = 10_000;

export function createWeights(): Weights {
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
    of: (events) =>
      events.reduce((sum, event) => sum + 1 + (known.get(nameOf(event)) ?? known.get(event.scope.tag) ?? 0), 0),
    learn(commits) {
      for (const { event, deliveries } of commits) learnOne(event, deliveries.length);
    },
    learnRefused(events, most) {
      const each = Math.ceil(most / events.length);
      for (const event of events) learnOne(event, Math.max(each, known.get(nameOf(event)) ?? 0));
    },
  };
}

function nameOf({ scope, name }: Event): string {
  return `${scope.tag} ${name}`;
}
