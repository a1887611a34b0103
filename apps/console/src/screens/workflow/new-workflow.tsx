import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { SecretText } from "../../automation/automation.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Card, Link, PageHeader, ShowAs, UnsavedWarning, useDraft } from "../../ui/ui.ts";
import { newWorkflowDraft, workflowOf } from "../../features/automation/workflows/workflow-draft.ts";
import { WorkflowEditor } from "./workflow-editor.tsx";

/** `/workflows/new` */
export function NewWorkflow() {
  const draft = useDraft(newWorkflowDraft);
  const access = useAccess();
  const create = useWrite("workflows.create", { refreshes: ["workflows."] });
  if (create.data !== undefined) return <Made workflow={create.data} />;
  return (
    <>
      <PageHeader
        title="A new workflow"
        back={{ to: paths.workflows, label: "Workflows" }}
        actions={<ShowAs operation="workflows.create" input={{ body: workflowOf(draft.value).body }} />}
      />
      <WorkflowEditor
        draft={draft.value}
        onChange={draft.change}
        onSave={(body) => create.mutate({ body })}
        onReset={create.reset}
        saveLabel="Make the workflow"
        isPending={create.isPending}
        maySave={access.may("workflows.create")}
        error={create.error}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function Made({ workflow }: { readonly workflow: wire.WorkflowWithSecret }) {
  return (
    <>
      <PageHeader title="The workflow is there" back={{ to: paths.workflows, label: "Workflows" }} />
      <Card title="Signing secret" description="Its webhooks are signed with it. Only an owner can look it up later.">
        <div className="flex flex-col gap-4">
          <SecretText label="Signing secret" secret={workflow.signing_secret} />
          <div className="flex flex-wrap gap-2">
            <Link to={`${paths.workflow(workflow.id)}?tab=test`} look="primary">
              Try it on an event
            </Link>
            <Link to={paths.workflow(workflow.id)} look="button">
              Open the workflow
            </Link>
          </div>
        </div>
      </Card>
    </>
  );
}
