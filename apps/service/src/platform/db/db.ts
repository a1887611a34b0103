import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { instant, workGoesOn } from "../../lib/lib.ts";
import { BUCKET_TABLES, MOVED } from "../citus/citus.ts";
import { createCommitHooks } from "./commit-hooks.ts";
import { compiled, composed, hotIn, naming } from "./prepared.ts";
import type { HotStatement } from "./prepared.ts";
import { watchListener } from "./dead-connection.ts";
import { everywhereWrites } from "./everywhere-writes.ts";
import { byShard, onEachShard } from "./shard-work.ts";
import type { Site } from "./site.ts";
import { createSites } from "./sites.ts";
import type { Sites } from "./sites.ts";
import type { Tables } from "./tables.generated.ts";
import { createTenants } from "./tenant.ts";
import type { Tenants } from "./tenant.ts";
import { createUnits, unitDialect } from "./unit-of-work.ts";
import type { Units } from "./unit-of-work.ts";
import type { Db, DbDeps, Tx } from "./types.ts";

export { sql } from "kysely";
export type { RawBuilder, Selectable } from "kysely";
export type { Tables } from "./tables.generated.ts";
export { columnOf } from "./column.ts";
export { createMaintenance } from "./maintenance.worker.ts";
export { createStatistics } from "./statistics.worker.ts";
export { arrayText, bulk, bulkInsert, selected, unnested, valuesOf } from "./bulk.store.ts";
export { defineDependentPart, defineFreshPart, definePart, oneRequest } from "./commit-part.ts";
export type { PartText, RequestRow } from "./commit-part.ts";
export type { BulkColumn } from "./bulk.store.ts";
export { countOnShards, createShardBatcher } from "./shard-work.ts";
export {
  atOneMoment,
  BUCKET_TABLES,
  checkMachines,
  distribute,
  DistributeError,
  faultOfState,
  planDistribution,
  readCitusState,
  readLayout,
} from "../citus/citus.ts";
export type { CitusState, DistributePlan, Layout, MachineReport, Moment, NodeAddress } from "../citus/citus.ts";
export { createRowWriter } from "./row-writer.ts";
export type { Unwritten } from "./row-writer.ts";
export { deleteGone, goneIds } from "./gone-tenant.store.ts";
export type { GoneTenant } from "./gone-tenant.store.ts";
export { violatedConstraint } from "./constraint.ts";
export { lockName } from "./name-lock.store.ts";
export { ofTenant } from "./of-tenant.ts";
export { matching, newestFirst } from "./list.ts";
export { pageRows } from "./page-rows.ts";
export { byKey } from "./prepared.ts";
export type { CommitPart, CommitParts, HotReader, HotStatement, HotWriter } from "./prepared.ts";
export { migrate, migrationState, readMigrations } from "./migrate.ts";
export type { Migration } from "./migrate.ts";
export { DatabaseRefusedError, SCHEMA_LOCK, UNFINISHED } from "./schema-lock.ts";
export { EmbeddedError, startEmbedded } from "../embedded-postgres/embedded-postgres.ts";
export { reach, UnreachableError } from "./reach.ts";
export { databaseHome, originalOf } from "../embedded-postgres/home.ts";
export type { DatabaseHome } from "../embedded-postgres/home.ts";
export { hasEmbedded, runningEmbedded } from "../embedded-postgres/running.ts";
export type { Embedded } from "../embedded-postgres/embedded-postgres.ts";
export type { Tenant } from "./tenant.ts";
export type { Db, Query, Tx, Unit } from "./types.ts";

/** Connects on the first query, so that the routes can be built and documented without a database. */
export function createDb(deps: DbDeps): Db {
  const sites = createSites(deps);
  const { home } = sites;
  const here = (): Site | Promise<Site> => {
    const bucket = tenants.bucket();
    return bucket === undefined ? home : sites.of(bucket);
  };
  const tenants = createTenants({
    options: home.tenants.options,
    async connect() {
      const site = await here();
      return { client: await site.tenants.connect(), assertsHere: site !== home };
    },
  });
  const isHere = (bucket: number): boolean => {
    const mine = tenants.bucket();
    return mine === undefined || sites.shardOf(bucket) === sites.shardOf(mine);
  };
  const failed = (error: unknown): void => {
    if (isMoved(error)) void sites.refresh().catch(() => undefined);
  };
  const builderOn = (name: "main" | "units"): Kysely<Tables> => {
    const connect = async (): Promise<pg.PoolClient> => await (await here())[name].connect();
    return new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: naming({ options: home[name].options, connect }, failed) }),
      plugins: [everywhereWrites],
    });
  };
  const pooled = builderOn("main");
  const connections = { tenants, home, here, isHere };
  const units = createUnits({ ...connections, pooled: builderOn("units") });
  const router = { sites, units, here };
  return {
    query: new Kysely<Tables>({ dialect: unitDialect(units, { ...connections, pooled }), plugins: [everywhereWrites] }),
    transaction: async (run) =>
      await (units.transaction(run) ?? ownTransaction({ ...connections, builder: tenants.builder() ?? pooled }, run)),
    within: tenants.within,
    // A context costs every promise in it a little, so a plain PostgreSQL has none.
    at: (bucket, work) => (sites.isPlain() ? work() : tenants.at(bucket, work)),
    shardOf: sites.shardOf,
    byShard: async (rows, bucketOf, run) => await byShard({ ...router, tenants }, { rows, bucketOf, run }),
    onEachShard: async (run) => await onEachShard({ ...deps, sites, tenants }, run),
    async onAllPlaces(table, run) {
      const buckets = BUCKET_TABLES.includes(table) ? await sites.ofEach() : undefined;
      if (buckets === undefined) await run();
      else for (const bucket of buckets) await tenants.at(bucket, run);
    },
    unit: units.open,
    hot: async (statement, values) => await runHot(router, statement, values),
    commit: async (parts, final) => await runHot(router, ...composed(parts, final)),
    soft: async (statement, values) => await runNamed(router, "soft", statement, values),
    now: async () => {
      const { main } = await here();
      const { rows } = await main.query<{ ms: string }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
      );
      return instant(Number(rows[0]?.ms));
    },
    listen: async (channel, heard) => await listenEverywhere({ ...deps, sites }, channel, heard),
    notify: async (channel) => {
      await runHot(router, NOTIFY, [channel]);
    },
    stats: sites.stats,
    close: sites.close,
  };
}

interface Router {
  readonly sites: Sites;
  readonly units: Units;
  here(): Site | Promise<Site>;
}

function isMoved(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === MOVED;
}

/** Names the connection that every process holds while it serves. The process's mark follows the name. */
export const LISTENER = "junction listen";

const NOTIFY: HotStatement = { name: "notify", text: "select pg_notify($1, '')" };

interface OwnTransaction {
  readonly builder: Kysely<Tables>;
  readonly tenants: Tenants;
  readonly home: Site;
  here(): Site | Promise<Site>;
  isHere(bucket: number): boolean;
}

async function ownTransaction<T>(
  { builder, tenants, home, here, isHere }: OwnTransaction,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const ending = createCommitHooks();
  const { onCommit, beforeCommit } = ending;
  const result = await builder.transaction().execute(async (trx) => {
    if ((await here()) !== home) await tenants.enter(trx, true);
    const tx: Tx = { ...hotIn(trx), query: trx, isHere, onCommit, beforeCommit };
    const made = await tenants.holding(async () => await run(tx));
    await ending.flush(tx);
    return made;
  });
  tenants.outside(ending.committed);
  return result;
}

async function runHot<Row extends pg.QueryResultRow>(
  router: Router,
  statement: HotStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!router.units.inside()) return await runNamed(router, "main", statement, values);
  const joined = router.units.execute<Row>(compiled(statement, values));
  return joined === undefined ? await runNamed(router, "main", statement, values) : (await joined).rows;
}

/** Runs a statement on its own. One that found its shard moved has written nothing and is sent to the new place. */
async function runNamed<Row extends pg.QueryResultRow>(
  { here, sites }: Router,
  pool: "main" | "soft",
  { name, text }: HotStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = { name, text, values: [...values] };
  try {
    const site = here();
    const { rows } = await (site instanceof Promise ? await site : site)[pool].query<Row>(query);
    workGoesOn();
    return rows;
  } catch (error) {
    if (!isMoved(error)) throw error;
    await sites.refresh();
    return (await (await here())[pool].query<Row>(query)).rows;
  }
}

/** Listens on every machine, because a notification is heard only on the machine that sends it. */
async function listenEverywhere(
  deps: DbDeps & { readonly sites: Sites },
  channel: string,
  heard: (payload: string) => void,
): Promise<() => Promise<void>> {
  const listeners = new Map<string, Promise<() => Promise<void>>>();
  let isCovered = false;
  const cover = async (): Promise<void> => {
    for (const url of await deps.sites.machines())
      if (!listeners.has(url))
        listeners.set(
          url,
          listen({ ...deps, url }, channel, (payload) => isCovered && heard(payload)),
        );
    await Promise.all(listeners.values());
  };
  const unwatch = deps.sites.watch(() => void cover().catch(() => undefined));
  await cover();
  isCovered = true;
  heard("");
  return async () => {
    unwatch();
    await Promise.all([...listeners.values()].map(async (stop) => await (await stop)()));
  };
}

async function listen(deps: DbDeps, channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let connecting: Promise<void>;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: deps.url,
      application_name: `${LISTENER} ${deps.mark ?? ""}`.trim(),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    let lost = false;
    let unwatch: () => void = () => undefined;
    const again = (error?: Error): void => {
      unwatch();
      if (lost || stopped) return;
      lost = true;
      if (error !== undefined)
        deps.log.warn({ err: error }, "lost the database connection that listens for notifications");
      next.end().catch(() => undefined);
      retry = setTimeout(() => {
        connecting = connect();
      }, 1000);
    };
    next.on("error", again);
    next.on("end", () => again());
    next.on("notification", ({ payload = "" }) => heard(payload));
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      client = next;
      unwatch = watchListener(next);
      heard("");
    } catch (error) {
      again(error instanceof Error ? error : new Error(String(error)));
    }
  }

  connecting = connect();
  await connecting;
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await connecting;
    await client?.end();
  };
}
