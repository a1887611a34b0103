import type { Tx } from "../../platform/db/db.ts";
import type { Clock, IdMaker } from "../../lib/lib.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import { eventOf, signalsOf } from "../event/event.ts";
import type { EventDraft, Fanout } from "../event/event.ts";
import { eventPart, oneRequest } from "../event/events.store.ts";
import { labelPart } from "../event/labels.store.ts";
import { countWarnings } from "./refusals.ts";
import { firedView } from "../event/fired-event.ts";
import type { FiredEvent } from "../event/fired-event.ts";

export interface WithinDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly fanout: Fanout;
  readonly signals: Signals;
}

/** Plans the reactions, writes events, stages and deliveries in one statement, and starts them after the commit. */
export async function fireWithin(
  deps: WithinDeps,
  tx: Tx,
  drafts: readonly EventDraft[],
): Promise<readonly FiredEvent[]> {
  if (drafts.length === 0) return [];
  const { fanout, signals } = deps;
  const commits = await fanout.plan([drafts.map((draft) => eventOf(deps, draft))], tx);
  const labelled = commits.filter(({ event }) => event.labels !== null).map(({ event }) => ({ event, request: 1 }));
  const labels = labelled.length === 0 ? [] : [labelPart(labelled)];
  await tx.commit([oneRequest, eventPart(commits), ...fanout.parts(commits), ...labels], "select 1");
  tx.onCommit(() => {
    const events = commits.map(({ event }) => event);
    signals.eventsAccepted(signalsOf(events));
    countWarnings(signals, events);
    fanout.committed(commits);
  });
  return commits.map((commit) => firedView(commit));
}
