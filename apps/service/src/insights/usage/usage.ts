import type { Db, Query } from "../../platform/db/db.ts";
import { instant, parseRfc3339, ServiceError, toRfc3339, uuidTime } from "../../lib/lib.ts";
import type { Clock, Instant, Uuid, t } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createCounters, HOUR_MS } from "./counters.ts";
import type { Total } from "./counters.ts";
import { quantile } from "./histogram.ts";
import { assertKept, HOURS_KEPT_DAYS, tenantUsage } from "./tenant-usage.ts";
import type { AskedTenant } from "./tenant-usage.ts";
import { hourOfId, readDays, readHours, readNames, readFired, readTypes } from "./usage.store.ts";
import type { HourRow } from "./usage.store.ts";
import { createCountsWriter } from "./usage.worker.ts";
import type { CountsWriter } from "./usage.worker.ts";
import type * as shapes from "./usage.schemas.ts";

export type { Attention, AttentionParts, Capped } from "./attention.routes.ts";

export type Totals = Readonly<Record<Total, number>>;

export type UsageView = t.Static<typeof shapes.UsageShape>;

export interface HourView extends Totals {
  readonly hour: string;
  /** The proportion of attempts that succeeded, from 0 to 1. Null if there were no attempts. */
  readonly success_rate: number | null;
  readonly ack_p50_ms: number | null;
  readonly ack_p95_ms: number | null;
  readonly ack_p99_ms: number | null;
}

export type SeriesView = t.Static<typeof shapes.SeriesShape>;

export type EventUsageView = t.Static<typeof shapes.EventUsageList>["data"][number];

/** The use of an event type. */
export interface TypeUsage {
  /** The beginning of the last hour of the last 7 days in which the event occurred; null if it did not. */
  readonly lastHour: string | null;
  /** The events of the last 24 hours that did not match the schema: not stored, or stored nevertheless. */
  readonly refused: number;
  readonly warned: number;
}

/** The attempts of one endpoint in an hour. */
export interface EndpointHour {
  readonly hour: string;
  readonly delivered: number;
  readonly failed: number;
}

export interface EndpointUsage {
  readonly hours: EndpointHour[];
  readonly success_rate: number | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** The number of events that the endpoint's filter kept from it. */
  readonly filtered: number;
}

/** Usage counts (contract, section 9). They are counted in memory and written every five seconds, so that no request waits for them. */
export interface Usage extends Pick<CountsWriter, "waiting"> {
  /**
   * Returns counts of days in UTC, `YYYY-MM-DD`, both included. The default is the last 30. Throws 400 `query_invalid`. Those of a
   * tenant are of its events, and of its endpoints' deliveries.
   */
  days(scope: Scope, range: DayRange & TenantQuery): Promise<UsageView>;
  /** Returns counts of this many hours, including the current one. Those of a tenant have no times of responses. */
  series(scope: Scope, hours: number, whose?: TenantQuery): Promise<SeriesView>;
  /** Returns the event types that occurred, the most frequent first. */
  events(scope: Scope, hours: number): Promise<EventUsageView[]>;
  /** Returns the names of the events that occurred in the last 30 days, for which hours are kept. */
  firedNames(scope: Scope): Promise<ReadonlySet<string>>;
  /** Returns the recent use of each event type, by its name. */
  eventTypes(scope: Scope): Promise<ReadonlyMap<string, TypeUsage>>;
  /** Returns the last 24 hours of each of these endpoints. */
  endpoints(scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, EndpointUsage>>;
  /** Counts signals. */
  readonly listener: Partial<Signals>;
  start(): void;
  stop(): Promise<void>;
}

interface DayRange {
  readonly from?: string;
  readonly to?: string;
}

/** The tenant that is asked for. A tenant's key always asks for its own. */
interface TenantQuery {
  readonly tenant?: string;
}

export interface UsageDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 24 * HOUR_MS;
const DAYS_SHOWN = 30;
const MOST_DAYS = 400;
const MOST_EVENTS = 1000;
const ENDPOINT_HOURS = 24;
const SEEN_HOURS = 7 * 24;
const VIOLATION_HOURS = 24;
const DAY = /^\d{4}-\d\d-\d\d$/;

export function createUsage(deps: UsageDeps): Usage {
  const { db, clock } = deps;
  const counters = createCounters(deps);
  const writer = createCountsWriter({ ...deps, counters });
  const firstOf = (hours: number): number => Math.floor(clock.now() / HOUR_MS) - hours + 1;
  return {
    ...writer,
    listener: counters.hearer,
    async days(scope, { tenant, ...range }) {
      const { days, to } = daysOf(range, clock.now());
      const [from = to] = days;
      const asked = askedTenant(scope, tenant);
      const { rows, ...whose } =
        asked === undefined
          ? { rows: await readDays(db.query, scope, from, to), ...EVERYONE }
          : await tenantDays(db.query, scope, asked, { from, to, now: clock.now() });
      const byDay = Map.groupBy(rows, (row) => row.day);
      const data = days.map((day) => ({ day, ...totalsOf(byDay.get(day) ?? []) }));
      return { object: "usage", ...whose, time_zone: "UTC", from, to, total: totalsOf(rows), data };
    },
    async series(scope, hours, { tenant } = {}) {
      const from = firstOf(hours);
      const asked = askedTenant(scope, tenant);
      const { rows, ...whose } =
        asked === undefined
          ? { rows: await environmentHours(db.query, scope, from), ...EVERYONE }
          : await tenantRows(db.query, scope, asked, { from, to: from + hours });
      const byHour = Map.groupBy(rows, ({ hour }) => hour);
      return {
        object: "usage_series",
        ...whose,
        from: hourText(from),
        to: toRfc3339(clock.now()),
        data: Array.from({ length: hours }, (_, at) => hourView(from + at, byHour.get(from + at) ?? [])),
      };
    },
    async events(scope, hours) {
      const rows = await readNames(db.query, scope, firstOf(hours), MOST_EVENTS);
      return rows.map(({ name, count, last }) => ({
        object: "event_usage",
        event: name,
        count,
        last_hour: toRfc3339(uuidTime(last)),
      }));
    },
    firedNames: async (scope) => new Set(await readFired(db.query, scope, firstOf(HOURS_KEPT_DAYS * 24))),
    async eventTypes(scope) {
      const from = { seen: firstOf(SEEN_HOURS), violated: firstOf(VIOLATION_HOURS) };
      const rows = await readTypes(db.query, scope, from);
      return new Map(
        rows.map(({ name, last, refused, warned }) => [
          name,
          { lastHour: last === null ? null : toRfc3339(uuidTime(last)), refused, warned },
        ]),
      );
    },
    async endpoints(scope, ids) {
      const from = firstOf(ENDPOINT_HOURS);
      const kinds = ["endpoint_ok", "endpoint_failed", "endpoint_ms", "endpoint_filtered"];
      const rows = ids.length === 0 ? [] : await readHours(db.query, scope, { kinds, from });
      const byEndpoint = Map.groupBy(rows, (row) => row.subject.slice(0, UUID_LENGTH));
      return new Map(ids.map((id) => [id, endpointUsage(byEndpoint.get(id) ?? [], from)]));
    },
  };
}

const UUID_LENGTH = 36;
const EVERYONE = { tenant: null, other_tenants: null };

interface Counted {
  readonly hour: number;
  readonly kind: string;
  /** The slot of a time; empty for the others. */
  readonly subject: string;
  readonly count: number;
}

/** Returns the days of a range. Throws 400 `query_invalid`. */
function daysOf({ from, to }: DayRange, now: Instant): { readonly days: string[]; readonly to: string } {
  const end = to ?? dayText(now);
  const last = dayOf(end, "to");
  const first = from === undefined ? last - (DAYS_SHOWN - 1) * DAY_MS : dayOf(from, "from");
  const count = (last - first) / DAY_MS + 1;
  if (count < 1 || count > MOST_DAYS)
    throw new ServiceError("query_invalid", { detail: `The range of from and to must be 1 to ${MOST_DAYS} days.` });
  return { days: Array.from({ length: count }, (_, at) => dayText(first + at * DAY_MS)), to: end };
}

function askedTenant(scope: Scope, tenant: string | undefined): AskedTenant | undefined {
  const own = scope.tenant ?? null;
  if (own !== null) return { tenant: own, withOthers: false };
  return tenant === undefined ? undefined : { tenant, withOthers: true };
}

async function environmentHours(query: Query, scope: Scope, from: number): Promise<Counted[]> {
  const rows = await readHours(query, scope, { kinds: [...TOTALS, "ack"], from });
  return rows.map((row) => ({ ...row, hour: hourOfId(row.id) }));
}

async function tenantRows(query: Query, scope: Scope, asked: AskedTenant, range: { from: number; to: number }) {
  const { hours, others } = await tenantUsage(query, scope, asked, range);
  const rows = hours.map((row): Counted => ({ ...row, subject: "" }));
  return { rows, tenant: asked.tenant, other_tenants: others };
}

async function tenantDays(
  query: Query,
  scope: Scope,
  asked: AskedTenant,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: Instant },
) {
  assertKept(from, dayText(now - (HOURS_KEPT_DAYS - 1) * DAY_MS));
  const range = { from: dayOf(from, "from") / HOUR_MS, to: dayOf(to, "to") / HOUR_MS + 23 };
  const { rows, ...whose } = await tenantRows(query, scope, asked, range);
  return { rows: rows.map((row) => ({ ...row, day: dayText(row.hour * HOUR_MS) })), ...whose };
}

function totalsOf(rows: readonly { readonly kind: string; readonly count: number }[]): Totals {
  const sum = (kind: Total): number => rows.reduce((total, row) => total + (row.kind === kind ? row.count : 0), 0);
  return {
    events: sum("events"),
    deliveries: sum("deliveries"),
    delivered: sum("delivered"),
    failed: sum("failed"),
    cancelled: sum("cancelled"),
    filtered: sum("filtered"),
    attempts: sum("attempts"),
    failed_attempts: sum("failed_attempts"),
    receipts: sum("receipts"),
    runs: sum("runs"),
    unlogged_requests: sum("unlogged_requests"),
  };
}

function hourView(hour: number, rows: readonly Counted[]): HourView {
  const totals = totalsOf(rows);
  const slots = new Map(rows.flatMap((row) => (row.kind === "ack" ? [[Number(row.subject), row.count] as const] : [])));
  return {
    hour: hourText(hour),
    ...totals,
    success_rate: rateOf(totals.attempts - totals.failed_attempts, totals.attempts),
    ack_p50_ms: quantile(slots, 0.5),
    ack_p95_ms: quantile(slots, 0.95),
    ack_p99_ms: quantile(slots, 0.99),
  };
}

function endpointUsage(rows: readonly HourRow[], from: number): EndpointUsage {
  const sum = (kind: string, hour?: number): number =>
    rows.reduce(
      (total, row) => total + (row.kind === kind && (hour === undefined || hourOfId(row.id) === hour) ? row.count : 0),
      0,
    );
  const slots = new Map<number, number>();
  for (const { kind, subject, count } of rows) {
    const slot = Number(subject.slice(UUID_LENGTH + 1));
    if (kind === "endpoint_ms") slots.set(slot, (slots.get(slot) ?? 0) + count);
  }
  const [delivered, failed] = [sum("endpoint_ok"), sum("endpoint_failed")];
  return {
    hours: Array.from({ length: ENDPOINT_HOURS }, (_, at) => ({
      hour: hourText(from + at),
      delivered: sum("endpoint_ok", from + at),
      failed: sum("endpoint_failed", from + at),
    })),
    success_rate: rateOf(delivered, delivered + failed),
    p50_ms: quantile(slots, 0.5),
    p95_ms: quantile(slots, 0.95),
    filtered: sum("endpoint_filtered"),
  };
}

function rateOf(good: number, all: number): number | null {
  return all === 0 ? null : Math.round((good / all) * 10_000) / 10_000;
}

function hourText(hour: number): string {
  return toRfc3339(instant(hour * HOUR_MS));
}

function dayText(at: number): string {
  return toRfc3339(instant(at)).slice(0, 10);
}

/** Returns midnight UTC of a day. Throws 400 `query_invalid`. */
function dayOf(text: string, name: string): number {
  const at = DAY.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : undefined;
  if (at !== undefined) return at;
  throw new ServiceError("query_invalid", { detail: `${name} must be a day, such as 2026-11-21.` });
}
