import type { MachineReport, NodeAddress } from "../../platform/db/db.ts";
import { faultOfState } from "../../platform/db/db.ts";
import { failed, looked, ok, skipped, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import { citusFactsOf } from "./doctor.store.ts";
import type { CitusFacts } from "./doctor.store.ts";

const NAME = "citus";
/** The difference in shards between two workers from which a move makes the spread more even. */
const UNEVEN_SHARDS = 2;

/** Returns the check of a database of several machines. Returns no check for a database without Citus. */
export async function citusChecks(databaseUrl: string): Promise<Check[]> {
  const check = await looked(NAME, async () => {
    const facts = await citusFactsOf(databaseUrl);
    return facts === undefined ? skipped(NAME, "The database has no Citus.") : citusCheck(facts);
  });
  return check.status === "skipped" ? [] : [check];
}

/** Checks the state of the tables first, then the settings of each machine, then the spread of the shards. */
export function citusCheck(facts: CitusFacts): Check {
  const { state, machines } = facts;
  const stateFault = faultOfState(state);
  if (stateFault !== undefined)
    return failed(NAME, {
      detail: linesOf(facts, [stateFault]),
      cause: "The service starts only on a database whose tables are all distributed, and on the supported Citus.",
      fix: "Run the command that the message names.",
    });
  if (state.placed.length === 0)
    return ok(NAME, `Citus ${state.version} on one machine. No table is distributed: it works like PostgreSQL.`);
  const faults = machines.flatMap((machine) => machine.faults);
  if (faults.length > 0)
    return failed(NAME, {
      detail: linesOf(facts, faults),
      cause: "A machine is down, or lacks a setting that Citus and the service need.",
      fix: "Start the machine, or change what the message names. While a machine is down, requests of its workspaces are refused, no one can sign in, and keys, people, workflows, inboxes and connectors cannot be changed.",
    });
  const spread = spreadOf(facts);
  const counts = spread.map(({ shards }) => shards);
  if (Math.max(...counts) - Math.min(...counts) >= UNEVEN_SHARDS)
    return warning(NAME, {
      detail: linesOf(facts, warningsOf(machines)),
      cause: "The shards are not spread evenly: a worker was added, or shards were moved by hand.",
      fix: "Run `select citus_rebalance_start()` on the coordinator. The service can keep running.",
    });
  const warnings = warningsOf(machines);
  if (warnings.length === 0) return ok(NAME, linesOf(facts, []));
  return warning(NAME, {
    detail: linesOf(facts, warnings),
    cause: "A setting of a machine limits the service.",
    fix: "Change the setting that the message names, and restart that machine.",
  });
}

function warningsOf(machines: readonly MachineReport[]): string[] {
  return machines.flatMap((machine) => machine.warnings);
}

/** Returns the facts and the problems, one on each line. */
function linesOf(facts: CitusFacts, problems: readonly string[]): string {
  const { state, machines, layout } = facts;
  const coordinator = machines.find(({ role }) => role === "coordinator");
  const spread = spreadOf(facts);
  const buckets = spread.map((worker) => worker.buckets);
  return [
    `Citus ${state.version}, coordinator ${coordinator === undefined ? "without an address" : addressIn(coordinator)}`,
    ...spread.map(
      (worker) => `Worker ${addressIn(worker)}: ${worker.shards} shards, ${worker.buckets} of the workspaces' buckets`,
    ),
    ...(layout === undefined || buckets.length === 0
      ? []
      : [`Skew (most buckets on a worker : fewest): ${Math.max(...buckets)}:${Math.min(...buckets)}`]),
    ...(state.missing.length === 0 ? [] : [`Tables that are not placed: ${state.missing.join(", ")}`]),
    ...problems,
  ].join("\n");
}

interface Spread extends NodeAddress {
  readonly shards: number;
  readonly buckets: number;
}

/** Returns the number of shards and buckets of each worker, and of the coordinator if it has any. */
function spreadOf({ machines, layout }: CitusFacts): Spread[] {
  return machines.flatMap(({ host, port, role }) => {
    const own = (layout?.shards ?? []).filter((shard) => shard.host === host && shard.port === port);
    if (role === "coordinator" && own.length === 0) return [];
    const buckets = own.reduce((sum, shard) => sum + shard.buckets.length, 0);
    return [{ host, port, shards: own.length, buckets }];
  });
}

function addressIn({ host, port }: NodeAddress): string {
  return `${host}:${port}`;
}
