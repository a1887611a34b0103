import { eventSources, factsOf, holds, readCondition, sourceOfScalar } from "../../events/events.ts";
import type { Condition, EventLabels, Facts } from "../../events/events.ts";
import { readFilter, sharesChannel } from "./channels.ts";
import type { Wire } from "./wire.ts";
import { rememberByText, scanJson, TooExpensiveError, WorkBudget } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

/** The facts of an event that filters read. `data` is JSON text of an object. */
export interface FilteredEvent {
  readonly name: string;
  readonly data: string;
  readonly tenant: string | null;
  readonly subject: string | null;
  readonly labels: Pick<EventLabels, "channels"> | null;
}

/** The values of one event that filters read. */
export interface FilterFacts {
  readonly facts: Facts;
  readonly channels: readonly string[] | null;
}

/** A compiled filter with the channels of its endpoint. */
export interface Filter {
  readonly channels: readonly string[] | null;
  /** Null for an endpoint that has only channels. */
  readonly condition: Condition | null;
}

/** Compiles filters and keeps the results by their text, so that endpoints with the same filter share one. */
export type Filters = ReturnType<typeof createFilters>;

/** The names with which paths in a filter can begin. No one knows the contact before the projections have run. */
const FILTER_ROOTS = ["event", "data", "tenant"] as const;
/** Only the filter of an AI client's subscription reads the subject. A node of the version before judges such a condition as false. */
const STORED_ROOTS = [...FILTER_ROOTS, "subject"] as const;
/** The maximum size of a filter in bytes. */
const MAX_BYTES = 16_384;
/** The maximum size of the texts of all compiled filters, in UTF-16 units. */
const MAX_KEPT_UNITS = 4 * 1024 * 1024;

export function createFilters() {
  return { of: rememberByText(compiled, { units: MAX_KEPT_UNITS }) };
}

function compiled(text: string): Filter {
  const { channels, own } = readFilter(text);
  return { channels, condition: own === null ? null : read(own, STORED_ROOTS).condition };
}

/** Returns the faults of a filter that a caller sends as `filter`. That of an AI client's subscription can read the subject. */
export function filterFaults(text: string, wire: Wire = "service"): Violation[] {
  if (Buffer.byteLength(text) > MAX_BYTES)
    return [{ pointer: "/filter", code: "too_large", message: `must have at most ${MAX_BYTES} bytes` }];
  return read(text, wire === "mcp" ? STORED_ROOTS : FILTER_ROOTS).faults.map((fault) => ({
    ...fault,
    pointer: `/filter${fault.pointer}`,
  }));
}

/** Returns the values that the filters of one event read. Its data is parsed at the first use. */
export function filterFacts({ name, data, tenant, subject, labels }: FilteredEvent): FilterFacts {
  const facts = factsOf({
    ...eventSources(name, data, tenant),
    // Few filters read the subject, so that most events need not spell it.
    subject: (steps) => sourceOfScalar(subject)(steps),
  });
  return { facts, channels: labels?.channels ?? null };
}

/** `too_expensive`: the budget does not suffice to find out. It is the `error_class` of a delivery whose event was not judged. */
export type Judgement = "passed" | "filtered" | typeof TOO_EXPENSIVE;
export const TOO_EXPENSIVE = "too_expensive";

/** Returns whether an event passes a filter. Without a filter, every event does. */
export function judge(
  filters: Filters,
  filter: string | null,
  { facts, channels }: FilterFacts,
  budget: WorkBudget = new WorkBudget(),
): Judgement {
  if (filter === null) return "passed";
  const { channels: wanted, condition } = filters.of(filter);
  if (!sharesChannel(wanted, channels)) return "filtered";
  if (condition === null) return "passed";
  try {
    return holds(condition, facts, budget) ? "passed" : "filtered";
  } catch (error) {
    if (error instanceof TooExpensiveError) return TOO_EXPENSIVE;
    throw error;
  }
}

function read(text: string, roots: readonly (typeof STORED_ROOTS)[number][]): ReturnType<typeof readCondition> {
  return readCondition({ scan: scanJson(Buffer.from(text)), place: [], roots });
}
