import { createHash } from "node:crypto";
import { selectsEvent } from "../../events/events.ts";
import type { EventHead, Events, StoredEvent, UnreadHeads } from "../../events/events.ts";
import { createFilters, filterFacts, judge } from "../../webhooks/webhooks.ts";
import { createTurns, ServiceError, uuidFloor, wireId } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { cursorOf, MOST_SEEN } from "./event-position.ts";
import type { EventPosition } from "./event-position.ts";
import { createSettling } from "./event-settling.ts";

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
export type EventFeed = ReturnType<typeof createEventFeed>;

export interface EventFeedDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, "unread" | "byId">;
}

/** The names that one read looks at. */
const MOST_HEADS = 1000;
/** The data of a page. Its first event may be larger. A page fits into what a stream may leave unread. */
const MOST_BYTES = 768 * 1024;
const PATIENCE_MS = 20_000;
/** After a read, the workspace's next one waits this many times as long as it took, so that other workspaces have their turn. */
const REST = 2;
const MOST_VERDICTS = 20_000;

export function createEventFeed({ clock, events }: EventFeedDeps) {
  const filters = createFilters();
  const turns = createTurns({
    most: 1,
    patienceMs: PATIENCE_MS,
    late: () =>
      new ServiceError("service_unavailable", { detail: "Other clients of the workspace read events. Try again." }),
  });
  const verdicts = createVerdicts();
  const settling = createSettling(clock);

  function matches({ filter }: EventSelection, { row }: StoredEvent): boolean {
    return judge(filters, filter, filterFacts({ ...row, labels: null })) === "passed";
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

  async function unread(scope: Scope, tenant: string | null, from: EventPosition): Promise<Unread> {
    const query = { ...from, tenant, limit: MOST_HEADS, withMark: settling.wantsMark(scope.bucket) };
    const heads = await events.unread(scope, query);
    return { ...heads, settled: settling.settledAt(scope.bucket, heads) };
  }

  return {
    /** Returns the position of a client that begins now. */
    async begin(scope: Scope): Promise<EventPosition> {
      const from = { after: uuidFloor(clock.now()), seen: [], snapshot: null, late: null };
      return { ...from, snapshot: (await unread(scope, null, from)).snapshot };
    },
    /** Reads a page, which ends by bytes and by events. Only events whose names are selected are read with their data. */
    async read(scope: Scope, selection: EventSelection, from: EventPosition, limit: number): Promise<FeedPage> {
      const heads = await unread(scope, selection.tenant, from);
      const { settled } = heads;
      const refused = verdicts.of(selection.filter);
      const isNew = ({ id, name }: EventHead): boolean =>
        !from.seen.includes(id) && selectsEvent(selection.patterns, name) && !refused.has(id);
      const isWhole = from.late === null && heads.late.length < MOST_HEADS;
      const cut = cutOf(isWhole ? [...heads.late, ...heads.ahead] : heads.late, isNew, {
        limit,
        settled,
        room: MOST_SEEN - from.seen.filter((id) => id > settled).length,
      });
      const page = await judged(scope, selection, cut.candidates);
      const got = new Set([...from.seen, ...page.map(({ id }) => id)]);
      for (const id of cut.candidates) if (!got.has(id)) refused.add(id);
      const position = positionAfter(cut.read, { from, got, heads });
      const isCut = cut.isCut || !isWhole || heads.ahead.length === MOST_HEADS;
      return { events: page, position, hasMore: isCut && (cut.candidates.length > 0 || isAhead(from, position)) };
    },
  };
}

/** Returns true if a reader has read something, or its late events are being read. */
function isAhead(from: EventPosition, to: EventPosition): boolean {
  return from.late !== null || cursorOf(to) !== cursorOf({ ...from, snapshot: to.snapshot });
}

interface Unread extends UnreadHeads {
  /** No event up to this id can still appear, except late ones. */
  readonly settled: Uuid;
}

interface Cut {
  /** The rows of the page, selected or not. */
  readonly read: readonly EventHead[];
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
function cutOf(
  heads: readonly EventHead[],
  isNew: (head: EventHead) => boolean,
  { limit, settled, room }: Bounds,
): Cut {
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

/** Remembers which of the newest events a filter refused: until they are settled, each read meets them again. */
function createVerdicts() {
  const refused = new Set<string>();
  return {
    /** Returns the events that a filter refused. */
    of(filter: string | null): { has(id: Uuid): boolean; add(id: Uuid): void } {
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
  readonly heads: Unread;
}

/** Moves over the late rows, and then over the settled ones, and names those after them that the client has. */
function positionAfter(read: readonly EventHead[], { from, got, heads }: Reading): EventPosition {
  const { late, settled, snapshot } = heads;
  if (read.length < late.length || late.length === MOST_HEADS) return withinLate(read, from, snapshot);
  if (from.late !== null) return { ...from, snapshot: from.late.until, late: null };
  const moved = read.findLast(({ id }) => id <= settled)?.id ?? from.after;
  const last = moved > from.after ? moved : from.after;
  const seen = [...got].filter((id) => id > last && id > settled);
  return { after: last, seen: seen.slice(0, MOST_SEEN), snapshot, late: null };
}

function withinLate(read: readonly EventHead[], from: EventPosition, snapshot: string): EventPosition {
  const last = read.at(-1)?.id ?? from.late?.after;
  return last === undefined ? from : { ...from, late: { after: last, until: from.late?.until ?? snapshot } };
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
