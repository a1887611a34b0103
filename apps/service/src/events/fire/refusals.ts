import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Signals } from "../../platform/telemetry/telemetry.ts";
import type { Event, PlannedEvent } from "../event/event.ts";

/** A call whose events do not match the schemas of their types. */
export interface Refused {
  readonly error: ServiceError;
  readonly events: readonly Event[];
}

interface Call {
  readonly scheduled: readonly { readonly position: number }[];
  readonly batch: boolean;
}

const MAX_ERRORS = 100;

/** Returns the calls that are refused. One event refuses its whole call. */
export function refusalsOf<C extends Call>(
  calls: readonly C[],
  requests: readonly (readonly PlannedEvent[])[],
): ReadonlyMap<C, Refused> {
  if (!requests.some((planned) => planned.some(({ event }) => isRefused(event)))) return new Map();
  return new Map(
    calls.flatMap((call, at): [C, Refused][] => {
      const events = (requests[at] ?? []).map(({ event }) => event);
      const positions = positionsOf(call, events.length);
      const faults = events.flatMap((event, nth) => faultsOf(event, call.batch ? (positions[nth] ?? nth) : null));
      return faults.length === 0 ? [] : [[call, { error: refusalError(faults), events }]];
    }),
  );
}

/** Returns the faults of an event with pointers into the body. `position`: its place in a batch. */
export function faultsOf(event: Event, position: number | null): Violation[] {
  const place = position === null ? "" : `/events/${position}`;
  const faults = (event.refusal ?? []).map((fault) => ({ ...fault, pointer: `${place}/data${fault.pointer}` }));
  if (!event.versionFault) return faults;
  const message = `must be a version of the event type ${event.name}`;
  return [{ pointer: `${place}/version`, code: "version", message }, ...faults];
}

export function refusalError(faults: readonly Violation[]): ServiceError {
  return new ServiceError("event_data_invalid", {
    detail: "The data does not match the schema of the event type. Nothing was stored.",
    errors: faults.slice(0, MAX_ERRORS),
  });
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "event_data_invalid";
}

/** Counts the events that were refused. */
export function countRefusals(signals: Pick<Signals, "schemaViolated">, events: readonly Event[]): void {
  const refused = events.filter(({ refusal }) => refusal !== null);
  if (refused.length > 0) signals.schemaViolated(refused, "refused");
}

/** Counts the events that were accepted although they do not match. */
export function countWarnings(signals: Pick<Signals, "schemaViolated">, events: readonly Event[]): void {
  const warned = events.filter(({ schemaErrors }) => schemaErrors !== null);
  if (warned.length > 0) signals.schemaViolated(warned, "warned");
}

function isRefused({ refusal, versionFault }: Event): boolean {
  return refusal !== null || versionFault;
}

/** The places of the events that are fired now, among all events of the call. */
function positionsOf({ scheduled }: Call, now: number): number[] {
  const later = new Set(scheduled.map(({ position }) => position));
  return [...Array(now + scheduled.length).keys()].filter((at) => !later.has(at));
}
