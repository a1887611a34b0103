import { readFileSync } from "node:fs";
import { resultOf } from "../../lib/lib.ts";
import { memoryLimit } from "../embedded-postgres/page-cache.ts";

const MOST = 1000;
/** An idle TLS connection takes 55 KiB of memory, or 80 KiB with its part of the sessions that are kept. */
const CONNECTION_BYTES = 80 * 1024;
/** The share of the memory that connections may take. */
const SHARE = 1 / 16;
/** The files that processes have at least on systems that do not say how many. */
const FEWEST_FILES = 1024;

/** Returns how many connections to receivers may be open: half of the files that the process may open, a sixteenth of the memory in bytes, and at most 1000. */
export function connectionLimit(memoryBytes: number = memoryLimit()): number {
  const limits = resultOf(() => readFileSync("/proc/self/limits", "utf8"));
  const [, files] = /^Max open files +(\d+)/m.exec(limits instanceof Error ? "" : limits) ?? [];
  return Math.floor(Math.min(MOST, Number(files ?? FEWEST_FILES) / 2, (memoryBytes * SHARE) / CONNECTION_BYTES));
}
