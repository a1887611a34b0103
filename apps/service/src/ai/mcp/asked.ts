import { operation } from "../../access/access.ts";
import type {
  RequestedOperation,
  AccessChecks,
  Operation,
  OperationTable,
  MultiOperationRoute,
} from "../../access/access.ts";
import { readers, unscoped } from "../../accounts/accounts.ts";
import { READ_EVENTS } from "./event-messages.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { argumentsOf, methodOf, namesEvent, toolCallOf } from "./mcp-message.ts";
import { SUBSCRIBE, SUBSCRIBE_SCOPE } from "../../webhooks/webhooks.ts";
import {
  idsOfCall,
  isOperator,
  operationOfCall,
  operatorCallOf,
  OPS_READ,
  OPS_WRITE,
  underScope,
} from "./operator/operator-call.ts";
import { OPERATOR_OWN_TOOLS, ownToolOf } from "./operator/own-tools.ts";
import { isOwnTool, OWN_TOOLS } from "./tools.ts";

/** The operation of every message that does not call a tool. It only shows what the key may call anyway. A key that blocks it cannot call tools either. */
const CONNECT = operation({ name: "mcp.call", access: "read", callers: unscoped(readers) });
const RUN = "actions.run";

/** A caller that may run actions may withdraw its own requests. */
const WITHDRAW = operation({
  name: "actions.cancel",
  access: "write",
  callers: readers,
  does: ["proposals.cancel"],
  ownIdempotency: true,
});

/** The operations of the other methods. Ids of tasks are judged by the handler: those of others are unknown. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "tasks/get": "proposals.get",
  "tasks/result": "proposals.get",
  "tasks/update": "proposals.get",
  "events/list": READ_EVENTS,
  "events/poll": READ_EVENTS,
  "events/stream": READ_EVENTS,
};

const SUBSCRIBING: ReadonlySet<string> = new Set(["events/subscribe", "events/unsubscribe"]);

/** Returns the scopes that a message needs in addition to those of the tools. An app must request them by name. */
export function moreScopesOf(message: unknown, query: unknown): readonly string[] {
  if (isOperator(query)) return [OPS_READ, OPS_WRITE];
  const method = methodOf(message) ?? "";
  if (SUBSCRIBING.has(method)) return ["events:read", SUBSCRIBE_SCOPE];
  return OPERATIONS[method] === READ_EVENTS ? ["events:read"] : [];
}

/** Maps a message to an operation. A tool call is the same operation as under /v1, with its permissions and its limit. */
export function switchboardOf(accessChecks: AccessChecks, table: OperationTable): MultiOperationRoute {
  const reached = (name: string): Operation => {
    const found = accessChecks.operations.get(name);
    if (found === undefined) throw new Error(`no route is called ${name}`);
    return { ...found, through: CONNECT.name };
  };
  const other = (message: unknown): Operation => {
    const method = methodOf(message);
    if (method === "tasks/cancel") return { ...WITHDRAW, through: CONNECT.name };
    if (method !== undefined && SUBSCRIBING.has(method))
      // The receiver is asked before anything is stored, and no transaction waits for its response.
      return { ...SUBSCRIBE, remote: method === "events/subscribe" && namesEvent(message), through: CONNECT.name };
    if (method === undefined || !Object.hasOwn(OPERATIONS, method)) return CONNECT;
    return reached(OPERATIONS[method] ?? CONNECT.name);
  };
  return {
    keyless: () => false,
    asked(scanned, { query, environment }): RequestedOperation {
      if (isOperator(query)) return operatorAsked(table, { scanned, isLive: environment === "live" }, other);
      const call = toolCallOf(scanned?.value);
      if (call === undefined) return { operation: other(scanned?.value), contract: null, ids: () => [] };
      // A contract's parameters may contain ids, which only its backend interprets.
      if (!isOwnTool(call.name))
        return { operation: reached(RUN), contract: { key: call.name, surface: "mcp" }, ids: () => [] };
      return {
        operation: reached(OWN_TOOLS[call.name].operation),
        contract: null,
        ids: () => Object.values(argumentsOf(scanned?.value)),
      };
    },
  };
}

/** Keys of tenants have operator tools, and nothing else of MCP. */
const CONNECT_OPERATOR: Operation = { ...CONNECT, tenants: true };

function operatorAsked(
  table: OperationTable,
  { scanned, isLive }: { readonly scanned: ScannedJson | undefined; readonly isLive: boolean },
  other: (message: unknown) => Operation,
): RequestedOperation {
  const nothing = { contract: null, ids: () => [] };
  const own = OPERATOR_OWN_TOOLS[ownToolOf(scanned) ?? ""];
  if (own !== undefined) return { operation: { ...own.operation, through: CONNECT.name }, ...nothing };
  const call = operatorCallOf(table, scanned);
  if (call !== undefined)
    return {
      operation: { ...operationOfCall(call, isLive), through: CONNECT.name },
      contract: null,
      ids: () => idsOfCall(call),
    };
  return { operation: ofOperator(scanned?.value, other(scanned?.value)), ...nothing };
}

/** A caller that may request a write may follow it, and withdraw it. */
function ofOperator(message: unknown, asked: Operation): Operation {
  const method = methodOf(message) ?? "";
  if (asked === CONNECT) return CONNECT_OPERATOR;
  if (!method.startsWith("tasks/")) return asked;
  return { ...underScope(asked, method === "tasks/cancel"), tenants: true };
}
