import { instant } from "./clock.ts";
import type { Instant } from "./clock.ts";

/** A time on the clocks of a zone, as the milliseconds that the same time would have in UTC. */
export type LocalTime = number & { readonly __local: true };

/** Returns true for a time zone of the IANA database. Offsets such as +01:00 are not time zones. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export function localTimeOf(at: Instant, zone: string): LocalTime {
  const { offsetNanoseconds } = zoned(at, zone);
  return (at + offsetNanoseconds / 1e6) as LocalTime;
}

/**
 * Returns the instant at which the clocks of a zone show a time. If they show it twice, it is the first one. If they skip
 * it, it is the first instant after the gap.
 */
export function instantOfLocalTime(local: LocalTime, zone: string): Instant {
  const wanted = zoned(instant(local), "UTC").toPlainDateTime();
  const found = wanted.toZonedDateTime(zone, { disambiguation: "earlier" });
  const isSkipped = !found.toPlainDateTime().equals(wanted);
  const existing = isSkipped ? (found.getTimeZoneTransition("next") ?? found) : found;
  return instant(existing.epochMilliseconds);
}

/** Returns an instant as the clocks of a zone show it: `2026-11-30T09:00:00+01:00`. */
export function toLocalRfc3339(at: Instant, zone: string): string {
  return zoned(at, zone).toString({ smallestUnit: "second", timeZoneName: "never" });
}

function zoned(at: Instant, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}
