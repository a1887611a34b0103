import { parseJson } from "../../lib/lib.ts";
import type { Environment, Uuid } from "../../lib/lib.ts";
import type { Author } from "../../accounts/accounts.ts";
import type { Definition } from "./contracts.schemas.ts";
import { specOf } from "./parameter-specs.ts";
import type { ParameterSpec } from "./parameter-specs.ts";

const KEY = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** Checks for the form `<namespace>.<operation>`, in lower-case words. */
export function isContractKey(text: string): boolean {
  return KEY.test(text);
}

/** The properties of a version that the database stores in addition to its definition. */
export interface VersionFacts {
  readonly id: Uuid;
  /** Counted from 1. The count continues when a deleted key is registered again. */
  readonly version: number;
  /** Hex SHA-256 of the definition's RFC 8785 form. */
  readonly sha256: string;
  /**
   * The environment of its runs. `live` means both environments. `sandbox` means only the sandbox, because a sandbox
   * credential wrote the contract.
   */
  readonly environment: Environment;
  readonly author: Author;
  readonly connectorKey: string | null;
}

/** One version of an action contract (specification, "Action contract"; contract, section 7). It never changes. */
export interface Contract extends Omit<Definition, "params">, VersionFacts {
  readonly params: Readonly<Record<string, ParameterSpec>>;
}

/**
 * Reads a stored definition. A definition from before `response.json` existed requires JSON, which is also the default
 * of a new one.
 */
export function readDefinition(stored: string): Definition {
  const { response, ...rest } = parseJson(stored) as Definition;
  return { ...rest, response: { ...response, json: response.json ?? true } };
}

/** Returns true if auditing cannot be turned off. */
export function isAlwaysAudited({ destructive, risk }: Pick<Definition, "destructive" | "risk">): boolean {
  return destructive || risk === "high";
}

export function contractOf(facts: VersionFacts, definition: Definition): Contract {
  const params = Object.entries(definition.params).map(([name, input]) => [name, specOf(input)] as const);
  return {
    ...definition,
    ...facts,
    // A contract that was registered before this was refused.
    audit: definition.audit || isAlwaysAudited(definition),
    params: Object.fromEntries(params),
  };
}
