import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery, ControlledTransaction, DatabaseConnection, Dialect, Kysely, QueryResult } from "kysely";
import { CompiledQuery as Compiled, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { workGoesOn } from "../../lib/lib.ts";
import { createCommitHooks } from "./commit-hooks.ts";
import type { CommitHooks } from "./commit-hooks.ts";
import { hotIn } from "./prepared.ts";
import { isRead } from "./statement-kind.ts";
import type { Site } from "./site.ts";
import type { Tables } from "./tables.generated.ts";
import type { Tenants } from "./tenant.ts";
import type { Tx, Unit } from "./types.ts";

export interface Units {
  open(): Unit;
  /** Returns true if the caller is in a unit that is not yet committed. */
  inside(): boolean;
  /**
   * Runs a transaction as a part of the caller's unit, as a savepoint unless it is the first. Returns undefined outside
   * of a unit.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> | undefined;
  /**
   * Runs a statement in the caller's unit. Returns undefined if the pool must run it: outside of a unit, and for reads
   * before its first write.
   */
  execute<Row>(statement: CompiledQuery): Promise<QueryResult<Row>> | undefined;
}

type Transaction = ControlledTransaction<Tables>;

interface State {
  transaction: Transaction | null;
  /** The place of the transaction. */
  site: Site | undefined;
  /** Runs work for the tenant of the unit's work, to which the end of the unit is limited too. */
  forTenant: <T>(work: () => T) => T;
  /** The unit is committed or undone. Later work belongs to no unit. */
  ended: boolean;
  savepoints: number;
  ending: CommitHooks;
}

/**
 * The caller's position: in the unit itself, or in a transaction inside it. Concurrent transactions of one frame take
 * turns.
 */
interface Frame {
  readonly state: State;
  turn: Promise<unknown>;
}

/** `here` returns the place that the caller works on. */
export function createUnits(connections: Connections): Units {
  const { tenants, here: siteHere } = connections;
  const frames = new AsyncLocalStorage<Frame | undefined>();

  function here(): Frame | undefined {
    const frame = frames.getStore();
    return frame === undefined || frame.state.ended ? undefined : frame;
  }

  /** Runs a part in its own frame. It is undone alone when it throws. */
  async function part<T>(frame: Frame, run: (tx: Tx) => Promise<T>): Promise<T> {
    return await inTurn(frame, async () => {
      const { state } = frame;
      // The work's effect can no longer be committed, and its connection would not be given back.
      if (state.ended) throw new Error("a request was answered before its work was done");
      if (state.site !== undefined && state.site !== siteHere()) throw new Error("a unit can write to one shard only");
      const inner: Frame = { state, turn: Promise.resolve() };
      const work = async (transaction: Transaction): Promise<T> => {
        const result = await frames.run(inner, async () => await run(txOf(connections, state, transaction)));
        await inner.turn;
        return result;
      };
      return state.transaction === null
        ? await begin(connections, state, work)
        : await savepoint(state, state.transaction, work);
    });
  }

  return {
    open() {
      const state: State = {
        transaction: null,
        site: undefined,
        forTenant: tenants.bound(),
        ended: false,
        savepoints: 0,
        ending: createCommitHooks(),
      };
      const root: Frame = { state, turn: Promise.resolve() };
      return {
        run(work) {
          state.forTenant = tenants.bound();
          return frames.run(root, work);
        },
        commit: async (last) =>
          await inTurn(root, async () => {
            await state.forTenant(async () => await commit(connections, state, last));
            frames.run(undefined, () => tenants.outside(state.ending.committed));
          }),
        rollback: async () =>
          await inTurn(root, async () => {
            state.ended = true;
            if (state.transaction !== null) await undo(state.transaction);
          }),
      };
    },
    inside: () => here() !== undefined,
    transaction(run) {
      const frame = here();
      return frame === undefined ? undefined : part(frame, run);
    },
    execute<Row>(statement: CompiledQuery) {
      const frame = here();
      if (frame === undefined) return undefined;
      const { transaction, site } = frame.state;
      if (isRead(statement)) return site === siteHere() ? transaction?.executeQuery<Row>(statement) : undefined;
      return part(frame, async (tx) => await tx.query.executeQuery<Row>(statement));
    },
  };
}

/**
 * Returns a dialect for the builder. Its statements run in the caller's unit if there is one; otherwise, on the pool of
 * the caller's tenant, or on the shared pool.
 */
export function unitDialect(units: Units, { tenants, pooled, home, here }: Connections): Dialect {
  async function outsideOfUnit<Row>(statement: CompiledQuery): Promise<QueryResult<Row>> {
    const builder = tenants.builder();
    if (builder === undefined) return await pooled.executeQuery<Row>(statement);
    if (isRead(statement) || (await here()) === home) return await builder.executeQuery<Row>(statement);
    // The tenant's limit reaches the other machines only inside a transaction.
    return await builder.transaction().execute(async (transaction) => {
      await tenants.enter(transaction, true);
      return await transaction.executeQuery<Row>(statement);
    });
  }
  const connection: DatabaseConnection = {
    async executeQuery<Row>(statement: CompiledQuery) {
      const result = await (units.execute<Row>(statement) ?? outsideOfUnit<Row>(statement));
      workGoesOn();
      return result;
    },
    streamQuery: () => {
      throw new Error("statements are not streamed");
    },
  };
  const refuse = async (): Promise<never> =>
    await Promise.reject(new Error("transactions are opened by db.transaction"));
  const nothing = async (): Promise<void> => await Promise.resolve();
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: nothing,
      acquireConnection: async () => await Promise.resolve(connection),
      releaseConnection: nothing,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      destroy: nothing,
    }),
  };
}

interface Connections {
  readonly pooled: Kysely<Tables>;
  readonly tenants: Tenants;
  /** The coordinator, or the whole of a plain PostgreSQL. */
  readonly home: Site;
  here(): Site | Promise<Site>;
  isHere(bucket: number): boolean;
}

/** Opens a transaction that is limited to the caller's tenant, on the shard that the caller works on. */
async function opened({ pooled, tenants, home, here }: Connections, state: State): Promise<Transaction> {
  state.site = await here();
  const transaction = await pooled.startTransaction().execute();
  try {
    await tenants.enter(transaction, state.site !== home);
    return transaction;
  } catch (error) {
    await undo(transaction);
    throw error;
  }
}

async function begin<T>(
  connections: Connections,
  state: State,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = await opened(connections, state);
  state.transaction = transaction;
  try {
    return await work(transaction);
  } catch (error) {
    state.transaction = null;
    state.site = undefined;
    state.ending = createCommitHooks();
    await undo(transaction);
    throw error;
  }
}

async function commit(connections: Connections, state: State, last: (tx: Tx) => Promise<void>): Promise<void> {
  state.ended = true;
  const transaction = state.transaction ?? (await opened(connections, state));
  try {
    const tx = txOf(connections, state, transaction);
    await last(tx);
    await state.ending.flush(tx);
    await transaction.commit().execute();
  } catch (error) {
    await undo(transaction);
    throw error;
  }
}

async function savepoint<T>(
  state: State,
  transaction: Transaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  state.savepoints += 1;
  const name = `part_${state.savepoints}`;
  const mark = state.ending.mark();
  await transaction.executeQuery(Compiled.raw(`savepoint ${name}`));
  try {
    const result = await work(transaction);
    await transaction.executeQuery(Compiled.raw(`release savepoint ${name}`));
    return result;
  } catch (error) {
    state.ending.backTo(mark);
    await transaction.executeQuery(Compiled.raw(`rollback to savepoint ${name}`));
    throw error;
  }
}

/** Rolls back a transaction. A lost connection has rolled it back already. */
async function undo(transaction: Transaction): Promise<void> {
  if (!transaction.isCommitted && !transaction.isRolledBack)
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
}

async function inTurn<T>(frame: Frame, run: () => Promise<T>): Promise<T> {
  const mine = frame.turn.then(run);
  frame.turn = mine.catch(() => undefined);
  return await mine;
}

function txOf({ isHere }: Connections, state: State, transaction: Transaction): Tx {
  const { onCommit, beforeCommit } = state.ending;
  return { ...hotIn(transaction), query: transaction, isHere, onCommit, beforeCommit };
}
