import { contactSource, EVENT_ROOTS, eventSources, factsOf, sourceOfText } from "../expressions/conditions.ts";
import type { Facts } from "../expressions/conditions.ts";
import type { FoundContact } from "../../contacts/contacts.ts";

export interface RunFacts {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
  readonly contact: FoundContact | undefined;
  /** JSON text; null where the trigger started the run. */
  readonly input: string | null;
  /** Outputs of the steps that have ended, JSON text by id. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** The names that paths of steps can begin with. */
export const STEP_ROOTS = [...EVENT_ROOTS, "input", "steps"] as const;

/** What conditions and templates of a step look at, `{event, data, contact, input, steps: {<id>: <output>}}`, at this moment. */
export function runFacts({ event, data, contact, input, outputs }: RunFacts): Facts {
  const ended = new Map([...outputs].map(([id, output]) => [id, sourceOfText(output)]));
  return factsOf({
    ...eventSources(event, data),
    contact: contactSource(contact),
    input: sourceOfText(input ?? undefined),
    steps: ([id, ...inside]) => (typeof id === "string" ? ended.get(id)?.(inside) : undefined),
  });
}
