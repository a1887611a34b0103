import { addressOf } from "./address.ts";
import { connectedTo } from "./connection.store.ts";
import type { Connection } from "./connection.store.ts";
import { DistributeError } from "./distribute-error.ts";
import {
  allowRoles,
  copyFunctions,
  countSecretsOnce,
  hasUnsealedInboxes,
  placeTable,
  removeLeftovers,
  replacePolicy,
  runningNodes,
  shardsFor,
  stepsFor,
} from "./distribute.store.ts";
import type { TableStep } from "./distribute.store.ts";
import { readLayout } from "./layout.store.ts";
import type { Shard } from "./layout.store.ts";
import { checkMachines, createRoles } from "./machines.store.ts";
import type { MachineReport } from "./machines.store.ts";
import { prepareCoordinator, prepareShard, readBlueprint } from "./prepare.store.ts";
import { faultOfState, readCitusState, versionFault } from "./state.store.ts";
import type { CitusNode, CitusState } from "./state.store.ts";
import { assertWall } from "./wall.store.ts";

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
export async function planDistribution(
  databaseUrl: string,
  given: { readonly shards?: number } = {},
): Promise<DistributePlan> {
  return await connectedTo(databaseUrl, async (client) => await planOn(client, databaseUrl, given));
}

/**
 * Distributes the tables with their rows. Each table is placed in a transaction of its own, so that a run that was
 * interrupted continues with the next one. No node of the service may run. Throws DistributeError.
 */
export async function distribute(databaseUrl: string, options: DistributeOptions): Promise<DistributePlan> {
  return await connectedTo(databaseUrl, async (client) => {
    const plan = await planOn(client, databaseUrl, options);
    const faults = plan.machines.flatMap((machine) => machine.faults);
    if (faults.length > 0) throw new DistributeError(faults.join("\n"));
    await assertReady(client);
    await createRoles(databaseUrl, plan.machines);
    await allowRoles(client);
    if (plan.tables.some(({ name }) => name === "inbox_message")) await replacePolicy(client);
    for (const [at, step] of plan.tables.entries()) {
      options.tell({ done: at, total: plan.tables.length, table: step.name });
      await placeTable(client, step, plan.shards);
    }
    await removeLeftovers(client, [...plan.done, ...plan.tables.map(({ name }) => name)]);
    await copyFunctions(client);
    await countSecretsOnce(client);
    await prepareCoordinator(client, await readBlueprint(client));
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
export async function completeMigration(client: Connection, databaseUrl: string): Promise<void> {
  const layout = await readLayout(client);
  const state = layout === undefined ? undefined : await readCitusState(client);
  if (layout === undefined || state === undefined) return;
  for (const step of await stepsFor(client, state)) {
    if (step.rows > 0) continue;
    await placeTable(client, step, layout.shards.length);
  }
  await prepareCoordinator(client, await readBlueprint(client));
  await prepareAll(client, databaseUrl, layout.shards);
}

/**
 * Returns why the service cannot start on this database, with the command to run; undefined if it can. A machine that is
 * down does not prevent it: only its buckets are refused until it is back.
 */
export async function startFault(client: Connection, databaseUrl: string): Promise<string | undefined> {
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
  client: Connection,
  databaseUrl: string,
  { shards }: { readonly shards?: number },
): Promise<DistributePlan> {
  const state = await readCitusState(client);
  if (state === undefined)
    throw new DistributeError(
      "This database has no Citus. Install the extension on every machine, run `create extension citus`, and add the workers with `citus_add_node` (docs/scaling.md).",
    );
  const nodes = nodesOf(state);
  const layout = await readLayout(client);
  return {
    citus: state.version,
    machines: await checkMachines(databaseUrl, nodes, { createsRoles: true }),
    shards: layout?.shards.length ?? shards ?? shardsFor(nodes.filter(({ isCoordinator }) => !isCoordinator).length),
    tables: await stepsFor(client, state),
    done: state.placed,
  };
}

/** Returns the machines. Throws if there are none to distribute to. */
function nodesOf(state: CitusState): readonly CitusNode[] {
  const fault = versionFault(state);
  if (fault !== undefined) throw new DistributeError(fault);
  const nodes = state.nodes ?? [];
  if (nodes.every(({ isCoordinator }) => isCoordinator))
    throw new DistributeError(
      "This Citus has no workers. Add them with `select citus_add_node('<host>', <port>)` on the coordinator.",
    );
  if (!nodes.some(({ isCoordinator }) => isCoordinator))
    throw new DistributeError(
      "The coordinator has no address yet. Run `select citus_set_coordinator_host('<host>', <port>)` with an address that the workers and the service reach.",
    );
  return nodes;
}

/**
 * Refuses to place tables below running nodes, which would write past the triggers that move with them, and while
 * inboxes of an earlier version wait for their encryption, which changes a key on every machine.
 */
async function assertReady(client: Connection): Promise<void> {
  if ((await runningNodes(client)) > 0)
    throw new DistributeError(
      "The service is running on this database. Stop all of its nodes, and run the command again.",
    );
  if (await hasUnsealedInboxes(client))
    throw new DistributeError(
      "The tokens of some inboxes are not encrypted yet. Start this version once, wait a minute, stop it, and run the command again.",
    );
}

/** Prepares one shard, with a connection of its own to the coordinator. */
export async function prepareOne(databaseUrl: string, shard: Shard): Promise<void> {
  await connectedTo(databaseUrl, async (coordinator) => await prepareAll(coordinator, databaseUrl, [shard]));
}

async function prepareAll(coordinator: Connection, databaseUrl: string, shards: readonly Shard[]): Promise<void> {
  const blueprint = await readBlueprint(coordinator);
  for (const shard of shards)
    await connectedTo(addressOf(databaseUrl, shard), async (client) => await prepareShard(client, shard, blueprint));
}
