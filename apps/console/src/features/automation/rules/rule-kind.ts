import type { wire } from "../../../api/api.ts";
import { RULE_NAMES } from "../automation-kind.ts";
import type { AutomationKind } from "../automation-kind.ts";
import { draftOfRule, newRuleDraft, ruleOf } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";
import { RuleFields } from "./rule-fields.tsx";

export const RULES: AutomationKind<wire.Rule, RuleDraft> = {
  ...RULE_NAMES,
  newDraft: newRuleDraft,
  draftOf: draftOfRule,
  definitionOf: ruleOf,
  Fields: RuleFields,
};
