import { useQuery } from "@tanstack/react-query";
import { readExact, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Card,
  CodeBlock,
  ConfirmButton,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  toastOutcome,
  usePathParameter,
} from "../../../ui/ui.ts";
import { WorkflowRunLight } from "../run-lights.tsx";
import { RunOutline } from "./run-outline.tsx";

const LOOKS_AGAIN_MS = 2000;

/** Shows one run: its current step, and the result of each step. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery({
    ...readExact("workflows.runs.get", { path: { id } }),
    refetchInterval: ({ state }) => (isOpen(state.data) ? LOOKS_AGAIN_MS : false),
  });
  return (
    <Loaded query={query} label="Loading the run" page="Workflow run">
      {(run) => <Run run={run} />}
    </Loaded>
  );
}

function isOpen(run: wire.WorkflowRunWithSteps | undefined): boolean {
  return run?.state === "running" || run?.state === "waiting";
}

function Run({ run }: { readonly run: wire.WorkflowRunWithSteps }) {
  return (
    <>
      <PageHeader
        title={run.id}
        mono
        back={{ to: `${paths.workflow(run.workflow_id)}?tab=runs`, label: "Workflow runs" }}
        status={<WorkflowRunLight state={run.state} />}
        actions={
          <>
            <ShowAs operation="workflows.runs.get" input={{ path: { id: run.id } }} />
            <Cancel run={run} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Card title="Details">
          <Facts run={run} />
        </Card>
        <RunOutline run={run} isOpen={isOpen(run)} />
        {run.item === null ? null : (
          <Card title="Item" description="The item of the loop that this run is for.">
            <CodeBlock label="Item" text={JSON.stringify(run.item.value, null, 2)} />
          </Card>
        )}
        {run.input === null ? null : (
          <Card title="Input" description="Provided by the rule that started the run.">
            <CodeBlock label="Input" text={JSON.stringify(run.input, null, 2)} />
          </Card>
        )}
      </div>
    </>
  );
}

function Facts({ run }: { readonly run: wire.WorkflowRunWithSteps }) {
  return (
    <KeyValue
      rows={[
        { label: "Workflow", value: <Link to={paths.workflow(run.workflow_id)}>{run.workflow_id}</Link> },
        { label: "Version", value: run.workflow_version },
        {
          label: "Event",
          value: (
            <>
              <code>{run.event}</code> <Link to={paths.event(run.event_id)}>{run.event_id}</Link>
            </>
          ),
        },
        {
          label: "Started by",
          value: run.started_by === null ? "Trigger" : <Link to={paths.rule(run.started_by)}>{run.started_by}</Link>,
        },
        run.parent === null
          ? null
          : {
              label: "Part of",
              value: (
                <>
                  <Link to={paths.workflowRun(run.parent.run_id)}>{run.parent.run_id}</Link>, number{" "}
                  {run.parent.index + 1}
                </>
              ),
            },
        run.step === null
          ? null
          : { label: isOpen(run) ? "Current step" : "Last step", value: <code>{run.step}</code> },
        run.error === null ? null : { label: "Error", value: run.error },
        run.continues_at === null ? null : { label: "Continues", value: <RelativeTime at={run.continues_at} /> },
        { label: "HTTP calls", value: <Link to={`${paths.httpCalls}?run_id=${run.id}`}>Show HTTP calls</Link> },
        { label: "Started", value: <RelativeTime at={run.created_at} /> },
        run.ended_at === null ? null : { label: "Ended", value: <RelativeTime at={run.ended_at} /> },
      ]}
    />
  );
}

function Cancel({ run }: { readonly run: wire.WorkflowRunWithSteps }) {
  const access = useAccess();
  const cancel = useWrite("workflows.runs.cancel", { refreshes: ["workflows.runs.get", "workflows.runs.list"] });
  if (!isOpen(run)) return null;
  return (
    <ConfirmButton
      label="Cancel run"
      isDisabled={!access.may("workflows.runs.cancel")}
      isPending={cancel.isPending}
      onConfirm={(close) =>
        cancel.mutate({ path: { id: run.id } }, { ...toastOutcome("Run cancelled."), onSettled: close })
      }
    >
      <p>Completed steps are not reversed. No further steps start. This can't be undone.</p>
    </ConfirmButton>
  );
}
