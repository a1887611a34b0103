import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from "fastify";
import { hash } from "node:crypto";
import { isRecord, randomText, ServiceError } from "../lib/lib.ts";
import type { ScannedJson } from "../lib/lib.ts";
import { callerOf } from "../accounts/accounts.ts";
import type { Admitted, App, Scope } from "../accounts/accounts.ts";
import { acceptBody, accessRequestOf, askedBy, headerOf, rawBody, tryScan } from "./access-request.ts";
import type { MultiOperationRoute, ReadRequest } from "./access-request.ts";
import { formatResponse, sendAnswer, settleWrite } from "./answer.ts";
import { readIdempotencyKey, requestHash } from "./idempotency.ts";
import { operation, assertCallersDeclared } from "./operations.ts";
import type { Operation } from "./operations.ts";
import type { AccessChecks } from "./access-checks.ts";
import type { AccessContext } from "./types.ts";

/** A refusal in the format of the called surface. */
export interface RenderedError {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type RenderError = (
  request: FastifyRequest,
  refusal: ServiceError,
  problem: object,
) => Promise<RenderedError | undefined>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation behind the access checks. Set when the route is mounted. */
    checked?: Operation;
    switchboard?: MultiOperationRoute;
    /** Passes the body as bytes, in any format. For public routes. */
    rawBody?: boolean;
    /** Accepts only API keys, not console sessions. */
    keysOnly?: boolean;
    /** Accepts access tokens of connected apps in addition to keys. They are refused everywhere else. */
    takesTokens?: boolean;
    /** Further members of the challenge of a 401, and of a 403 for missing scopes (RFC 6750, RFC 9728). */
    challenge?: (request: FastifyRequest) => string;
    /** Formats the refusals of the surface. Without it, they are problem documents. */
    wording?: RenderError;
  }
  interface FastifyRequest {
    access: AccessContext;
    /** The scanned body, with the exact source text of its parts. */
    scanned: ScannedJson | null;
    /** The code of the refusal that was thrown, so that the work is undone; null if the response is not a refusal. */
    errorCode: string | null;
    /** Wraps the route's response in the format of the called surface, if that differs. */
    wrapBody: ((body: string, status: number) => string) | null;
  }
}

const MOST_PUBLIC_BODY = 16 * 1024;

/** Anybody can send such a body, and it is parsed and checked before anything is known about them. */
function limitPublicBody(route: RouteOptions): void {
  if (route.config?.callers === "public" && route.config.rawBody !== true) route.bodyLimit ??= MOST_PUBLIC_BODY;
}

/** Adds the access checks before every route that names an operation, and idempotency around every write. */
export function accessHooks(app: App, accessChecks: AccessChecks): void {
  app.decorateRequest("admitted", null);
  app.decorateRequest("aboutTenant", null);
  app.decorateRequest("scanned", null);
  app.decorateRequest("errorCode", null);
  app.decorateRequest("wrapBody", null);
  app.decorateRequest("access");
  app.addHook("onRoute", (route) => {
    const { config } = route;
    assertCallersDeclared(route);
    limitPublicBody(route);
    if (config?.operation === undefined || typeof config.callers === "string") return;
    const access = config.access ?? (route.method === "GET" || route.method === "HEAD" ? "read" : "write");
    config.checked = operation({ ...config, name: config.operation, callers: config.callers, access });
    accessChecks.register(config.checked);
    route.handler = behindWall(accessChecks, insideWrite(route.handler), config.allWorkspaces === true);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    takeAnyType(request);
    done();
  });
  app.addHook("preValidation", async (request, reply) => await passAccessChecks(accessChecks, request, reply));
  app.addHook("onSend", async (request, reply, payload) => {
    const sent = formatResponse(request, reply, payload);
    await settleWrite(accessChecks, request, reply, { payload, sent });
    return sent;
  });
  app.addHook("onResponse", (request, reply, done) => {
    note(accessChecks, request, reply);
    done();
  });
}

const PLAIN_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:;|$)/;

/**
 * The framework refuses a content type that is not well formed before the route can say whether the request is signed. It gets another
 * one for a route that takes any body, which reads the header that was sent from `sentHeaders`.
 */
function takeAnyType(request: FastifyRequest): void {
  const type = request.raw.headers["content-type"];
  if (type === undefined || request.routeOptions.config.rawBody !== true || PLAIN_TYPE.test(type)) return;
  request.headers = { "content-type": "application/octet-stream" };
}

/**
 * Limits the handler's queries to the caller's rows, even if a query has no such condition. A route of all workspaces only
 * works on the shard of the caller's workspace.
 */
function behindWall(
  accessChecks: AccessChecks,
  handler: RouteHandlerMethod,
  allWorkspaces: boolean,
): RouteHandlerMethod {
  const run = allWorkspaces ? accessChecks.at : accessChecks.within;
  return function handle(request, reply) {
    const { scope } = callerOf(request);
    assertOwnTenant(scope, [request.query, request.body]);
    return run(scope, () => handler.call(this, request, reply));
  };
}

/** Returns a handler that works as one of the API: with its caller's rows only, and as one write. For surfaces that name operations. */
export function asOperation(accessChecks: AccessChecks, handler: RouteHandlerMethod): RouteHandlerMethod {
  return behindWall(accessChecks, insideWrite(handler), false);
}

/** Refuses the work of a tenant's key that names another tenant, or none. */
export function assertOwnTenant({ tenant }: Scope, parts: readonly unknown[]): void {
  if ((tenant ?? null) === null) return;
  if (parts.flatMap(tenantsNamedIn).some((one) => one !== tenant))
    throw new ServiceError("tenant_mismatch", { detail: "The request names another tenant than that of the key." });
}

/**
 * Returns the tenants that a query or a body names: its own, that of the `filter` of a replay, and those of the `events` of a
 * batch. The data of an event is the caller's, so a `tenant` in it means nothing.
 */
function tenantsNamedIn(part: unknown): unknown[] {
  if (!isRecord(part)) return [];
  const { filter, events } = part;
  const parts = [part, filter, ...(Array.isArray(events) ? (events as unknown[]) : [])];
  return parts.flatMap((one) => (isRecord(one) && one["tenant"] !== undefined ? [one["tenant"]] : []));
}

function insideWrite(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function handle(request, reply) {
    const { write } = request.access;
    const work = (): unknown => handler.call(this, request, reply);
    return write === undefined ? work() : write.run(work);
  };
}

async function passAccessChecks(
  accessChecks: AccessChecks,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const body = rawBody(request);
  let scan: ScannedJson | Error | undefined;
  const scanned = (): ScannedJson | Error | undefined => {
    scan ??= body.length === 0 ? undefined : tryScan(body);
    // The surface may need the scanned body to format a refusal of the access checks.
    if (scan !== undefined && !(scan instanceof Error)) request.scanned = scan;
    return scan;
  };
  const { access } = request;
  const asks = askedBy(request, body, scanned);
  const sentKey = headerOf(request, "idempotency-key");
  const bareKey = sentKey?.replace(/^"(.*)"$/s, "$1") ?? "";
  if (asks === undefined) {
    if (request.routeOptions.config.rawBody !== true) acceptBody(request, body, scanned());
    const { open } = request.routeOptions.config.switchboard ?? {};
    if (open === undefined) return undefined;
    const read = { body, bodyHash: hash("sha256", body), bareKey, open };
    request.admitted = await knownCaller(accessChecks, request, read);
    return undefined;
  }
  const bodyHash = hash("sha256", body);
  const caller = await accessChecks.admit(accessRequestOf(request, { body, bodyHash, bareKey, asks }), access);
  const { operation: asked } = asks();
  request.admitted = caller;
  access.operation = asked;
  acceptBody(request, body, scanned());
  if (asked.access === "read" && !asked.ownIdempotency) return undefined;
  return await beginWrite(accessChecks, request, reply, {
    key: readIdempotencyKey(sentKey) ?? randomText(27),
    bodyHash,
  });
}

/** Returns the caller of an operation that needs no key, or null if the access checks refuse the credential. */
async function knownCaller(
  accessChecks: AccessChecks,
  request: FastifyRequest,
  { open, ...read }: Omit<ReadRequest, "asks"> & { readonly open: Operation },
): Promise<Admitted | null> {
  const { authorization, cookie } = request.headers;
  if (authorization === undefined && cookie === undefined && headerOf(request, "x-service-key") === undefined)
    return null;
  const asked = { operation: open, contract: null, ids: () => [] };
  try {
    return await accessChecks.admit(accessRequestOf(request, { ...read, asks: () => asked }), request.access);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

async function beginWrite(
  { idempotency }: AccessChecks,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, bodyHash }: { readonly key: string; readonly bodyHash: string },
): Promise<unknown> {
  const { access } = request;
  const { key: apiKey, scope } = callerOf(request);
  const hashed = requestHash(request.method, request.raw.url ?? request.url, bodyHash);
  access.ref = { bucket: scope.bucket, tag: scope.tag, lineageId: apiKey.lineageId, key, requestHash: hashed };
  reply.header("Idempotency-Key", key);
  if (access.operation === undefined || access.operation.ownIdempotency) return undefined;
  const begun = await idempotency.begin(access.ref, access.operation.remote);
  if ("status" in begun) return await sendAnswer(reply, { ...begun, replayed: true });
  access.write = begun;
  return undefined;
}

/** Notes a response for the usage and the request log, also that of a refused request, whose route tells the operation. */
function note(accessChecks: AccessChecks, request: FastifyRequest, reply: FastifyReply): void {
  const { id, ip, method, errorCode, routeOptions } = request;
  const { key, operation: asked = routeOptions.config.checked } = request.access;
  if (key === undefined || asked === undefined) return;
  accessChecks.note({
    id,
    key,
    operation: asked.name,
    access: asked.access,
    method,
    route: routeOptions.url ?? "",
    status: reply.statusCode,
    errorCode,
    durationMs: reply.elapsedTime,
    ip,
  });
}
