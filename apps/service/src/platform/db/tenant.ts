import { AsyncLocalStorage } from "node:async_hooks";
import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import type { PostgresPool } from "kysely";
import { escapeLiteral } from "pg";
import type pg from "pg";
import { bucketOf, createTurns, ServiceError } from "../../lib/lib.ts";
import type { Tag, Turns, Uuid } from "../../lib/lib.ts";
import type { Tables } from "./tables.generated.ts";

/** The workspace and environment whose rows a piece of work may touch. */
export interface Tenant {
  readonly workspaceId: Uuid;
  readonly tag: Tag;
  /** The customer of the workspace whose rows alone the work may touch. Without it, those of the workspace and all customers. */
  readonly tenant?: string | null;
}

/**
 * Row-level security, through the role and the settings of 0009_second_wall.sql: the database applies the filters that
 * a query forgets.
 */
export interface Tenants {
  within<T>(tenant: Tenant, work: () => T): T;
  /** Runs work on the shard of this bucket. */
  at<T>(bucket: number, work: () => T): T;
  /** Returns the bucket whose shard the caller works on: that of its tenant, or of `at`. Undefined for the coordinator. */
  bucket(): number | undefined;
  /** Runs work that a request only starts and that belongs to no tenant and no shard. */
  outside<T>(work: () => T): T;
  /** Returns a function that runs work for the tenant and the shard, or the absence of them, in which this was called. */
  bound(): <T>(work: () => T) => T;
  /** Returns the builder whose statements see only the rows of the caller's tenant; undefined outside of any tenant. */
  builder(): Kysely<Tables> | undefined;
  /**
   * Runs work inside a transaction, which holds a connection already: another statement next to it does not wait until
   * that connection is released.
   */
  holding<T>(work: () => T): T;
  /**
   * Limits a transaction that has just begun to the tenant's rows, until it ends. On a shard, the limit also holds on the
   * other machines that take part in the transaction.
   */
  enter(transaction: Kysely<Tables>, isOnShard: boolean): Promise<void>;
}

interface TenantPlace {
  readonly tenant: Tenant | undefined;
  readonly bucket: number;
  readonly holds: boolean;
  builder: Kysely<Tables> | undefined;
}

/**
 * The number of connections that one workspace may hold at a time. Its slow reads leave the rest of the pool to other
 * workspaces.
 */
const MOST_HELD = 2;
const PATIENCE_MS = 10_000;

/** Connections with the role junction_tenant, whose settings only this module changes. */
export interface TenantConnections {
  /** Connects to the shard of the caller's tenant. `assertsHere` if the shard may have been moved to another machine. */
  connect(): Promise<{ readonly client: pg.PoolClient; readonly assertsHere: boolean }>;
  readonly options: PostgresPool["options"];
}

export function createTenants(connections: TenantConnections): Tenants {
  const places = new AsyncLocalStorage<TenantPlace | undefined>();
  const turns = createTurns({ most: MOST_HELD, patienceMs: PATIENCE_MS, late: tooManyReads });
  return {
    within: (tenant, work) =>
      places.run({ tenant, bucket: bucketOf(tenant.tag), builder: undefined, holds: false }, work),
    at(bucket, work) {
      const place = places.getStore();
      if (place?.bucket === bucket) return work();
      return places.run({ holds: false, ...place, tenant: place?.tenant, bucket, builder: undefined }, work);
    },
    bucket: () => places.getStore()?.bucket,
    outside: (work) => places.run(undefined, work),
    bound() {
      const place = places.getStore();
      return (work) => places.run(place, work);
    },
    builder() {
      const place = places.getStore();
      if (place?.tenant === undefined) return undefined;
      return (place.builder ??= builderFor({ connections, turns }, place.tenant, place.holds));
    },
    holding(work) {
      const place = places.getStore();
      return place === undefined ? work() : places.run({ ...place, builder: undefined, holds: true }, work);
    },
    async enter(transaction, isOnShard) {
      const tenant = places.getStore()?.tenant;
      if (tenant === undefined) return;
      if (isOnShard) {
        for (const text of settingsOf(tenant)) await transaction.executeQuery(CompiledQuery.raw(text));
        return;
      }
      await sql`select set_config('role', 'junction_tenant', true), set_config('junction.tag', ${tenant.tag}, true),
        set_config('junction.workspace', ${tenant.workspaceId}, true), set_config('junction.tenant', ${tenant.tenant ?? ""}, true)`.execute(
        transaction,
      );
    },
  };
}

/** Each connection is assigned to the tenant before its use, so that an earlier assignment does not stay. */
function builderFor(
  { connections, turns }: { readonly connections: TenantConnections; readonly turns: Turns },
  { tag, workspaceId, tenant }: Tenant,
  holds: boolean,
): Kysely<Tables> {
  const connect = async (): Promise<pg.PoolClient> => {
    const endTurn = holds ? undefined : await turns.take(workspaceId, tenant);
    const { client, assertsHere } = await connected(connections, endTurn);
    try {
      await client.query({ ...(assertsHere ? ASSIGN_HERE : ASSIGN), values: [tag, workspaceId, tenant ?? ""] });
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect, end: async () => await Promise.resolve(), options: connections.options },
    }),
  });
}

/**
 * Citus passes on what `set local` sets, one statement at a time, and not what `set_config` does. The role is not passed
 * on, because the machines connect to each other as the current role, which in the owner's functions is the owner.
 */
function settingsOf({ tag, workspaceId, tenant }: Tenant): string[] {
  return [
    "select set_config('role', 'junction_tenant', true), set_config('citus.propagate_set_commands', 'local', true)",
    `set local junction.tag to ${escapeLiteral(tag)}`,
    `set local junction.workspace to ${escapeLiteral(workspaceId)}`,
    // The setting is empty at the beginning of a transaction.
    ...((tenant ?? null) === null ? [] : [`set local junction.tenant to ${escapeLiteral(tenant ?? "")}`]),
  ];
}

const ASSIGNS =
  "select set_config('junction.tag', $1, false), set_config('junction.workspace', $2, false), set_config('junction.tenant', $3, false)";
const ASSIGN = { name: "tenant", text: ASSIGNS };
const ASSIGN_HERE = { name: "tenant", text: `${ASSIGNS}, assert_here()` };

/** Returns a connection whose release ends the turn. */
async function connected(
  connections: TenantConnections,
  endTurn: (() => void) | undefined,
): Promise<Awaited<ReturnType<TenantConnections["connect"]>>> {
  try {
    const made = await connections.connect();
    const { client } = made;
    const release = client.release.bind(client);
    client.release = (error) => {
      endTurn?.();
      release(error);
    };
    return made;
  } catch (error) {
    endTurn?.();
    throw error;
  }
}

function tooManyReads(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail:
      "This workspace has too many slow reads in progress. Wait until some have ended, or request less data at a time.",
    headers: { "Retry-After": "1" },
  });
}
