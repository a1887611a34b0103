import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call, readExact, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { DeleteCard, SecretCard } from "../../automation/automation.ts";
import { HeadersCard } from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  KeyValue,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  StatusLight,
  Tabs,
  toast,
  toastError,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { NewWorkflow } from "./new-workflow.tsx";
import { draftOfWorkflow } from "../../features/automation/workflows/workflow-draft.ts";
import { WorkflowEditor } from "./workflow-editor.tsx";
import { WorkflowGraph } from "../../features/automation/workflows/workflow-graph.tsx";
import { WorkflowRuns } from "./workflow-runs.tsx";
import { WorkflowTest } from "../../features/automation/workflows/workflow-test.tsx";

const REFRESHES = ["workflows."];

/** One workflow: its steps, what a run would do, what runs did. */
export function Screen() {
  const id = usePathParameter("id");
  return id === "new" ? <NewWorkflow /> : <OneWorkflow key={id} id={id} />;
}

function OneWorkflow({ id }: { readonly id: string }) {
  const query = useQuery(readExact("workflows.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the workflow" page="Workflow">
      {(workflow) => <WorkflowPage workflow={workflow} />}
    </Loaded>
  );
}

function WorkflowPage({ workflow }: { readonly workflow: wire.Workflow }) {
  const [tab, setTab] = useUrlState("tab", "definition");
  return (
    <>
      <PageHeader
        title={workflow.name}
        back={{ to: paths.workflows, label: "Workflows" }}
        status={
          workflow.enabled ? <StatusLight tone="good">On</StatusLight> : <StatusLight tone="neutral">Off</StatusLight>
        }
        actions={<ShowAs operation="workflows.get" input={{ path: { id: workflow.id } }} />}
      />
      <WorkflowTabs workflow={workflow} tab={tab} onTab={setTab} />
    </>
  );
}

interface WorkflowTabsProps {
  readonly workflow: wire.Workflow;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

/** The draft stands above the tabs: looking at another one loses nothing. */
function WorkflowTabs({ workflow, tab, onTab }: WorkflowTabsProps) {
  const draft = useDraft(() => draftOfWorkflow(workflow));
  const access = useAccess();
  const update = useWrite("workflows.update", { refreshes: REFRESHES });
  const editor = (
    <WorkflowEditor
      draft={draft.value}
      onChange={draft.change}
      onSave={(body) =>
        update.mutate(
          { path: { id: workflow.id }, body },
          {
            onSuccess: () => {
              draft.keep(draft.value);
              toast("Saved.");
            },
          },
        )
      }
      onReset={update.reset}
      saveLabel="Save the workflow"
      isPending={update.isPending}
      maySave={access.may("workflows.update")}
      error={update.error}
    />
  );
  return (
    <>
      <Tabs
        label="Workflow"
        selected={tab}
        onSelect={onTab}
        tabs={[
          { id: "definition", label: "Definition", content: editor },
          { id: "graph", label: "Graph", content: <WorkflowGraph workflow={workflow} /> },
          { id: "test", label: "Test", content: <WorkflowTest workflow={workflow} /> },
          { id: "runs", label: "Runs", content: <WorkflowRuns workflow={workflow} /> },
          { id: "settings", label: "Settings", content: <Settings workflow={workflow} /> },
        ]}
      />
      <UnsavedWarning isUnsaved={draft.isUnsaved} />
    </>
  );
}

function Settings({ workflow }: { readonly workflow: wire.Workflow }) {
  const access = useAccess();
  const navigate = useNavigate();
  const path = { id: workflow.id };
  const regenerate = useWrite("workflows.secret.regenerate", { refreshes: REFRESHES });
  const remove = useWrite("workflows.delete", { refreshes: ["workflows.list"] });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="About it">
        <KeyValue
          rows={[
            { label: "Id", value: <code className="break-all">{workflow.id}</code> },
            { label: "Version", value: workflow.version },
            { label: "Written in", value: workflow.author_environment },
            { label: "Made", value: <RelativeTime at={workflow.created_at} /> },
            { label: "Changed", value: <RelativeTime at={workflow.updated_at} /> },
          ]}
        />
      </Card>
      <SecretCard
        description="The workflow's webhooks are signed with it."
        mayReveal={access.may("workflows.secret")}
        mayRegenerate={access.may("workflows.secret.regenerate")}
        reveal={async () => await call("workflows.secret", { path })}
        regenerate={async (seconds) =>
          (await regenerate.mutateAsync({ path, body: { overlap_seconds: seconds } })).signing_secret
        }
      />
      {hasHeaders(workflow) ? (
        <HeadersCard
          mayReveal={access.may("workflows.headers")}
          reveal={async () => (await call("workflows.headers", { path })).webhooks}
        />
      ) : null}
      <DeleteCard
        what="workflow"
        name={workflow.name}
        description="No run begins any more; those that were stay in the log."
        mayDelete={access.may("workflows.delete")}
        isPending={remove.isPending}
        instead="switching it off"
        onDelete={() =>
          remove.mutate(
            { path },
            { onSuccess: () => void navigate({ to: paths.workflows, ignoreBlocker: true }), onError: toastError },
          )
        }
      />
    </div>
  );
}

function hasHeaders({ steps }: wire.Workflow): boolean {
  return steps.some((one) => "headers" in one);
}
