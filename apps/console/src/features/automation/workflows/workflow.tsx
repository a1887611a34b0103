import { readExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { WORKFLOW_NAMES } from "../automation-kind.ts";
import type { AutomationKind } from "../automation-kind.ts";
import { draftOfWorkflow, newWorkflowDraft, workflowOf } from "./workflow-draft.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import { WorkflowFields } from "./workflow-fields.tsx";
import { deferred, labelOf } from "../../../ui/ui.ts";
import { AutomationPage } from "../automation-page.tsx";
import { sendsHeaders } from "./inner-steps.ts";
import { WorkflowRuns } from "./workflow-runs.tsx";

const AutomationSettings = deferred(async () => (await import("../automation-settings.tsx")).AutomationSettings);
const WorkflowGraph = deferred(async () => (await import("./workflow-graph.tsx")).WorkflowGraph);
const WorkflowSchedule = deferred(async () => (await import("./workflow-schedule.tsx")).WorkflowSchedule);
const WorkflowTest = deferred(async () => (await import("./workflow-test.tsx")).WorkflowTest);

const WORKFLOWS: AutomationKind<wire.Workflow, WorkflowDraft> = {
  ...WORKFLOW_NAMES,
  newDraft: newWorkflowDraft,
  draftOf: draftOfWorkflow,
  definitionOf: workflowOf,
  Fields: WorkflowFields,
};

/** Shows one workflow: its steps, a test of a run, and its runs. */
export function Screen() {
  return (
    <AutomationPage
      kind={WORKFLOWS}
      read={(id) => readExact("workflows.get", { path: { id } })}
      tryLabel="Test with an event"
      tabs={(workflow) => [
        { id: "graph", label: "Graph", content: <WorkflowGraph workflow={workflow} /> },
        ...(workflow.trigger.schedule === undefined
          ? []
          : [{ id: "schedule", label: "Schedule", content: <WorkflowSchedule workflow={workflow} /> }]),
        { id: "test", label: "Test", content: <WorkflowTest workflow={workflow} /> },
        { id: "runs", label: "Runs", content: <WorkflowRuns workflow={workflow} /> },
      ]}
      settings={(workflow) => (
        <AutomationSettings
          names={WORKFLOWS}
          item={workflow}
          author={{ label: "Author environment", value: labelOf(workflow.author_environment) }}
          hasHeaders={workflow.steps.some(sendsHeaders)}
          deletion="No new runs start. Past runs are kept."
        />
      )}
    />
  );
}
