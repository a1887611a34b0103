import type { Db } from "../db/db.ts";
import { ServiceError } from "../kernel/kernel.ts";
import type { Clock, Tag, Uuid } from "../kernel/kernel.ts";
import { isBefore, before } from "./position.ts";
import type { Position } from "./position.ts";
import { beat, close, end, tell } from "./listener.ts";
import type { Kind, Listener } from "./listener.ts";
import { tailNews } from "./news.store.ts";
import type { NewsRow, Tail } from "./news.store.ts";
import type { NewsReaders } from "./reader.ts";

export interface Hub {
  add(listener: Listener): void;
  /** Open streams of these. */
  count(tags: readonly Tag[]): number;
  has(tag: Tag): boolean;
  readonly size: number;
  /** The listened to, with how many listen. */
  listened(): readonly { readonly bucket: number; readonly tag: Tag; readonly listeners: number }[];
  /** Reads what is new and tells it. Answers those whose interest is gone. */
  read(): Promise<ReadonlySet<Tag>>;
  /** Tells those of a tag to read everything anew, from here on. */
  reset(tag: Tag, from: Position): void;
  /** Shows that the connections live, and ends those of callers who may not listen any more. */
  beat(): Promise<void>;
  closeAll(reason: string): void;
}

export interface HubDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly node: Uuid;
  readonly readers: () => NewsReaders;
  readonly log: { warn(fields: object, message: string): void };
}

/** Rows of one tag and read; what is beyond is read at once afterwards. */
const MOST_ROWS = 1000;
/** Of a kind, told one by one at a time; of what is more than that only the number is told. */
const MOST_TOLD = 100;
/** A caller whose standing cannot be learnt is believed in for so long. */
const UNCHECKED_MS = 60_000;

export function createHub(deps: HubDeps): Hub {
  const { db, clock, node } = deps;
  const byTag = new Map<Tag, Set<Listener>>();

  const all = (): Listener[] => [...byTag.values()].flatMap((group) => [...group]);
  const of = (tag: Tag): Listener[] => [...(byTag.get(tag) ?? [])];

  function remove(listener: Listener): void {
    const group = byTag.get(listener.scope.tag);
    group?.delete(listener);
    if (group?.size === 0) byTag.delete(listener.scope.tag);
  }

  function endIfOver(listener: Listener): void {
    if (clock.monotonicMs() >= listener.endsMs) end(listener);
  }

  async function readOnce(): Promise<{ tail: Tail; more: boolean }> {
    const from = [...byTag.values()].map((group) => placeOf([...group]));
    const tail = await tailNews(db, node, from, MOST_ROWS);
    const byNews = Map.groupBy(tail.rows, (row) => row.tag);
    let more = false;
    for (const { tag } of from) {
      const rows = byNews.get(tag) ?? [];
      const isPart = rows.length === MOST_ROWS;
      const upTo = isPart ? (rows.at(-1)?.position ?? before(tail.xmin)) : before(tail.xmin);
      more ||= isPart;
      await tellAll(deps, of(tag), { rows, upTo });
    }
    return { tail, more };
  }

  return {
    add(listener) {
      const { tag } = listener.scope;
      const group = byTag.get(tag) ?? new Set();
      byTag.set(tag, group.add(listener));
      listener.stream.once("close", () => remove(listener));
    },
    count: (tags) => tags.reduce((sum, tag) => sum + (byTag.get(tag)?.size ?? 0), 0),
    has: (tag) => byTag.has(tag),
    get size() {
      return all().length;
    },
    listened: () =>
      [...byTag].flatMap(([tag, group]) => {
        const [first] = group;
        return first === undefined ? [] : [{ bucket: first.scope.bucket, tag, listeners: group.size }];
      }),
    async read() {
      const lost = new Set<Tag>();
      for (let more = byTag.size > 0; more;) {
        const once = await readOnce();
        for (const tag of once.tail.lost) lost.add(tag);
        more = once.more && byTag.size > 0;
      }
      for (const listener of all()) endIfOver(listener);
      return lost;
    },
    reset(tag, from) {
      for (const listener of of(tag)) {
        listener.position = from;
        tell(listener, "reset", JSON.stringify({ object: "stream_reset", reason: "interrupted" }));
      }
    },
    async beat() {
      await Promise.all(all().map(async (listener) => await recheck(deps, listener)));
      for (const listener of all()) beat(listener);
    },
    closeAll(reason) {
      for (const listener of all()) close(listener, reason);
    },
  };
}

/** Where the one who is furthest behind reads on. */
function placeOf(group: readonly Listener[]): { bucket: number; tag: Tag; position: Position } {
  const [first] = group;
  if (first === undefined) throw new Error("a tag without listeners is kept");
  const position = group.reduce((least, { position: own }) => (isBefore(own, least) ? own : least), first.position);
  return { bucket: first.scope.bucket, tag: first.scope.tag, position };
}

/** Ends the stream of a caller whose next request would be refused. */
async function recheck({ clock, log }: HubDeps, listener: Listener): Promise<void> {
  try {
    const kinds = await listener.recheck();
    listener.checkedMs = clock.monotonicMs();
    listener.kinds = new Set([...listener.kinds].filter((kind) => kinds.has(kind)));
    if (listener.kinds.size === 0) close(listener, "role_not_allowed");
  } catch (error) {
    if (error instanceof ServiceError) return close(listener, error.code);
    log.warn({ err: error }, "whether a stream's caller may still listen could not be learnt");
    if (clock.monotonicMs() - listener.checkedMs > UNCHECKED_MS) close(listener, "service_unavailable");
  }
}

interface Read {
  readonly rows: readonly NewsRow[];
  /** Everything before it has been read. */
  readonly upTo: Position;
}

/** One thing that changed, as it is now, at the place of its last change. */
interface Message {
  readonly position: Position;
  readonly kind: Kind;
  readonly text: string;
}

async function tellAll(deps: HubDeps, listeners: readonly Listener[], { rows, upTo }: Read): Promise<void> {
  const [first] = listeners;
  if (first === undefined) return;
  const wanted = new Set(listeners.flatMap((listener) => [...listener.kinds]));
  const latest = new Map<string, NewsRow>();
  for (const row of rows) if (wanted.has(row.kind as Kind)) latest.set(`${row.kind}${row.id}`, row);
  const byKind = Map.groupBy(latest.values(), (row) => row.kind as Kind);
  const messages: Message[] = [];
  const more = new Map<Kind, number>();
  for (const [kind, changed] of byKind) {
    const inOrder = changed.toSorted((a, b) => (isBefore(a.position, b.position) ? -1 : 1));
    const told = inOrder.slice(-MOST_TOLD);
    if (inOrder.length > told.length) more.set(kind, inOrder.length - told.length);
    const { read, gone } = deps.readers()[kind];
    const { scope } = first;
    const ids = told.map((row) => row.id);
    const texts = await deps.db.within(scope, async () => await read(scope, ids));
    for (const { id, position } of told) messages.push({ kind, position, text: texts.get(id) ?? gone(scope, id) });
  }
  messages.sort((a, b) => (isBefore(a.position, b.position) ? -1 : 1));
  for (const listener of listeners) tellOne(listener, messages, { more, upTo });
}

function tellOne(
  listener: Listener,
  messages: readonly Message[],
  { more, upTo }: { readonly more: ReadonlyMap<Kind, number>; readonly upTo: Position },
): void {
  for (const { kind, position, text } of messages) {
    if (!listener.kinds.has(kind) || !isBefore(listener.position, position)) continue;
    // In order: whoever breaks off here has all up to here.
    if (!tell(listener, kind, text, position)) return;
    listener.position = position;
  }
  if (isBefore(listener.position, upTo)) listener.position = upTo;
  for (const [kind, count] of more) {
    if (listener.kinds.has(kind)) tell(listener, "more", JSON.stringify({ object: "stream_more", kind, count }));
  }
}

