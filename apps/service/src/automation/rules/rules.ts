import { createRateLimiter } from "../../access/access.ts";
import type { Subscriber } from "../../events/events.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { findExisting } from "../definitions/definition.ts";
import type { TrialEvent } from "../definitions/definition.ts";
import { headerSecretSource } from "../definitions/sealed-headers.ts";
import type { RulesDeps } from "./deps.ts";
import { reactAll } from "./react.ts";
import { createRegistry } from "./registry.ts";
import { createPrograms } from "./rule.ts";
import { rulePlace } from "./rule-headers.ts";
import { RULES } from "./rule-kind.ts";
import { RULES_QUERY, sealedRules } from "./rules.store.ts";
import { personalRuns, runsOfEvents, runsText } from "./runs.ts";
import type { RunQuery } from "./runs.ts";
import { trialText } from "./trial.ts";

export { sealedByRules, sealPlainRules } from "./rule-headers.ts";

/** Manages and runs rules, which run actions when an event meets a condition (contract, section 7). */
export type Rules = ReturnType<typeof createRules>;

/** Runs after projections and mirrors, before the assistant and the deliveries. */
const PRIORITY = 40;
/** All rules of an event share one stage. With several, they would run at the same time. */
const STAGE = { kind: "rule", key: "rules", priority: PRIORITY } as const;

export function createRules(deps: RulesDeps) {
  const { db } = deps;
  return {
    ...createRegistry(deps),
    subscriber: createSubscriber(deps),
    /** The credentials in the headers of rules, for redaction. */
    secrets: headerSecretSource(deps.sealer, sealedRules, ({ id }) => rulePlace(id)),
    /** The personal data in runs. */
    personal: personalRuns(db),
    /** The data of events in runs. */
    ofEvents: runsOfEvents,
    /** Returns the result that the rule would have for a given or past event. Changes nothing. */
    async test(scope: Scope, id: string, event: TrialEvent | { readonly event_id: string }): Promise<string> {
      const row = await findExisting(db.query, RULES, scope, id);
      if (!("event_id" in event)) return await trialText(deps, scope, row, event);
      const { row: past } = await deps.events.get(scope, event.event_id);
      return await trialText(deps, scope, row, { event: past.name, data: past.data, tenant: past.tenant });
    },
    /** Throws 404 for a rule that was deleted. */
    async runs(scope: Scope, id: string, query: RunQuery): Promise<string> {
      const { id: ruleId } = await findExisting(db.query, RULES, scope, id);
      return await runsText(db, scope, ruleId, query);
    },
  };
}

function createSubscriber(deps: RulesDeps): Subscriber {
  const reaction = { ...deps, rates: createRateLimiter(deps.db), programs: createPrograms() };
  return {
    kind: "rule",
    question: RULES_QUERY,
    match: (_event, found) => (found.length === 0 ? [] : [STAGE]),
    reactAll: async (reactions, ended) => await reactAll(reaction, reactions, ended),
  };
}
