import type { ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** Suspends a process (SIGSTOP). Resolves when it does nothing more. The kernel still accepts connections for it. */
export async function suspend(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  while (!(await isStopped(child.pid ?? 0))) await sleep(10);
}

/** Each thread stops when the kernel next runs it. */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(
    threads.map(async (thread) => await readFile(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );
  return states.every((state) => state.includes(") T "));
}
