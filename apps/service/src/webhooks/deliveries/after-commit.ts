import type { Db } from "../../platform/db/db.ts";
import type { Clock, IdMaker, Instant } from "../../lib/lib.ts";
import type { Events } from "../../events/events.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { attemptSignal } from "./attempt.ts";
import type { AttemptResult } from "./attempt.ts";
import { disableEndpoint } from "../endpoints/endpoints.store.ts";
import type { Target } from "../endpoints/targets.ts";
import { endpointDisabledEvent } from "./system-events.ts";
import type { DisabledReason } from "./system-events.ts";

/** Writes and sends system events. */
export type SystemEvents = Pick<Events, "announce" | "announced">;

export interface AfterCommitDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly signals: Signals;
  readonly announcer: SystemEvents;
  /** Called after an awaited delivery has ended. */
  readonly awaited: () => readonly (() => void)[];
}

const FAILING_LIMIT_MS = 5 * 86_400_000;

/**
 * Runs the follow-up of a result that was written. Calls `retried` with the wait in milliseconds if the delivery is
 * retried.
 */
export async function afterCommit(
  deps: AfterCommitDeps,
  result: AttemptResult,
  retried: (waitMs: number) => void,
): Promise<void> {
  const { transition, target, announcement } = result;
  if (announcement !== null) deps.announcer.announced();
  const signal = attemptSignal(result);
  if (signal !== undefined) deps.signals.attemptMade(signal);
  switch (transition.kind) {
    case "delivered":
    case "cancelled":
      reportEnd(deps, result, transition.kind);
      break;
    case "retry":
      retried(transition.waitMs);
      if (isFailingForDays(target, deps.clock.now())) await disable(deps, result, "failing_for_days");
      break;
    case "failed":
      reportEnd(deps, result, transition.state);
      if (transition.gone) await disable(deps, result, "gone");
      else if (isFailingForDays(target, deps.clock.now())) await disable(deps, result, "failing_for_days");
      break;
    default:
      transition satisfies never;
  }
}

function reportEnd(
  { signals, awaited }: AfterCommitDeps,
  { delivery, target }: AttemptResult,
  state: "delivered" | "failed" | "cancelled",
): void {
  if (target?.awaited === true) for (const notify of awaited()) notify();
  signals.deliveryEnded(delivery.tag, state);
}

function isFailingForDays(target: Target | undefined, now: Instant): boolean {
  const since = target?.failingSince ?? null;
  return since !== null && now - since > FAILING_LIMIT_MS;
}

/** Disables an endpoint that is gone or that has only failed for days. Its owner can enable it again. */
async function disable(
  { db, ids, announcer }: AfterCommitDeps,
  { delivery, target }: AttemptResult,
  reason: DisabledReason,
): Promise<void> {
  // An endpoint of a rule or a workflow could not be enabled again.
  if (target === undefined || target.owned) return;
  const { bucket, tag, endpointId: id } = delivery;
  await db.transaction(async (tx) => {
    if (!(await disableEndpoint(tx, { bucket, tag, id }, reason))) return;
    await announcer.announce(tx, endpointDisabledEvent(ids, delivery, target, reason));
  });
}
