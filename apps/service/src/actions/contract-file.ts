import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import type { Violation } from "../kernel/kernel.ts";
import { ContractBody } from "./contracts.schemas.ts";
import { definitionFaults, definitionOf } from "./definition.ts";
import type { ContractInput } from "./definition.ts";

export interface ReadContract {
  readonly contract?: ContractInput;
  /** Of the form alone, where that is wrong. */
  readonly faults: readonly Violation[];
}

let isOfForm: ValidateFunction | undefined;

/** A contract that came in a file, judged as a registration's body is, but for what the network and the database must be asked. */
export function readContractFile(value: unknown): ReadContract {
  isOfForm ??= new Ajv({ strict: false }).compile(ContractBody);
  if (!isOfForm(value)) {
    const faults = (isOfForm.errors ?? []).map(({ instancePath, keyword, message }) => ({
      pointer: instancePath,
      code: keyword,
      message: message ?? "is not of its form",
    }));
    return { faults };
  }
  const contract = value as ContractInput;
  return { contract, faults: definitionFaults(definitionOf(contract)) };
}
