import type { Tx } from "../platform/db/db.ts";
import type { Clock, IdMaker, Instant, Uuid } from "../lib/lib.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import type { Scope } from "../accounts/workspaces/workspaces.ts";
import { isCanonical } from "./catalogue/catalogue.ts";
import { firedView, insertOf } from "./committing.ts";
import type { Fanout, FiredEvent, NewEvent } from "./events.ts";
import { eventPart, everyPart } from "./events.store.ts";

/** An event that the service itself fires, as part of something else. */
export interface WithinInput {
  readonly scope: Scope;
  /** A valid name: see `isEventName`. */
  readonly event: string;
  /** JSON text of an object. */
  readonly data: string;
  readonly occurredAt?: Instant;
  readonly subject?: string;
  /** The events whose reactions led to this one, oldest first. */
  readonly chain?: readonly Uuid[];
}

export interface WithinDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly fanout: Fanout;
  readonly signals: Signals;
}

/** Plans the reactions, writes events, stages and deliveries in one statement, and sets them going after the commit. */
export async function fireWithin(
  deps: WithinDeps,
  tx: Tx,
  inputs: readonly WithinInput[],
): Promise<readonly FiredEvent[]> {
  if (inputs.length === 0) return [];
  const events = inputs.map((input) => eventOf(deps, input));
  const requests = events.map((_event, at) => at + 1);
  const fanout = await deps.fanout.plan(events, tx);
  const rows = events.map((event, at) => insertOf(event, at + 1));
  await tx.commit([everyPart(events.length), eventPart(rows), ...fanout.parts(requests)], "select 1");
  tx.onCommit(() => {
    deps.signals.eventsAccepted(events);
    fanout.committed(new Set(events.keys()));
  });
  return events.map((event, at) => firedView(event, fanout.reactions[at] ?? { subscribers: [], deliveries: [] }));
}

function eventOf(deps: WithinDeps, input: WithinInput): NewEvent {
  const { scope, event, data, occurredAt = deps.clock.now(), subject = null, chain = null } = input;
  const id = deps.ids.uuid();
  const canonical = isCanonical(event);
  return { scope, id, name: event, canonical, data, occurredAt, subject, chain, traceparent: null };
}
