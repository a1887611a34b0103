import { readExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { WORKFLOW_NAMES } from "../automation-kind.ts";
import type { AutomationKind } from "../automation-kind.ts";
import { draftOfWorkflow, newWorkflowDraft, workflowOf } from "./workflow-draft.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import { WorkflowFields } from "./workflow-fields.tsx";
import { lazy, Suspense } from "react";
import { labelOf } from "../../../ui/ui.ts";
import { AutomationPage } from "../automation-page.tsx";
import { sendsHeaders } from "./inner-steps.ts";
import { WorkflowRuns } from "./workflow-runs.tsx";

const AutomationSettings = lazy(async () => ({
  default: (await import("../automation-settings.tsx")).AutomationSettings,
}));
const WorkflowGraph = lazy(async () => ({ default: (await import("./workflow-graph.tsx")).WorkflowGraph }));
const WorkflowSchedule = lazy(async () => ({ default: (await import("./workflow-schedule.tsx")).WorkflowSchedule }));
const WorkflowTest = lazy(async () => ({ default: (await import("./workflow-test.tsx")).WorkflowTest }));

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
        {
          id: "graph",
          label: "Graph",
          content: (
            <Suspense>
              <WorkflowGraph workflow={workflow} />
            </Suspense>
          ),
        },
        ...(workflow.trigger.schedule === undefined
          ? []
          : [
              {
                id: "schedule",
                label: "Schedule",
                content: (
                  <Suspense>
                    <WorkflowSchedule workflow={workflow} />
                  </Suspense>
                ),
              },
            ]),
        {
          id: "test",
          label: "Test",
          content: (
            <Suspense>
              <WorkflowTest workflow={workflow} />
            </Suspense>
          ),
        },
        { id: "runs", label: "Runs", content: <WorkflowRuns workflow={workflow} /> },
      ]}
      settings={(workflow) => (
        <Suspense>
          <AutomationSettings
            names={WORKFLOWS}
            item={workflow}
            author={{ label: "Author environment", value: labelOf(workflow.author_environment) }}
            hasHeaders={workflow.steps.some(sendsHeaders)}
            deletion="No new runs start. Past runs are kept."
          />
        </Suspense>
      )}
    />
  );
}
