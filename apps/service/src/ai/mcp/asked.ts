import { operation } from "../../access/access.ts";
import type { RequestedOperation, Gate, Operation, MultiOperationRoute } from "../../access/access.ts";
import { readers, unscoped } from "../../accounts/accounts.ts";
import { argumentsOf, toolCallOf } from "./message.ts";
import { isStatusTool, STATUS_TOOLS } from "./tools.ts";

/** The operation of every message that does not call a tool. It only shows what the key may call anyway. A key that blocks it cannot call tools either. */
const CONNECT = operation({ name: "mcp.call", access: "read", callers: unscoped(readers) });
const RUN = "actions.run";

/** Maps a message to an operation. A tool call is the same operation as under /v1, with its permissions and its limit. */
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
      // A contract's parameters may contain ids, which only its backend interprets.
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
