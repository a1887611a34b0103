import { useWrite } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Card, Link, PageHeader, SecretText, ShowAs, UnsavedWarning, useDraft } from "../../ui/ui.ts";
import { AutomationEditor } from "./automation-editor.tsx";
import type { Automation, AutomationKind } from "./automation-kind.ts";

export interface NewAutomationProps<Item extends Automation, Draft extends object> {
  readonly kind: AutomationKind<Item, Draft>;
  /** The words on the link to the test of what was made. */
  readonly tryLabel: string;
}

/** The form that makes a rule or workflow, and then its secret. */
export function NewAutomation<Item extends Automation, Draft extends object>({
  kind,
  tryLabel,
}: NewAutomationProps<Item, Draft>) {
  const draft = useDraft(kind.newDraft);
  const access = useAccess();
  const create = useWrite(`${kind.area}.create`, { refreshes: [`${kind.area}.`] });
  if (create.data !== undefined) {
    const page = kind.pathOf(create.data.id);
    return (
      <>
        <PageHeader title={`${kind.heading} created`} back={kind.list} />
        <Card
          title="Signing secret"
          description={`Signs the webhooks of this ${kind.noun}. Later, only an owner can view it.`}
          stacked
        >
          <SecretText label="Signing secret" secret={create.data.signing_secret} />
          <div className="flex flex-wrap gap-2">
            <Link to={`${page}?tab=test`} look="primary">
              {tryLabel}
            </Link>
            <Link to={page} look="button">
              Open {kind.noun}
            </Link>
          </div>
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={`Create ${kind.noun}`}
        back={kind.list}
        actions={<ShowAs operation={`${kind.area}.create`} input={{ body: kind.definitionOf(draft.value).body }} />}
      />
      <AutomationEditor
        kind={kind}
        draft={draft.value}
        onChange={draft.change}
        onSave={(body) => create.mutate({ body })}
        onReset={create.reset}
        saveLabel={`Create ${kind.noun}`}
        isPending={create.isPending}
        maySave={access.may(`${kind.area}.create`)}
        error={create.error}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}
