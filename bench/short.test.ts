import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "../tools/run.ts";

const RUN = fileURLToPath(new URL("run.ts", import.meta.url));
const LIMIT_MS = 900_000;

/** The bench's table. A lost or doubled delivery, or a reaction that is missing, ends the run before it. */
async function tableOf(scenarios: readonly string[], seconds: number): Promise<string> {
  const { output } = await run(process.execPath, [RUN, "--only", scenarios.join(","), "--seconds", String(seconds)], {
    timeout: LIMIT_MS,
  });
  return output;
}

// Goals are not checked, because the machine may do other things at the same time.
test(
  "the short scale measurements arrive at their figures and deliver accepted events once",
  async () => {
    const table = await tableOf(["processes", "tenants", "endpoints", "soak"], 1);
    for (const row of [
      /Processes: 1, sustained +\| +[\d. ]+\/s/,
      /Processes: 2, due deliveries sent +\| +[\d. ]+\/s/,
      /Processes: 4, due deliveries to receivers that take 500 ms +\| +[\d. ]+\/s/,
      /a quiet one, 20 events\/s: fire to arrival, p95 +\| +[\d. ]+ms/,
      /One that listens, of 10000 endpoints: sustained +\| +[\d. ]+\/s/,
      /500 events\/s for 5 s: memory, last quarter +\| +[\d. ]+MiB/,
    ]) {
      expect(table).toMatch(row);
    }
  },
  LIMIT_MS,
);

test(
  "custom events, the catalog's events and one customer's events are measured",
  async () => {
    const table = await tableOf(["custom", "catalogue", "hot"], 3);
    expect(table).toMatch(/Share of the custom events' rate +\| +1\.00 +\| +[\d.]+;.*\| +[\d.]+;/);
  },
  LIMIT_MS,
);

test(
  "the short run of three times the sustainable load loses no accepted event",
  async () => {
    const table = await tableOf(["overload"], 1);
    expect(table).toMatch(/Overload: accept of what was accepted, p99 +\| +[\d. ]+ms/);
    expect(table).toMatch(/Overload: a quiet workspace, next to one that floods: p95 +\| +[\d. ]+ms/);
  },
  LIMIT_MS,
);
