import { product, readDecimal, truncated } from "../../lib/lib.ts";
import type { Decimal } from "../../lib/lib.ts";

/** The points that an activity adds to a contact's score (contract, section 6). */
export interface Score {
  readonly default: number;
  readonly by_event_type: Readonly<Record<string, number>>;
  /** The additional points for each whole unit of the value. */
  readonly per_value: number;
}

export const NO_SCORE: Score = { default: 0, by_event_type: {}, per_value: 0 };
/** The limit of the points of one activity, positive or negative. */
export const MAX_POINTS = 1_000_000;

export function scoreOf(score: Score, eventType: string, value: Decimal | null): number {
  const byType = Object.hasOwn(score.by_event_type, eventType) ? score.by_event_type[eventType] : undefined;
  const points = (byType ?? score.default) + pointsOfValue(score, value);
  return Math.max(-MAX_POINTS, Math.min(MAX_POINTS, points));
}

function pointsOfValue(score: Score, value: Decimal | null): number {
  const each = readDecimal(String(score.per_value));
  return value === null || each === undefined ? 0 : Number(truncated(product(value, each)));
}
