import type { Clock, Tag } from "../../lib/lib.ts";
import type { AttemptSignal, Signals } from "../../platform/telemetry/telemetry.ts";
import { createCappedNames } from "./capped-names.ts";
import { createFilteredGroups } from "./filtered-groups.ts";
import { slotOf } from "./histogram.ts";

/** Kinds that are counted by hour and by day. */
export const TOTALS = [
  "events",
  "deliveries",
  "delivered",
  "failed",
  "cancelled",
  "filtered",
  "attempts",
  "failed_attempts",
  "receipts",
  "runs",
  "unlogged_requests",
] as const;
export type Total = (typeof TOTALS)[number];

/** Totals that are also counted by hour for the tenant of the event, the endpoint or the source. */
type TenantTotal = Exclude<Total, "runs" | "unlogged_requests">;

/**
 * Kinds that are counted only by hour, each for a subject. These are events by name, first attempts by duration (a slot),
 * and attempts of an endpoint by result. An endpoint also has its attempts by duration (`<endpoint>:<slot>`), and the
 * events that its filter kept from it. Events that do not match the schema of their type are counted by name.
 */
export const DETAILS = [
  "event",
  "ack",
  "endpoint_ok",
  "endpoint_failed",
  "endpoint_ms",
  "endpoint_filtered",
  "event_refused",
  "event_warned",
] as const;
export type Detail = (typeof DETAILS)[number];

export interface Count {
  readonly tag: Tag;
  /** Hours since 1970. */
  readonly hour: number;
  readonly kind: Total | Detail | `tenant_${TenantTotal}`;
  /** Empty for the kinds in `TOTALS`. */
  readonly subject: string;
  readonly count: number;
}

export interface Counters {
  /** Hot: uses only memory. */
  readonly hearer: Partial<Signals>;
  /** Returns all counts since the last call. */
  take(): Count[];
  /** Adds counts again that could not be written. */
  putBack(counts: readonly Count[]): void;
}

export const HOUR_MS = 3_600_000;
/** Maximum number of event types per hour and tenant. Further ones are counted together, because callers choose the names. */
const MAX_NAMES = 500;
export const OTHER_NAMES = "(other)";
/** Maximum number of tenants per hour and environment that are counted by their names. */
export const MOST_TENANTS = 1000;
/** No name of a tenant contains a space. */
export const OTHER_TENANTS = "(other tenants)";
/** Maximum number of counts in memory. Beyond it, during a long outage of the database, only totals and known subjects are counted. */
const MAX_COUNTS = 100_000;
const GAP = "\n";

export function createCounters({ clock }: { readonly clock: Clock }): Counters {
  let counts = new Map<string, number>();
  const nameOf = createCappedNames(MAX_NAMES, OTHER_NAMES);
  const tenantOf = createCappedNames(MOST_TENANTS, OTHER_TENANTS);

  const hourNow = (): number => Math.floor(clock.now() / HOUR_MS);

  function add(tag: Tag, kind: Count["kind"], { subject = "", hour = hourNow(), count = 1 } = {}): void {
    const name = tag + GAP + String(hour) + GAP + kind + GAP + subject;
    const before = counts.get(name);
    if (before === undefined && subject !== "" && counts.size >= MAX_COUNTS) return;
    counts.set(name, (before ?? 0) + count);
  }

  function addFor(tenant: string | null | undefined, tag: Tag, kind: TenantTotal, hour = hourNow()): void {
    add(tag, kind, { hour });
    if ((tenant ?? null) === null) return;
    add(tag, `tenant_${kind}`, { hour, subject: tenantOf(tag, String(tenant), hour) });
  }

  const filtered = createFilteredGroups(({ tag, endpointId, hour, events }) =>
    add(tag, "endpoint_filtered", { subject: endpointId, hour, count: events }),
  );

  function addAttempt({ tag, endpointId, tenant, outcome, ms, ackMs }: AttemptSignal): void {
    const succeeded = outcome === "delivered";
    addFor(tenant, tag, "attempts");
    if (!succeeded) addFor(tenant, tag, "failed_attempts");
    add(tag, succeeded ? "endpoint_ok" : "endpoint_failed", { subject: endpointId });
    add(tag, "endpoint_ms", { subject: `${endpointId}:${slotOf(ms)}` });
    if (ackMs !== null) add(tag, "ack", { subject: String(slotOf(ackMs)) });
  }

  return {
    hearer: {
      eventsAccepted(events) {
        const hour = hourNow();
        for (const { scope, name, tenant } of events) {
          addFor(tenant, scope.tag, "events", hour);
          add(scope.tag, "event", { hour, subject: nameOf(scope.tag, name, hour) });
        }
      },
      schemaViolated(events, outcome) {
        const hour = hourNow();
        for (const { scope, name } of events)
          add(scope.tag, `event_${outcome}`, { hour, subject: nameOf(scope.tag, name, hour) });
      },
      deliveriesMade(made) {
        for (const { tag, tenant } of made) addFor(tenant, tag, "deliveries");
      },
      deliveriesFiltered(groups) {
        for (const group of groups) filtered.add(group, hourNow());
      },
      deliveryEnded: (tag, state, tenant) => addFor(tenant, tag, state),
      receiptWritten: (tag, _status, tenant) => addFor(tenant, tag, "receipts"),
      attemptMade: addAttempt,
      actionEnded(tag, outcome) {
        if (outcome === "executed" || outcome === "failed") add(tag, "runs");
      },
      requestUnlogged: (tag) => add(tag, "unlogged_requests"),
    },
    take() {
      filtered.flush();
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
