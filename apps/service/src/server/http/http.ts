import { Readable } from "node:stream";
import Fastify from "fastify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createDocs, docsRoutes } from "../docs-site/docs.ts";
import { collectOperations, firstRefusal, accessHooks, roleRoutes } from "../../access/access.ts";
import type { RateState } from "../../access/access.ts";
import { asWork, nextTurn, NO_WORKSPACE_TAG, problemOf, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, IdMaker, Uuid } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { App } from "../../accounts/accounts.ts";
import { callerPlaces } from "./caller-places.ts";
import { endIdleWhenClosing } from "./closing.ts";
import { createHeadRequests } from "./head.ts";
import { largeBodies } from "./large-bodies.ts";
import { lifecycleHooks, UNPINNED } from "../answers/lifecycle.ts";
import { collectRoutes, documentedOperations } from "../openapi/openapi-routes.ts";
import { openApiRoutes } from "../openapi/documents.routes.ts";
import { badUrl, answerMalformed } from "./edge.ts";
import { answer, consoleRoutes, isConsolePage, pageRequest } from "../console/console.routes.ts";
import { portalPageRoutes } from "../console/portal.routes.ts";
import { CONSOLE_FOLDER, createConsole } from "../console/console.ts";
import { GENERAL_PATH, generalRoutes } from "../general-api/general.routes.ts";
import type { GeneralDeps } from "../general-api/general.routes.ts";
import { noisyNetworkHooks } from "./noisy-networks.ts";
import { createOverload } from "./overload.ts";
import { createPathIndex } from "./path-index.ts";
import type { PathIndex } from "./path-index.ts";
import { serviceErrorOf } from "../answers/problem.ts";
import { securityHeaders } from "../answers/security-headers.ts";
import { createSchemaCompilers, onFirstUse } from "./schema-compilers.ts";

export interface HttpDeps extends GeneralDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly signals: Signals;
  readonly baseUrl: string;
  readonly trustProxies: readonly string[];
  readonly version: string;
  /** The time for which a stop keeps recently used connections; default: a second. */
  readonly lingerMs?: number;
  /** Compiles the schemas of routes one by one once the service listens, so that no first request has to. */
  readonly warmsUp: boolean;
  /** Returns the origins that may frame the portal of a workspace. */
  portalOrigins(workspaceId: Uuid): Promise<readonly string[]>;
  /** The folder of the built console; by default, in this repository. */
  readonly consoleFolder?: string;
}

const MAX_BODY_BYTES = 256 * 1024;
const LONG_TEXT = 256 * 1024;
const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  // The default of Node is half a minute, with which a slow client could stay for twice the request's timeout.
  connectionsCheckingInterval: 2000,
};
const ADDRESS_LIMIT = { limit: 100, remaining: 100, reset: 60 };

declare module "fastify" {
  interface FastifyRequest {
    startedMs: number;
  }
}

/**
 * Creates the HTTP application: raw bodies, the access checks, problem+json for all errors, the OpenAPI document.
 * Modules mount their routes on it.
 */
export async function createHttp(deps: HttpDeps, mount: (app: App) => void): Promise<App> {
  const edge = {
    ...deps,
    requestTag: NO_WORKSPACE_TAG,
    headers: { ...securityHeaders(deps.baseUrl), ...rateHeaders(ADDRESS_LIMIT), "X-Service-Version": UNPINNED },
  };
  const overload = createOverload(edge);
  const heads = createHeadRequests();
  const app: App = Fastify({
    logger: false,
    serverFactory: (handle) => overload.createServer(SERVER_OPTIONS, heads.routed(handle)),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: deps.trustProxies.length === 0 ? false : [...deps.trustProxies],
    genReqId: () => wireId("req", NO_WORKSPACE_TAG, deps.ids.uuid()),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => {
      const { status, headers, body } = badUrl(edge, error.code, request.raw.url ?? "/");
      reply.raw.writeHead(status, headers).end(body);
    },
    clientErrorHandler: (error, socket) => answerMalformed(edge, error, socket),
  });
  endIdleWhenClosing(app, deps);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const compilers = onFirstUse(createSchemaCompilers());
  app.setValidatorCompiler(compilers.validators);
  app.setSerializerCompiler(compilers.serializers);
  if (deps.warmsUp) app.addHook("onListen", compilers.warmUp);
  app.decorateRequest("startedMs", 0);
  const known = createPathIndex();
  app.addHook("onRoute", (route) => {
    known.add(route.method, route.url);
    overload.addRoute(route);
  });
  beginHook(app, deps, heads);
  callerPlaces(app, deps);
  largeBodies(app);
  // The body is read before, which loses the context.
  app.addHook("preValidation", (request, _reply, done) => asWork(workOf(request), done));
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = await refusalFor(deps, known, request, error);
    request.errorCode = refusal.code;
    if (refusal.kind.status >= 500)
      // The log has the route instead of the path, because an inbox's path contains its token.
      deps.log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, "a request failed");
    else if (refusal.details.internal !== undefined)
      deps.log.debug(
        { code: refusal.code, internal: refusal.details.internal, request_id: request.id },
        "a request was rejected",
      );
    return await sendRefusal(deps, request, reply, refusal);
  });
  const console = createConsole(deps.consoleFolder ?? CONSOLE_FOLDER);
  app.setNotFoundHandler(async (request, reply) => {
    if (isConsolePage(request)) return await answer(reply, await console.page(pageRequest(request)));
    return sendProblem(deps, { error: missing(known, request), id: request.id, url: request.url, reply });
  });
  accessHooks(app, deps.accessChecks);
  lifecycleHooks(app);
  noisyNetworkHooks(app, deps);
  answerHooks(app, deps);
  const operations = collectOperations(app);
  collectRoutes(app, deps.version);
  roleRoutes(app, deps.accessChecks.operations);
  mount(app);
  if (operations.size > 0) generalRoutes(app, deps, operations);
  const docs = createDocs({ ...deps, operations: () => documentedOperations(app) });
  app.decorate("searchDocs", docs.search);
  docsRoutes(app, docs);
  consoleRoutes(app, console);
  portalPageRoutes(app, { ...deps, console });
  openApiRoutes(app, deps.baseUrl);
  await app.ready();
  return app;
}

/** Prepares each request for the hooks that follow. One can be refused before the access checks. */
function beginHook(app: App, { clock }: HttpDeps, heads: ReturnType<typeof createHeadRequests>): void {
  app.addHook("onRequest", (request, _reply, done) => {
    heads.restore(request.raw);
    request.startedMs = clock.monotonicMs();
    request.access = {};
    done();
  });
}

function workOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? "a path without a route" : `${method} ${routeOptions.url}`;
}

async function refusalFor(
  { accessChecks }: HttpDeps,
  known: PathIndex,
  request: FastifyRequest,
  error: unknown,
): Promise<ServiceError> {
  // A missing path is reported before a body that is too large (contract, section 3).
  if (request.is404) return missing(known, request);
  return await firstRefusal(accessChecks, request, withLimit(serviceErrorOf(error), request)).catch(serviceErrorOf);
}

/** Adds the limit of the route to the refusal of a body: routes differ. */
function withLimit(refusal: ServiceError, { routeOptions: { bodyLimit } }: FastifyRequest): ServiceError {
  if (refusal.code !== "payload_too_large" || refusal.details.detail !== undefined) return refusal;
  const detail = `This path takes bodies of at most ${Math.floor(bodyLimit / 1024)} KiB.`;
  return new ServiceError(refusal.code, { ...refusal.details, detail });
}

/** Returns the refusal of an unknown path, or of a method that the path does not support. */
function missing(known: PathIndex, request: { readonly url: string }): ServiceError {
  const allowed = known.methodsOf(pathOf(request.url));
  if (allowed.length === 0)
    return new ServiceError("route_not_found", { detail: "See /openapi.json for the available paths." });
  return new ServiceError("method_not_allowed", {
    detail: `This path supports ${allowed.join(", ")}.`,
    headers: { Allow: allowed.join(", ") },
  });
}

/** Adds the headers that every response carries (contract, sections 3 and 4). */
function answerHooks(app: App, deps: HttpDeps): void {
  const secure = Object.entries(securityHeaders(deps.baseUrl));
  app.addHook("onSend", (request, reply, payload, done) => {
    const { rate = ADDRESS_LIMIT, scheme } = request.access;
    reply.header("X-Service-Request-Id", request.id);
    reply.headers(rateHeaders(rate));
    for (const [name, value] of secure) if (!reply.hasHeader(name)) reply.header(name, value);
    if (scheme !== undefined) reply.header("X-Service-Signature-Scheme", scheme);
    done(null, request.method === "HEAD" && payload instanceof Readable ? unread(payload) : payload);
  });
  // It took a while to write such a text as JSON, and it takes one to send it.
  app.addHook("onSend", (_request, _reply, payload, done) => {
    if (typeof payload !== "string" || payload.length < LONG_TEXT) done(null, payload);
    else void sendLater(() => done(null, payload));
  });
  app.addHook("onResponse", (request, reply, done) => {
    const operation = request.access.operation?.name ?? request.routeOptions.config.operation ?? "public";
    deps.signals.requestAnswered(operation, reply.statusCode, deps.clock.monotonicMs() - request.startedMs);
    done();
  });
}

async function sendLater(send: () => void): Promise<void> {
  await nextTurn();
  send();
}

/** A stream does not begin for a HEAD, which needs none of it. */
function unread(stream: Readable): null {
  stream.destroy();
  return null;
}

function rateHeaders(rate: RateState): Record<string, string> {
  return {
    "X-Service-RateLimit-Limit": String(rate.limit),
    "X-Service-RateLimit-Remaining": String(rate.remaining),
    "X-Service-RateLimit-Reset": String(rate.reset),
  };
}

/** Sends a refusal, in the format of the called surface if it has its own. */
async function sendRefusal(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ServiceError,
): Promise<unknown> {
  const { id, url } = request;
  const problem = problemOf(refusal, { baseUrl: deps.baseUrl, instance: url, requestId: id });
  const worded = await request.routeOptions.config.wording?.(request, refusal, problem);
  if (worded === undefined) {
    reply.headers(challenge(request, refusal));
    return sendProblem(deps, { error: refusal, id, url, reply });
  }
  return reply
    .code(worded.status)
    .headers({ ...refusal.details.headers })
    .type(worded.type)
    .send(worded.body);
}

interface Refused {
  readonly error: ServiceError;
  readonly id: string;
  readonly url: string;
  readonly reply: {
    code(status: number): Refused["reply"];
    headers(values: Record<string, string>): Refused["reply"];
    type(type: string): Refused["reply"];
    send(body: string): unknown;
  };
}

function sendProblem(deps: HttpDeps, { error, id, url, reply }: Refused): unknown {
  const document = problemOf(error, { baseUrl: deps.baseUrl, instance: url, requestId: id });
  const problem = pathOf(url) === GENERAL_PATH ? { ok: false, ...document } : document;
  return reply
    .code(error.kind.status)
    .headers({ ...error.details.headers })
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problem));
}

/** Returns the challenge of a 401 by the access checks, and of a 403 for missing scopes (RFC 6750), which MCP clients look for. */
function challenge(request: FastifyRequest, { code, kind }: ServiceError): Record<string, string> {
  const { checked, switchboard, challenge: more } = request.routeOptions.config;
  const isForScopes = code === "scope_missing" && more !== undefined;
  if ((kind.status !== 401 && !isForScopes) || (checked ?? switchboard) === undefined) return {};
  const error = isForScopes ? "insufficient_scope" : "invalid_token";
  const wrong = code === "credentials_missing" ? "" : `, error="${error}"`;
  return { "WWW-Authenticate": `Bearer realm="junction"${wrong}${more === undefined ? "" : `, ${more(request)}`}` };
}

function pathOf(url: string): string {
  const cut = url.indexOf("?");
  return cut === -1 ? url : url.slice(0, cut);
}
