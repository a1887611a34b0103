import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** The weight of a service, like that of a dozen sessions of the database. */
export const SERVICE_WEIGHT = -10;
export const LEAST_WEIGHT = 19;

/**
 * Sets the weight of a process that has a session of its own, from -20 to 19 as for `nice`. A kernel that groups processes by session gives each
 * session of PostgreSQL as much of the machine as all threads of the service together, and does not compare priorities between groups; a service
 * manager gives each service one share. Does as much as the kernel and the user's rights allow.
 */
export function weigh(pid: number, weight: number): void {
  for (const set of [() => setPriority(pid, weight), () => writeFileSync(`/proc/${pid}/autogroup`, String(weight))]) {
    try {
      set();
    } catch {
      continue;
    }
  }
}
