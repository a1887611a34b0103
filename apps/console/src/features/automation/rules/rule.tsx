import { readExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { RULE_NAMES } from "../automation-kind.ts";
import type { AutomationKind } from "../automation-kind.ts";
import { draftOfRule, newRuleDraft, ruleOf } from "./rule-draft.ts";
import type { RuleDraft } from "./rule-draft.ts";
import { RuleFields } from "./rule-fields.tsx";
import { AutomationPage } from "../automation-page.tsx";
import { AutomationSettings } from "../automation-settings.tsx";
import { Author } from "./author.tsx";
import { RuleRuns } from "./rule-runs.tsx";
import { RuleTest } from "./rule-test.tsx";

const RULES: AutomationKind<wire.Rule, RuleDraft> = {
  ...RULE_NAMES,
  newDraft: newRuleDraft,
  draftOf: draftOfRule,
  definitionOf: ruleOf,
  Fields: RuleFields,
};

/** Shows one rule: its definition, a test with a past event, and its runs. */
export function Screen() {
  return (
    <AutomationPage
      kind={RULES}
      read={(id) => readExact("rules.get", { path: { id } })}
      tryLabel="Test with a past event"
      tabs={(rule) => [
        { id: "test", label: "Test", content: <RuleTest rule={rule} /> },
        { id: "runs", label: "Runs", content: <RuleRuns rule={rule} /> },
      ]}
      settings={(rule) => (
        <AutomationSettings
          names={RULES}
          item={rule}
          author={{ label: "Author", value: <Author author={rule.author} /> }}
          hasHeaders={rule.then.some((one) => one.type === "post_webhook" && "headers" in one)}
          deletion="The rule stops running. Its run history is kept."
        />
      )}
    />
  );
}
