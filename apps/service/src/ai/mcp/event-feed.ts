import { createHash } from "node:crypto";
import { COMMIT_MS, selectsEvent } from "../../events/events.ts";
import type { Events, StoredEvent } from "../../events/events.ts";
import { createFilters, filterFacts, judge } from "../../webhooks/webhooks.ts";
import { after, createTurns, ServiceError, uuidFloor, wireId } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { MOST_SEEN } from "./event-position.ts";
import type { EventPosition } from "./event-position.ts";

/** The events that a client asks for (contract, section 10). */
export interface EventSelection {
  readonly patterns: readonly string[];
  /** JSON text of a condition; null for none. */
  readonly filter: string | null;
  readonly tenant: string | null;
}

export interface FeedPage {
  readonly events: readonly StoredEvent[];
  readonly position: EventPosition;
  readonly hasMore: boolean;
}

/** The events of a workspace, for clients that ask again and again. No client misses one, and none gets one twice. */
export interface EventFeed {
  /** Returns the position of a client that begins now. */
  now(): EventPosition;
  /** Reads a page, which ends by bytes and by events. Only events whose names are selected are read with their data. */
  read(scope: Scope, selection: EventSelection, from: EventPosition, limit: number): Promise<FeedPage>;
}

export interface EventFeedDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, "headsAfter" | "byId">;
}

type Head = Awaited<ReturnType<Events["headsAfter"]>>[number];

/** The names that one read looks at. */
const MOST_HEADS = 1000;
/** The data of a page. Its first event may be larger. A page fits into what a stream may leave unread. */
const MOST_BYTES = 768 * 1024;
const PATIENCE_MS = 20_000;
/** After a read, the workspace's next one waits this many times as long as it took, so that other workspaces have their turn. */
const REST = 2;
const MOST_VERDICTS = 20_000;

export function createEventFeed({ clock, events }: EventFeedDeps): EventFeed {
  const filters = createFilters();
  const turns = createTurns({
    most: 1,
    patienceMs: PATIENCE_MS,
    late: () =>
      new ServiceError("service_unavailable", { detail: "Other clients of the workspace read events. Try again." }),
  });
  const verdicts = createVerdicts();

  function matches({ filter }: EventSelection, { row }: StoredEvent): boolean {
    return (
      judge(filters, filter, filterFacts({ name: row.name, data: row.data, tenant: row.tenant, labels: null })) ===
      "passed"
    );
  }

  /** Returns the candidates that pass the filter, in order. */
  async function judged(scope: Scope, selection: EventSelection, ids: readonly Uuid[]): Promise<StoredEvent[]> {
    if (ids.length === 0) return [];
    const end = await turns.take(scope.workspaceId, scope.tenant);
    const startedMs = clock.monotonicMs();
    try {
      const found = await events.byId(scope, ids);
      return found.toSorted(inOrder).filter((event) => matches(selection, event));
    } finally {
      setTimeout(end, REST * (clock.monotonicMs() - startedMs)).unref();
    }
  }

  return {
    now: () => ({ after: uuidFloor(clock.now()), seen: [] }),
    async read(scope, selection, from, limit) {
      const heads = await events.headsAfter(scope, { after: from.after, tenant: selection.tenant }, MOST_HEADS);
      const refused = verdicts.of(selection.filter);
      const settled = uuidFloor(after(clock.now(), -COMMIT_MS));
      const isNew = ({ id, name }: Head): boolean =>
        !from.seen.includes(id) && selectsEvent(selection.patterns, name) && !refused.has(id);
      const cut = cutOf(heads, isNew, {
        limit,
        settled,
        room: MOST_SEEN - from.seen.filter((id) => id > settled).length,
      });
      const page = await judged(scope, selection, cut.candidates);
      const got = new Set([...from.seen, ...page.map(({ id }) => id)]);
      for (const id of cut.candidates) if (!got.has(id)) refused.add(id);
      const position = positionAfter(cut.read, { from, got, settled });
      const isAhead = cut.candidates.length > 0 || position.after !== from.after;
      return { events: page, position, hasMore: isAhead && (cut.isCut || heads.length === MOST_HEADS) };
    },
  };
}

interface Cut {
  /** The rows of the page, selected or not. */
  readonly read: readonly Head[];
  readonly candidates: readonly Uuid[];
  readonly isCut: boolean;
}

interface Bounds {
  readonly limit: number;
  readonly settled: Uuid;
  /** The number of further events that the cursor can name, because they are not settled. */
  readonly room: number;
}

/** Ends a page before the event that it has no room for. */
function cutOf(heads: readonly Head[], isNew: (head: Head) => boolean, { limit, settled, room }: Bounds): Cut {
  const candidates: Uuid[] = [];
  let bytes = 0;
  let unsettled = 0;
  for (const [at, head] of heads.entries()) {
    if (!isNew(head)) continue;
    bytes += head.bytes;
    if (head.id > settled) unsettled += 1;
    const isFull = candidates.length === limit || unsettled > room || (candidates.length > 0 && bytes > MOST_BYTES);
    if (isFull) return { read: heads.slice(0, at), candidates, isCut: true };
    candidates.push(head.id);
  }
  return { read: heads, candidates, isCut: false };
}

function inOrder(left: StoredEvent, right: StoredEvent): number {
  return left.id < right.id ? -1 : 1;
}

interface Verdicts {
  /** Returns the events that a filter refused. */
  of(filter: string | null): { has(id: Uuid): boolean; add(id: Uuid): void };
}

/** Remembers which of the newest events a filter refused: until they are settled, each read meets them again. */
function createVerdicts(): Verdicts {
  const refused = new Set<string>();
  return {
    of(filter) {
      const digest = createHash("sha256")
        .update(filter ?? "")
        .digest("base64");
      return {
        has: (id) => refused.has(id + digest),
        add(id) {
          const [oldest] = refused;
          if (refused.size >= MOST_VERDICTS && oldest !== undefined) refused.delete(oldest);
          refused.add(id + digest);
        },
      };
    },
  };
}

interface Reading {
  readonly from: EventPosition;
  /** The events that the client has. */
  readonly got: ReadonlySet<Uuid>;
  /** No event before this id can still appear. */
  readonly settled: Uuid;
}

/** Moves over the settled rows, and names those after them that the client has. */
function positionAfter(read: readonly Head[], { from, got, settled }: Reading): EventPosition {
  const last = read.findLast(({ id }) => id <= settled)?.id ?? from.after;
  const seen = [...got].filter((id) => id > last && id > settled);
  return { after: last, seen: seen.slice(0, MOST_SEEN) };
}

/** Returns the JSON text of an event. Its data is as the caller wrote it. */
export function eventText(scope: Scope, { id, row, occurredAt }: StoredEvent): string {
  const head = {
    eventId: wireId("evt", scope.tag, id),
    name: row.name,
    timestamp: occurredAt,
    subject: row.subject,
    tenant: row.tenant,
    version: row.type_version,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${row.data}}`;
}
