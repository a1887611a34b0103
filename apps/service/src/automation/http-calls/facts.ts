import { EVENT_ROOTS, eventSources, factsOf, sourceOfText } from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";

/** The names with which paths of a call can begin: those of rules, and those of workflows. */
export const HTTP_CALL_ROOTS = [...EVENT_ROOTS, "input", "steps"] as const;

/** Returns the values that a test of a call can read. All members but `event` and `tenant` are JSON texts. */
export function callFacts(values: {
  readonly event: string;
  readonly data: string;
  readonly tenant?: string | undefined;
  readonly contact?: string | undefined;
  readonly input?: string | undefined;
  readonly steps?: string | undefined;
}): Facts {
  return factsOf({
    ...eventSources(values.event, values.data, values.tenant ?? null),
    contact: sourceOfText(values.contact),
    input: sourceOfText(values.input),
    steps: sourceOfText(values.steps),
  });
}
