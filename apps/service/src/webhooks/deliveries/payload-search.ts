import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import { createTurns, inTurn, ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { dataHolding, eventOf } from "./delivered-events.store.ts";
import { listDeliveries } from "./deliveries.store.ts";
import type { DeliveryFilter, DeliveryRow } from "./deliveries.store.ts";
import { hasPayload } from "./payload.ts";
import type { PayloadFilter } from "./payload.ts";

export interface PayloadSearch {
  readonly filter: DeliveryFilter;
  readonly payload: PayloadFilter;
  readonly limit: number;
}

export interface PayloadPage {
  readonly rows: DeliveryRow[];
  /** The position at which the next page begins; undefined at the end. */
  readonly restFrom: Uuid | undefined;
}

/**
 * Searches for a value in the data of the deliveries' events. A page ends when it is full, or when the limit of
 * deliveries or of data that is read has been reached. Then it has fewer rows, and a cursor.
 */
export type SearchPayloads = (scope: Scope, search: PayloadSearch) => Promise<PayloadPage>;

const MOST_LOOKED_AT = 5000;
const LOOKED_AT_ONCE = 250;
/** The number of deliveries whose events one statement reads. */
const FETCHED_AT_ONCE = 50;
/** The characters of data that one page reads, which take about a second of CPU time. */
const MOST_READ = 8 * 1024 * 1024;
/**
 * The characters after which the search pauses, and the characters for each millisecond of the pause. About half of the
 * time is left to other calls.
 */
const READ_AT_ONCE = 64 * 1024;
const READ_PER_MS = 8 * 1024;
/**
 * The number of concurrent searches of one workspace on one node. Each uses memory and time of the process that serves
 * all workspaces.
 */
const MOST_SEARCHES = 1;
const PATIENCE_MS = 10_000;

export function createPayloadSearch({ db }: { readonly db: Db }): SearchPayloads {
  const turns = createTurns({ most: MOST_SEARCHES, patienceMs: PATIENCE_MS, late: tooManySearches });
  return async (scope, search) => await inTurn(turns, scope, async () => await pageOfSearch(db, scope, search));
}

async function pageOfSearch(db: Db, scope: Scope, { filter, payload, limit }: PayloadSearch): Promise<PayloadPage> {
  const rows: DeliveryRow[] = [];
  const reader = createReader(db, scope, payload);
  let before = filter.before;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += LOOKED_AT_ONCE) {
    const step = await listDeliveries(db.query, scope, { ...filter, before }, LOOKED_AT_ONCE);
    for (const [at, row] of step.entries()) {
      if (at % FETCHED_AT_ONCE === 0) await reader.fetch(step.slice(at, at + FETCHED_AT_ONCE));
      if (reader.read() > MOST_READ) return { rows, restFrom: before };
      before = row.id;
      if (!(await reader.holds(row))) continue;
      rows.push(row);
      if (rows.length === limit) return { rows, restFrom: row.id };
    }
    if (step.length < LOOKED_AT_ONCE) return { rows, restFrom: undefined };
  }
  return { rows, restFrom: before };
}

function createReader(db: Db, scope: Scope, payload: PayloadFilter) {
  let unread = new Map<Uuid, string | null>();
  let holding = new Set<Uuid>();
  let read = 0;
  let sincePause = 0;
  return {
    /** Prepares the check whether the events of these rows contain the value. */
    async fetch(rows: readonly DeliveryRow[]): Promise<void> {
      const eventIds = [...new Set(rows.map((row) => row.event_id))];
      const candidates = await dataHolding(db.query, scope, { eventIds, text: payload.value });
      unread = new Map(candidates.map(({ id, data }) => [id, data]));
      holding = new Set();
    },
    /** Reads each event once. */
    async holds({ event_id: id }: DeliveryRow): Promise<boolean> {
      const candidate = unread.get(id);
      if (candidate === undefined) return holding.has(id);
      unread.delete(id);
      const data = candidate ?? (await eventOf(db.query, scope, id))?.data;
      if (data === undefined) return false;
      if (hasPayload(payload, data)) holding.add(id);
      read += data.length;
      sincePause += data.length;
      if (sincePause >= READ_AT_ONCE) {
        await sleep(sincePause / READ_PER_MS);
        sincePause = 0;
      }
      return holding.has(id);
    },
    /** Returns the number of characters that were read. */
    read: (): number => read,
  };
}

function tooManySearches(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail: "Another search of this workspace by payload is in progress. Wait until it has ended.",
    headers: { "Retry-After": "1" },
  });
}
