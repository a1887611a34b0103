export { callFacts, HTTP_CALL_ROOTS } from "./http-calls/facts.ts";
export { fillHttpCall } from "./http-calls/fill.ts";
export { ANSWER_ROOTS, readHttpCall } from "./http-calls/template.ts";
export type { Capabilities, Capability, CapabilityResult, RuleCaller } from "./rules/calls.ts";
export { approvalFaults, approvalTexts } from "./workflows/approval-texts.ts";
export type { ApprovalTexts } from "./workflows/approval-texts.ts";
export type { StepCall, StepOutcome, StepPlace, StepPort } from "./workflows/port.ts";
export type { Workflows } from "./workflows/workflows.ts";
