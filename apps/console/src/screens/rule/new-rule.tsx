import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { SecretText } from "../../automation/automation.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Card, Link, PageHeader, ShowAs, UnsavedWarning, useDraft } from "../../ui/ui.ts";
import { newRuleDraft, ruleOf } from "../../features/automation/rules/rule-draft.ts";
import { RuleEditor } from "../../features/automation/rules/rule-fields.tsx";

/** `/rules/new` */
export function NewRule() {
  const draft = useDraft(newRuleDraft);
  const access = useAccess();
  const create = useWrite("rules.create", { refreshes: ["rules."] });
  if (create.data !== undefined) return <Made rule={create.data} />;
  return (
    <>
      <PageHeader
        title="A new rule"
        back={{ to: paths.rules, label: "Rules" }}
        actions={<ShowAs operation="rules.create" input={{ body: ruleOf(draft.value).body }} />}
      />
      <RuleEditor
        draft={draft.value}
        onChange={draft.change}
        onSave={(body) => create.mutate({ body })}
        onReset={create.reset}
        saveLabel="Make the rule"
        isPending={create.isPending}
        maySave={access.may("rules.create")}
        error={create.error}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function Made({ rule }: { readonly rule: wire.RuleWithSecret }) {
  return (
    <>
      <PageHeader title="The rule is there" back={{ to: paths.rules, label: "Rules" }} />
      <Card title="Signing secret" description="Its webhooks are signed with it. Only an owner can look it up later.">
        <div className="flex flex-col gap-4">
          <SecretText label="Signing secret" secret={rule.signing_secret} />
          <div className="flex flex-wrap gap-2">
            <Link to={`${paths.rule(rule.id)}?tab=test`} look="primary">
              Try it on a past event
            </Link>
            <Link to={paths.rule(rule.id)} look="button">
              Open the rule
            </Link>
          </div>
        </div>
      </Card>
    </>
  );
}
