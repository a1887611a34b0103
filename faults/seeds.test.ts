import { randomInt } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { BINARIES } from "./cluster.ts";
import { runOnce } from "./nemesis/command.ts";
import { scheduleOf } from "./nemesis/schedule.ts";
import { stopAll } from "./running.ts";

/** Twenty seconds of faults, and the quiet end. */
const MINUTES = 0.33;
const MOST_SEED = 1_000_000;
const LIMIT_MS = 420_000;

afterAll(async () => await stopAll());

test(
  "the faults of a new seed break no promise",
  async () => {
    // vitest.config.ts reports a missing PostgreSQL 15; CI has one.
    if (BINARIES === undefined) return;
    const seed = randomInt(1, MOST_SEED);
    console.log(`npm run faults -- --seed ${seed} --minutes ${MINUTES}`);
    const { broken, counts } = await runOnce({ seed, minutes: MINUTES, faults: scheduleOf(seed, MINUTES) });
    expect(broken).toEqual([]);
    expect(counts.events).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
