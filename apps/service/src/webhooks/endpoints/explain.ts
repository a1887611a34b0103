import { currentVersions, evaluate, isCanonical } from "../../events/events.ts";
import { readFilter, sharesChannel, storedFilter } from "./channels.ts";
import { createTurns, createWorkShares, inTurn, ServiceError, TooExpensiveError, wireId } from "../../lib/lib.ts";
import type { Turns, Uuid, t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { storedEndpoint } from "./endpoint.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import { createFilters, filterFacts, filterFaults, judge, TOO_EXPENSIVE } from "./filters.ts";
import type { FilteredEvent } from "./filters.ts";
import { ownSchedule, waitsInSeconds } from "./own-schedule.ts";
import type { RetrySchedule } from "./own-schedule.ts";
import { barrierOf, isOfVersion, selects, takesTenant } from "./tenant-reach.ts";
import type { ReachingEvent } from "./tenant-reach.ts";
import type * as shapes from "./filters.schemas.ts";

/** An event that an explanation is about, given or past. `data` is JSON text of an object. */
export type EventInQuestion =
  | {
      readonly event: string;
      readonly data: string;
      readonly tenant?: string | undefined;
      readonly channels?: readonly string[] | undefined;
    }
  | { readonly event_id: string };

/** Tells which events an endpoint gets, and why (contract, section 10). The endpoint is judged as it is now. */
export type Explanations = ReturnType<typeof createExplanations>;

export type FilterPreview = t.Static<typeof shapes.PreviewView>;

/** An event can have 256 KiB of data, so they are read and judged in parts. */
const PAGE = 20;
const PAGES = 5;

/** The number of events that one workspace judges at the same time on one node, so that a burst of questions leaves time to others. */
const MOST_QUESTIONS = 1;
const PATIENCE_MS = 10_000;

export function createExplanations(deps: Pick<EndpointsDeps, "clock" | "db" | "events" | "retrySchedule">) {
  const turns = createTurns({ most: MOST_QUESTIONS, patienceMs: PATIENCE_MS, late: tooManyQuestions });
  return {
    /** Returns the checks that decide whether the endpoint gets an event, as JSON text. Throws 404 for an event of others. */
    async explain(scope: Scope, id: string, asked: EventInQuestion): Promise<string> {
      const row = await storedEndpoint(deps, scope, id);
      if (!("event_id" in asked)) {
        const { event: name, data, tenant = null, channels = null } = asked;
        const labels = { channels };
        // An event that is fired without a version has the current one.
        const typeVersion = (await currentVersions(deps.db.query, scope, [name])).get(name)?.version ?? null;
        const version = { canonical: isCanonical(name), typeVersion };
        return await answered(turns, scope, () =>
          explanation(row, { scope, name, data, tenant, labels, subject: null, version }, deps.retrySchedule),
        );
      }
      const { row: past, labels = null } = await deps.events.get(scope, asked.event_id);
      const { canonical, type_version: typeVersion } = past;
      return await answered(turns, scope, () =>
        explanation(row, { scope, ...past, labels, version: { canonical, typeVersion } }, deps.retrySchedule),
      );
    },
    /** Returns which of the last 100 events the endpoint would get with another filter. Throws 422 for a faulty filter. */
    async previewFilter(scope: Scope, id: string, filter: string | null): Promise<FilterPreview> {
      const row = await storedEndpoint(deps, scope, id);
      const faults = filter === null ? [] : filterFaults(filter);
      if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
      return await answered(turns, scope, async () => await preview(deps, { scope, row, filter }));
    },
  };
}

/** Answers a question in a turn of its workspace. The next turn begins in a later turn of the event loop. */
async function answered<Answer>(turns: Turns, scope: Scope, work: () => Answer): Promise<Awaited<Answer>> {
  return await inTurn(turns, scope, work, (end) => setImmediate(end));
}

function tooManyQuestions(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail: "Other questions about the filters of this workspace are being answered. Repeat the call later.",
    headers: { "Retry-After": "1" },
  });
}

type Questioned = FilteredEvent & ReachingEvent;

function explanation(row: EndpointRow, event: Questioned, schedule: RetrySchedule): string {
  const waits = waitsInSeconds(ownSchedule(row) ?? schedule);
  const isOfTenant = takesTenant(row, event);
  const isSubscribed = selects(row, event);
  const isVersion = isOfVersion(row, event);
  const { channels, own } = readFilter(row.filter);
  const isOfChannel = sharesChannel(channels, event.labels?.channels ?? null);
  const filter = filterCheck(own, event);
  const checks = [
    JSON.stringify({ check: "active", matched: row.active }),
    JSON.stringify({ check: "tenant", matched: isOfTenant }),
    JSON.stringify({ check: "events", matched: isSubscribed }),
    JSON.stringify({ check: "version", matched: isVersion }),
    ...(channels === null ? [] : [JSON.stringify({ check: "channels", matched: isOfChannel })]),
    filter.text,
  ];
  const isMatched = row.active && isOfTenant && isSubscribed && isVersion && isOfChannel && filter.matched;
  return `{"matched":${isMatched},"checks":[${checks.join(",")}],"ladder_seconds":${JSON.stringify(waits)}}`;
}

/** Returns the check as JSON text. */
function filterCheck(
  filter: string | null,
  event: FilteredEvent,
): { readonly matched: boolean; readonly text: string } {
  const check = "filter";
  if (filter === null) return { matched: true, text: JSON.stringify({ check, matched: true }) };
  try {
    const { condition } = createFilters().of(filter);
    if (condition === null) return { matched: true, text: JSON.stringify({ check, matched: true }) };
    const { truth: matched, leaves } = evaluate(condition, filterFacts(event).facts);
    return { matched, text: `${JSON.stringify({ check, matched }).slice(0, -1)},"leaves":${leaves}}` };
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return { matched: false, text: JSON.stringify({ check, matched: false, reason: TOO_EXPENSIVE }) };
  }
}

interface Previewing {
  readonly scope: Scope;
  readonly row: EndpointRow;
  readonly filter: string | null;
}

async function preview(
  { clock, events }: Pick<EndpointsDeps, "clock" | "events">,
  { scope, row, filter }: Previewing,
): Promise<FilterPreview> {
  const filters = createFilters();
  const stored = storedFilter({ channels: row.channels, own: filter });
  const shares = createWorkShares(clock);
  const taken: { id: Uuid; event: string; occurred_at: string }[] = [];
  let [examined, subscribed, tooExpensive] = [0, 0, 0];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES && cursor !== null; page += 1) {
    const read = await events.list(scope, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    examined += read.data.length;
    for (const { id, occurredAt, row: event, labels = null } of read.data) {
      const { canonical, type_version: typeVersion } = event;
      if (barrierOf(row, { scope, ...event, version: { canonical, typeVersion } }) !== undefined) continue;
      subscribed += 1;
      const judgement = judge(filters, stored, filterFacts({ ...event, labels }), shares.budgetOf(scope.tag));
      if (judgement === "passed") taken.push({ id, event: event.name, occurred_at: occurredAt });
      if (judgement === TOO_EXPENSIVE) tooExpensive += 1;
      if (shares.isDue()) await shares.pause();
    }
    cursor = read.next_cursor;
  }
  const shown = taken.map((one) => ({ ...one, id: wireId("evt", scope.tag, one.id) }));
  return { examined, subscribed, matched: shown.length, too_expensive: tooExpensive, events: shown };
}
