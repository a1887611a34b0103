const FIRST_BOUND_MS = 500;
const LAST_BOUND_MS = 8000;
const LONGEST_WAIT_S = 60;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns true if a call can be retried after a response. `retryable` is the service's own statement, if there is one.
 */
export function isRetried(status: number, code: string, retryable: unknown): boolean {
  if (retryable === false) return false;
  return RETRIED.has(status) || (status === 409 && code === "idempotency_in_progress");
}

export interface WaitFacts {
  /** The number of earlier retries. */
  readonly retry: number;
  /** A random number in [0, 1). */
  readonly random: number;
  /** The text of the header. */
  readonly retryAfter: string | null | undefined;
  readonly nowMs: number;
}

/**
 * Returns the milliseconds before the next attempt: full jitter, or Retry-After if that is longer. Returns undefined if
 * Retry-After is longer than a minute, because then the caller decides. The cases are in conformance/retries.json.
 */
export function waitMs({ retry, random, retryAfter, nowMs }: WaitFacts): number | undefined {
  const asked = retryAfterSeconds(retryAfter, nowMs) ?? 0;
  if (asked > LONGEST_WAIT_S) return undefined;
  const jitter = random * Math.min(LAST_BOUND_MS, FIRST_BOUND_MS * 2 ** retry);
  return Math.max(jitter, asked * 1000);
}

/** Returns the seconds, or the seconds until a date, never below 0. Returns undefined for other values. */
export function retryAfterSeconds(text: string | null | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  if (!HTTP_DATE.test(trimmed)) return undefined;
  return Math.max(0, (Date.parse(trimmed) - nowMs) / 1000);
}
