import type { Event, EventCommit } from "./event.ts";

/** How many deliveries events lead to, learned from those of before: a call is weighed before it is planned. */
export interface Weights {
  /** Of the events of one call. */
  of(events: readonly Event[]): number;
  learn(commits: readonly EventCommit[]): void;
  /** The events of one call that would have made more deliveries than `most`. */
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
    // Names that are new in a workspace may lead to as much as any before.
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
