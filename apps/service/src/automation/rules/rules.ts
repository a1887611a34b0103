import type { SecretSource } from "../../audit/audit.ts";
import type { Contacts, PersonalData } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import type { EventRecords, OwnedDeliveries } from "../../webhooks/webhooks.ts";
import type { Events, Subscriber } from "../../events/events.ts";
import { createRateLimiter } from "../../access/access.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { Capabilities } from "./calls.ts";
import { reactAll } from "./batch.ts";
import { createRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";
import { createPrograms } from "./rule.ts";
import { ruleSecretSource } from "./rule-headers.ts";
import { RULES_QUERY } from "./rules.store.ts";
import { personalRuns, runsOfEvents, runsText } from "./runs.ts";
import type { RunQuery } from "./runs.ts";
import { trialText } from "./trial.ts";
import type { TrialEvent } from "./trial.ts";

export type { Capabilities, Capability, CapabilityCall, CapabilityResult, RuleCaller } from "./calls.ts";
export { sealedByRules, sealPlainRules } from "./rule-headers.ts";

/** Manages and runs rules, which run actions when an event meets a condition (contract, section 7). */
export interface Rules extends Registry {
  /** Returns the result that the rule would have for a given or past event. Changes nothing. */
  test(scope: Scope, id: string, event: TrialEvent | { readonly event_id: string }): Promise<string>;
  /** Throws 404 for a rule that was deleted. */
  runs(scope: Scope, id: string, query: RunQuery): Promise<string>;
  readonly subscriber: Subscriber;
  /** The credentials in the headers of rules, for redaction. */
  readonly secrets: SecretSource;
  /** The personal data in runs. */
  readonly personal: PersonalData;
  /** The data of events in runs. */
  readonly ofEvents: EventRecords;
}

export interface RulesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly sealer: Sealer;
  readonly contacts: Contacts;
  readonly notifications: Pick<Notifications, "notify">;
  readonly events: Events;
  /** The action types that other modules provide. A rule with a missing one is refused when it is saved. */
  readonly capabilities: () => Capabilities;
}

/** Runs after projections and mirrors, before the assistant and the deliveries. */
const PRIORITY = 40;
/** All rules of an event share one stage. With several, they would run at the same time. */
const STAGE = { kind: "rule", key: "rules", priority: PRIORITY } as const;

export function createRules(deps: RulesDeps): Rules {
  const registry = createRegistry(deps);
  return {
    ...registry,
    subscriber: createSubscriber(deps),
    secrets: ruleSecretSource(deps.sealer),
    personal: personalRuns(deps.db),
    ofEvents: runsOfEvents,
    async test(scope, id, event) {
      const row = await registry.find(deps.db.query, scope, id);
      if (!("event_id" in event)) return await trialText(deps, scope, row, event);
      const { row: past } = await deps.events.get(scope, event.event_id);
      return await trialText(deps, scope, row, { event: past.name, data: past.data, tenant: past.tenant });
    },
    async runs(scope, id, query) {
      const { id: ruleId } = await registry.find(deps.db.query, scope, id);
      return await runsText(deps.db, scope, ruleId, query);
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
