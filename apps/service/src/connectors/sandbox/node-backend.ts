import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Backend } from "./backend.ts";

const MIB = 1024 ** 2;
/** The share of JavaScript's heap. Buffers and the program itself need the rest. */
const HEAP_SHARE = 0.25;

/**
 * Returns the options by which Node refuses files outside of `readable`, the network, processes, threads, addons, WASI,
 * FFI and the inspector. SQLite is disabled separately, because the permission model does not cover its database files
 * (Node 26.10).
 */
export function refusals(readable: readonly string[]): readonly string[] {
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    "--no-experimental-sqlite",
    "--no-experimental-webstorage",
    "--no-addons",
    "--disable-sigusr1",
    "--no-warnings",
  ];
}

/** Returns the backend for connectors in TypeScript, which run in this process's version of Node. */
export function nodeBackend(): Backend {
  const node = realpathSync(process.execPath);
  const runtime = dirname(dirname(realpathSync(createRequire(import.meta.url).resolve("@junction/connector"))));
  return {
    runtime: "ts",
    name: "node",
    memoryBytes: 256 * MIB,
    calls: 16,
    argv: ({ directory, memoryBytes }) => [
      node,
      ...refusals([directory, runtime]),
      `--max-old-space-size=${Math.floor((memoryBytes * HEAP_SHARE) / MIB)}`,
      "--max-semi-space-size=4",
      join(runtime, "src", "main.ts"),
      directory,
    ],
    reads: [node, runtime],
    probe: async () => await Promise.resolve({ version: process.versions.node }),
  };
}
