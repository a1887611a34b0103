import { existsSync, readFileSync } from "node:fs";

/** True if this system reports the resident memory of a process and its children. */
export const canMeasure = existsSync(`/proc/self/task/${process.pid}/children`);

/** Returns the resident memory of a process and all of its descendants in bytes; 0 for a process that has ended. */
export function residentBytes(pid: number): number {
  try {
    const kib = Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return children.reduce((sum, child) => (child === "" ? sum : sum + residentBytes(Number(child))), kib * 1024);
  } catch {
    return 0;
  }
}
