import type { Contacts } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Posting } from "../../webhooks/deliveries/deliver.ts";
import type { Subscriber } from "../../dispatch/dispatch.ts";
import type { Events } from "../../events/events.ts";
import { createRateLimiter } from "../../gate/gate.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";
import type { Capabilities } from "./calls.ts";
import { reactAll } from "./batch.ts";
import { createRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";
import { createPrograms } from "./rule.ts";
import { WHO_LISTENS } from "./rules.store.ts";
import { personalRuns, runsText } from "./runs.ts";
import type { RunQuery } from "./runs.ts";
import { trialText } from "./trial.ts";
import type { TrialEvent } from "./trial.ts";

export type { Caller, Capabilities, Capability, CapabilityCall, Tried } from "./calls.ts";
export { ruleRoutes } from "./rules.routes.ts";
export { ruleSecretSource, sealedByRules, sealPlainRules } from "./rule-headers.ts";

/** "When this happens, do that" (contract, section 7). */
export interface Rules extends Registry {
  /** What the rule would make of an event, given or past. Nothing is changed. */
  test(scope: Scope, id: string, event: TrialEvent | { readonly event_id: string }): Promise<string>;
  /** 404 for a rule that was deleted. */
  runs(scope: Scope, id: string, query: RunQuery): Promise<string>;
}

export interface RulesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly posting: Posting;
  readonly sealer: Sealer;
  readonly contacts: Contacts;
  readonly events: Events;
  /** What actions and workflows let rules do; what is missing is refused when a rule is saved. */
  readonly capabilities: Capabilities;
}

/** After projections and mirrors, before the assistant and the deliveries. */
const PRIORITY = 40;
/** One stage an event, or its rules would run side by side. */
const STAGE = { kind: "rule", key: "rules", priority: PRIORITY } as const;

export function createRules(deps: RulesDeps): Rules {
  const registry = createRegistry(deps);
  deps.contacts.register(personalRuns(deps.db));
  return {
    ...registry,
    async test(scope, id, event) {
      const row = await registry.find(deps.db.query, scope, id);
      if (!("event_id" in event)) return await trialText(deps, scope, row, event);
      const { row: past } = await deps.events.get(scope, event.event_id);
      return await trialText(deps, scope, row, { event: past.name, data: past.data });
    },
    async runs(scope, id, query) {
      const { id: ruleId } = await registry.find(deps.db.query, scope, id);
      return await runsText(deps.db, scope, ruleId, query);
    },
  };
}

/** To be registered with `dispatch`. `fireWithin` may be given later: events are made after what reacts to them. */
export function createRuleSubscriber(
  deps: Omit<RulesDeps, "events"> & { readonly events: Pick<Events, "fireWithin"> },
): Subscriber {
  const reaction = { ...deps, rates: createRateLimiter(deps.db), programs: createPrograms() };
  return {
    kind: "rule",
    question: WHO_LISTENS,
    match: async (events, answers) =>
      await Promise.resolve(events.map((event) => (answers.found(event).length === 0 ? [] : [STAGE]))),
    reactAll: async (reactions, ended) => await reactAll(reaction, reactions, ended),
  };
}
