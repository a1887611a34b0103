import { createShardBatcher } from "../platform/db/db.ts";
import type { Db } from "../platform/db/db.ts";
import { takeRates } from "./access.store.ts";
import type { RateAnswer, RateAsk } from "./access.store.ts";

/** The values of the rate-limit headers, those of the tighter of the two limits. `reset` is in seconds. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

export interface Token {
  /** True if the call is granted. For a peek, true if a call would be granted. */
  readonly granted: boolean;
  readonly retrySeconds: number;
  readonly state: RateState;
}

export type RateSubject = Omit<RateAsk, "want">;

interface Ask {
  readonly subject: RateSubject;
  readonly takes: boolean;
}

interface Group {
  readonly subject: RateSubject;
  readonly takers: number[];
  readonly peekers: number[];
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export function createRateLimiter(db: Db) {
  const batcher = createShardBatcher<Ask, Token>(db, {
    bucketOf: ({ subject }) => subject.bucket,
    maxSize: 1000,
    concurrency: 2,
    run: async (asks) => await answerBatch(db, asks),
  });
  return {
    /** Takes one call. Concurrent calls share a statement; the count is exact over all nodes. */
    take: async (subject: RateSubject): Promise<Token> => await batcher.add({ subject, takes: true }),
    /** Returns the result that `take` would have, without taking a call. */
    peek: async (subject: RateSubject): Promise<Token> => await batcher.add({ subject, takes: false }),
  };
}

async function answerBatch(db: Db, asks: readonly Ask[]): Promise<Token[]> {
  const groups = groupBySubject(asks);
  const answers = await takeRates(
    db,
    groups.map((group) => ({ ...group.subject, want: group.takers.length })),
  );
  const tokens: Token[] = [];
  groups.forEach(({ subject, takers, peekers }, at) => {
    const answer = answers[at];
    if (answer === undefined) throw new Error("rate_take answered fewer rows than were asked");
    takers.forEach((ask, position) => {
      tokens[ask] = takenToken(subject, answer, position);
    });
    for (const ask of peekers) {
      const state = stateOf(subject, answer, 0);
      tokens[ask] = { granted: state.remaining > 0, retrySeconds: answer.retry_seconds, state };
    }
  });
  return tokens;
}

function groupBySubject(asks: readonly Ask[]): Group[] {
  const groups = new Map<string, Group>();
  asks.forEach(({ subject, takes }, at) => {
    const name = `${subject.bucket}\n${subject.subject}\n${subject.operation}\n${subject.perMinute}\n${subject.perHour}`;
    const group = groups.get(name) ?? { subject, takers: [], peekers: [] };
    groups.set(name, group);
    (takes ? group.takers : group.peekers).push(at);
  });
  return [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Grants the first `granted` callers in order of arrival. The remaining count falls from one caller to the next. */
function takenToken(subject: RateSubject, answer: RateAnswer, position: number): Token {
  const later = Math.max(0, answer.granted - position - 1);
  return {
    granted: position < answer.granted,
    retrySeconds: answer.retry_seconds,
    state: stateOf(subject, answer, later),
  };
}

function stateOf(subject: RateSubject, answer: RateAnswer, later: number): RateState {
  const minute = { limit: subject.perMinute, remaining: Math.max(0, answer.minute_left + later), reset: 60 };
  if (subject.perHour === undefined) return minute;
  const hour = { limit: subject.perHour, remaining: Math.max(0, answer.hour_left + later), reset: 3600 };
  return minute.remaining <= hour.remaining ? minute : hour;
}
