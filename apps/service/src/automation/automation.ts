export { revealedHeaders } from "./promotions/promotion.ts";
export type { Capabilities, Capability, CapabilityResult, RuleCaller } from "./rules/calls.ts";
export { approvalFaults, approvalTexts } from "./workflows/approval-texts.ts";
export type { ApprovalTexts } from "./workflows/approval-texts.ts";
export type { StepCall, StepOutcome, StepPlace, StepPort } from "./workflows/port.ts";
export type { Rules } from "./rules/rules.ts";
export { RuleBody } from "./rules/rules.schemas.ts";
export { WorkflowBody } from "./workflows/workflows.schemas.ts";
export type { Workflows } from "./workflows/workflows.ts";
