import type { Tx } from "../platform/db/db.ts";
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { isRecord, parseJson, randomText, scanJson, JsonFault, ServiceError } from "../lib/lib.ts";
import type { Id, ScannedJson } from "../lib/lib.ts";
import { callerOf } from "../accounts/workspaces/workspaces.ts";
import type { Admitted, App, SessionHeaders } from "../accounts/workspaces/workspaces.ts";
import type { AskedContract, Deed, Gate, Knock, Passage } from "./gate.ts";
import { note } from "../access/usage-recording.ts";
import { readIdempotencyKey, requestHash } from "../access/idempotency.ts";
import type { IdempotencyRef, StoredAnswer, Write } from "../access/idempotency.ts";
import { operation, refuseUndeclared, withBody } from "../access/operations.ts";
import type { Operation } from "../access/operations.ts";

/** Where a streamed answer goes in its dress; no JSON text holds it. */
const HOLE = "\u0000";

/** What a request asks for. */
export interface Asked {
  readonly operation: Operation;
  /** The contract that it runs; null where it runs none. */
  readonly contract: AskedContract | null;
  /** What may be an id of ours among the arguments. */
  ids(): readonly unknown[];
}

/** A route that stands for many operations, each named by the body. Only called with what the gate may know by then. */
export interface Switchboard {
  /** What needs no key; to who shows a good one it says more. */
  readonly open?: Operation;
  /** Whether the body names what needs no key. */
  keyless(body: Buffer, scan: () => ScannedJson | undefined): boolean;
  /** `scanned` is undefined when the body is not JSON; it is refused for that after the gate. */
  asked(scanned: ScannedJson | undefined): Asked;
}

/** A refusal in the words of the surface that was called. */
export interface Worded {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type Wording = (request: FastifyRequest, refusal: ServiceError, problem: object) => Promise<Worded | undefined>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set by the gate when the route is mounted. */
    gated?: Operation;
    switchboard?: Switchboard;
    /** A public route that takes bodies of any form, as bytes. */
    rawBody?: boolean;
    /** Lets in API keys alone, not the console's sessions. */
    keysOnly?: boolean;
    /** How the surface words a refusal; undefined for what is a problem document there too. */
    wording?: Wording;
  }
  interface FastifyRequest {
    passage: Passage;
    /** The body as scanned: exact source text of its parts. */
    scanned: ScannedJson | null;
    /** What was asked for; null on public routes. */
    operation: Operation | null;
    idempotencyRef: IdempotencyRef | null;
    /** The write that is under way, until it is settled. */
    write: Write | null;
    /** Set by the error handler: the answer is a refusal that was thrown, so that nothing of the work may stay. */
    refused: boolean;
    /** The refusal's; null of an answer that is none. */
    errorCode: string | null;
    /** How the surface that was called words an answer, if not as the route does. */
    dress: ((body: string, status: number) => string) | null;
  }
}

/** Puts the gate before every route that names an operation, and idempotency around every write. */
export function gateHooks(app: App, gate: Gate): void {
  app.decorateRequest("admitted", null);
  app.decorateRequest("scanned", null);
  app.decorateRequest("operation", null);
  app.decorateRequest("idempotencyRef", null);
  app.decorateRequest("write", null);
  app.decorateRequest("refused", false);
  app.decorateRequest("errorCode", null);
  app.decorateRequest("dress", null);
  app.decorateRequest("passage");
  app.addHook("onRoute", (route) => {
    const { config } = route;
    refuseUndeclared(route);
    if (config?.operation === undefined || typeof config.callers === "string") return;
    const access = config.access ?? (route.method === "GET" || route.method === "HEAD" ? "read" : "write");
    config.gated = operation({ ...config, name: config.operation, callers: config.callers, access });
    gate.register(config.gated);
    route.handler = behindWall(gate, insideWrite(route.handler), config.allWorkspaces === true);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    request.passage = {};
    done();
  });
  app.addHook("preValidation", async (request, reply) => await passGate(gate, request, reply));
  app.addHook("onSend", async (request, reply, payload) => {
    const sent = dressed(request, reply, payload);
    await settle(gate, request, reply, { payload, sent });
    return sent;
  });
  app.addHook("onResponse", (request, reply, done) => {
    note(gate, request, reply);
    done();
  });
}

/** The handler's queries see the caller's rows alone, whatever they forget to ask for. */
function behindWall(gate: Gate, handler: RouteHandlerMethod, allWorkspaces: boolean): RouteHandlerMethod {
  if (allWorkspaces) return handler;
  return function handle(request, reply) {
    return gate.within(callerOf(request).scope, () => handler.call(this, request, reply));
  };
}

function insideWrite(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function handle(request, reply) {
    const work = (): unknown => handler.call(this, request, reply);
    return request.write === null ? work() : request.write.run(work);
  };
}

async function passGate(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const body = rawBody(request);
  let scan: ScannedJson | Error | undefined;
  const scanned = (): ScannedJson | Error | undefined => {
    scan ??= body.length === 0 ? undefined : tryScan(body);
    // Kept for whoever words a refusal of the gate.
    if (scan !== undefined && !(scan instanceof Error)) request.scanned = scan;
    return scan;
  };
  const asks = askedBy(request, body, scanned);
  const bodyHash = hash("sha256", body);
  const sentKey = headerOf(request, "idempotency-key");
  const bareKey = sentKey?.replace(/^"(.*)"$/s, "$1") ?? "";
  if (asks === undefined) {
    if (request.routeOptions.config.rawBody !== true) acceptBody(request, body, scanned());
    const { open } = request.routeOptions.config.switchboard ?? {};
    if (open !== undefined) request.admitted = await knownCaller(gate, request, { body, bodyHash, bareKey, open });
    return undefined;
  }
  const caller = await gate.admit(knockOf(request, { body, bodyHash, bareKey, asks }), request.passage);
  request.admitted = caller;
  request.operation = asks().operation;
  acceptBody(request, body, scanned());
  if (request.operation.access === "read" && !request.operation.ownIdempotency) return undefined;
  return await beginWrite(gate, request, reply, { key: readIdempotencyKey(sentKey) ?? randomText(27), bodyHash });
}

/** Who asks for what needs no key, as far as the gate would let them in; whatever it refuses is nobody. */
async function knownCaller(
  gate: Gate,
  request: FastifyRequest,
  { open, ...read }: Omit<Read, "asks"> & { readonly open: Operation },
): Promise<Admitted | null> {
  const { authorization, cookie } = request.headers;
  if (authorization === undefined && cookie === undefined && headerOf(request, "x-service-key") === undefined)
    return null;
  const asked = { operation: open, contract: null, ids: () => [] };
  try {
    return await gate.admit(knockOf(request, { ...read, asks: () => asked }), request.passage);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** How to learn what the request asks for, which for some needs its body; undefined when no key is needed. */
function askedBy(
  request: FastifyRequest,
  body: Buffer,
  scanned: () => ScannedJson | Error | undefined,
): (() => Asked) | undefined {
  const { gated, switchboard } = request.routeOptions.config;
  const read = (): ScannedJson | undefined => {
    const scan = scanned();
    return scan instanceof Error ? undefined : scan;
  };
  if (gated !== undefined) {
    const ids = (): unknown[] => namedValues(request, read()?.value);
    return () => ({
      operation: withBody(gated, read()?.value),
      contract: contractOf(gated, read()?.value),
      ids,
    });
  }
  if (switchboard === undefined || switchboard.keyless(body, read)) return undefined;
  let asked: Asked | undefined;
  return () => (asked ??= switchboard.asked(read()));
}

interface Read {
  readonly body: Buffer;
  readonly bodyHash: string;
  readonly bareKey: string;
  asks(): Asked;
}

function knockOf(request: FastifyRequest, read: Read): Knock {
  return {
    operation: () => read.asks().operation,
    contract: () => read.asks().contract,
    method: request.method,
    target: request.raw.url ?? request.url,
    idempotencyKey: read.bareKey,
    body: read.body,
    bodyHash: read.bodyHash,
    authorization: request.headers.authorization,
    keyId: headerOf(request, "x-service-key"),
    signature: headerOf(request, "x-service-signature"),
    timestamp: headerOf(request, "x-service-timestamp"),
    session: sessionOf(request),
    ip: request.ip,
    requestId: request.id as Id,
    ids: () => [...read.asks().ids(), headerOf(request, "x-service-workspace")].filter((id) => typeof id === "string"),
  };
}

/** What a request shows of a console session. */
export function sessionOf(request: FastifyRequest): SessionHeaders {
  return {
    method: request.method,
    cookie: request.routeOptions.config.keysOnly === true ? undefined : request.headers.cookie,
    csrfToken: headerOf(request, "x-csrf-token"),
    workspace: headerOf(request, "x-service-workspace"),
    environment: headerOf(request, "x-service-environment"),
  };
}

/** The contract that a body names, where the operation runs one. */
export function contractOf({ runsContract }: Operation, body: unknown): AskedContract | null {
  return runsContract && isRecord(body) && typeof body["action"] === "string" ? { key: body["action"] } : null;
}

/** What may be ids: in the path, in the query, and in the body's own `…_id` members. */
function namedValues(request: FastifyRequest, body: unknown): unknown[] {
  const values = [request.params, request.query].flatMap((part) => (isRecord(part) ? Object.values(part) : []));
  if (!isRecord(body)) return values;
  return [...values, ...Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : []))];
}

function acceptBody(request: FastifyRequest, body: Buffer, scan: ScannedJson | Error | undefined): void {
  if (body.length === 0) {
    // Announced by its media type and empty, it arrives as no bytes at all, which validation would take for an object.
    request.body = undefined;
    return;
  }
  const type = headerOf(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new ServiceError("unsupported_media_type", { detail: "Send Content-Type: application/json." });
  if (scan instanceof JsonFault) throw new ServiceError("malformed_json", { detail: scan.message });
  if (scan === undefined || scan instanceof Error) throw scan ?? new Error("a body was not scanned");
  request.scanned = scan;
  request.body = scan.value;
}

function tryScan(body: Buffer): ScannedJson | Error {
  try {
    return scanJson(body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function beginWrite(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, bodyHash }: { readonly key: string; readonly bodyHash: string },
): Promise<unknown> {
  const { key: apiKey, scope } = callerOf(request);
  const ref: IdempotencyRef = {
    bucket: scope.bucket,
    tag: scope.tag,
    lineageId: apiKey.lineageId,
    key,
    requestHash: requestHash(request.method, request.raw.url ?? request.url, bodyHash),
  };
  request.idempotencyRef = ref;
  reply.header("Idempotency-Key", key);
  if (request.operation === null || request.operation.ownIdempotency) return undefined;
  const begun = await gate.idempotency.begin(ref, request.operation.remote);
  if ("status" in begun) return await sendAnswer(reply, { ...begun, replayed: true });
  request.write = begun;
  return undefined;
}

/** JSON that is text already: to read and print it again would cost its numbers digits. */
export async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type("application/json; charset=utf-8").send(text);
}

/** Sends an answer that is kept, or was: byte for byte, for nothing may be said twice in two ways. */
export async function sendAnswer(
  reply: FastifyReply,
  answer: StoredAnswer & { readonly replayed: boolean },
): Promise<FastifyReply> {
  reply.request.dress = null;
  reply.code(answer.status);
  if (answer.replayed) reply.header("Idempotent-Replayed", "true");
  if (answer.body === "") return await reply.send();
  const type = answer.status >= 400 ? "application/problem+json" : "application/json";
  return await reply.type(`${type}; charset=utf-8`).send(answer.body);
}

/** The answer in the words of the surface that was called; what is not JSON becomes a text in it. A refusal has them already. */
function dressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { dress } = request;
  if (dress === null || request.refused) return payload;
  const isJson = /\bjson\b/.test(String(reply.getHeader("content-type") ?? ""));
  const isStream = payload instanceof Readable;
  const text = isStream ? "" : textOf(payload);
  if (text === undefined) return payload;
  if (!isJson) reply.type("application/json; charset=utf-8");
  const words = (json: string): string => dress(json, reply.statusCode);
  return isStream ? framed(payload, words, isJson) : words(isJson ? text : JSON.stringify(text));
}

/** What is sent as it is read is dressed as it is read. */
function framed(inner: Readable, words: (json: string) => string, isJson: boolean): Readable {
  const frame = words(isJson ? HOLE : `"${HOLE}"`).split(HOLE);
  return Readable.from(between(isJson ? inner : quoted(inner), frame));
}

async function* between(inner: AsyncIterable<unknown>, [before = "", after = ""]: readonly string[]): AsyncGenerator {
  yield before;
  yield* inner;
  yield after;
}

/** The inside of a JSON string. */
async function* quoted(inner: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const chunk of inner) yield JSON.stringify(String(chunk)).slice(1, -1);
}

/** Ends the write with the very bytes that are sent, and what the audit is told; they are sent only when both stand. */
async function settle(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, sent }: { readonly payload: unknown; readonly sent: unknown },
): Promise<void> {
  const { write, refused } = request;
  const status = reply.statusCode;
  request.write = null;
  const deed = refused ? undefined : deedOf(request, status, textOf(payload) ?? "");
  if (write !== null) {
    const record = deed === undefined ? undefined : (tx: Tx): void => gate.recordIn(tx, deed);
    await write.settle({ status, body: textOf(sent) ?? "", refused, record });
  } else if (deed !== undefined && request.operation?.access === "read" && status < 400) {
    await gate.record(deed);
  }
}

/** What was asked, and what the answer is about; undefined where the audit is not told. */
function deedOf(request: FastifyRequest, status: number, body: string): Deed | undefined {
  const { operation: asked, admitted: caller } = request;
  if (caller === null || asked === null || asked.audit === null) return undefined;
  return {
    caller,
    subject: asked.audit,
    action: asked.name,
    parameters: Object.assign({}, ...[request.params, request.query, request.body].filter(isRecord)) as object,
    result: idsIn(body),
    succeeded: status < 400,
  };
}

/** The rest of an answer is a secret, or is kept where it was written. */
function idsIn(body: string): object | null {
  const answer: unknown = body.startsWith("{") ? parseJson(body) : null;
  if (!isRecord(answer)) return null;
  const ids = Object.entries(answer).filter(([name]) => name === "id" || name === "workspace_id");
  return ids.length === 0 ? null : Object.fromEntries(ids);
}

function textOf(payload: unknown): string | undefined {
  if (typeof payload === "string") return payload;
  return Buffer.isBuffer(payload) ? payload.toString("utf8") : undefined;
}

function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** One header's value; a header sent twice arrives joined and matches no form. */
function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
