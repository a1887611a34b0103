export type { Contract, Definition, ParameterSpec, ParameterValue, Risk, Surface } from "./contract.ts";
export type { CurrentContract } from "./contracts.store.ts";
export type { BackendCall, BackendErrorCode, BackendOutcome } from "./backend.ts";
