import { Plus, Workflow as WorkflowIcon } from "lucide-react";
import { usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  EmptyState,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Switch,
  Table,
  toastError,
} from "../../ui/ui.ts";

const EXAMPLE: wire.NewWorkflow = {
  name: "Remind of a cart",
  trigger: { event: "cart.abandoned" },
  steps: [
    { id: "wait", type: "delay", seconds: 3600 },
    { id: "remind", type: "webhook", url: "https://example.com/remind" },
  ],
};

/** What happens in several steps, over time. */
export function Screen() {
  const access = useAccess();
  const pages = usePages("workflows.list");
  const add = access.may("workflows.create") ? (
    <Link to={paths.workflow("new")} look="primary">
      <Plus aria-hidden size={15} />
      Make a workflow
    </Link>
  ) : null;
  return (
    <>
      <PageHeader
        title="Workflows"
        description="Steps that follow an event: webhooks, waits, conditions, actions. A run survives restarts."
        actions={
          <>
            <ShowAs operation="workflows.list" input={{}} />
            {add ?? <p className="text-sm text-muted">Your role, {access.role}, makes no workflows.</p>}
          </>
        }
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the workflows"
          empty={
            <EmptyState
              title="No workflow yet"
              icon={<WorkflowIcon aria-hidden size={20} />}
              action={
                <>
                  <ShowAs operation="workflows.create" input={{ body: EXAMPLE }} />
                  {add}
                </>
              }
            >
              A workflow waits an hour and then reminds, or asks somebody before it goes on.
            </EmptyState>
          }
        >
          {(rows) => <WorkflowTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function WorkflowTable({ rows }: { readonly rows: readonly wire.Workflow[] }) {
  return (
    <Table
      label="Workflows"
      rows={rows}
      keyOf={(workflow) => workflow.id}
      columns={[
        {
          id: "name",
          header: "Workflow",
          className: "w-full max-w-0",
          cell: (workflow) => (
            <Link to={paths.workflow(workflow.id)} look="plain" className="block truncate font-medium hover:underline">
              <bdi>{workflow.name}</bdi>
            </Link>
          ),
        },
        {
          id: "event",
          header: "Begins with",
          from: "md",
          cell: (workflow) => <code className="text-xs whitespace-nowrap">{workflow.trigger.event}</code>,
        },
        { id: "steps", header: "Steps", from: "sm", align: "end", cell: (workflow) => workflow.steps.length },
        {
          id: "changed",
          header: "Changed",
          from: "lg",
          cell: (workflow) => (
            <span className="whitespace-nowrap">
              <RelativeTime at={workflow.updated_at} />
            </span>
          ),
        },
        { id: "enabled", header: "Runs", cell: (workflow) => <Toggle workflow={workflow} /> },
      ]}
    />
  );
}

function Toggle({ workflow }: { readonly workflow: wire.Workflow }) {
  const access = useAccess();
  const update = useWrite("workflows.update", { refreshes: ["workflows."] });
  return (
    <Switch
      isSelected={workflow.enabled}
      isDisabled={update.isPending || !access.may("workflows.update")}
      onChange={(enabled) => update.mutate({ path: { id: workflow.id }, body: { enabled } }, { onError: toastError })}
      aria-label={`${workflow.name.slice(0, 80)} runs`}
    >
      {workflow.enabled ? "On" : "Off"}
    </Switch>
  );
}
