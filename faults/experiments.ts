import { BINARIES, NO_POSTGRES } from "./cluster.ts";
import type { Experiment, Faults, Finding } from "./experiment.ts";
import { citusCoordinator, citusNetwork, citusRebalance, citusWorker } from "./experiments/citus.ts";
import { clockOffByDays, clockStepped } from "./experiments/clock-stepped.ts";
import { connectionsTaken } from "./experiments/connections-taken.ts";
import { databaseGone, databaseSilent } from "./experiments/database-gone.ts";
import { databaseKilled } from "./experiments/database-killed.ts";
import { diskFull } from "./experiments/disk-full.ts";
import { dnsDead } from "./experiments/dns-dead.ts";
import { failover } from "./experiments/failover.ts";
import { fanOut } from "./experiments/fan-out.ts";
import { hostileClients } from "./experiments/hostile-clients.ts";
import { hostileTenant } from "./experiments/hostile-tenant.ts";
import { nodeKilled } from "./experiments/node-killed.ts";
import { oldCode } from "./experiments/old-code.ts";
import { order } from "./experiments/order.ts";
import { rolling } from "./experiments/rolling.ts";
import { tarpit } from "./experiments/tarpit.ts";
import { stopAll } from "./running.ts";

/** The experiments in the order in which they run. */
export const EXPERIMENTS: readonly Experiment[] = [
  nodeKilled,
  databaseKilled,
  databaseGone,
  databaseSilent,
  failover,
  rolling,
  oldCode,
  diskFull,
  tarpit,
  dnsDead,
  clockStepped,
  clockOffByDays,
  connectionsTaken,
  hostileClients,
  hostileTenant,
  fanOut,
  order,
  citusWorker,
  citusCoordinator,
  citusRebalance,
  citusNetwork,
];

const EMBEDDED: readonly Experiment[] = [databaseKilled, diskFull];
const LIMIT_MS = 300_000;
const FULL_LIMIT_MS = 1_200_000;

/** Runs one experiment within its limit, and ends everything that it started. */
export async function runOne(experiment: Experiment, faults: Faults): Promise<Finding> {
  if (BINARIES === undefined && !EMBEDDED.includes(experiment)) return { skipped: NO_POSTGRES };
  const limitMs = faults.full ? FULL_LIMIT_MS : LIMIT_MS;
  const limit = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${limitMs / 1000} s`)), limitMs);
    limit.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  try {
    return await Promise.race([experiment.run(faults), expired]);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const nothing = { accepted: 0, delivered: 0, lost: 0, duplicates: 0, longestStallS: 0 };
    return { what: "it came to no end", ...nothing, broken: [reason] };
  } finally {
    limit.abort();
    await stopAll();
  }
}
