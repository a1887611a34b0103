import { addressOf, prepareOne, readLayout, schemaOf } from "../citus/citus.ts";
import type { Layout, Shard } from "../citus/citus.ts";
import type { DbDeps } from "./types.ts";
import { closeSite, openSite, statsOf } from "./site.ts";
import type { PoolStats, Site } from "./site.ts";

/** The places of the database. A plain PostgreSQL has one; with Citus, each shard has its own (docs/scaling.md). */
export interface Sites {
  /** The coordinator, or the whole of a plain PostgreSQL. */
  readonly home: Site;
  /** Returns the place of a bucket's rows. Prepares its shard before the first use. */
  of(bucket: number): Site | Promise<Site>;
  /** Returns the name of a bucket's shard, which is empty for a plain PostgreSQL. */
  shardOf(bucket: number): string | Promise<string>;
  /** True once the database is known to be a plain PostgreSQL, whose places are all the same. */
  isPlain(): boolean;
  /** Returns one bucket of each shard; undefined for a plain PostgreSQL. */
  ofEach(): readonly number[] | undefined | Promise<readonly number[] | undefined>;
  /** Returns the addresses of all machines. */
  machines(): Promise<readonly string[]>;
  /** Calls `changed` when shards were moved or machines were added. Returns a function that ends this. */
  watch(changed: () => void): () => void;
  /** Reads the layout again, after a statement found that a shard was moved. */
  refresh(): Promise<void>;
  stats(): PoolStats;
  close(): Promise<void>;
}

/** The interval at which a process looks whether shards were moved. */
const LOOK_MS = 2000;

/** The last layout that was read. `layout` is undefined for a plain PostgreSQL. */
interface KnownLayout {
  readonly layout: Layout | undefined;
  readonly byBucket: readonly ShardSite[];
}

export function createSites(deps: DbDeps): Sites {
  const home = openSite(deps);
  let known: KnownLayout | undefined;
  let reading: Promise<KnownLayout> | undefined;
  let shards = new Map<string, ShardSite>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const watchers = new Set<() => void>();

  async function read(): Promise<KnownLayout> {
    const layout = await readLayout(home.main);
    if (known !== undefined && JSON.stringify(layout) === JSON.stringify(known.layout)) return known;
    const isFirst = known === undefined;
    known = adopt(layout);
    if (layout !== undefined && !closed)
      timer ??= setInterval(() => {
        refresh().catch(() => undefined);
      }, LOOK_MS).unref();
    if (!isFirst) for (const changed of watchers) changed();
    return known;
  }

  /** Keeps the pools of the shards that stayed where they are, and closes the others' when they are no longer in use. */
  function adopt(layout: Layout | undefined): KnownLayout {
    const before = shards;
    const named = (layout?.shards ?? []).map((shard) => [JSON.stringify(shard), shard] as const);
    shards = new Map(named.map(([name, shard]) => [name, before.get(name) ?? createShardSite(deps, shard)]));
    for (const [name, gone] of before) if (!shards.has(name)) void gone.close();
    const byBucket: ShardSite[] = [];
    for (const one of shards.values()) for (const bucket of one.shard.buckets) byBucket[bucket] = one;
    return { layout, byBucket };
  }

  async function reread(): Promise<KnownLayout> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return await reading;
  }

  async function refresh(): Promise<void> {
    await reread();
  }

  function withKnown<T>(use: (found: KnownLayout) => T | Promise<T>): T | Promise<T> {
    return known === undefined ? reread().then(use) : use(known);
  }

  return {
    home,
    of: (bucket) => withKnown((found) => (found.layout === undefined ? home : siteOf(found, bucket).ready())),
    shardOf: (bucket) => withKnown((found) => (found.layout === undefined ? "" : siteOf(found, bucket).shard.id)),
    isPlain: () => known !== undefined && known.layout === undefined,
    ofEach: () => withKnown(({ layout }) => layout?.shards.map(({ buckets }) => buckets[0] ?? 0)),
    async machines() {
      const { layout } = known ?? (await reread());
      const others = (layout?.shards ?? []).filter((shard) => !isSame(shard, layout?.coordinator));
      return [...new Set([deps.url, ...others.map((shard) => addressOf(deps.url, shard))])];
    },
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    refresh,
    stats: () => statsOf([home, ...[...shards.values()].flatMap(({ opened }) => opened() ?? [])]),
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([closeSite(home), ...[...shards.values()].map(async (one) => await one.close())]);
    },
  };
}

function siteOf({ byBucket }: KnownLayout, bucket: number): ShardSite {
  const found = byBucket[bucket];
  if (found === undefined) throw new Error(`bucket ${bucket} has no shard`);
  return found;
}

function isSame(a: Shard, b: Layout["coordinator"] | undefined): boolean {
  return a.host === b?.host && a.port === b.port;
}

interface ShardSite {
  readonly shard: Shard;
  /** Prepares the shard and opens its pools once. A failed preparation is repeated at the next use. */
  ready(): Site | Promise<Site>;
  opened(): Site | undefined;
  close(): Promise<void>;
}

function createShardSite(deps: DbDeps, shard: Shard): ShardSite {
  let site: Site | undefined;
  let opening: Promise<Site> | undefined;
  let closed = false;

  async function open(): Promise<Site> {
    await prepareOne(deps.url, shard);
    if (closed) throw new Error("Connection terminated: the shard was moved");
    site = openSite(deps, { url: addressOf(deps.url, shard), schema: schemaOf(shard) });
    return site;
  }

  return {
    shard,
    ready() {
      if (site !== undefined) return site;
      opening ??= open().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    opened: () => site,
    async close() {
      closed = true;
      await opening?.catch(() => undefined);
      if (site !== undefined) await closeSite(site);
    },
  };
}
