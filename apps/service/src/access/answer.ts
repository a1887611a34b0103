import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Tx } from "../platform/db/db.ts";
import { isRecord, parseJson } from "../lib/lib.ts";
import type { SentAnswer } from "./idempotency.ts";
import type { Operation } from "./operations.ts";
import { callerOf } from "../accounts/accounts.ts";
import type { Admitted, Scope } from "../accounts/accounts.ts";
import type { AccessChecks } from "./access-checks.ts";
import type { AuditedOperation } from "./types.ts";

/** Marks the place of a streamed response in the body that wraps it. The character cannot occur in JSON text. */
const HOLE = "\u0000";

/** Returns the source text of a member of the body, so that numbers lose no digits. */
export function memberText({ scanned }: Pick<FastifyRequest, "scanned">, name: string): string | undefined {
  return scanned?.slice([name]);
}

/** Tells the audit log the tenant of an endpoint or a source, if the response does not show it. Throws 404. */
export async function markTenant(
  owners: { get(scope: Scope, id: string): Promise<{ readonly tenant: string | null }> },
  request: FastifyRequest,
  id: string,
): Promise<void> {
  request.aboutTenant = (await owners.get(callerOf(request).scope, id)).tenant;
}

/** Sends JSON text unchanged, because parsing and printing it again would cost its numbers digits. */
export async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type("application/json; charset=utf-8").send(text);
}

/** Sends a stored response byte for byte, so that each repeat gets the same bytes. */
export async function sendAnswer(reply: FastifyReply, answer: SentAnswer): Promise<FastifyReply> {
  reply.request.wrapBody = null;
  reply.code(answer.status);
  if (answer.replayed) reply.header("Idempotent-Replayed", "true");
  if (answer.body === "") return await reply.send();
  const type = answer.status >= 400 ? "application/problem+json" : "application/json";
  return await reply.type(`${type}; charset=utf-8`).send(answer.body);
}

/**
 * Wraps a response in the format of the called surface. A response that is not JSON becomes a JSON string. A refusal is
 * already formatted.
 */
export function formatResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { wrapBody } = request;
  if (wrapBody === null || request.errorCode !== null) return payload;
  const isJson = /\bjson\b/.test(String(reply.getHeader("content-type") ?? ""));
  const isStream = payload instanceof Readable;
  const text = isStream ? "" : payloadText(payload);
  if (text === undefined) return payload;
  if (!isJson) reply.type("application/json; charset=utf-8");
  const words = (json: string): string => wrapBody(json, reply.statusCode);
  return isStream ? formatStream(payload, words, isJson) : words(isJson ? text : JSON.stringify(text));
}

/** Wraps a streamed body while it is sent. */
function formatStream(inner: Readable, words: (json: string) => string, isJson: boolean): Readable {
  const frame = words(isJson ? HOLE : `"${HOLE}"`).split(HOLE);
  return Readable.from(between(isJson ? inner : quoted(inner), frame));
}

async function* between(inner: AsyncIterable<unknown>, [before = "", after = ""]: readonly string[]): AsyncGenerator {
  yield before;
  yield* inner;
  yield after;
}

/** Yields the content of a JSON string, without its quotes. */
async function* quoted(inner: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const chunk of inner) yield JSON.stringify(String(chunk)).slice(1, -1);
}

/**
 * Settles the write with the exact bytes of the response and records the operation in the audit log. The response is
 * sent after both.
 */
export async function settleWrite(
  accessChecks: AccessChecks,
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, sent }: { readonly payload: unknown; readonly sent: unknown },
): Promise<void> {
  const { write, operation } = request.access;
  const refused = request.errorCode !== null;
  const status = reply.statusCode;
  request.access.write = undefined;
  const audited = refused ? undefined : auditedOperationOf(request, status, payloadText(payload) ?? "");
  if (write !== undefined) {
    const record = audited === undefined ? undefined : (tx: Tx): void => accessChecks.recordIn(tx, audited);
    await write.settle({ status, body: payloadText(sent) ?? "", refused, record });
  } else if (audited !== undefined && isRecordedHere(operation) && status < 400) {
    await accessChecks.record(audited);
  }
}

/** A read has no transaction, and neither has a write that can be repeated as it is. */
function isRecordedHere(operation: Operation | undefined): boolean {
  return operation?.access === "read" || operation?.ownIdempotency === true;
}

/** Returns the operation and the ids in its response, or undefined if the operation is not audited. */
function auditedOperationOf(request: FastifyRequest, status: number, body: string): AuditedOperation | undefined {
  const { admitted: caller } = request;
  const { operation } = request.access;
  if (caller === null || operation === undefined || operation.audit === null) return undefined;
  const parsed: unknown = body.startsWith("{") ? parseJson(body) : null;
  const answer = isRecord(parsed) ? parsed : {};
  return {
    caller,
    subject: operation.audit,
    action: operation.name,
    parameters: Object.assign(
      {},
      ...[ofTenant(caller), request.params, request.query, request.body].filter(isRecord),
    ) as object,
    result: idsIn(answer),
    succeeded: status < 400,
    tenant: tenantOf(request, caller, answer),
  };
}

/** The work of a tenant's key shows its tenant, also if the request does not name it. */
function ofTenant({ scope }: Admitted): object {
  return (scope.tenant ?? null) === null ? {} : { tenant: scope.tenant };
}

/** Returns the tenant of the key, or of the object that the operation changed or showed. A filter in the query is not one. */
function tenantOf(request: FastifyRequest, { scope }: Admitted, answer: object): string | null {
  const named = [answer, request.params, request.body].map((part) => (isRecord(part) ? part["tenant"] : undefined));
  return [scope.tenant, request.aboutTenant, ...named].find((one) => typeof one === "string") ?? null;
}

/** Returns only the ids of a response. Its other fields may be secret or are already stored elsewhere. */
function idsIn(answer: object): object | null {
  const ids = Object.entries(answer).filter(([name]) => name === "id" || name === "workspace_id");
  return ids.length === 0 ? null : Object.fromEntries(ids);
}

function payloadText(payload: unknown): string | undefined {
  if (typeof payload === "string") return payload;
  return Buffer.isBuffer(payload) ? payload.toString("utf8") : undefined;
}
