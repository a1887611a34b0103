import { existsSync, readFileSync } from "node:fs";

/** Whether this system tells what a process and its children have resident. */
export const canMeasure = existsSync(`/proc/self/task/${process.pid}/children`);

/** What a process and all that it started have resident, bytes; 0 for one that is gone. */
export function residentBytes(pid: number): number {
  try {
    const kib = Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return children.reduce((sum, child) => (child === "" ? sum : sum + residentBytes(Number(child))), kib * 1024);
  } catch {
    return 0;
  }
}
