import { readExact } from "../../../api/api.ts";
import { AutomationPage } from "../automation-page.tsx";
import { AutomationSettings } from "../automation-settings.tsx";
import { Author } from "./author.tsx";
import { RULES } from "./rule-kind.ts";
import { RuleRuns } from "./rule-runs.tsx";
import { RuleTest } from "./rule-test.tsx";

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
