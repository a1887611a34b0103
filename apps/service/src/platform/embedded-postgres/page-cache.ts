import { totalmem } from "node:os";

const MIB = 2 ** 20;
const MOST_MIB = 256;
const LEAST_MIB = 32;
const SHARE = 1 / 8;

/** Returns the memory in bytes that this process may have: the machine's, or less in a container with a limit. */
export function memoryLimit(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** Returns `shared_buffers` for the embedded server in MiB: a share of the memory in bytes, so that there is room for the service. */
export function pageCacheMib(memoryBytes: number): number {
  return Math.max(LEAST_MIB, Math.min(MOST_MIB, Math.floor((memoryBytes * SHARE) / MIB)));
}
