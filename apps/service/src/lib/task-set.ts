import { withTimeout } from "./timeout.ts";

/** Work in the background: nothing waits for it but the end of the process. */
export interface TaskSet {
  /** How many tasks are under way. */
  readonly size: number;
  /** Returns at once. */
  add(task: Promise<unknown>): void;
  /** Resolves when the tasks under way have ended, or after the timeout. */
  settled(timeoutMs?: number): Promise<void>;
}

/** `failed` is given what a task throws. */
export function createTaskSet(failed: (error: unknown) => void): TaskSet {
  const active = new Set<Promise<void>>();
  return {
    get size() {
      return active.size;
    },
    add(task) {
      const tracked: Promise<void> = task.then(() => undefined, failed).finally(() => active.delete(tracked));
      active.add(tracked);
    },
    async settled(timeoutMs) {
      const all = Promise.all(active);
      await (timeoutMs === undefined ? all : withTimeout(all, timeoutMs));
    },
  };
}
