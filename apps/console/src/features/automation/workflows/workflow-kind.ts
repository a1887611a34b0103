import type { wire } from "../../../api/api.ts";
import { WORKFLOW_NAMES } from "../automation-kind.ts";
import type { AutomationKind } from "../automation-kind.ts";
import { draftOfWorkflow, newWorkflowDraft, workflowOf } from "./workflow-draft.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import { WorkflowFields } from "./workflow-fields.tsx";

export const WORKFLOWS: AutomationKind<wire.Workflow, WorkflowDraft> = {
  ...WORKFLOW_NAMES,
  newDraft: newWorkflowDraft,
  draftOf: draftOfWorkflow,
  definitionOf: workflowOf,
  Fields: WorkflowFields,
};
