import type { FastifyReply, FastifyRequest } from "fastify";
import { assertOwnTenant, checkParts, runOperation } from "../../../access/access.ts";
import { callerOf } from "../../../accounts/accounts.ts";
import type { App } from "../../../accounts/accounts.ts";
import { isRecord, ServiceError } from "../../../lib/lib.ts";
import { fault } from "../mcp-fault.ts";
import { argumentsOf, toolCallOf } from "../mcp-message.ts";
import type { McpRequest } from "../protocol.ts";
import { PATH } from "../exchange.ts";
import { onlyArgument } from "../only-argument.ts";
import { noteObject } from "../noted-message.routes.ts";
import { resultMembers } from "../result.ts";
import type { RestResponse } from "../result.ts";
import type { Operator } from "./approved.ts";
import { operatorCallOf } from "./operator-call.ts";
import type { OperatorCall } from "./operator-call.ts";
import { bounded, DONE, operatorMembers } from "./operator-result.ts";
import { OPERATOR_OWN_TOOLS, ownToolOf } from "./own-tools.ts";
import { DOCS_SEARCH, OPERATOR_TOOLS } from "../../../actions/actions.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Searches the documentation. Returns the best results first, with addresses in full. */
    searchDocs(query: string): Promise<readonly DocsResult[]>;
  }
}

export interface DocsResult {
  readonly title: string;
  readonly url: string;
  /** The beginning of the section, or the part with the words. */
  readonly excerpt: string;
}

/** A call of an operator tool that passed the access checks. */
export interface OperatorExchange {
  readonly app: App;
  readonly question: McpRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly operator: Pick<Operator, "propose" | "status">;
  /** The program that the client says it is. */
  readonly client: string | null;
  /** Returns the response to a call: its result, or the task that the client accepts in place of one. */
  frame(outcome: RestResponse): string;
}

const JSON_TYPE = "application/json; charset=utf-8";
const MOST_QUERY = 200;

/** Answers a call of an operator tool with the handler of its operation under /v1. Throws the same refusals as /v1. */
export async function callOperator(exchange: OperatorExchange): Promise<unknown> {
  const { app, request } = exchange;
  const { scanned } = request;
  const own = ownToolOf(scanned);
  if (own !== undefined) return await callOwn(exchange, own);
  const call = operatorCallOf(app.operationTable, scanned);
  if (call === undefined) throw unknownCall(scanned?.value);
  if (call.bound.fault !== undefined) throw call.bound.fault;
  const isProposed = call.write && callerOf(request).scope.environment === "live";
  try {
    return await (isProposed ? propose(exchange, call) : perform(exchange, call));
  } catch (error) {
    // A refusal is reported in the words of the message.
    request.scanned = scanned;
    throw error;
  }
}

async function perform({ app, question, request, reply }: OperatorExchange, call: OperatorCall): Promise<unknown> {
  const { params, query, body, scanned } = call.bound;
  const wrapBody = (answer: string, status: number): string => {
    if (status >= 400) return question.frame(resultMembers({ status, body: answer }));
    const { text, value } = bounded(answer, call.action.without ?? []);
    noteObject(request, value);
    return question.frame(operatorMembers(text));
  };
  reply.type(JSON_TYPE);
  const parts = { params, query, body, scanned, wrapBody };
  const answer = await runOperation(app, call.bound.entry, parts, { request, reply });
  return reply.sent || reply.statusCode !== 204 ? answer : await reply.code(200).send(DONE);
}

/** Returns a problem document of an operation whose pointers refer to the arguments of the tool. */
export function problemOfArguments(app: App, scanned: FastifyRequest["scanned"], problem: object): object {
  const call = operatorCallOf(app.operationTable, scanned);
  const errors = isRecord(problem) ? problem["errors"] : undefined;
  if (call === undefined || !Array.isArray(errors)) return problem;
  const moved = errors.filter(isRecord).map((one) => ({ ...one, pointer: call.bound.pointer(String(one["pointer"])) }));
  return { ...problem, errors: moved };
}

/** Answers a call of a tool that is not an operation of the API. */
async function callOwn(exchange: OperatorExchange, name: string): Promise<FastifyReply> {
  const { question, request, reply } = exchange;
  const given = argumentsOf(request.scanned?.value);
  const text = name === DOCS_SEARCH ? await searchDocs(exchange, given) : await proposalStatus(exchange, given);
  return await reply.type(JSON_TYPE).send(question.frame(operatorMembers(text)));
}

type Given = Readonly<Record<string, unknown>>;

async function searchDocs({ app }: OperatorExchange, given: Given): Promise<string> {
  const query = onlyArgument(given, "query");
  if (query.length > MOST_QUERY)
    throw new ServiceError("validation_failed", {
      errors: [fault("/query", "type", `must be a text of at most ${MOST_QUERY} characters`)],
    });
  return bounded(JSON.stringify({ results: await app.searchDocs(query) }), []).text;
}

async function proposalStatus({ request, operator }: OperatorExchange, given: Given): Promise<string> {
  return await operator.status(callerOf(request), onlyArgument(given, "proposal_id"));
}

/** Answers a write in live with its proposal. */
async function propose(
  { app, request, reply, frame, operator, client }: OperatorExchange,
  call: OperatorCall,
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const { ref } = request.access;
  if (ref === undefined) throw new Error("a write has no idempotency reference");
  checkParts(request, call.bound.entry, call.bound);
  assertOwnTenant(caller.scope, [call.bound.query, call.bound.body]);
  const context = { ref, instance: PATH, requestId: caller.requestId };
  const outcome = await operator.propose({ app, caller, call, client, request: context });
  if (outcome.replayed) reply.header("Idempotent-Replayed", "true");
  return await reply.type(JSON_TYPE).send(frame(outcome));
}

/** Returns the refusal of an unknown tool, or of an action that the tool does not have. */
function unknownCall(message: unknown): ServiceError {
  const name = toolCallOf(message)?.name ?? "";
  const tool = Object.hasOwn(OPERATOR_TOOLS, name) ? OPERATOR_TOOLS[name] : undefined;
  if (tool === undefined)
    return new ServiceError("action_unknown", {
      extra: { did_you_mean: [] },
      detail: `The toolset has no tool of this name. It has ${[...Object.keys(OPERATOR_TOOLS), ...Object.keys(OPERATOR_OWN_TOOLS)].join(", ")}.`,
    });
  const words = `must be one of ${Object.keys(tool.actions).join(", ")}`;
  return new ServiceError("validation_failed", { errors: [fault("/action", "enum", words)] });
}
