import { Cron } from "croner";
import { fromDate, instant, instantOfLocalTime, isTimeZone, localTimeOf, toDate } from "../../lib/lib.ts";
import type { Instant, LocalTime, Violation } from "../../lib/lib.ts";

/** When a workflow starts by the clock. */
export interface Schedule {
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** The treatment of occurrences that were missed: nothing, or one event for all of them. */
  readonly missed: Missed;
}

export const MISSED = ["skip", "once"] as const;
export type Missed = (typeof MISSED)[number];

/** An occurrence that could not be fired for this long is missed. */
export const GRACE_MS = 300_000;
/** The maximum number of missed occurrences of one outage that are counted. */
export const MOST_COUNTED = 100;
export const MAX_CRON_CHARS = 200;

/** Reads the trigger's `schedule`, whose members and types were checked before. The pointers of the faults are relative to it. */
export function readSchedule(given: Raw): { readonly schedule: Schedule; readonly faults: readonly Violation[] } {
  const { cron, time_zone: timeZone = "UTC", missed = "skip" } = given;
  const cronFault = faultOfCron(cron);
  return {
    schedule: { cron, timeZone, missed },
    faults: [
      ...(cronFault === undefined ? [] : [{ pointer: "/cron", code: "cron", message: cronFault }]),
      ...(isTimeZone(timeZone) ? [] : [{ pointer: "/time_zone", code: "time_zone", message: NO_ZONE }]),
    ],
  };
}

/** A schedule as callers write it. */
interface Raw {
  readonly cron: string;
  readonly time_zone?: string;
  readonly missed?: Missed;
}

const NO_ZONE = "must be the name of an IANA time zone, such as Europe/Berlin or UTC";
const FIELDS = [
  { name: "minute", values: "0 to 59" },
  { name: "hour", values: "0 to 23" },
  { name: "day of month", values: "1 to 31" },
  { name: "month", values: "1 to 12 or JAN to DEC" },
  { name: "day of week", values: "0 to 7 or SUN to SAT" },
] as const;
/** The characters of standard cron. Others, such as L, W, # and ?, have a different meaning in each program. */
const STANDARD = /^[0-9A-Za-z*,/-]+$/;
const NAMES = /^(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)$/i;
const FIVE = "must have five fields: minute, hour, day of month, month, day of week, such as 0 9 * * MON-FRI";

function faultOfCron(cron: string): string | undefined {
  const fields = fieldsOf(cron);
  if (cron.trim().startsWith("@")) return `${FIVE}; nicknames such as ${fields[0] ?? ""} are not supported`;
  if (fields.length !== FIELDS.length) {
    const seconds = fields.length > FIELDS.length ? "; seconds and years are not supported" : "";
    return `${FIVE}; it has ${fields.length}${seconds}`;
  }
  for (const [at, { name, values }] of FIELDS.entries()) {
    const text = fields[at] ?? "";
    if (!isField(text, at))
      return `has an invalid ${name}, ${text}: use ${values}, with * for all, lists (1,2), ranges (1-5) and steps (*/10, 1-9/2)`;
  }
  return nextLocal(compiled(cron), LONG_AGO) === undefined
    ? "names a date that never comes, such as 30 February"
    : undefined;
}

function isField(text: string, at: number): boolean {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  if (!STANDARD.test(text) || !words.every((word) => NAMES.test(word))) return false;
  try {
    compiled(FIELDS.map((_field, place) => (place === at ? text : "*")).join(" "));
    return true;
  } catch {
    return false;
  }
}

function fieldsOf(cron: string): string[] {
  return cron.trim().split(/\s+/);
}

/** The pattern is compared with local times, which are the instants of UTC here. `instantOfLocalTime` adds the zone. */
function compiled(cron: string): Cron {
  return new Cron(fieldsOf(cron).join(" "), { mode: "5-part", paused: true, utcOffset: 0 });
}

const LONG_AGO = 0 as LocalTime;

function nextLocal(cron: Cron, after: LocalTime): LocalTime | undefined {
  const next = cron.nextRun(toDate(instant(after)));
  return next === null ? undefined : (fromDate(next) as number as LocalTime);
}

/** Returns the first occurrence after an instant. Undefined if there is none. */
export function occurrenceAfter(schedule: Schedule, after: Instant): Instant | undefined {
  return occurrencesAfter(schedule, after, 1)[0];
}

/**
 * Returns the first occurrences after an instant. A local time that the clocks show twice occurs once, at the first one.
 * Local times that the clocks skip occur at the first minute after the gap, all of them once.
 */
export function occurrencesAfter(schedule: Schedule, after: Instant, most: number): Instant[] {
  const cron = compiled(schedule.cron);
  const found: Instant[] = [];
  let last = after;
  let local = nextLocal(cron, localTimeOf(after, schedule.timeZone));
  while (local !== undefined && found.length < most) {
    const at = instantOfLocalTime(local, schedule.timeZone);
    if (at > last) {
      found.push(at);
      last = at;
    }
    local = nextLocal(cron, local);
  }
  return found;
}

/** Returns the last occurrence before an instant, but none before `from`, which is an occurrence itself. */
function lastBefore(schedule: Schedule, before: Instant, from: Instant): Instant {
  const [previous] = compiled(schedule.cron).previousRuns(1, toDate(instant(localTimeOf(before, schedule.timeZone))));
  if (previous === undefined) return from;
  const at = instantOfLocalTime(fromDate(previous) as number as LocalTime, schedule.timeZone);
  return at < before && at > from ? at : from;
}

/** The work for a schedule that is due. */
export interface Plan {
  /** The occurrences to fire, oldest first. */
  readonly fires: readonly Occurrence[];
  /** The occurrences that were missed; undefined if there are none. */
  readonly skipped: Skipped | undefined;
  /** The next occurrence, later than now. */
  readonly next: Instant | undefined;
}

export interface Occurrence {
  readonly at: Instant;
  /** The number of missed occurrences that it stands for, at most `MOST_COUNTED`; 0 for one that is on time. */
  readonly missed: number;
}

export interface Skipped {
  readonly count: number;
  readonly first: Instant;
  readonly last: Instant;
}

/** Decides what to do at `now` with the occurrences since `due`, the first one that was not fired. */
export function planOf(schedule: Schedule, due: Instant, now: Instant): Plan {
  const { skipped, next: first } = missedOf(schedule, due, instant(now - GRACE_MS));
  const fires: Occurrence[] =
    skipped !== undefined && schedule.missed === "once" ? [{ at: skipped.last, missed: skipped.count }] : [];
  let next = first;
  while (next !== undefined && next <= now) {
    fires.push({ at: next, missed: 0 });
    next = occurrenceAfter(schedule, next);
  }
  return { fires, skipped, next };
}

/** Returns the occurrences from `due` on that are before a time, and the first one that is not. */
function missedOf(schedule: Schedule, due: Instant, before: Instant): Pick<Plan, "skipped" | "next"> {
  let next: Instant | undefined = due;
  let last = due;
  let count = 0;
  while (next !== undefined && next < before && count < MOST_COUNTED) {
    count += 1;
    last = next;
    next = occurrenceAfter(schedule, next);
  }
  if (next !== undefined && next < before) {
    last = lastBefore(schedule, before, next);
    next = occurrenceAfter(schedule, last);
  }
  return { skipped: count === 0 ? undefined : { count, first: due, last }, next };
}
