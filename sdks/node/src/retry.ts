const FIRST_BOUND_MS = 500;
const LAST_BOUND_MS = 8000;
const LONGEST_WAIT_S = 60;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Whether an answer may be followed by another try. `retryable` is the service's own word, where it gave one. */
export function isRetried(status: number, code: string, retryable: unknown): boolean {
  if (retryable === false) return false;
  return RETRIED.has(status) || (status === 409 && code === "idempotency_in_progress");
}

export interface WaitFacts {
  /** 0 before the first retry. */
  readonly retry: number;
  /** Of [0, 1). */
  readonly random: number;
  /** The header's text. */
  readonly retryAfter: string | null | undefined;
  readonly nowMs: number;
}

/**
 * Milliseconds before the next try: full jitter, or Retry-After where that is longer. Undefined where Retry-After is
 * longer than a minute: that is for the caller to decide. conformance/retries.json has the cases.
 */
export function waitMs({ retry, random, retryAfter, nowMs }: WaitFacts): number | undefined {
  const asked = retryAfterSeconds(retryAfter, nowMs) ?? 0;
  if (asked > LONGEST_WAIT_S) return undefined;
  const jitter = random * Math.min(LAST_BOUND_MS, FIRST_BOUND_MS * 2 ** retry);
  return Math.max(jitter, asked * 1000);
}

/** Seconds, or the seconds until a date, never below 0; undefined for what is neither. */
export function retryAfterSeconds(text: string | null | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  if (!HTTP_DATE.test(trimmed)) return undefined;
  return Math.max(0, (Date.parse(trimmed) - nowMs) / 1000);
}
