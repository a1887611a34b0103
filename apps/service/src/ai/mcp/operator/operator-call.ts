import { bindArguments, propertiesOf, withBody } from "../../../access/access.ts";
import type { Argument, Bound, Operation, OperationEntry, OperationTable } from "../../../access/access.ts";
import { isRecord } from "../../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../../lib/lib.ts";
import { argumentsOf, toolCallOf } from "../mcp-message.ts";
import { fault } from "../mcp-fault.ts";
import { OPERATOR_TOOLS } from "../../../actions/actions.ts";
import type { OperatorAction } from "../../../actions/actions.ts";

/** The scopes of the operator tools. A credential must name them: all scopes do not include them. */
export const OPS_READ = "ops:read";
export const OPS_WRITE = "ops:write";

/** A call of an operator tool, with its arguments in the parts of the operation's request. */
export interface OperatorCall {
  readonly tool: string;
  readonly name: string;
  readonly write: boolean;
  readonly action: OperatorAction;
  readonly bound: Bound<OperationEntry>;
  /** The arguments as they were sent. */
  readonly argumentsText: string;
}

/** A message with its source text; none if the body is not JSON. */
type Message = ScannedJson | null | undefined;

/** The lengths of the pages, which a model has to read. */
export const USUAL_LIMIT = 20;
export const MOST_LIMIT = 50;

/** Returns true if the address of a request asks for the operator tools. */
export function isOperator(query: unknown): boolean {
  return isRecord(query) && query["toolset"] === "operator";
}

/** Returns the operation behind an action, under the conditions of the operator tools in addition to its own. */
export function underScope(asked: Operation, write: boolean): Operation {
  const conditions = write ? { access: "write", namedScope: OPS_WRITE } : { access: "read", namedScope: OPS_READ };
  return { ...asked, ...(conditions as Pick<Operation, "access" | "namedScope">), scoped: true };
}

/** Returns the operation that the access checks let a call in for. */
export function operationOfCall({ bound, write }: OperatorCall, isLive: boolean): Operation {
  const asked = underScope(withBody(bound.entry.operation, bound.body), write);
  // The proposal of a write in live is recorded with its own idempotency key, and the audit log shows it as one: nothing is done yet.
  return write && isLive ? { ...asked, ownIdempotency: true, audit: null } : asked;
}

/** Returns the call of an operator tool; undefined for an unknown tool or action. Never throws: `bound.fault` is thrown after the access checks. */
export function operatorCallOf(table: OperationTable, scanned: Message): OperatorCall | undefined {
  const call = toolCallOf(scanned?.value);
  if (call === undefined || scanned === undefined || scanned === null) return undefined;
  return boundCall(table, call.name, argumentsScan(scanned, argumentsOf(scanned.value)));
}

/** Returns the call of a tool with these arguments. */
export function boundCall(table: OperationTable, toolName: string, scanned: ScannedJson): OperatorCall | undefined {
  const tool = Object.hasOwn(OPERATOR_TOOLS, toolName) ? OPERATOR_TOOLS[toolName] : undefined;
  const given = isRecord(scanned.value) ? scanned.value : {};
  const name = given["action"];
  if (tool === undefined || typeof name !== "string" || !Object.hasOwn(tool.actions, name)) return undefined;
  const action = tool.actions[name];
  const entry = action === undefined ? undefined : table.get(action.operation);
  if (action === undefined || entry === undefined) return undefined;
  const bound = bindArguments(entry, scanned, foundArguments(entry, given));
  return { tool: toolName, name, write: tool.write, action, bound, argumentsText: scanned.text };
}

/** Returns the argument values that may be ids of this service. */
export function idsOfCall({ bound: { params, query, body } }: OperatorCall): unknown[] {
  const named = isRecord(body) ? Object.entries(body).flatMap(([name, id]) => (name.endsWith("_id") ? [id] : [])) : [];
  return [...Object.values(params), ...Object.values(query), ...named];
}

/** Returns the name of the one parameter in an operation's path, which is the tools' `id`; undefined if there is none. */
export function pathParameterOf({ schema }: Pick<OperationEntry, "schema">): string | undefined {
  return Object.keys(propertiesOf(schema.params))[0];
}

function foundArguments(
  entry: OperationEntry,
  { action: _action, ...given }: Readonly<Record<string, unknown>>,
): { readonly found: Map<string, Argument>; readonly violations: Violation[] } {
  const parameter = pathParameterOf(entry);
  const found = new Map<string, Argument>();
  for (const [name, value] of Object.entries(given))
    found.set(name === "id" && parameter !== undefined ? parameter : name, { value, path: [name] });
  if (!Object.hasOwn(propertiesOf(entry.schema.querystring), "limit")) return { found, violations: [] };
  if (!found.has("limit")) found.set("limit", { value: USUAL_LIMIT, path: ["limit"] });
  const { value: limit } = found.get("limit") ?? {};
  const isTooLong = typeof limit === "number" && limit > MOST_LIMIT;
  return { found, violations: isTooLong ? [fault("/limit", "range", `must be at most ${MOST_LIMIT}`)] : [] };
}

/** Returns the arguments of a message with the source text of their parts. */
function argumentsScan(message: ScannedJson, value: unknown): ScannedJson {
  const slice: ScannedJson["slice"] = (path, budget) => message.slice(["params", "arguments", ...path], budget);
  return {
    value,
    slice,
    get text() {
      return slice([]) ?? "{}";
    },
  };
}
