export { revealedHeaders } from "./definitions/promotion.ts";
export { callKey, ownerWireId } from "./definitions/step-port.ts";
export type {
  Members,
  StepCall,
  StepEnd,
  StepOutcome,
  StepPlace,
  StepPort,
  StepRetry,
} from "./definitions/step-port.ts";
export { approvalFaults, approvalTexts } from "./workflows/approval-texts.ts";
export type { ApprovalTexts } from "./workflows/approval-texts.ts";
export type { Rules } from "./rules/rules.ts";
export { RuleBody } from "./rules/rules.schemas.ts";
export { WorkflowBody } from "./workflows/workflows.schemas.ts";
export type { Workflows } from "./workflows/workflows.ts";
