import type { Clock } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createCleanup, createTaskWorker } from "./assistant.worker.ts";
import type { TaskWorkerDeps } from "./assistant.worker.ts";
import { changeSettings, showSettings } from "./assistant-settings.ts";
import type { AssistantInput, AssistantView } from "./assistant-settings.ts";
import { createSubscriber } from "./assistant-subscriber.ts";
import { tryOut } from "./assistant-trial.ts";
import type { TrialInput, TrialView } from "./assistant-trial.ts";

export { sealedByAssistant } from "./process-event.ts";

/** A model that receives events and may request actions; people decide (contract, section 7). It is off until the workspace's settings name a provider. */
export type Assistant = ReturnType<typeof createAssistant>;

export interface AssistantDeps extends TaskWorkerDeps {
  readonly clock: Clock;
}

export function createAssistant(deps: AssistantDeps) {
  const worker = createTaskWorker(deps);
  const cleanup = createCleanup(deps);
  return {
    /** Registered with `dispatch`. It only stores a task, so that a slow or unreachable model delays no other subscriber. */
    subscriber: createSubscriber({ db: deps.db, ids: deps.ids, wake: worker.wake }),
    show: async (scope: Scope): Promise<AssistantView> => await showSettings(deps, scope),
    change: async (scope: Scope, input: AssistantInput): Promise<AssistantView> =>
      await changeSettings(deps, scope, input),
    /** Throws 409 while the assistant is not set up, and 429 `rate_limited` if a budget is exhausted. */
    test: async (scope: Scope, input: TrialInput): Promise<TrialView> => await tryOut(deps, scope, input),
    start(): void {
      worker.start();
      cleanup.start();
    },
    /** Waits for the requests in progress. */
    async stop(): Promise<void> {
      await cleanup.stop();
      await worker.stop();
    },
  };
}
