import { MAX_ACTING_CHAIN } from "../../events/events.ts";
import type { Event } from "../../events/events.ts";
import type { ServiceError, Uuid } from "../../lib/lib.ts";
import { authorRefusal } from "../definitions/author.ts";
import { operationsOf } from "./actions.ts";
import type { ReactionDeps } from "./deps.ts";
import type { Rule } from "./rule.ts";
import { actedIn } from "./runs.store.ts";
import type { RunInsert } from "./runs.store.ts";

/** The reason why a rule does nothing, as its run shows it. */
export type Blocker = Pick<RunInsert, "status" | "reason_code" | "reason">;

export type FindBlocker = (event: Event, rule: Rule) => Promise<Blocker | undefined>;

/**
 * Returns a function that finds the reason why a rule whose condition is true does nothing, and counts the run toward the rule's limit if
 * there is none. It reads an author's permissions once per rule, and what acted before once per event.
 */
export function createFindBlocker(deps: ReactionDeps): FindBlocker {
  const refusals = new Map<string, Promise<ServiceError | undefined>>();
  const acted = new Map<Uuid, Promise<Uuid[]>>();
  return async (event, rule) => {
    const { scope, chain } = event;
    const { id, bucket, max_runs_per_minute: perMinute } = rule.head;
    if (chain.length >= MAX_ACTING_CHAIN)
      return blocked(
        "skipped",
        "chain_too_deep",
        `The event is the result of a chain of ${MAX_ACTING_CHAIN} events, which is the maximum.`,
      );
    const before = acted.get(event.id) ?? actedIn(deps.db, scope, chain);
    acted.set(event.id, before);
    if ((await before).includes(id))
      return blocked("skipped", "once_per_chain", "The rule already ran for an event that led to this one.");
    const key = `${scope.tag} ${id}`;
    const refusal = refusals.get(key) ?? ruleRefusal(deps, rule);
    refusals.set(key, refusal);
    const refused = await refusal;
    if (refused !== undefined) return blocked("refused", refused.code, refused.details.detail ?? refused.kind.title);
    const subject = `rule:${id}:${scope.environment}`;
    const { granted } = await deps.rates.take({ bucket, subject, operation: "rules.run", perMinute });
    if (granted) return undefined;
    return blocked("limited", "rate_limited", `The rule can run at most ${perMinute} times per minute.`);
  };
}

/** Returns the reason why the author may not run the rule's actions now. Undefined if the author may. */
export async function ruleRefusal(deps: ReactionDeps, { head, program }: Rule): Promise<ServiceError | undefined> {
  return await authorRefusal(deps, "rule", head, operationsOf(program.actions));
}

export function blocked(status: Blocker["status"], code: string, reason: string): Blocker {
  return { status, reason_code: code, reason };
}
