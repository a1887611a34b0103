import { createLoop } from "../../lib/lib.ts";
import type { Loop } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { EventSubscriptions } from "./subscriptions.ts";

const PERIOD_MS = 5000;

/** Ends the subscriptions of AI clients soon after their key, their grant or their right has ended. */
export function createSubscriptionWorker(deps: {
  readonly subscriptions: Pick<EventSubscriptions, "sweep">;
  readonly log: Pick<Log, "warn">;
}): Pick<Loop, "start" | "stop"> {
  return createLoop({
    async round() {
      await deps.subscriptions.sweep();
      return PERIOD_MS;
    },
    failed(error) {
      deps.log.warn({ err: error }, "failed to end event subscriptions; retrying in five seconds");
      return PERIOD_MS;
    },
  });
}
