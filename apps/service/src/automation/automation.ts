export type { Capabilities, Capability, CapabilityResult, RuleCaller } from "./rules/calls.ts";
export type { StepCall, StepOutcome, StepPlace, StepPort } from "./workflows/port.ts";
export type { Workflows } from "./workflows/workflows.ts";
