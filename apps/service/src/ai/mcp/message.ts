import { isRecord } from "../../lib/lib.ts";

/** A JSON-RPC request that calls a tool. */
export interface ToolCall {
  readonly name: string;
}

/** Returns the tool call of a message. Undefined for other messages, and for a malformed call. The protocol library accepts no other form either. */
export function toolCallOf(message: unknown): ToolCall | undefined {
  if (!isRecord(message) || message["jsonrpc"] !== "2.0" || message["method"] !== "tools/call") return undefined;
  const { id, params } = message;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return isRecord(params) && typeof params["name"] === "string" ? { name: params["name"] } : undefined;
}

/** Returns the arguments of a call. A call may omit them. */
export function argumentsOf(message: unknown): Readonly<Record<string, unknown>> {
  const params = isRecord(message) ? message["params"] : undefined;
  const given = isRecord(params) ? params["arguments"] : undefined;
  return isRecord(given) ? given : {};
}

/** Returns the cursor of the next page. */
export function cursorOf(message: unknown): string | undefined {
  const params = isRecord(message) ? message["params"] : undefined;
  const cursor = isRecord(params) ? params["cursor"] : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}

/** Returns the id of a task, which the protocol library has checked to be a text. */
export function taskIdOf(message: unknown): string {
  const params = paramsOf(message);
  return typeof params["taskId"] === "string" ? params["taskId"] : "";
}

/** Returns the method of a request. Undefined for a notification and for a malformed message. */
export function methodOf(message: unknown): string | undefined {
  if (!isRecord(message) || message["jsonrpc"] !== "2.0" || typeof message["method"] !== "string") return undefined;
  const { id, method } = message;
  return typeof id === "string" || typeof id === "number" ? method : undefined;
}

export function paramsOf(message: unknown): Readonly<Record<string, unknown>> {
  const params = isRecord(message) ? message["params"] : undefined;
  return isRecord(params) ? params : {};
}

/** The capabilities that a client of the stateless protocol sends with each request. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const TASKS = "io.modelcontextprotocol/tasks";

/** Returns true if the client accepts a task in place of the result of this call. */
export function acceptsTask(message: unknown, isLegacy: boolean): boolean {
  const { task, _meta: meta } = paramsOf(message);
  if (isLegacy) return isRecord(task);
  const capabilities = isRecord(meta) ? meta[CAPABILITIES] : undefined;
  const extensions = isRecord(capabilities) ? capabilities["extensions"] : undefined;
  return isRecord(extensions) && isRecord(extensions[TASKS]);
}

/** Where clients of the stateless protocol say what they are. */
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const MAX_CLIENT = 100;

/** Returns the name and the version that a client gives itself; null if it gives none. */
export function clientOf(message: unknown): string | null {
  const params = isRecord(message) ? message["params"] : undefined;
  const meta = isRecord(params) ? params["_meta"] : undefined;
  const info = isRecord(meta) ? meta[CLIENT_INFO] : undefined;
  if (!isRecord(info)) return null;
  const words = [info["name"], info["version"]].filter((one) => typeof one === "string" && one !== "");
  const text = words.join(" ").toWellFormed().replaceAll(/\p{C}/gu, "").slice(0, MAX_CLIENT).trim();
  return text === "" ? null : text.toWellFormed();
}
