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

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const DAY_MS = 86_400_000;

/**
 * Reads an RFC 3339 timestamp with a zone. Returns undefined for anything else, including dates such as 30 February. A
 * leap second (23:59:60 in UTC) is the second after it, as in Unix time.
 */
export function parseRfc3339(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, hoursAhead, minutesAhead] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have is one of another month.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined;
  const ahead = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hoursAhead) * 60 + Number(minutesAhead));
  const seconds = (Number(hour) * 60 + Number(minute) - ahead) * 60 + Number(second);
  const at = date.getTime() + seconds * 1000;
  if (second === "60" && at % DAY_MS !== 0) return undefined;
  return instant(at + Number(fraction.slice(0, 3).padEnd(3, "0")));
}

/** Returns the instant of a database timestamp. */
export function fromDate(date: Date): Instant {
  return instant(date.getTime());
}

/** Returns a time of the database as the wire shows it. */
export function timeText(date: Date): string;
export function timeText(date: Date | null): string | null;
export function timeText(date: Date | null): string | null {
  return date === null ? null : toRfc3339(fromDate(date));
}

/** Converts an instant to the type that the database driver expects. */
export function toDate(at: Instant): Date {
  return new Date(at);
}

/** Returns an HTTP date (RFC 9110), such as `Sat, 01 Jan 2028 00:00:00 GMT`. */
export function toHttpDate(at: Instant): string {
  return new Date(at).toUTCString();
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** The three forms of RFC 9110, section 5.6.7: with a comma, with hyphens and two digits of the year, and that of C. */
const HTTP_DATES = [
  /^[a-z]{3,9}, ?(?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{4}|\d{2}) (?<time>\d{2}:\d{2}:\d{2}) (?:GMT|UTC|Z|[+-]0000)$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i,
];

/** Reads an HTTP date (RFC 9110), or an RFC 3339 timestamp. Returns undefined for other text. */
function parseHttpDate(text: string, now: number): Instant | undefined {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return parseRfc3339(text);
  const { day = "", month = "", year = "", time = "" } = parts;
  const number = String(MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, "0");
  const whole = year.length === 2 ? String(fullYear(Number(year), now)) : year;
  return parseRfc3339(`${whole}-${number}-${day.trim().padStart(2, "0")}T${time}Z`);
}

/** Two digits are never a year more than 50 years ahead (RFC 9110, section 5.6.7). */
function fullYear(digits: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + digits;
  return year > current + 50 ? year - 100 : year;
}

/** Several headers come joined by commas. A comma within a date is followed by its day. */
const BETWEEN_VALUES = /,(?! ?\d{1,2}[ -][a-z]{3})/i;

/**
 * Reads a `Retry-After` header: seconds or an HTTP date; of several, the first that can be read. Returns milliseconds,
 * at most the largest safe integer, and null for anything else. The caller sets the limit.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  for (const value of (header ?? "").split(BETWEEN_VALUES)) {
    const text = value.trim();
    if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER);
    const at = parseHttpDate(text, nowMs);
    if (at !== undefined) return Math.max(0, at - nowMs);
  }
  return null;
}
