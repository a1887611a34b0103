import { readFileSync } from "node:fs";
import { resultOf } from "../../lib/lib.ts";

/** An idle TLS connection takes 80 KiB of memory, so that these take 80 MiB. */
const MOST = 1000;
/** The files that processes have at least on systems that do not say how many. */
const FEWEST_FILES = 1024;

/** Returns how many connections to receivers may be open: half of the files that the process may open, at most 1000. */
export function connectionLimit(): number {
  const limits = resultOf(() => readFileSync("/proc/self/limits", "utf8"));
  const [, files] = /^Max open files +(\d+)/m.exec(limits instanceof Error ? "" : limits) ?? [];
  return Math.min(MOST, Math.floor(Number(files ?? FEWEST_FILES) / 2));
}
