import { shownDocument } from "../../webhooks/webhooks.ts";
import type { DefinitionKind } from "../definitions/definition.ts";
import { ruleText } from "./rule.ts";
import { RULE_WEBHOOKS, sealedActions } from "./rule-headers.ts";
import { findRule, holdRule, listRules } from "./rules.store.ts";
import type { RuleRow } from "./rules.store.ts";

/** Describes rules to the code that they share with workflows. */
export const RULES: DefinitionKind<RuleRow> = {
  what: "rule",
  prefix: "rule",
  webhooks: RULE_WEBHOOKS,
  find: findRule,
  hold: holdRule,
  list: listRules,
  sealedOf: sealedActions,
  settingsOf: ({ name, events, priority, max_runs_per_minute }) => ({
    name,
    on: events,
    priority,
    max_runs_per_minute,
  }),
  textsOf: ({ condition, actions }) => ({ when: condition, then: shownDocument(RULE_WEBHOOKS, actions) }),
  viewText: ruleText,
};
