import type { Db } from "../../platform/db/db.ts";
import { toDate } from "../../lib/lib.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Events } from "../../events/events.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { attemptSignal } from "./attempt.ts";
import type { AttemptResult } from "./attempt.ts";
import { disableEndpoint } from "../endpoints/endpoints.store.ts";
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
  /** Called after attempts were written that may open or resolve an issue. */
  readonly reported: () => void;
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
  const { transition, announcement } = result;
  if (mayChangeIssue(result)) deps.reported();
  if (announcement !== null) deps.announcer.announced();
  const signal = attemptSignal(result);
  if (signal !== undefined) deps.signals.attemptMade(signal);
  switch (transition.kind) {
    case "delivered":
    case "cancelled":
      reportEnd(deps, result, transition.kind);
      break;
    case "filtered":
      reportEnd(deps, result, transition.kind);
      reportFiltered(deps, result);
      break;
    case "retry":
      retried(transition.waitMs);
      await afterFailure(deps, result);
      break;
    case "failed":
      reportEnd(deps, result, transition.state);
      if (transition.gone) await disable(deps, result, "gone");
      else await afterFailure(deps, result);
      break;
    default:
      transition satisfies never;
  }
}

function mayChangeIssue({ made, target }: AttemptResult): boolean {
  return made !== null && (made.exchange.errorClass !== null || target?.failingSince !== null);
}

function reportEnd(
  { signals, awaited }: AfterCommitDeps,
  { delivery, target }: AttemptResult,
  state: Parameters<Signals["deliveryEnded"]>[1],
): void {
  if (target?.awaited === true) for (const notify of awaited()) notify();
  signals.deliveryEnded(delivery.tag, state, target?.tenant ?? null);
}

/** Counts the event among those that the endpoint did not get. */
function reportFiltered({ signals }: AfterCommitDeps, { delivery: { tag, endpointId } }: AttemptResult): void {
  signals.deliveriesFiltered([{ tag, group: endpointId, events: 1, endpoints: 1, endpointIds: () => [endpointId] }]);
}

/** Disables an endpoint that has failed for days. */
async function afterFailure(deps: AfterCommitDeps, result: AttemptResult): Promise<void> {
  const { target } = result;
  // No one could enable an endpoint of a rule or a workflow, which only its run shows.
  if (target === undefined || target.owned || target.failingSince === null) return;
  if (deps.clock.now() - target.failingSince > FAILING_LIMIT_MS) await disable(deps, result, "failing_for_days");
}

/** Disables an endpoint that is gone or that has only failed for days. Its owner can enable it again. */
async function disable(
  { db, clock, ids, announcer }: AfterCommitDeps,
  { delivery, target }: AttemptResult,
  reason: DisabledReason,
): Promise<void> {
  // An endpoint of a rule or a workflow could not be enabled again.
  if (target === undefined || target.owned) return;
  const { bucket, tag, endpointId: id } = delivery;
  await db.transaction(async (tx) => {
    if (!(await disableEndpoint(tx, { bucket, tag, id }, reason, toDate(clock.now())))) return;
    await announcer.announce(tx, endpointDisabledEvent(ids, delivery, target, reason));
  });
}
