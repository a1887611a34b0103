import { ServiceError } from "../lib/lib.ts";
import type { Admitted } from "../accounts/accounts.ts";

/**
 * An action contract that a request names. `surface` is set only for calls that come through neither the API nor the
 * console.
 */
export interface AskedContract {
  /** The contract's key. For MCP, it is the name of a tool. */
  readonly key: string;
  readonly surface?: "mcp";
}

/** Decides who may run the workspace's action contracts. A later module implements it. */
export interface ContractGuard {
  /**
   * Throws 403 and records the refusal if the contract does not allow the caller. Does nothing if no contract has the
   * key.
   */
  refuse(caller: Admitted, contract: AskedContract): Promise<void>;
  /** Returns the refusal without recording it: null if the caller is allowed, undefined if no contract has the key. */
  refusal(caller: Pick<Admitted, "key" | "scope">, key: string): Promise<ServiceError | null | undefined>;
}
