import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** A group of processes that get no more memory than its limit. */
export interface MemoryGroup {
  /** Writing a process id to this file puts the process into the group, with its later children. */
  readonly membersFile: string;
  /** Returns the memory of its processes now without file pages, in mebibytes. */
  anonymousMib(): number;
  remove(): void;
}

interface Layout {
  readonly folder: string;
  readonly limit: string;
  readonly members: string;
  readonly anonymous: RegExp;
}

const MIB = 2 ** 20;
/** Control groups of Linux, version 1 and 2. */
const LAYOUTS: readonly Layout[] = [
  {
    folder: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    members: "tasks",
    anonymous: /^rss (\d+)/m,
  },
  {
    folder: "/sys/fs/cgroup",
    limit: "memory.max",
    members: "cgroup.procs",
    anonymous: /^anon (\d+)/m,
  },
];

/** Makes a group. Null where the system has none, or where it takes other rights. */
export function createMemoryGroup(limitMib: number): MemoryGroup | null {
  for (const layout of LAYOUTS) {
    const folder = `${layout.folder}/junction-bench-${process.pid}`;
    if (!existsSync(`${layout.folder}/${layout.members}`)) continue;
    try {
      mkdirSync(folder);
      writeFileSync(`${folder}/${layout.limit}`, String(limitMib * MIB));
    } catch {
      continue;
    }
    return {
      membersFile: `${folder}/${layout.members}`,
      anonymousMib: () => Number(layout.anonymous.exec(readFileSync(`${folder}/memory.stat`, "utf8"))?.[1]) / MIB,
      remove: () => rmdirSync(folder),
    };
  }
  return null;
}
