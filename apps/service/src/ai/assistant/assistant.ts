import type { Subscriber } from "../../events/events.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createTaskWorker } from "./assistant.worker.ts";
import type { RoundDeps } from "./process-event.ts";
import { changeSettings, showSettings } from "./assistant-settings.ts";
import type { AssistantInput, AssistantView } from "./assistant-settings.ts";
import { createSubscriber } from "./assistant-subscriber.ts";
import { tryOut } from "./assistant-trial.ts";
import type { TrialInput, TrialView } from "./assistant-trial.ts";

export { sealedByAssistant } from "./process-event.ts";

/** A model that receives events and may request actions; people decide (contract, section 7). It is off until the workspace's settings name a provider. */
export interface Assistant {
  /** Registered with `dispatch`. It only stores a task, so that a slow or unreachable model delays no other subscriber. */
  readonly subscriber: Subscriber;
  show(scope: Scope): Promise<AssistantView>;
  change(scope: Scope, input: AssistantInput): Promise<AssistantView>;
  /** Throws 409 while the assistant is not set up, and 429 `rate_limited` if a budget is exhausted. */
  test(scope: Scope, input: TrialInput): Promise<TrialView>;
  start(): void;
  /** Waits for the requests in progress. */
  stop(): Promise<void>;
}

export interface AssistantDeps extends RoundDeps {
  readonly clock: Clock;
  /** False in a process that only accepts requests. */
  readonly works: boolean;
}

export function createAssistant(deps: AssistantDeps): Assistant {
  const worker = createTaskWorker({ ...deps, leaseId: deps.ids.uuid() });
  return {
    subscriber: createSubscriber({ db: deps.db, ids: deps.ids, wake: worker.wake }),
    show: async (scope) => await showSettings(deps, scope),
    change: async (scope, input) => await changeSettings(deps, scope, input),
    test: async (scope, input) => await tryOut(deps, scope, input),
    start: () => {
      if (deps.works) worker.start();
    },
    stop: worker.stop,
  };
}
