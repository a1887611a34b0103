import { CommandError, UsageError } from "../../../../../packages/command-line/src/command-line.ts";
import { distribute, DistributeError, migrate, migrationState, planDistribution } from "../../platform/db/db.ts";
import type { DistributePlan } from "../../platform/db/db.ts";
import type { TellProgress } from "../backup/backup.ts";
import { outcomeOf } from "./command.ts";
import type { Command, CommandResult, DatabaseLocation } from "./command.ts";
import type { TypedArguments } from "./usage.ts";

/** The powers of two up to one shard for each bucket. */
const SHARDS: readonly string[] = ["1", "2", "4", "8", "16", "32", "64"];

/** Distributes the tables over the machines of a Citus database. With `--dry-run`, only prints the plan. */
export function distributeCommand(given: TypedArguments, tell: TellProgress): Command {
  const options = shardsIn(given);
  const run = given.has("dry-run") ? printPlan : placeTables;
  return { on: "database", run: async (place) => await explained(async () => await run(place, options, tell)) };
}

interface Options {
  readonly shards?: number;
}

function shardsIn(given: TypedArguments): Options {
  const value = given.text("shards");
  if (value === undefined) return {};
  if (SHARDS.includes(value)) return { shards: Number(value) };
  throw new UsageError(`--shards must be 1, 2, 4, 8, 16, 32 or 64; got ${JSON.stringify(value)}.`);
}

async function printPlan({ databaseUrl, migrations }: DatabaseLocation, options: Options): Promise<CommandResult> {
  const { missing, fault } = await migrationState(databaseUrl, migrations);
  if (fault !== null) throw new CommandError(fault);
  const plan = await planFor(databaseUrl, options);
  if (missing.length > 0)
    throw new CommandError(
      `There is no plan yet: ${missing.length} migrations are missing, starting with ${missing[0] ?? ""}. Create a backup, then run \`junction migrate\`, which applies them and then names this command.`,
    );
  const { citus, machines, shards, tables, done } = plan;
  const faults = machines.flatMap((machine) => machine.faults);
  const warnings = machines.flatMap((machine) => machine.warnings);
  return outcomeOf(
    { object: "distribution_plan", citus, machines, faults, warnings, shards, tables, already: done },
    faults.length === 0 ? 0 : 1,
  );
}

async function placeTables(
  { databaseUrl, migrations }: DatabaseLocation,
  options: Options,
  tell: TellProgress,
): Promise<CommandResult> {
  // A database that has no Citus or other shards is refused before its schema is changed.
  await planFor(databaseUrl, options);
  await migrate(databaseUrl, migrations, { distributing: true });
  const { citus, machines, shards, tables, done } = await distribute(databaseUrl, {
    ...options,
    tell: ({ done: placed, total, table }) => tell({ label: table, done: placed, total }),
  });
  const placed = tables.map(({ name }) => name);
  return outcomeOf({ object: "distribution", citus, machines, shards, tables: placed, already: done });
}

/** Returns the plan. Throws CommandError if the tables have another number of shards than the operator chose. */
async function planFor(databaseUrl: string, options: Options): Promise<DistributePlan> {
  const plan = await planDistribution(databaseUrl, options);
  if (options.shards === undefined || options.shards === plan.shards) return plan;
  throw new CommandError(
    `The tables already have ${plan.shards} shards, and the number cannot be changed. Run the command without --shards.`,
  );
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DistributeError) throw new CommandError(error.message, undefined, error);
    throw error;
  }
}
