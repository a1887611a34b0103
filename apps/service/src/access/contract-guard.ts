import { ServiceError } from "../lib/lib.ts";
import type { Admitted } from "../accounts/accounts.ts";

/** A contract by its key, and how it is called, where that is not by the API or the console. */
export interface AskedContract {
  /** From MCP, the name of a tool. */
  readonly key: string;
  readonly surface?: "mcp";
}

/** Who may run the workspace's contracts: known to a module that comes after the gate. */
export interface ContractGuard {
  /** Throws 403 for a caller whom the contract does not let in, and writes that down; nothing for a key that no contract has. */
  refuse(caller: Admitted, contract: AskedContract): Promise<void>;
  /** The refusal, for a mere question: writes nothing. Null for a caller who may, undefined for a key that no contract has. */
  refusal(caller: Pick<Admitted, "key" | "scope">, key: string): Promise<ServiceError | null | undefined>;
}
