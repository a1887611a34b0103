import { readExact } from "../../../api/api.ts";
import { AutomationPage } from "../automation-page.tsx";
import { AutomationSettings } from "../automation-settings.tsx";
import { RULES } from "./rule-kind.ts";
import { RuleRuns } from "./rule-runs.tsx";
import { RuleTest } from "./rule-test.tsx";

/** One rule: what it does, what it makes of a past event, what it did. */
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
          author={{ label: "Acts as", value: <code className="break-all">{rule.author.id}</code> }}
          hasHeaders={rule.then.some((one) => "headers" in one)}
          deletion="The rule stops running. Its run history is kept."
        />
      )}
    />
  );
}
