import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import { beat, close, end, KINDS, moveTo, tell } from "./listener.ts";
import type { Kind, Listener } from "./listener.ts";
import { tailNews } from "./live.store.ts";
import type { Tail } from "./live.store.ts";
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
  reset(tag: Tag, from: string): void;
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
      // Listeners of one tag stand at one place, but for those who have just come back.
      const groups = Map.groupBy(all(), ({ scope, position }) => `${scope.tag} ${position}`);
      const reads = [...groups.values()].flatMap((listeners) => {
        const [first] = listeners;
        return first === undefined ? [] : [{ ...first.scope, after: first.position, listeners }];
      });
      const lost = new Set<Tag>();
      if (reads.length === 0) return lost;
      const { tails, snapshot } = await tailNews(db, node, reads, MOST_TOLD);
      for (const [at, { listeners, tag, after }] of reads.entries()) {
        const tail = tails[at];
        if (tail === undefined) continue;
        if (!tail.kept) lost.add(tag);
        await tellAll(deps, listeners, { tail, after, snapshot });
      }
      for (const listener of all()) endIfOver(listener);
      return lost;
    },
    reset(tag, from) {
      for (const listener of of(tag)) {
        tell(listener, "reset", JSON.stringify({ object: "stream_reset", reason: "interrupted" }));
        moveTo(listener, from);
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

/** Ends the stream of a caller whose next request would be refused. */
async function recheck({ clock, log }: HubDeps, listener: Listener): Promise<void> {
  try {
    const kinds = await listener.recheck();
    listener.checkedMs = clock.monotonicMs();
    listener.kinds = new Set([...listener.kinds].filter((kind) => kinds.has(kind)));
    if (listener.kinds.size === 0) close(listener, "role_not_allowed");
  } catch (error) {
    if (error instanceof ServiceError) return close(listener, error.code);
    log.warn({ err: error }, "failed to check whether a stream's caller still has access");
    if (clock.monotonicMs() - listener.checkedMs > UNCHECKED_MS) close(listener, "service_unavailable");
  }
}

interface Step {
  readonly tail: Tail;
  /** Where all these listeners stood, and where they stand once they were told. */
  readonly after: string;
  readonly snapshot: string;
}

async function tellAll(deps: HubDeps, listeners: readonly Listener[], step: Step): Promise<void> {
  const messages = await messagesOf(deps, listeners, step.tail);
  for (const listener of listeners) {
    // Another read may have told it meanwhile.
    if (listener.position === step.after) tellOne(listener, messages, step);
  }
}

/** One thing that changed, as it is now. */
interface Message {
  readonly kind: Kind;
  readonly text: string;
}

/** What any of them is to be told, in order. */
async function messagesOf(deps: HubDeps, listeners: readonly Listener[], { told }: Tail): Promise<Message[]> {
  const [first] = listeners;
  if (first === undefined) return [];
  const { scope } = first;
  const texts = new Map<string, string>();
  for (const kind of KINDS) {
    const ids = told.filter((one) => one.kind === kind).map(({ id }) => id);
    if (ids.length === 0 || !listeners.some(({ kinds }) => kinds.has(kind))) continue;
    const { read, gone } = deps.readers()[kind];
    const found = await deps.db.within(scope, async () => await read(scope, ids));
    for (const id of ids) texts.set(kind + id, found.get(id) ?? gone(scope, id));
  }
  return told.flatMap(({ kind, id }) => {
    const text = texts.get(kind + id);
    return text === undefined ? [] : [{ kind: kind as Kind, text }];
  });
}

function tellOne(listener: Listener, messages: readonly Message[], { tail, snapshot }: Step): void {
  for (const { kind, text } of messages) if (listener.kinds.has(kind)) tell(listener, kind, text);
  for (const [kind, count] of tail.more) {
    if (listener.kinds.has(kind as Kind))
      tell(listener, "more", JSON.stringify({ object: "stream_more", kind, count }));
  }
  moveTo(listener, snapshot);
}
