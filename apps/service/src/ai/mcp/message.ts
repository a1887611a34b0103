import { isRecord } from "../../lib/lib.ts";

/** A JSON-RPC request that calls a tool. */
export interface ToolCall {
  readonly name: string;
}

/** The call that a message is; undefined for every other message, and for what only looks like a call. The library reads messages no more widely. */
export function toolCallOf(message: unknown): ToolCall | undefined {
  if (!isRecord(message) || message["jsonrpc"] !== "2.0" || message["method"] !== "tools/call") return undefined;
  const { id, params } = message;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return isRecord(params) && typeof params["name"] === "string" ? { name: params["name"] } : undefined;
}

/** A call's arguments; a call may leave them out. */
export function argumentsOf(message: unknown): Readonly<Record<string, unknown>> {
  const params = isRecord(message) ? message["params"] : undefined;
  const given = isRecord(params) ? params["arguments"] : undefined;
  return isRecord(given) ? given : {};
}

/** Where a list goes on. */
export function cursorOf(message: unknown): string | undefined {
  const params = isRecord(message) ? message["params"] : undefined;
  const cursor = isRecord(params) ? params["cursor"] : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}
