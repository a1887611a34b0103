import { shownDocument } from "../../webhooks/webhooks.ts";
import type { DefinitionKind } from "../definitions/definition.ts";
import { workflowText } from "./views.ts";
import { sealedSteps, WORKFLOW_WEBHOOKS } from "./workflow-headers.ts";
import { findWorkflow, holdWorkflow, listWorkflows } from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/** Describes workflows to the code that they share with rules. */
export const WORKFLOWS: DefinitionKind<WorkflowRow> = {
  what: "workflow",
  prefix: "wf",
  webhooks: WORKFLOW_WEBHOOKS,
  find: findWorkflow,
  hold: holdWorkflow,
  list: listWorkflows,
  sealedOf: sealedSteps,
  settingsOf: ({ name, max_runs_per_minute }) => ({ name, max_runs_per_minute }),
  textsOf: ({ trigger, steps }) => ({ trigger, steps: shownDocument(WORKFLOW_WEBHOOKS, steps) }),
  viewText: workflowText,
};
