import { randomUUID } from "node:crypto";
import type { ApiKey } from "../../accounts/accounts.ts";
import { isRecord } from "../../lib/lib.ts";

/** A JSON-RPC request that calls a tool. */
export interface ToolCall {
  readonly name: string;
}

/** The capabilities that a client of the stateless protocol sends with each request. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** Members in which null can be a value: conditions, and what people answered. */
const KEPT: ReadonlySet<string> = new Set(["filter", "inputResponses"]);
/** Members that the protocol requires. Without a value, a client can do nothing in addition. */
const NO_CAPABILITIES: ReadonlySet<string> = new Set(["capabilities", CAPABILITIES]);

/** Returns a message without the members of its params that are null: in the protocol's own members null is as absent. */
export function withoutNulls(message: unknown): unknown {
  if (!isRecord(message) || !Object.hasOwn(message, "params")) return message;
  const { params, ...others } = message;
  return params === null ? others : { ...others, params: presentMembers(params) };
}

function presentMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(presentMembers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (member === null) return NO_CAPABILITIES.has(name) ? [[name, {}]] : [];
      return [[name, KEPT.has(name) ? member : presentMembers(member)]];
    }),
  );
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

/** Returns true if a message names one event, as SEP-3415 does. The experimental dialect has a list of patterns. */
export function namesEvent(message: unknown): boolean {
  return Object.hasOwn(paramsOf(message), "name");
}

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
  return infoText(isRecord(meta) ? meta[CLIENT_INFO] : undefined);
}

/**
 * Returns the session id for a handshake: the client's name and version, which such a client gives only there and repeats
 * with each request. Nothing is stored, so that any node can serve any message. Undefined for other messages.
 */
export function sessionIdFor(message: unknown): string | undefined {
  if (methodOf(message) !== "initialize") return undefined;
  const client = infoText(paramsOf(message)["clientInfo"]);
  return client === null ? undefined : `${randomUUID()}.${Buffer.from(client).toString("base64url")}`;
}

const SESSION_ID = /^[0-9a-f-]{36}\.(?<client>[\w-]{1,600})$/;

/** Returns what the client said of itself in the handshake that made this session id; null for any other id. */
export function clientOfSession(id: unknown): string | null {
  const client = typeof id === "string" ? SESSION_ID.exec(id)?.groups?.["client"] : undefined;
  return client === undefined ? null : shownText(Buffer.from(client, "base64url").toString(), MAX_CLIENT);
}

/** Returns the client of a request: what it says of itself, else the name of its connected app; null for a key without either. */
export function clientOfRequest(
  message: unknown,
  {
    headers,
    key,
  }: { readonly headers: Readonly<Record<string, unknown>>; readonly key: Pick<ApiKey, "audience" | "display"> },
): string | null {
  const said = clientOf(message) ?? clientOfSession(headers["mcp-session-id"]);
  if (said !== null || key.audience === undefined) return said;
  return shownText(key.display, MAX_CLIENT);
}

function infoText(info: unknown): string | null {
  if (!isRecord(info)) return null;
  const parts = [info["name"], info["version"]].filter((one): one is string => typeof one === "string" && one !== "");
  return shownText(parts.map((part) => part.slice(0, MAX_CLIENT)).join(" "), MAX_CLIENT);
}

/**
 * Returns a client's text without what people do not see: control characters, direction marks, line separators, fillers. Null if
 * nothing is left.
 */
export function shownText(text: string, length: number): string | null {
  const seen = text
    .slice(0, 4 * length)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, "");
  const shown = seen.slice(0, length).trim();
  return shown === "" ? null : shown.toWellFormed();
}
