import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Backend } from "../sandbox/hosts.ts";
import { refusals } from "../sandbox/node-backend.ts";

const MIB = 1024 ** 2;
/** JavaScript's heap of the process itself. Scripts have the engine's memory. */
const HEAP_MIB = 40;

/** Returns the backend for the scripts of one workspace, behind the same walls as connectors in TypeScript. */
export function scriptBackend(): Backend {
  const node = realpathSync(process.execPath);
  const runtime = dirname(dirname(realpathSync(createRequire(import.meta.url).resolve("@junction/connector"))));
  const engine = dirname(
    realpathSync(createRequire(join(runtime, "package.json")).resolve("quickjs-wasi/package.json")),
  );
  return {
    runtime: "ts",
    name: "scripts",
    memoryBytes: 256 * MIB,
    calls: 1,
    argv: () => [
      node,
      ...refusals([runtime, engine]),
      `--max-old-space-size=${HEAP_MIB}`,
      "--max-semi-space-size=4",
      "--expose-gc",
      join(runtime, "src", "script-main.ts"),
    ],
    reads: [node, runtime, engine],
    probe: async () => await Promise.resolve({ version: process.versions.node }),
  };
}
