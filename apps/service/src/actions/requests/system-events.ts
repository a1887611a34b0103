import type { EventDraft } from "../../events/events.ts";
import { parseJson } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";

/**
 * Returns an event about an action (events/catalogue). It contains no parameter, prompt or result, which receivers read
 * from the run. The fields of an approval step are what its author wrote for approvers.
 */
export function news(
  scope: Scope,
  cause: { readonly id: Uuid; readonly tenant: string | null; readonly chain: readonly Uuid[] | null },
  name: string,
  data: Readonly<Record<string, unknown>>,
): EventDraft {
  const subject = data["run_id"] ?? data["proposal_id"];
  return {
    scope,
    name,
    data: JSON.stringify(data),
    subject: String(subject),
    tenant: cause.tenant,
    isInternal: true,
    // Events and runs that follow carry on the chain, so that chains of rules and workflows end.
    ...(cause.chain === null ? {} : { chain: cause.chain }),
  };
}

export function actorText(text: string): object {
  return shownActor(parseJson(text) as Actor);
}

export function shownActor({ type, id, display }: Actor): object {
  return { type, id, ...(display === null ? {} : { display }) };
}
