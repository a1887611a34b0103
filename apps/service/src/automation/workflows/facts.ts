import { contactSource, EVENT_ROOTS, eventSources, factsOf, sourceOfText } from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";
import type { FoundContact } from "../../contacts/contacts.ts";

export interface RunFacts {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
  /** The tenant of the event. */
  readonly tenant: string | null;
  readonly contact: FoundContact | undefined;
  /** JSON text. Null if the trigger started the run. */
  readonly input: string | null;
  /** Outputs of the completed steps, as JSON text by step id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** JSON text of the item. Null outside a loop. */
  readonly item?: string | null;
  /** The position of the branch or the item, from 0. */
  readonly index?: number | null;
}

/** The names with which fields in the `match` of a `wait_event` step can begin: those of the event that arrives. */
export const AWAITED_ROOTS = ["event", "data", "tenant"] as const;

/** The names with which paths in steps can begin. */
export const STEP_ROOTS = [...EVENT_ROOTS, "input", "steps"] as const;

/** The names with which paths in the steps of a loop can begin. */
export const ITEM_ROOTS = [...STEP_ROOTS, "item", "index"] as const;

/**
 * Returns the values that a step can read at this moment: `{event, data, tenant, contact, input, steps: {<id>: <output>}}`, and in a
 * loop also `{item, index}`.
 */
export function runFacts({ event, data, tenant, contact, input, outputs, item, index }: RunFacts): Facts {
  const ended = new Map([...outputs].map(([id, output]) => [id, sourceOfText(output)]));
  return factsOf({
    ...eventSources(event, data, tenant),
    contact: contactSource(contact),
    input: sourceOfText(input ?? undefined),
    item: sourceOfText(item ?? undefined),
    index: sourceOfText(index?.toString()),
    steps: ([id, ...inside]) => (typeof id === "string" ? ended.get(id)?.(inside) : undefined),
  });
}
