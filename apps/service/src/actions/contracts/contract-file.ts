import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import type { Violation } from "../../lib/lib.ts";
import { ContractBody } from "./contracts.schemas.ts";
import { definitionFaults, definitionOf, urlsOf } from "./definition.ts";
import type { ContractInput } from "./contracts.schemas.ts";

/** The addresses, secret and rules that a contract can reach. */
export interface Reach {
  readonly urls: readonly string[];
  readonly secretRef: string | null;
  readonly allowedRules: readonly string[];
}

export type ReadContract =
  | { readonly kind: "contract"; readonly contract: ContractInput; readonly reach: Reach }
  | { readonly kind: "faulty"; readonly faults: readonly Violation[] };

let isOfForm: ValidateFunction | undefined;

/**
 * Checks a contract from a file as the body of a registration is checked, without the checks that need the network or
 * the database.
 */
export function readContractFile(value: unknown): ReadContract {
  isOfForm ??= new Ajv({ strict: false }).compile(ContractBody);
  if (!isOfForm(value)) {
    const faults = (isOfForm.errors ?? []).map(({ instancePath, keyword, message }) => ({
      pointer: instancePath,
      code: keyword,
      message: message ?? "does not have the required form",
    }));
    return { kind: "faulty", faults };
  }
  const contract = value as ContractInput;
  const definition = definitionOf(contract);
  const faults = definitionFaults(definition);
  if (faults.length > 0) return { kind: "faulty", faults };
  const { auth, approval } = definition;
  const reach = {
    urls: urlsOf(definition).map(([, url]) => url),
    secretRef: auth.secret_ref,
    allowedRules: approval.allow_rule,
  };
  return { kind: "contract", contract, reach };
}
