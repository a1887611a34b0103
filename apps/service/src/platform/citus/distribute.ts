import pg from "pg";
import { addressOf } from "./address.ts";
import { allowRoles, placeTable, removeLeftovers, replacePolicy, shardsFor, stepsFor } from "./distribute.store.ts";
import type { TableStep } from "./distribute.store.ts";
import { readLayout } from "./layout.store.ts";
import type { Layout } from "./layout.store.ts";
import { checkMachines } from "./machines.ts";
import type { MachineReport } from "./machines.ts";
import { prepareShard, readBlueprint } from "./prepare.store.ts";
import { faultOfState, readCitusState, versionFault } from "./state.store.ts";
import { assertWall } from "./wall.store.ts";

/** The reason why a database cannot be distributed, in words for the operator. */
export class DistributeError extends Error {
  override readonly name = "DistributeError";
}

export interface DistributePlan {
  readonly citus: string;
  readonly machines: readonly MachineReport[];
  /** The number of shards of a database that is not distributed yet, or of the one that is. */
  readonly shards: number;
  /** The tables that are left to place. */
  readonly tables: readonly TableStep[];
  readonly done: readonly string[];
}

export interface DistributeOptions {
  /** The number of shards; by default, four for each worker. */
  readonly shards?: number;
  tell(progress: { readonly done: number; readonly total: number; readonly table: string }): void;
}

/** Reads what `distribute` would do. Changes nothing. Throws DistributeError if there is nothing to distribute to. */
export async function planDistribution(databaseUrl: string, given: { readonly shards?: number } = {}): Promise<DistributePlan> {
  return await onCoordinator(databaseUrl, async (client) => await planOn(client, databaseUrl, given));
}

/**
 * Distributes the tables with their rows. Each table is placed in a transaction of its own, so that a run that was
 * interrupted continues with the next one. No node of the service may run. Throws DistributeError.
 */
export async function distribute(databaseUrl: string, options: DistributeOptions): Promise<DistributePlan> {
  return await onCoordinator(databaseUrl, async (client) => {
    const plan = await planOn(client, databaseUrl, options);
    const faults = plan.machines.flatMap((machine) => machine.faults);
    if (faults.length > 0) throw new DistributeError(faults.join("\n"));
    await assertStopped(client);
    await allowRoles(client);
    if (plan.tables.some(({ name }) => name === "inbox_message")) await replacePolicy(client);
    for (const [at, step] of plan.tables.entries()) {
      options.tell({ done: at, total: plan.tables.length, table: step.name });
      await placeTable(client, step, plan.shards);
    }
    await removeLeftovers(client, [...plan.done, ...plan.tables.map(({ name }) => name)]);
    const layout = await readLayout(client);
    if (layout === undefined) throw new Error("the database has no layout after it was distributed");
    await prepareAll(client, databaseUrl, layout.shards);
    await assertWall(databaseUrl, layout.shards);
    return plan;
  });
}

/**
 * Completes a migration on a distributed database: places new tables, and brings the shards' views, functions and
 * triggers up to date. Does nothing on a plain PostgreSQL.
 */
export async function completeMigration(client: pg.Client, databaseUrl: string): Promise<void> {
  const layout = await readLayout(client);
  const state = layout === undefined ? undefined : await readCitusState(client);
  if (layout === undefined || state === undefined) return;
  for (const step of await stepsFor(client, state)) {
    if (step.rows > 0) continue;
    await placeTable(client, step, layout.shards.length);
  }
  await prepareAll(client, databaseUrl, layout.shards);
}

/**
 * Returns why the service cannot start on this database, with the command to run; undefined if it can. A machine that is
 * down is no reason: its buckets are refused until it is back, and no others.
 */
export async function startFault(client: pg.Client, databaseUrl: string): Promise<string | undefined> {
  const state = await readCitusState(client);
  const fault = state === undefined ? undefined : faultOfState(state);
  if (state === undefined || fault !== undefined || state.placed.length === 0) return fault;
  const reached = (await checkMachines(databaseUrl, state.nodes ?? [])).filter((machine) => machine.reached);
  const [first] = reached.flatMap((machine) => machine.faults);
  const layout = first === undefined ? await readLayout(client) : undefined;
  if (layout === undefined) return first;
  const shards = layout.shards.filter(({ host, port }) =>
    reached.some((machine) => machine.host === host && machine.port === port),
  );
  try {
    await prepareAll(client, databaseUrl, shards);
    await assertWall(databaseUrl, shards);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function planOn(
  client: pg.Client,
  databaseUrl: string,
  { shards }: { readonly shards?: number },
): Promise<DistributePlan> {
  const state = await readCitusState(client);
  if (state === undefined)
    throw new DistributeError(
      "This database has no Citus. Install the extension on every machine, run `create extension citus`, and add the workers with `citus_add_node` (docs/scaling.md).",
    );
  const fault = versionFault(state);
  if (fault !== undefined) throw new DistributeError(fault);
  const workers = (state.nodes ?? []).filter(({ isCoordinator }) => !isCoordinator);
  if (workers.length === 0)
    throw new DistributeError(
      "This Citus has no workers. Add them with `select citus_add_node('<host>', <port>)` on the coordinator.",
    );
  if (!(state.nodes ?? []).some(({ isCoordinator }) => isCoordinator))
    throw new DistributeError(
      "The coordinator has no address yet. Run `select citus_set_coordinator_host('<host>', <port>)` with an address that the workers and the service reach.",
    );
  const layout = await readLayout(client);
  return {
    citus: state.version,
    machines: await checkMachines(databaseUrl, state.nodes ?? []),
    shards: layout?.shards.length ?? shards ?? shardsFor(workers.length),
    tables: await stepsFor(client, state),
    done: state.placed,
  };
}

/** Refuses to place tables below running nodes, which would write past the triggers that move with them. */
async function assertStopped(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'junction%' and application_name not in ('junction distribute', 'junction migrate')`,
  );
  if ((rows[0]?.n ?? 0) > 0)
    throw new DistributeError("The service is running on this database. Stop all of its nodes, and run the command again.");
}

async function prepareAll(coordinator: pg.Client, databaseUrl: string, shards: Layout["shards"]): Promise<void> {
  const blueprint = await readBlueprint(coordinator);
  for (const shard of shards) {
    const client = new pg.Client({
      connectionString: addressOf(databaseUrl, shard),
      application_name: "junction distribute",
    });
    client.on("error", () => undefined);
    await client.connect();
    try {
      await prepareShard(client, shard, blueprint);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function onCoordinator<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "junction distribute" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
