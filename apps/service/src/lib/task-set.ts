import { withTimeout } from "./timeout.ts";

/** A set of background tasks, which only the end of the process waits for. */
export interface TaskSet {
  /** The number of running tasks. */
  readonly size: number;
  /** Returns at once. */
  add(task: Promise<unknown>): void;
  /** Resolves when the running tasks have ended, or after the timeout. */
  settled(timeoutMs?: number): Promise<void>;
}

/** Creates a task set. `failed` receives the errors of tasks. */
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
