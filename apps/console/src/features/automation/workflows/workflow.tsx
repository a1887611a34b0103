import { lazy, Suspense } from "react";
import { readExact } from "../../../api/api.ts";
import { labelOf } from "../../../ui/ui.ts";
import { AutomationPage } from "../automation-page.tsx";
import { sendsHeaders } from "./inner-steps.ts";
import { WORKFLOWS } from "./workflow-kind.ts";
import { WorkflowRuns } from "./workflow-runs.tsx";

const AutomationSettings = lazy(async () => ({
  default: (await import("../automation-settings.tsx")).AutomationSettings,
}));
const WorkflowGraph = lazy(async () => ({ default: (await import("./workflow-graph.tsx")).WorkflowGraph }));
const WorkflowSchedule = lazy(async () => ({ default: (await import("./workflow-schedule.tsx")).WorkflowSchedule }));
const WorkflowTest = lazy(async () => ({ default: (await import("./workflow-test.tsx")).WorkflowTest }));

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
