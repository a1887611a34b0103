import type { Db } from "../db/db.ts";
import { createBatcher } from "../kernel/kernel.ts";
import { giveBackRate, takeRates } from "./gate.store.ts";
import type { RateAnswer, RateAsk } from "./gate.store.ts";

/** What the answer's rate-limit headers say: the tighter of the two policies. Seconds. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

export interface Token {
  readonly granted: boolean;
  readonly retrySeconds: number;
  readonly state: RateState;
}

export type RateSubject = Omit<RateAsk, "want">;

export interface RateLimiter {
  /** Takes one call. Concurrent calls share a statement; the count is exact over all nodes. */
  take(subject: RateSubject): Promise<Token>;
  giveBack(subject: RateSubject): Promise<void>;
  /** What is left, taking nothing. */
  peek(subject: RateSubject): Promise<RateState>;
}

interface Group {
  readonly subject: RateSubject;
  readonly members: number[];
}

export function createRateLimiter(db: Db): RateLimiter {
  const batcher = createBatcher<RateSubject, Token>({
    maxSize: 1000,
    run: async (subjects) => await takeBatch(db, subjects),
  });
  return {
    take: async (subject) => await batcher.add(subject),
    giveBack: async (subject) => await giveBackRate(db, subject),
    peek: async (subject) => {
      const [answer] = await takeRates(db, [{ ...subject, want: 0 }]);
      if (answer === undefined) throw new Error("rate_take answered fewer rows than were asked");
      return tokenOf(subject, answer, 0).state;
    },
  };
}

async function takeBatch(db: Db, subjects: readonly RateSubject[]): Promise<Token[]> {
  const groups = groupBySubject(subjects);
  const answers = await takeRates(
    db,
    groups.map((group) => ({ ...group.subject, want: group.members.length })),
  );
  const tokens: Token[] = [];
  groups.forEach((group, at) => {
    const answer = answers[at];
    if (answer === undefined) throw new Error("rate_take answered fewer rows than were asked");
    group.members.forEach((member, position) => {
      tokens[member] = tokenOf(group.subject, answer, position);
    });
  });
  return tokens;
}

function groupBySubject(subjects: readonly RateSubject[]): Group[] {
  const groups = new Map<string, Group>();
  subjects.forEach((subject, at) => {
    const name = `${subject.bucket}\n${subject.subject}\n${subject.operation}\n${subject.perMinute}\n${subject.perHour}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { subject, members: [at] });
    else group.members.push(at);
  });
  return [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** The first `granted` callers in order of arrival get theirs; what is left counts down through them. */
function tokenOf(subject: RateSubject, answer: RateAnswer, position: number): Token {
  const granted = position < answer.granted;
  const later = Math.max(0, answer.granted - position - 1);
  const minute = { limit: subject.perMinute, remaining: Math.max(0, answer.minute_left + later), reset: 60 };
  const hour = { limit: subject.perHour, remaining: Math.max(0, answer.hour_left + later), reset: 3600 };
  return { granted, retrySeconds: answer.retry_seconds, state: minute.remaining <= hour.remaining ? minute : hour };
}
