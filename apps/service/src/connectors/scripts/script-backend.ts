import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Backend } from "../sandbox/hosts.ts";
import { refusals } from "../sandbox/node-backend.ts";

const MIB = 1024 ** 2;
/** JavaScript's heap: 32 MiB for a script, and what the process itself needs. */
const HEAP_MIB = 40;
/** How many deliveries of a workspace a process takes at the same time, so that the last one does not wait too long. */
export const SCRIPT_CALLS = 32;

/** Returns the backend for the scripts of one workspace, behind the same walls as connectors in TypeScript. */
export function scriptBackend(): Backend {
  const node = realpathSync(process.execPath);
  const runtime = dirname(dirname(realpathSync(createRequire(import.meta.url).resolve("@junction/connector"))));
  return {
    runtime: "ts",
    name: "scripts",
    memoryBytes: 192 * MIB,
    calls: SCRIPT_CALLS,
    argv: () => [
      node,
      ...refusals([runtime]),
      `--max-old-space-size=${HEAP_MIB}`,
      "--max-semi-space-size=4",
      "--stack-size=500",
      join(runtime, "src", "script-main.ts"),
    ],
    reads: [node, runtime],
    probe: async () => await Promise.resolve({ version: process.versions.node }),
  };
}
