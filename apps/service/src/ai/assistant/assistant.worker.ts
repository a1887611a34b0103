import type { Loop } from "../../lib/lib.ts";
import { createSweep } from "../../platform/tasks/tasks.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import { sweep } from "./assistant.store.ts";
import type { TaskRow } from "./assistant.store.ts";
import { playRound } from "./process-event.ts";
import type { RoundDeps } from "./process-event.ts";

export interface TaskWorkerDeps extends RoundDeps {
  readonly tasks: Tasks;
}

/** Passes events to the assistant, outside the stages of the events. */
export function createTaskWorker(deps: TaskWorkerDeps): Loop {
  return deps.tasks.define<TaskRow>({
    kind: "assistant",
    table: "assistant_task",
    // A model that hangs does not delay another workspace.
    concurrency: { ofNode: 64, ofTenant: 4 },
    run: async (task) => await deps.db.at(task.bucket, async () => await playRound(deps, task)),
  });
}

/** Deletes what the assistant no longer needs. */
export function createCleanup({ db, log }: Pick<RoundDeps, "db" | "log">): Loop {
  return createSweep(log, {
    to: "delete old assistant data",
    everyMs: 3_600_000,
    run: async () => await sweep(db),
  });
}
