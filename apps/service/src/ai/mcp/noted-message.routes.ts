import type { FastifyRequest } from "fastify";
import { nameIn } from "../../actions/actions.ts";
import { actorOf } from "../../audit/audit.ts";
import type { AiRequest, History, Target } from "../../audit/audit.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { ApiKey } from "../../accounts/accounts.ts";
import { isRecord, parseJson, ServiceError } from "../../lib/lib.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import { argumentsOf, clientOfRequest, methodOf, paramsOf, shownText, toolCallOf } from "./mcp-message.ts";
import { isOperator } from "./operator/operator-call.ts";
import { isOwnTool, OWN_TOOLS } from "./tools.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** A message that passed the access checks, with the query of its address. The handler of an operation replaces both in the request. */
    mcpMessage: Message | null;
  }
}

interface Message {
  readonly message: unknown;
  readonly query: unknown;
  /** The result of a call that succeeded. Without it, the outcome is read from the response. */
  readonly object?: unknown;
}

/** Tells what a call that succeeded has as its result, so that the response is not parsed for it. */
export function noteObject(request: FastifyRequest, object: unknown): void {
  if (request.mcpMessage !== null) request.mcpMessage = { ...request.mcpMessage, object };
}

/** The methods that are counted if they succeed. The others only show what the client may call. */
const COUNTED: ReadonlySet<string> = new Set([
  "tools/call",
  "tasks/get",
  "tasks/result",
  "tasks/update",
  "tasks/cancel",
  "events/poll",
  "events/stream",
  "events/subscribe",
  "events/unsubscribe",
]);
const POLLS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "events/poll"]);
const MAX_NAME = 100;
/** The length of the longest response that can be a refusal. */
const MOST_READ = 65_536;
/** The words of the protocol's own codes. */
const OF_RPC: Readonly<Record<number, string>> = { [-32601]: "method_not_found", [-32602]: "invalid_params" };

/**
 * Counts a message of a client in the AI history, with its outcome. Calls of actions that passed the access checks write an exchange
 * of their own. A message without a valid credential is not counted.
 */
export function noteMessage(history: Pick<History, "note">, request: FastifyRequest, sent: unknown): void {
  const { key } = request.access;
  const { message, query } = request.mcpMessage ?? { message: request.scanned?.value, query: request.query };
  const method = methodOf(message);
  if (key === undefined || method === undefined) return;
  const outcome = outcomeOf(request, method, sent);
  if (outcome.status === "ok" && !COUNTED.has(method)) return;
  const asked = askedOf(method, { message, query });
  if (writesExchange(request, asked, outcome)) return;
  const scope = { ...scopeOf(key.workspaceId, key.tag), tenant: key.tenant };
  const { ip, id: requestId, headers } = request;
  history.note(scope, {
    source: "mcp",
    kind: asked.kind,
    actor: actorOf({ key, scope, ip }),
    client: clientOfRequest(message, { headers, key }),
    name: asked.name,
    target: targetOf(asked, outcome),
    status: outcome.status,
    errorCode: outcome.code,
    requestId,
  });
}

interface RequestSummary extends Pick<AiRequest, "kind" | "name"> {
  /** The kind of the called tool; null for another method. */
  readonly tool: "operator" | "own" | "action" | null;
  readonly isWrite: boolean;
  /** The id that the message names. */
  readonly id: unknown;
}

function askedOf(method: string, { message, query }: Message): RequestSummary {
  const called = toolCallOf(message);
  const params = paramsOf(message);
  if (called === undefined)
    return {
      kind: POLLS.has(method) ? "poll" : "call",
      name: shownText(method, MAX_NAME) ?? "",
      tool: null,
      isWrite: false,
      id: params["taskId"] ?? params["name"],
    };
  const given = argumentsOf(message);
  const name = shownText(called.name, MAX_NAME) ?? "";
  if (isOperator(query)) {
    const action = typeof given["action"] === "string" ? `.${given["action"]}` : "";
    const whole = shownText(`${name}${action}`, MAX_NAME) ?? name;
    return { kind: "call", name: whole, tool: "operator", isWrite: name.endsWith("_write"), id: given["id"] };
  }
  if (isOwnTool(called.name))
    return { kind: "poll", name, tool: "own", isWrite: false, id: given[OWN_TOOLS[called.name].argument] };
  return { kind: "call", name, tool: "action", isWrite: true, id: name };
}

interface RequestResult {
  readonly status: AiRequest["status"];
  readonly code: string | null;
  /** True if the protocol refused the message, before any of our operations. */
  readonly isOfProtocol: boolean;
  /** The object in the result. */
  readonly object: unknown;
}

function outcomeOf({ errorCode, mcpMessage }: FastifyRequest, method: string, sent: unknown): RequestResult {
  if (errorCode !== null) return { ...NO_RESULT, status: refusalStatus(errorCode), code: errorCode };
  const object = mcpMessage?.object;
  return object === undefined ? outcomeIn(method, sent) : { ...NO_RESULT, status: "ok", code: null, object };
}

const NO_RESULT = { isOfProtocol: false, object: null };

/** Reads the outcome in a response. */
function outcomeIn(method: string, sent: unknown): RequestResult {
  const isRead = typeof sent === "string" && sent !== "" && sent.length <= MOST_READ;
  const { error, result }: Readonly<Record<string, unknown>> = isRead ? recordOf(parseJson(sent)) : {};
  if (isRecord(error)) {
    const data = recordOf(error["data"]);
    const code = typeof data["code"] === "string" ? data["code"] : rpcCode(error["code"]);
    return { ...NO_RESULT, status: "refused", code, isOfProtocol: data["status"] === undefined };
  }
  const { isError, structuredContent: object } = recordOf(result);
  // The result of a task can be a failed run, and the request for it succeeded.
  if (isError !== true || method !== "tools/call") return { ...NO_RESULT, status: "ok", code: null, object };
  const { code, status } = recordOf(object);
  return { ...NO_RESULT, status: Number(status) < 500 ? "refused" : "failed", code: String(code) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function rpcCode(code: unknown): string {
  return OF_RPC[Number(code)] ?? `rpc_${String(code)}`;
}

/** Returns the status of a refusal that was thrown. */
export function refusalStatus(code: string): "refused" | "failed" {
  return new ServiceError(code as ErrorCode).kind.status < 500 ? "refused" : "failed";
}

/** True for a call of an action that its operation judged, and for a write that became a proposal. */
function writesExchange(
  { access, admitted }: FastifyRequest,
  { tool, isWrite }: RequestSummary,
  outcome: RequestResult,
): boolean {
  if (tool === "action") return admitted !== null && !outcome.isOfProtocol;
  return tool === "operator" && isWrite && isLive(access.key) && outcome.status === "ok";
}

function isLive(key: Pick<ApiKey, "environment"> | undefined): boolean {
  return key?.environment === "live";
}

function targetOf({ id: named }: RequestSummary, { object }: RequestResult): Target | null {
  const id = named ?? recordOf(object)["id"];
  const shown = typeof id === "string" ? shownText(id, MAX_NAME) : null;
  const name = nameIn(object);
  return shown === null && name === null ? null : { id: shown, name };
}
