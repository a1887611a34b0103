import type { FastifyReply, FastifyRequest } from "fastify";
import { hash } from "node:crypto";
import { randomText, scanJson, JsonFault, ServiceError } from "../kernel/kernel.ts";
import type { ScannedJson } from "../kernel/kernel.ts";
import { callerOf } from "../workspaces/workspaces.ts";
import type { App } from "../workspaces/workspaces.ts";
import type { Gate, Knock, Passage } from "./gate.ts";
import { readIdempotencyKey, requestHash } from "./idempotency.ts";
import type { IdempotencyRef } from "./idempotency.ts";
import { operation } from "./operations.ts";
import { roleRoutes } from "./roles.routes.ts";
import type { Operation } from "./operations.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set by the gate when the route is mounted. */
    gated?: Operation;
    /** A public route that takes bodies of any form, as bytes. */
    rawBody?: boolean;
  }
  interface FastifyRequest {
    passage: Passage;
    /** The body as scanned: exact source text of its parts. */
    scanned: ScannedJson | null;
    idempotencyRef: IdempotencyRef | null;
    idempotencyBegun: boolean;
  }
}

const NEVER_STORED: ReadonlySet<number> = new Set([400, 401, 403, 413, 422, 429]);

/** Puts the gate before every route that names an operation. */
export function gateHooks(app: App, gate: Gate): void {
  app.decorateRequest("admitted", null);
  app.decorateRequest("scanned", null);
  app.decorateRequest("idempotencyRef", null);
  app.decorateRequest("idempotencyBegun", false);
  app.decorateRequest("passage");
  app.addHook("onRoute", (route) => {
    const config = route.config;
    if (config?.operation === undefined) return;
    const access = config.access ?? (route.method === "GET" || route.method === "HEAD" ? "read" : "write");
    config.gated = operation({ ...config, name: config.operation, access });
    gate.register(config.gated);
  });
  roleRoutes(app, gate.operations);
  app.addHook("onRequest", (request, _reply, done) => {
    request.passage = {};
    done();
  });
  app.addHook("preValidation", async (request, reply) => await passGate(gate, request, reply));
  app.addHook("onSend", async (request, reply, payload) => {
    await keepAnswer(gate, request, reply, payload);
    return payload;
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { key } = request.passage;
    const op = request.routeOptions.config.gated;
    if (key !== undefined && key.session === undefined && op !== undefined)
      gate.noteUse({ key, operation: op.name, ip: request.ip, status: reply.statusCode });
    done();
  });
}

async function passGate(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const op = request.routeOptions.config.gated;
  const body = rawBody(request);
  if (op === undefined) {
    if (request.routeOptions.config.rawBody !== true) parseBody(request, body);
    return undefined;
  }
  const bodyHash = hash("sha256", body);
  const sentKey = headerOf(request, "idempotency-key");
  const bareKey = sentKey?.replace(/^"(.*)"$/s, "$1") ?? "";
  let scan: ScannedJson | Error | undefined;
  const scanned = (): ScannedJson | Error | undefined => (scan ??= body.length === 0 ? undefined : tryScan(body));
  const caller = await gate.admit(knockOf(request, op, { body, bodyHash, bareKey, scanned }), request.passage);
  request.admitted = caller;
  acceptBody(request, body, scanned());
  if (op.access === "read") return undefined;
  return await beginIdempotent(gate, request, reply, {
    op,
    key: readIdempotencyKey(sentKey) ?? randomText(27),
    bodyHash,
  });
}

interface Read {
  readonly body: Buffer;
  readonly bodyHash: string;
  readonly bareKey: string;
  scanned(): ScannedJson | Error | undefined;
}

function knockOf(request: FastifyRequest, op: Operation, read: Read): Knock {
  return {
    operation: op,
    method: request.method,
    target: request.raw.url ?? request.url,
    idempotencyKey: read.bareKey,
    body: read.body,
    bodyHash: read.bodyHash,
    authorization: request.headers.authorization,
    keyId: headerOf(request, "x-service-key"),
    signature: headerOf(request, "x-service-signature"),
    timestamp: headerOf(request, "x-service-timestamp"),
    session: {
      method: request.method,
      cookie: request.headers.cookie,
      csrfToken: headerOf(request, "x-csrf-token"),
      workspace: headerOf(request, "x-service-workspace"),
      environment: headerOf(request, "x-service-environment"),
    },
    ip: request.ip,
    ids: () => namedIds(request, read.scanned()),
  };
}

/** Ids in the path, in the query, in `X-Service-Workspace`, and in the body's own `…_id` members. */
function namedIds(request: FastifyRequest, scanned: ScannedJson | Error | undefined): string[] {
  const ids: unknown[] = [request.params, request.query].flatMap((part) => (isRecord(part) ? Object.values(part) : []));
  ids.push(headerOf(request, "x-service-workspace"));
  const body = scanned === undefined || scanned instanceof Error ? undefined : scanned.value;
  if (isRecord(body))
    ids.push(...Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : [])));
  return ids.filter((id) => typeof id === "string");
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

function parseBody(request: FastifyRequest, body: Buffer): void {
  acceptBody(request, body, body.length === 0 ? undefined : tryScan(body));
}

function tryScan(body: Buffer): ScannedJson | Error {
  try {
    return scanJson(body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface Write {
  readonly op: Operation;
  readonly key: string;
  readonly bodyHash: string;
}

async function beginIdempotent(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  write: Write,
): Promise<unknown> {
  const { key, scope } = callerOf(request);
  const ref: IdempotencyRef = {
    bucket: scope.bucket,
    tag: scope.tag,
    lineageId: key.lineageId,
    key: write.key,
    requestHash: requestHash(request.method, request.raw.url ?? request.url, write.bodyHash),
  };
  request.idempotencyRef = ref;
  reply.header("Idempotency-Key", write.key);
  if (write.op.ownIdempotency) return undefined;
  const stored = await gate.idempotency.begin(ref);
  if (stored === undefined) {
    request.idempotencyBegun = true;
    return undefined;
  }
  return await replayAnswer(reply, stored);
}

/** Sends the first request's answer again, byte for byte. */
export async function replayAnswer(
  reply: FastifyReply,
  stored: { status: number; body: string },
): Promise<FastifyReply> {
  const type = stored.status >= 400 ? "application/problem+json" : "application/json";
  reply.code(stored.status).header("Idempotent-Replayed", "true");
  return await (stored.body === "" ? reply.send() : reply.type(`${type}; charset=utf-8`).send(stored.body));
}

async function keepAnswer(gate: Gate, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const ref = request.idempotencyRef;
  if (ref === null || !request.idempotencyBegun) return;
  request.idempotencyBegun = false;
  const status = reply.statusCode;
  if (NEVER_STORED.has(status) || status >= 500) await gate.idempotency.abandon(ref);
  else await gate.idempotency.finish(ref, { status, body: typeof payload === "string" ? payload : "" });
}

function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** One header's value; a header sent twice arrives joined and matches no form. */
function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
