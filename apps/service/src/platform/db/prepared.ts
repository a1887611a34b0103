import { CompiledQuery } from "kysely";
import type { PostgresPool, PostgresPoolClient, Transaction } from "kysely";
import type pg from "pg";
import type { Tables } from "./tables.generated.ts";

/**
 * A statement that runs on every request or poll. It is sent by name, so that it is parsed and planned once per
 * connection.
 */
export interface HotStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * One domain's share of a statement that several domains write together, so that one commit costs one round trip.
 * `definePart` creates it.
 * `text` takes the number of its first parameter and returns comma-separated CTEs.
 */
export interface CommitPart<Role extends PartRole = "plain"> {
  readonly role: Role;
  readonly name: string;
  text(first: number): string;
  readonly values: readonly unknown[];
}

/**
 * A `fresh` part has a CTE `fresh (at)` with the positions, from 1, of the requests to write. A `dependent` part writes
 * only the rows of these requests.
 */
export type PartRole = "plain" | "fresh" | "dependent";

/**
 * The parts of one statement. A part that depends on `fresh` comes after a `fresh` part; otherwise, the parts do not
 * have this type.
 */
export type CommitParts =
  | readonly CommitPart[]
  | readonly [CommitPart<"fresh">, ...CommitPart<"plain" | "dependent">[]];

/**
 * Returns a condition that always holds, on a numeric column of the rows that `unnest` returns. With the condition, the
 * planner expects one row, and so looks up each row by its key. Without it, a plan that was made while a table was
 * empty reads the whole table for every batch until the table is next analyzed.
 */
export function byKey(column: string): string {
  return `${column} = ${column} + 0`;
}

/** Runs hot statements, on the pool or inside a transaction. */
export interface HotReader {
  hot<Row extends pg.QueryResultRow>(statement: HotStatement, values: readonly unknown[]): Promise<Row[]>;
}

export interface HotWriter extends HotReader {
  /** Runs the parts as one statement; `final` is its closing select. */
  commit<Row extends pg.QueryResultRow>(parts: CommitParts, final: string): Promise<Row[]>;
}

const composedTexts = new Map<string, HotStatement>();
/** Names of the statements that the builder's connections send by name, by text. */
const names = new Map<string, string>();

/** Returns the parts as one statement, and its parameters. */
export function composed(parts: CommitParts, final: string): [HotStatement, unknown[]] {
  const name = `commit_${parts.map((part) => part.name).join("_")}`;
  let statement = composedTexts.get(name);
  if (statement === undefined) {
    let first = 1;
    const texts = parts.map((part) => {
      const text = part.text(first);
      first += part.values.length;
      return text;
    });
    statement = { name, text: `with ${texts.join(",\n")} ${final}` };
    composedTexts.set(name, statement);
  }
  return [statement, parts.flatMap((part) => part.values)];
}

/** Returns a hot statement as the builder runs it, on connections of `naming`. */
export function compiled({ name, text }: HotStatement, values: readonly unknown[]): CompiledQuery {
  names.set(text, name);
  return CompiledQuery.raw(text, [...values]);
}

/** Returns a writer for hot statements inside a transaction. */
export function hotIn(transaction: Transaction<Tables>): HotWriter {
  const hot = async <Row extends pg.QueryResultRow>(
    statement: HotStatement,
    values: readonly unknown[],
  ): Promise<Row[]> => (await transaction.executeQuery<Row>(compiled(statement, values))).rows;
  return { hot, commit: async (parts, final) => await hot(...composed(parts, final)) };
}

/** The connections of a builder: those of one pool, or of the pools of several places. */
export interface Connections {
  connect(): Promise<pg.PoolClient>;
  readonly options: PostgresPool["options"];
}

/**
 * Gives the builder connections that send hot statements by name, as the pool itself sends them. Calls `failed` with
 * each error of a statement.
 */
export function naming(connections: Connections, failed: (error: unknown) => void): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const query = async (text: unknown, values: readonly unknown[] = []): Promise<unknown> => {
      const name = names.get(String(text));
      try {
        return await client.query({ ...(name === undefined ? {} : { name }), text: String(text), values: [...values] });
      } catch (error) {
        failed(error);
        throw error;
      }
    };
    return { query: query as PostgresPoolClient["query"], release: (destroy) => client.release(destroy) };
  };
  return {
    options: connections.options,
    async connect() {
      const client = await connections.connect();
      const wrapped = known.get(client) ?? wrap(client);
      known.set(client, wrapped);
      return wrapped;
    },
    end: async () => await Promise.resolve(),
  };
}
