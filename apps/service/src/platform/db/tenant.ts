import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { ControlledTransaction } from "kysely";
import type pg from "pg";
import { createTurns, ServiceError } from "../../lib/lib.ts";
import type { Tag, Turns, Uuid } from "../../lib/lib.ts";
import type { Tables } from "./tables.generated.ts";

/** The workspace and environment whose rows a piece of work may touch. */
export interface Tenant {
  readonly workspaceId: Uuid;
  readonly tag: Tag;
}

/**
 * Row-level security, through the role and the settings of 0009_second_wall.sql: the database applies the filters that
 * a query forgets.
 */
export interface Tenants {
  within<T>(tenant: Tenant, work: () => T): T;
  /** Runs work that a request only starts and that belongs to no tenant. */
  outside<T>(work: () => T): T;
  /** Returns a function that runs work for the tenant, or the absence of one, in which this was called. */
  bound(): <T>(work: () => T) => T;
  /** Returns the builder whose statements see only the rows of the caller's tenant; undefined outside of any tenant. */
  builder(): Kysely<Tables> | undefined;
  /**
   * Runs work inside a transaction, which holds a connection already: another statement next to it does not wait until
   * that connection is released.
   */
  holding<T>(work: () => T): T;
  /** Limits a transaction that has just begun to the tenant's rows, until it ends. */
  enter(transaction: ControlledTransaction<Tables>): Promise<void>;
}

interface Place extends Tenant {
  builder: Kysely<Tables> | undefined;
  readonly holds: boolean;
}

/**
 * The number of connections that one workspace may hold at a time. Its slow reads leave the rest of the pool to other
 * workspaces.
 */
const MOST_HELD = 2;
const PATIENCE_MS = 10_000;

/** The connections of `pool` have the role junction_tenant, and only this module changes their settings. */
export function createTenants(pool: pg.Pool): Tenants {
  const places = new AsyncLocalStorage<Place | undefined>();
  const turns = createTurns({ most: MOST_HELD, patienceMs: PATIENCE_MS, late: tooManyReads });
  return {
    within: (tenant, work) => places.run({ ...tenant, builder: undefined, holds: false }, work),
    outside: (work) => places.run(undefined, work),
    bound() {
      const place = places.getStore();
      return (work) => places.run(place, work);
    },
    builder() {
      const place = places.getStore();
      if (place === undefined) return undefined;
      return (place.builder ??= builderFor(pool, turns, place));
    },
    holding(work) {
      const place = places.getStore();
      return place === undefined ? work() : places.run({ ...place, builder: undefined, holds: true }, work);
    },
    async enter(transaction) {
      const place = places.getStore();
      if (place === undefined) return;
      await sql`select set_config('role', 'junction_tenant', true), set_config('junction.tag', ${place.tag}, true),
        set_config('junction.workspace', ${place.workspaceId}, true)`.execute(transaction);
    },
  };
}

/** Each connection is assigned to the tenant before its use, so that an earlier assignment does not stay. */
function builderFor(pool: pg.Pool, turns: Turns, { tag, workspaceId, holds }: Place): Kysely<Tables> {
  const connect = async (): Promise<pg.PoolClient> => {
    const endTurn = holds ? undefined : await turns.take(workspaceId);
    const client = await connected(pool, endTurn);
    try {
      await client.query({
        name: "tenant",
        text: "select set_config('junction.tag', $1, false), set_config('junction.workspace', $2, false)",
        values: [tag, workspaceId],
      });
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect, end: async () => await Promise.resolve(), options: pool.options },
    }),
  });
}

/** Returns a connection whose release ends the turn. */
async function connected(pool: pg.Pool, endTurn: (() => void) | undefined): Promise<pg.PoolClient> {
  try {
    const client = await pool.connect();
    const release = client.release.bind(client);
    client.release = (error) => {
      endTurn?.();
      release(error);
    };
    return client;
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
