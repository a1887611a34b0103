import { setTimeout as sleep } from "node:timers/promises";
import { assertAccepted, assertArrived, CONNECTIONS, drainDue, ORDER, settle, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { claimCost } from "../statements.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const PER_SECOND = 1000;
const FULL_SECONDS = 600;
const SHORT = 5;
/** The least share of the rate that is left while a snapshot is held. */
const LEAST_RATE = 0.9;
const MOST_DATABASE = 1.2;
/** The time that a release may take to have its effect. */
const RECOVERY_MS = 5000;
/** Deliveries that are due at once, whose claims are measured. */
const DUE = 5000;

/** Measures deliveries while a snapshot is held, so that no row that was deleted since can be removed. */
export async function xmin(bench: Bench): Promise<Row[]> {
  const heldSeconds = bench.full ? FULL_SECONDS : bench.seconds * SHORT;
  const stage = await startStage(bench);
  await stage.endpoint({ path: "order", events: [ORDER], maxInFlight: 256 });
  await warm(stage);
  await measured(stage, bench, "warm");
  const before = await measured(stage, bench, "before the snapshot");
  const release = await stage.snapshot();
  bench.say(`a snapshot is held for ${heldSeconds} s at ${PER_SECOND} events/s`);
  const load = await stage.open(custom(ORDER), { perSecond: PER_SECOND, forMs: heldSeconds * 1000 });
  assertAccepted(load, true);
  await settle(stage);
  const held = await measured(stage, bench, "while a snapshot is held");
  await release();
  await sleep(RECOVERY_MS);
  const released = await measured(stage, bench, "after its release");
  const phases = [
    ["Before a held snapshot", before],
    [`A snapshot held for ${heldSeconds} s at ${PER_SECOND} events/s`, held],
    [`${RECOVERY_MS / 1000} s after its release`, released],
  ] as const;
  return phases.flatMap(([name, found]) => {
    const compared = (figure: keyof Phase, goal?: Row["goal"]): Parameters<typeof row>[3] =>
      found === before ? {} : { against: [before[figure], "before"], ...(goal === undefined ? {} : { goal }) };
    return [
      row(`${name}: sustained`, found.perSecond, "/s", compared("perSecond", { atLeast: LEAST_RATE, of: "ratio" })),
      row(
        "· database per delivery",
        found.databaseMs,
        "ms",
        compared("databaseMs", { atMost: MOST_DATABASE, of: "ratio" }),
      ),
      row(`· ${DUE} due deliveries: claim, database time each`, found.claimUs, "µs", compared("claimUs")),
    ];
  });
}

interface Phase {
  readonly perSecond: number;
  readonly databaseMs: number;
  readonly claimUs: number;
}

async function measured(stage: Stage, bench: Bench, name: string): Promise<Phase> {
  await stage.reset();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(custom(ORDER), { connections: CONNECTIONS, forMs: bench.seconds * 500 });
  await settle(stage);
  const { wallMs, databaseMs } = stopMeter();
  const { requests } = await stage.received();
  assertArrived(load, requests);
  const due = { event: ORDER, deliveries: DUE, endpoints: 1 };
  const { database } = await drainDue(stage, `${name}: due deliveries`, due, bench.seconds * 1000);
  const { ms, claimed } = claimCost(database);
  await settle(stage);
  return { perSecond: (requests / wallMs) * 1000, databaseMs: databaseMs / requests, claimUs: (ms / claimed) * 1000 };
}
