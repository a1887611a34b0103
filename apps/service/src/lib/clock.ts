/** The milliseconds since the Unix epoch. Branded so that a duration is never mistaken for a point in time. */
export type Instant = number & { readonly __instant: true };

/** The only source of time. Tests use their own. */
export interface Clock {
  now(): Instant;
  /** Returns milliseconds from an arbitrary start. Never decreases, even if the wall clock changes. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => instant(Date.now()),
  monotonicMs: () => performance.now(),
};

export function instant(epochMs: number): Instant {
  return epochMs as Instant;
}

export function after(at: Instant, ms: number): Instant {
  return instant(at + ms);
}

/** Returns whole Unix seconds, as in timestamp headers. */
export function unixSeconds(at: Instant): number {
  return Math.floor(at / 1000);
}

/** Returns a time in RFC 3339, UTC, with milliseconds: the one form in which times leave the service. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 timestamp with a zone. Returns undefined for anything else, including dates such as 30 February.
 */
export function parseRfc3339(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const day = Number(match[3]);
  const inMonth = new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate();
  if (day < 1 || day > inMonth) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : instant(at);
}

/** Returns the instant of a database timestamp. */
export function fromDate(date: Date): Instant {
  return instant(date.getTime());
}

/** Converts an instant to the type that the database driver expects. */
export function toDate(at: Instant): Date {
  return new Date(at);
}

/** Returns an HTTP date (RFC 9110), such as `Sat, 01 Jan 2028 00:00:00 GMT`. */
export function toHttpDate(at: Instant): string {
  return new Date(at).toUTCString();
}

/** Reads an HTTP date (RFC 9110), or any other date text that the runtime reads. Returns undefined for other text. */
export function parseHttpDate(text: string): Instant | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : instant(at);
}

/** Reads a `Retry-After` header: seconds or an HTTP date. Returns milliseconds, and null for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = parseHttpDate(header);
  return at === undefined ? null : Math.max(0, at - nowMs);
}
