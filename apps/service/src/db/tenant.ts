import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { ControlledTransaction } from "kysely";
import type pg from "pg";
import type { Tag, Uuid } from "../kernel/kernel.ts";
import type { Tables } from "./tables.generated.ts";

/** Whose rows a piece of work may touch: one workspace's, in one environment. */
export interface Tenant {
  readonly workspaceId: Uuid;
  readonly tag: Tag;
}

/** The second wall, by the role and the settings of 0009_second_wall.sql: what a query forgets to filter by, the database does. */
export interface Tenants {
  within<T>(tenant: Tenant, work: () => T): T;
  /** For what a request only sets going: it is nobody's. */
  outside<T>(work: () => T): T;
  /** The builder whose statements see the rows of the tenant that the caller works for; undefined outside of any. */
  builder(): Kysely<Tables> | undefined;
  /** Puts a transaction just begun behind the wall, until it ends. */
  enter(transaction: ControlledTransaction<Tables>): Promise<void>;
}

interface Place extends Tenant {
  builder: Kysely<Tables> | undefined;
}

/** `pool` has connections of the role junction_tenant, on which nobody else sets anything. */
export function createTenants(pool: pg.Pool): Tenants {
  const places = new AsyncLocalStorage<Place | undefined>();
  return {
    within: (tenant, work) => places.run({ ...tenant, builder: undefined }, work),
    outside: (work) => places.run(undefined, work),
    builder() {
      const place = places.getStore();
      if (place === undefined) return undefined;
      return (place.builder ??= builderFor(pool, place));
    },
    async enter(transaction) {
      const place = places.getStore();
      if (place === undefined) return;
      await sql`select set_config('role', 'junction_tenant', true), set_config('junction.tag', ${place.tag}, true),
        set_config('junction.workspace', ${place.workspaceId}, true)`.execute(transaction);
    },
  };
}

/** Every connection taken is first told whose it is: what an earlier one said does not stay. */
function builderFor(pool: pg.Pool, { tag, workspaceId }: Tenant): Kysely<Tables> {
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
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
