import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionOf } from "../../access/access.ts";
import type { RenderError } from "../../access/access.ts";
import { isRecord, parseJson, ServiceError } from "../../lib/lib.ts";
import type { PooledStream } from "../../lib/lib.ts";
import { callerOf } from "../../accounts/accounts.ts";
import type { ApiKey, App } from "../../accounts/accounts.ts";
import { moreScopesOf, switchboardOf } from "./asked.ts";
import { listEventTypes, pollEvents, streamEvents } from "./event-messages.ts";
import { PATH, writeRequest } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Mcp } from "./mcp.ts";
import * as shapes from "./mcp.schemas.ts";
import {
  acceptsTask,
  argumentsOf,
  clientOfRequest,
  cursorOf,
  namesEvent,
  sessionIdFor,
  toolCallOf,
  withoutNulls,
} from "./mcp-message.ts";
import { noteMessage } from "./noted-message.routes.ts";
import { INSTRUCTIONS, OPERATOR_INSTRUCTIONS } from "./instructions.ts";
import type { McpRequest, Method } from "./protocol.ts";
import { isOperator } from "./operator/operator-call.ts";
import { createOperatorList } from "./operator/operator-list.ts";
import { callOperator, problemOfArguments } from "./operator/operator.routes.ts";
import { refusalText, resultMembers } from "./result.ts";
import type { RestResponse } from "./result.ts";
import { subscribeCallback, unsubscribeCallback } from "./callbacks/callback-messages.ts";
import { RpcRefusal } from "./callbacks/refusals.ts";
import { subscribe, unsubscribe } from "./subscription-messages.ts";
import { cancelTask, getTask, taskResult, updateTask, wireOf } from "./task-messages.ts";
import { createdMembers } from "./task-view.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** Errors of the request itself are reported as problem documents, as everywhere. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([400, 401, 413, 415]);

const SCHEMA = {
  operationId: "callMcp",
  summary: "Send a message of the Model Context Protocol",
  description:
    "Offers the action contracts that the key may run from the surface `mcp` as tools, over Streamable HTTP. Supports protocol " +
    "version 2026-07-28, and the earlier versions, which start with a handshake. API keys and the access tokens of connected apps are accepted. A refused tool call " +
    "is a result with `isError`. A problem document means that the message could not be read or did not pass the access " +
    "checks. A call that waits for a person is a task for a client that declares tasks. `events/stream` is answered with server-sent " +
    "events. See docs/guide/mcp.md.",
  body: shapes.Message,
  response: { 200: shapes.Answer, 202: shapes.Taken, 400: shapes.Fault, 404: shapes.Fault },
} as const;

/** Each message is a separate request. Without sessions and streams, any node can serve any message. */
export function mcpRoutes(app: App, mcp: Mcp): void {
  mcp.operator.mount(app);
  app.decorateRequest("mcpMessage", null);
  const operatorTools = createOperatorList(mcp.accessChecks, app.operationTable);
  const listed = ({ question, caller }: Exchange): string =>
    question.frame(JSON.stringify({ tools: operatorTools(caller.key) }).slice(1, -1));
  app.post(
    PATH,
    {
      config: {
        callers: "by operation",
        switchboard: switchboardOf(mcp.accessChecks, app.operationTable),
        keysOnly: true,
        takesTokens: true,
        challenge: ({ scanned, query }) => mcp.challenge(moreScopesOf(scanned?.value, query)),
        wording: wordingOf(app, mcp),
        errors: ["origin_not_allowed", "role_not_allowed", "idempotency_key_invalid", "too_many_streams"],
      },
      // A client takes 202 for a response without a message.
      onSend: async (request, reply, payload) => {
        noteMessage(mcp.history, request, payload);
        if (typeof payload === "string" && payload !== "" && reply.statusCode < 300) reply.code(200);
        return await Promise.resolve(payload);
      },
      onRequest: async (request) => {
        mcp.assertOrigin(request.headers.origin);
        await Promise.resolve();
      },
      schema: SCHEMA,
      // The protocol library reports invalid messages.
      attachValidation: true,
    },
    async (request, reply) => {
      if (request.body === undefined) throw new ServiceError("malformed_json", { detail: "The body is empty." });
      const message = withoutNulls(request.body);
      request.mcpMessage = { message, query: request.query };
      assertToolset(request.query);
      const isOperators = isOperator(request.query);
      const instructions = isOperators ? OPERATOR_INSTRUCTIONS : INSTRUCTIONS;
      const opened = await mcp.open({ message, headers: request.headers, instructions });
      if ("answer" in opened) {
        const session = opened.answer.status === 200 ? sessionIdFor(message) : undefined;
        if (session !== undefined) reply.header("Mcp-Session-Id", session);
        return await send(reply, opened.answer.status, opened.answer.body);
      }
      const exchange = exchangeOf(mcp, opened.question, { request, message });
      const { method } = opened.question;
      if (isOperators && method === "tools/list") return await send(reply, 200, listed(exchange));
      if (!isOperators || method !== "tools/call") return await respond(exchange, method, reply);
      const { question, client } = exchange;
      const isTask = acceptsTask(message, question.isLegacy);
      const frame = (outcome: RestResponse): string => framed(question, outcome, isTask);
      return await callOperator({ app, question, request, reply, operator: mcp.operator, client, frame });
    },
  );
}

function exchangeOf(
  mcp: Mcp,
  question: McpRequest,
  { request, message }: { readonly request: FastifyRequest; readonly message: unknown },
): Exchange {
  return {
    mcp,
    question,
    caller: callerOf(request),
    message,
    client: clientOfRequest(message, { headers: request.headers, key: callerOf(request).key }),
    scanned: request.scanned,
    session: sessionOf(request),
    ref: request.access.ref ?? null,
  };
}

async function respond(exchange: Exchange, method: Method, reply: FastifyReply): Promise<FastifyReply> {
  // The stream outlives the request, and reads within the caller's rows by itself.
  if (method === "events/stream") return await sendStream(reply, streamEvents(exchange));
  const { write } = reply.request.access;
  const work = async (): Promise<string> => await HANDLERS[method](exchange, reply);
  const text = await exchange.mcp.accessChecks.within(exchange.caller.scope, async () =>
    write === undefined ? await work() : await write.run(work),
  );
  return await send(reply, 200, text);
}

/** Throws 400 for a toolset that does not exist. */
function assertToolset(query: unknown): void {
  const toolset = isRecord(query) ? query["toolset"] : undefined;
  if (toolset === undefined || toolset === "operator") return;
  throw new ServiceError("bad_request", { detail: "The only toolset is `operator`." });
}

/** Each returns the whole response. */
const HANDLERS: Readonly<
  Record<Exclude<Method, "events/stream">, (exchange: Exchange, reply: FastifyReply) => Promise<string>>
> = {
  "tools/list": list,
  "tools/call": call,
  "tasks/get": getTask,
  "tasks/result": taskResult,
  "tasks/update": updateTask,
  "tasks/cancel": cancelTask,
  "events/list": listEventTypes,
  "events/poll": pollEvents,
  "events/subscribe": async (exchange) =>
    await (namesEvent(exchange.message) ? subscribeCallback(exchange) : subscribe(exchange)),
  "events/unsubscribe": async (exchange) =>
    await (namesEvent(exchange.message) ? unsubscribeCallback(exchange) : unsubscribe(exchange)),
};

async function list({ mcp, question, caller, message }: Exchange): Promise<string> {
  const { tools, nextCursor } = await mcp.list(caller, cursorOf(message), question);
  return question.frame(JSON.stringify({ tools, nextCursor }).slice(1, -1));
}

async function call(exchange: Exchange, reply: FastifyReply): Promise<string> {
  const { mcp, question, caller, message, client } = exchange;
  const asked = toolCallOf(message);
  if (asked === undefined) throw new Error("the protocol took a call that the access checks did not see");
  const isTask = acceptsTask(message, question.isLegacy);
  if (isTask && question.isLegacy && !(await mcp.tasks.mayWait(caller, asked.name)))
    return question.fail({ code: METHOD_NOT_FOUND, message: `The tool ${asked.name} does not support tasks.` });
  const outcome = await mcp.call({
    caller,
    name: asked.name,
    arguments: argumentsOf(message),
    scanned: exchange.scanned,
    client,
    ip: caller.ip,
    request: exchange.ref === null ? null : writeRequest(exchange),
  });
  if (outcome.replayed) reply.header("Idempotent-Replayed", "true");
  return framed(question, outcome, isTask);
}

/**
 * Returns the response to a call: its result, or the task that a client accepts in place of one. A client of the earlier tasks accepts
 * nothing else, so that it gets a refusal as an error.
 */
function framed(question: McpRequest, outcome: RestResponse, isTask: boolean): string {
  const task = isTask ? createdMembers(wireOf({ question }), outcome) : undefined;
  if (task !== undefined) return question.frame(task);
  if (!isTask || !question.isLegacy || outcome.status < 400) return question.frame(resultMembers(outcome));
  const code = outcome.status < 500 ? INVALID_PARAMS : INTERNAL_ERROR;
  const problem: unknown = parseJson(outcome.body);
  return question.fail({ code, message: refusalText(outcome.body), data: problem });
}

async function sendStream(reply: FastifyReply, stream: PooledStream): Promise<FastifyReply> {
  stream.attach(reply.raw);
  return await reply
    .type("text/event-stream; charset=utf-8")
    .header("Cache-Control", "no-store")
    // Without this header, a proxy would buffer the messages.
    .header("X-Accel-Buffering", "no")
    .send(stream.readable);
}

async function send(reply: FastifyReply, status: number, body: string | null): Promise<FastifyReply> {
  reply.code(status);
  return await (body === null ? reply.send() : reply.type(JSON_TYPE).send(body));
}

/** Faults of the params. They are errors of the protocol, as for the methods that it defines. */
const OF_PARAMS: ReadonlySet<string> = new Set(["cursor_invalid", "validation_failed", "url_blocked", "conflict"]);

/** Reports a refusal of a tool call as the tool's result once the credentials are valid: a model reads results, not HTTP statuses. */
function wordingOf(app: App, mcp: Mcp): RenderError {
  return async (request, refusal, problem) => {
    const message = withoutNulls(request.scanned?.value);
    const { key } = request.access;
    const isCall = toolCallOf(message) !== undefined;
    if (key === undefined || !(isCall ? isWorded(key, refusal, request.query) : OF_PARAMS.has(refusal.code)))
      return undefined;
    const opened = await mcp.open({ message, headers: request.headers, instructions: "" });
    if ("answer" in opened) return undefined;
    const { question } = opened;
    const told = isOperator(request.query) ? problemOfArguments(app, request.scanned, problem) : problem;
    const outcome = { status: refusal.kind.status, body: JSON.stringify(told) };
    const body = isCall
      ? framed(question, outcome, acceptsTask(message, question.isLegacy))
      : faulty(question, refusal);
    return { status: 200, type: JSON_TYPE, body };
  };
}

function isWorded(
  { audience, portalMaker }: Pick<ApiKey, "audience" | "portalMaker">,
  { code, kind }: ServiceError,
  query: unknown,
): boolean {
  // A fault of the arguments, which an operation has in its query.
  if (code === "query_invalid" && isOperator(query)) return true;
  // The client of a connected app asks its person for the missing scope (step-up). That of an MCP token has no one to ask.
  const isStepUp = code === "scope_missing" && audience !== undefined && portalMaker === undefined;
  return !isStepUp && !OF_THE_REQUEST.has(kind.status);
}

function faulty(question: McpRequest, refusal: ServiceError): string {
  if (refusal instanceof RpcRefusal) return question.fail(refusal.rpc);
  const { code, details, kind } = refusal;
  const { detail = kind.title, errors } = details;
  const data = { code, ...(errors === undefined ? {} : { errors }) };
  return question.fail({ code: INVALID_PARAMS, message: `${code}: ${detail}`, data });
}
