import type { wire } from "../../../api/api.ts";
import type { TableColumn } from "../../../ui/ui.ts";
import { WORKFLOW_NAMES } from "../automation-kind.ts";
import { AutomationList } from "../automation-list.tsx";
import { startOf } from "./trigger.ts";

const EXAMPLE: wire.NewWorkflow = {
  name: "Cart reminder",
  trigger: { event: "cart.abandoned" },
  steps: [
    { id: "wait", type: "delay", seconds: 3600 },
    { id: "remind", type: "webhook", url: "https://example.com/remind" },
  ],
};

/** Lists the workflows, which run several steps over time. */
export function Screen() {
  return (
    <AutomationList
      names={WORKFLOW_NAMES}
      description="Run several steps after an event, such as webhooks, delays, conditions and actions. Runs continue after a restart."
      example={EXAMPLE}
      columns={COLUMNS}
    >
      For example, a workflow can wait an hour and send a reminder, or wait for approval before it continues.
    </AutomationList>
  );
}

const COLUMNS: readonly TableColumn<wire.Workflow>[] = [
  {
    header: "Trigger",
    from: "md",
    cell: (workflow) => <code className="text-xs whitespace-nowrap">{startOf(workflow)}</code>,
  },
  { header: "Steps", from: "sm", align: "end", cell: (workflow) => workflow.steps.length },
];
