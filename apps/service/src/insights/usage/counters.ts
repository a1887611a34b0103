import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { slotOf } from "./histogram.ts";

/** What is counted by hour and by day. */
export const TOTALS = [
  "events",
  "deliveries",
  "delivered",
  "failed",
  "cancelled",
  "attempts",
  "failed_attempts",
  "receipts",
  "runs",
  "unlogged_requests",
] as const;
export type Total = (typeof TOTALS)[number];

/**
 * What is counted by hour alone, each of a subject: events by name; first deliveries by how long they took (a slot); attempts of an
 * endpoint by their end; and by how long they took (`<endpoint>:<slot>`).
 */
export const DETAILS = ["event", "ack", "endpoint_ok", "endpoint_failed", "endpoint_ms"] as const;
export type Detail = (typeof DETAILS)[number];

export interface Count {
  readonly tag: Tag;
  /** Hours since 1970. */
  readonly hour: number;
  readonly kind: Total | Detail;
  /** Empty for a total. */
  readonly subject: string;
  readonly count: number;
}

export interface Counters {
  /** Hot. Touches memory alone. */
  readonly hearer: Partial<Signals>;
  /** All that was counted since the last time. */
  take(): Count[];
  /** What could not be written is counted on. */
  putBack(counts: readonly Count[]): void;
}

export const HOUR_MS = 3_600_000;
/** Names are the callers' own: beyond so many in an hour, of one workspace's environment, they are counted as one. */
const MAX_NAMES = 500;
export const OTHER_NAMES = "(other)";
/** Of a database that is away for long, the totals are kept and the rest is lost. */
const MAX_COUNTS = 100_000;
const GAP = "\n";

export function createCounters({ clock }: { readonly clock: Clock }): Counters {
  let counts = new Map<string, number>();
  let namesOfHour = { hour: 0, names: new Map<Tag, Set<string>>() };

  const hourNow = (): number => Math.floor(clock.now() / HOUR_MS);

  function add(tag: Tag, kind: Total | Detail, { subject = "", hour = hourNow(), count = 1 } = {}): void {
    const name = tag + GAP + String(hour) + GAP + kind + GAP + subject;
    const before = counts.get(name);
    if (before === undefined && subject !== "" && counts.size >= MAX_COUNTS) return;
    counts.set(name, (before ?? 0) + count);
  }

  function nameOf(tag: Tag, name: string, hour: number): string {
    if (namesOfHour.hour !== hour) namesOfHour = { hour, names: new Map() };
    const names = namesOfHour.names.get(tag) ?? new Set<string>();
    namesOfHour.names.set(tag, names);
    if (names.size < MAX_NAMES) names.add(name);
    return names.has(name) ? name : OTHER_NAMES;
  }

  function addAttempt(tag: Tag, endpointId: Uuid, { outcome, ms }: { outcome: string; ms: number }): void {
    const succeeded = outcome === "delivered";
    add(tag, "attempts");
    if (!succeeded) add(tag, "failed_attempts");
    add(tag, succeeded ? "endpoint_ok" : "endpoint_failed", { subject: endpointId });
    add(tag, "endpoint_ms", { subject: `${endpointId}:${slotOf(ms)}` });
  }

  return {
    hearer: {
      eventsAccepted(events) {
        const hour = hourNow();
        for (const { scope, name } of events) {
          add(scope.tag, "events", { hour });
          add(scope.tag, "event", { hour, subject: nameOf(scope.tag, name, hour) });
        }
      },
      deliveriesMade(tags) {
        for (const tag of tags) add(tag, "deliveries");
      },
      deliveryEnded: (tag, state) => add(tag, state),
      receiptWritten: (tag) => add(tag, "receipts"),
      attemptMade({ tag, endpointId, ackMs, outcome, ms }) {
        addAttempt(tag, endpointId, { outcome, ms });
        if (ackMs !== null) add(tag, "ack", { subject: String(slotOf(ackMs)) });
      },
      actionEnded(tag, outcome) {
        if (outcome === "executed" || outcome === "failed") add(tag, "runs");
      },
      requestUnlogged: (tag) => add(tag, "unlogged_requests"),
    },
    take() {
      const taken = counts;
      counts = new Map();
      return [...taken].map(([name, count]) => {
        const [tag = "", hour = "", kind = "", subject = ""] = name.split(GAP);
        return { tag: tag as Tag, hour: Number(hour), kind: kind as Count["kind"], subject, count };
      });
    },
    putBack(taken) {
      for (const { tag, hour, kind, subject, count } of taken) add(tag, kind, { subject, hour, count });
    },
  };
}
