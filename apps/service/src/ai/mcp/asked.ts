import { operation } from "../../access/access.ts";
import type { RequestedOperation, Gate, Operation, MultiOperationRoute } from "../../access/access.ts";
import { readers, unscoped } from "../../accounts/accounts.ts";
import { argumentsOf, toolCallOf } from "./message.ts";
import { isStatusTool, STATUS_TOOLS } from "./tools.ts";

/** Whatever is not a call of a tool: it shows what the key may call anyway. A list that blocks it blocks the tools too. */
const CONNECT = operation({ name: "mcp.call", access: "read", callers: unscoped(readers) });
const RUN = "actions.run";

/** What a message is to the gate: the call of a tool is the operation that it is under /v1, with its rights and its limit. */
export function switchboardOf(gate: Gate): MultiOperationRoute {
  const reached = (name: string): Operation => {
    const found = gate.operations.get(name);
    if (found === undefined) throw new Error(`no route is called ${name}`);
    return { ...found, through: CONNECT.name };
  };
  return {
    keyless: () => false,
    asked(scanned): RequestedOperation {
      const call = toolCallOf(scanned?.value);
      if (call === undefined) return { operation: CONNECT, contract: null, ids: () => [] };
      // What a contract's parameters name is its backend's affair.
      if (!isStatusTool(call.name))
        return { operation: reached(RUN), contract: { key: call.name, surface: "mcp" }, ids: () => [] };
      return {
        operation: reached(STATUS_TOOLS[call.name].operation),
        contract: null,
        ids: () => Object.values(argumentsOf(scanned?.value)),
      };
    },
  };
}
