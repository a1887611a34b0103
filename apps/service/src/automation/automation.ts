export { evaluate, factsOf, FillError, readCondition, sourceOfText } from "./expressions/conditions.ts";
export type { Facts } from "./expressions/conditions.ts";
export { callFacts, HTTP_CALL_ROOTS } from "./http-calls/facts.ts";
export { fillHttpCall } from "./http-calls/fill.ts";
export { ANSWER_ROOTS, readHttpCall } from "./http-calls/template.ts";
export type { Capabilities, Capability, CapabilityResult, RuleCaller } from "./rules/calls.ts";
export type { StepCall, StepOutcome, StepPlace, StepPort } from "./workflows/port.ts";
export type { Workflows } from "./workflows/workflows.ts";
