import type { FastifyReply, FastifyRequest } from "fastify";
import { problemOf, ServiceError } from "../lib/lib.ts";
import type { Admitted, App } from "../accounts/accounts.ts";
import { settleWrite } from "./answer.ts";
import type { AccessChecks } from "./access-checks.ts";
import type { IdempotencyRef, StoredAnswer } from "./idempotency.ts";
import type { OperationEntry, RequestParts } from "./operation-table.ts";
import type { Operation } from "./operations.ts";

/** A call of an operation that no request makes, by a caller whose rights have just been checked for it. */
export interface DetachedCall {
  readonly app: App;
  readonly entry: OperationEntry;
  /** The operation that the caller was let in for. */
  readonly operation: Operation;
  readonly caller: Admitted;
  readonly parts: Omit<RequestParts, "wrapBody">;
  /** The work takes effect once under it, also if it is called again after a crash. */
  readonly ref: IdempotencyRef;
  readonly baseUrl: string;
}

/**
 * Runs an operation's own handler with a caller's rows, idempotency and audit, as its route would. Returns a refusal as its
 * problem document.
 */
export async function runDetached(accessChecks: AccessChecks, call: DetachedCall): Promise<StoredAnswer> {
  const { app, entry, operation, caller, ref } = call;
  const request = detachedRequest(call);
  const reply = detachedReply(request);
  if (operation.access === "write" && !operation.ownIdempotency) {
    const begun = await accessChecks.idempotency.begin(ref, operation.remote);
    if ("status" in begun) return begun;
    request.access.write = begun;
  }
  const settled = async (answer: StoredAnswer): Promise<StoredAnswer> => {
    reply.statusCode = answer.status;
    await settleWrite(accessChecks, asRequest(request), asReply(reply), { payload: answer.body, sent: answer.body });
    return answer;
  };
  try {
    const returned: unknown = await entry.handler.call(app, asRequest(request), asReply(reply));
    const body = payloadText(reply.sent ? reply.payload : returned);
    return await settled({ status: reply.statusCode, body });
  } catch (error) {
    const refusal = error instanceof ServiceError ? error : new ServiceError("internal_error");
    request.errorCode = refusal.code;
    const { baseUrl } = call;
    const problem = problemOf(refusal, { baseUrl, instance: request.url, requestId: caller.requestId });
    const answer = await settled({ status: refusal.kind.status, body: JSON.stringify(problem) });
    if (refusal !== error) throw error;
    return answer;
  }
}

/** The members of a request that handlers and their idempotency and audit read. */
function detachedRequest({ entry, operation, caller, parts, ref }: DetachedCall) {
  return {
    id: caller.requestId,
    ip: caller.ip,
    url: "/mcp",
    method: "POST",
    headers: {},
    params: parts.params,
    query: parts.query,
    body: parts.body,
    scanned: parts.body === undefined ? null : parts.scanned,
    admitted: caller,
    aboutTenant: null,
    errorCode: null as string | null,
    wrapBody: null,
    routeOptions: { config: { ...entry.operation } },
    access: { key: caller.key, operation, ref } as FastifyRequest["access"],
  };
}

function detachedReply(request: ReturnType<typeof detachedRequest>) {
  const reply = {
    request,
    statusCode: 200,
    sent: false,
    payload: undefined as unknown,
    code: (status: number) => {
      reply.statusCode = status;
      return reply;
    },
    header: () => reply,
    type: () => reply,
    send: (payload?: unknown) => {
      reply.sent = true;
      reply.payload = payload;
      return reply;
    },
  };
  return reply;
}

/** Handlers of operations read no other members. */
function asRequest(request: ReturnType<typeof detachedRequest>): FastifyRequest {
  return request as unknown as FastifyRequest;
}

function asReply(reply: ReturnType<typeof detachedReply>): FastifyReply {
  return reply as unknown as FastifyReply;
}

function payloadText(payload: unknown): string {
  if (payload === undefined || payload === null) return "";
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}
