import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Tag, Uuid } from "../../lib/lib.ts";
import { beat, close, KINDS, moveTo, tell } from "./listener.ts";
import type { Kind, Listener } from "./listener.ts";
import { tailNews } from "./live.store.ts";
import type { Tail } from "./live.store.ts";
import type { NewsReaders } from "./live-reader.ts";

export interface Hub {
  add(listener: Listener): void;
  /** Returns the number of open streams of these tenants. */
  count(tags: readonly Tag[]): number;
  has(tag: Tag): boolean;
  readonly size: number;
  /** Returns the tenants with open streams, and their number of streams. */
  listened(): readonly { readonly bucket: number; readonly tag: Tag; readonly listeners: number }[];
  /**
   * Reads new changes and sends them. Returns the tenants whose interest has been lost. A shard that does not answer within
   * `patienceMs` goes on behind the read, and is read again only after its answer.
   */
  read(patienceMs?: number): Promise<ReadonlySet<Tag>>;
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
  const { clock } = deps;
  const byTag = new Map<Tag, Set<Listener>>();
  let lost = new Set<Tag>();
  const reading = createShardReads(async (groups) => {
    for (const tag of await readShard(deps, groups)) lost.add(tag);
  }, deps.log);

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
    async read(patienceMs = Number.POSITIVE_INFINITY) {
      const shards = await groupsByShard(deps, all());
      await reading.all(shards, patienceMs);
      for (const listener of all()) endIfOver(listener);
      const found = lost;
      lost = new Set();
      return found;
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

type Groups = readonly (readonly [Listener, ...Listener[]])[];

/** Returns the streams of each shard, in groups that are read together. */
async function groupsByShard({ db }: HubDeps, listeners: readonly Listener[]): Promise<Map<string, Groups>> {
  const groups = [...Map.groupBy(listeners, groupOf).values()] as [Listener, ...Listener[]][];
  const placed = await Promise.all(
    groups.map(async (group) => ({ group, shard: await db.shardOf(group[0].scope.bucket) })),
  );
  const byShard = Map.groupBy(placed, ({ shard }) => shard);
  return new Map([...byShard].map(([shard, own]) => [shard, own.map(({ group }) => group)]));
}

/** Returns the tenants whose interest has been lost. */
async function readShard(deps: HubDeps, groups: Groups): Promise<Tag[]> {
  const [[first] = []] = groups;
  if (first === undefined) return [];
  const reads = groups.map(([one]) => ({ bucket: one.scope.bucket, tag: one.scope.tag, after: one.position }));
  const { tails, snapshot } = await deps.db.at(
    first.scope.bucket,
    async () => await tailNews(deps.db, deps.node, reads, MOST_TOLD),
  );
  const lost: Tag[] = [];
  for (const [at, listeners] of groups.entries()) {
    const [tail, read] = [tails[at], reads[at]];
    if (tail === undefined || read === undefined) continue;
    if (!tail.kept) lost.push(read.tag);
    await tellAll(deps, listeners, { tail, after: read.after, snapshot });
  }
  return lost;
}

/** Reads shards side by side, so that one that does not answer holds up only its own streams. */
function createShardReads(
  read: (groups: Groups) => Promise<void>,
  log: HubDeps["log"],
): { all(shards: ReadonlyMap<string, Groups>, patienceMs: number): Promise<void> } {
  const running = new Map<string, Promise<void>>();

  async function readOne(shard: string, groups: Groups): Promise<void> {
    try {
      await read(groups);
    } catch (error) {
      log.warn({ err: error, streams: groups.length }, "failed to read live updates of a shard; retrying");
    } finally {
      running.delete(shard);
    }
  }

  function begin(shard: string, groups: Groups): Promise<void> {
    const run = readOne(shard, groups);
    running.set(shard, run);
    return run;
  }

  return {
    async all(shards, patienceMs) {
      const isPatient = patienceMs === Number.POSITIVE_INFINITY;
      const reads = [...shards].map(async ([shard, groups]) => {
        const before = running.get(shard);
        if (before !== undefined && !isPatient) return;
        await before;
        await begin(shard, groups);
      });
      const done = Promise.all(reads);
      await (isPatient ? done : Promise.race([done, sleep(patienceMs, undefined, { ref: false })]));
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
