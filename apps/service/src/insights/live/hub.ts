import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import { beat, close, KINDS, moveTo, tell } from "./listener.ts";
import type { Kind, Listener } from "./listener.ts";
import { tailNews } from "./live.store.ts";
import type { Tail } from "./live.store.ts";
import type { NewsReaders } from "./reader.ts";

export interface Hub {
  add(listener: Listener): void;
  /** Returns the number of open streams of these tenants. */
  count(tags: readonly Tag[]): number;
  has(tag: Tag): boolean;
  readonly size: number;
  /** Returns the tenants with open streams, and their number of streams. */
  listened(): readonly { readonly bucket: number; readonly tag: Tag; readonly listeners: number }[];
  /** Reads new changes and sends them. Returns the tenants whose interest has been lost. */
  read(): Promise<ReadonlySet<Tag>>;
  /** Tells the clients of a tenant to read their lists again, and continues from this position. */
  reset(tag: Tag, from: string): void;
  /** Ends streams whose callers have lost access, and those whose time is over. */
  recheck(): Promise<void>;
  /** Sends heartbeats. */
  beat(): void;
  closeAll(reason: string): void;
}

export interface HubDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly node: Uuid;
  readonly readers: () => NewsReaders;
  readonly log: { warn(fields: object, message: string): void };
}

/** The maximum number of changes of one kind that are sent one by one. For further ones, only their number is sent. */
const MOST_TOLD = 100;
/** How long a stream continues while its caller's access cannot be checked. */
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
    if (clock.monotonicMs() >= listener.endsMs) listener.stream.end();
  }

  return {
    add(listener) {
      const { tag } = listener.scope;
      const group = byTag.get(tag) ?? new Set();
      byTag.set(tag, group.add(listener));
      listener.stream.onClose(() => remove(listener));
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
      const groups = Map.groupBy(all(), groupOf);
      const reads = [...groups.values()].flatMap((listeners) => {
        const [first] = listeners;
        return first === undefined ? [] : [{ ...first.scope, after: first.position, listeners }];
      });
      const lost = new Set<Tag>();
      if (reads.length === 0) return lost;
      const found = await db.byShard(
        reads,
        ({ bucket }) => bucket,
        async (own) => {
          const { tails, snapshot } = await tailNews(db, node, own, MOST_TOLD);
          return tails.map((tail) => ({ tail, snapshot }));
        },
      );
      for (const [at, { listeners, tag, after }] of reads.entries()) {
        const read = found[at];
        if (read === undefined) continue;
        const { tail, snapshot } = read;
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
    async recheck() {
      for (const listener of all()) endIfOver(listener);
      await Promise.all(all().map(async (listener) => await recheck(deps, listener)));
    },
    beat() {
      for (const listener of all()) beat(listener);
    },
    closeAll(reason) {
      for (const listener of all()) close(listener, reason);
    },
  };
}

/**
 * Returns the name of the streams that are read together. Streams of one tenant have the same position, except those that
 * have just reconnected. A customer's streams are read on their own, because they show less.
 */
function groupOf({ scope, position }: Listener): string {
  return `${scope.tag} ${scope.tenant ?? ""} ${position}`;
}

/** Ends the stream if the caller's next request would be refused. */
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
  /** The position of these streams before the messages are sent. `snapshot` is the position after them. */
  readonly after: string;
  readonly snapshot: string;
}

async function tellAll(deps: HubDeps, listeners: readonly Listener[], step: Step): Promise<void> {
  const messages = await messagesOf(deps, listeners, step.tail);
  for (const listener of listeners) {
    // Another read may have sent these messages in the meantime.
    if (listener.position === step.after) tellOne(listener, messages, step);
  }
}

/** The current state of one changed object. */
interface Message {
  readonly kind: Kind;
  readonly text: string;
}

/** Returns the messages for any of these streams, in order. They all show the same rows. */
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
    for (const id of ids) {
      // A missing object may be another customer's, which this one must not learn of.
      const text = found.get(id) ?? (isOfTenant(first) ? undefined : gone(scope, id));
      if (text !== undefined) texts.set(kind + id, text);
    }
  }
  return told.flatMap(({ kind, id }) => {
    const text = texts.get(kind + id);
    return text === undefined ? [] : [{ kind: kind as Kind, text }];
  });
}

function isOfTenant({ scope }: Listener): boolean {
  return (scope.tenant ?? null) !== null;
}

function tellOne(listener: Listener, messages: readonly Message[], { tail, snapshot }: Step): void {
  for (const { kind, text } of messages) if (listener.kinds.has(kind)) tell(listener, kind, text);
  for (const [kind, count] of tail.more) {
    // The number is that of the whole environment.
    const shown = isOfTenant(listener) ? null : count;
    if (listener.kinds.has(kind as Kind))
      tell(listener, "more", JSON.stringify({ object: "stream_more", kind, count: shown }));
  }
  moveTo(listener, snapshot);
}
