import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "../tools/run.ts";

const RUN = fileURLToPath(new URL("run.ts", import.meta.url));
const SCALE = ["processes", "tenants", "endpoints", "soak"];
const LIMIT_MS = 300_000;

test(
  "the measurements of scale run in their short form: each arrives at its figures, and what was accepted was delivered once",
  async () => {
    // Whether a goal is met says nothing on a machine that does other things meanwhile. A lost or doubled delivery ends the run before its table.
    const { output } = await run(process.execPath, [RUN, "--only", SCALE.join(","), "--seconds", "1"], {
      timeout: LIMIT_MS,
    });
    for (const row of [
      /Processes: 1, sustained +\| +[\d ]+\/s/,
      /Processes: 2, due deliveries sent +\| +[\d ]+\/s/,
      /Processes: 4, due deliveries to receivers that take 500 ms +\| +[\d ]+\/s/,
      /a quiet one, 20 events\/s: fire to arrival, p95 +\| +[\d. ]+ms/,
      /One that listens, of 10000 endpoints: sustained +\| +[\d ]+\/s/,
      /500 events\/s for 5 s: memory, last quarter +\| +[\d. ]+MiB/,
    ]) {
      expect(output).toMatch(row);
    }
  },
  LIMIT_MS,
);
