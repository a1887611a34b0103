import { createServer } from "node:http";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from "node:http";
import type { FastifyRequest, RouteOptions } from "fastify";
import { networkOf } from "../../accounts/accounts.ts";
import { createTurns, holdTurn, ServiceError } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { createAdmission, LEAST } from "./admission.ts";
import { createCrowd } from "./crowd.ts";
import { edgeAnswer, repeatedAnswer } from "./edge.ts";
import type { EdgeDeps } from "./edge.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** While more of these requests come in than the service can process, some are rejected with 503 before anything else is done for them. */
    sheds?: boolean;
  }
}

export interface OverloadDeps extends EdgeDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Signals;
}

/** Rejects requests of some routes while the service is overloaded. */
export interface Overload {
  /** Registers a route if its configuration has `sheds`. */
  addRoute(route: RouteOptions): void;
  /** Returns the HTTP server, which checks each request before it passes it to `handle`. */
  createServer(options: ServerOptions, handle: RequestListener): Server;
}

/** The longest that a request waits for its caller's turn. */
const PATIENCE_MS = 15_000;
/** Stands for all callers that are not known: anyone can make up credentials. */
const STRANGERS = "";
const LOG_EVERY_MS = 10_000;
const REJECTION = new ServiceError("service_unavailable", {
  detail: "The service is overloaded. Send the event again with the same idempotency key.",
  headers: { "Retry-After": "1" },
});

/**
 * Rejects requests before the framework sees them. A rejection must cost a fraction of an accepted request; otherwise,
 * an overloaded service spends its time on rejections.
 */
export function createOverload(deps: OverloadDeps): Overload {
  const { clock, log, signals } = deps;
  const admission = createAdmission(clock);
  const crowd = createCrowd(clock);
  const turns = createTurns({
    most: () => crowd.places,
    patienceMs: PATIENCE_MS,
    late: () => REJECTION,
  });
  const operations = new Map<string, string>();
  /** Functions that make the rejection of a request, by its path in the usual spelling. */
  const rejections = new Map<string, ReturnType<typeof repeatedAnswer>>();
  let loggedMs = -Infinity;

  function reject(request: IncomingMessage, response: ServerResponse, operation: string): void {
    const { url = "/" } = request;
    const { status, headers, body } = rejections.get(url)?.() ?? edgeAnswer(deps, REJECTION, url);
    response.writeHead(status, headers).end(body);
    signals.requestAnswered(operation, status, 0);
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedMs < LOG_EVERY_MS) return;
    loggedMs = nowMs;
    log.warn({ refused: admission.refused }, "the service is overloaded: some new events are rejected with 503");
  }

  /** Passes the request on in its caller's turn, unless it is rejected. */
  async function enter(request: IncomingMessage, response: ServerResponse, handle: () => void): Promise<void> {
    const operation = request.method === "POST" ? operations.get(pathOf(request.url ?? "/")) : undefined;
    if (operation === undefined) return handle();
    const caller = connectionOf(request);
    // In a crowd, a caller's requests wait for its others, so that more of them would only wait longer.
    const most = Math.max(LEAST, crowd.places);
    if (!admission.enter(caller, most)) return reject(request, response, operation);
    const startedMs = clock.monotonicMs();
    const line = admission.isKnown(caller) ? caller : STRANGERS;
    crowd.arrived(line);
    setImmediate(() => crowd.turned(clock.monotonicMs() - startedMs));
    // A caller that closes the connection leaves too.
    response.once("close", () =>
      admission.left(caller, startedMs, response.headersSent ? response.statusCode : undefined),
    );
    // A turn costs a little, and a caller that is alone needs none.
    if (crowd.places === Infinity) return handle();
    try {
      await holdTurn(turns, line, response);
    } catch {
      return reject(request, response, operation);
    }
    if (!response.destroyed) handle();
  }

  return {
    addRoute({ method, url, config }) {
      if (config?.sheds !== true) return;
      if (method !== "POST" || url.includes(":")) throw new Error(`${url} cannot be rejected early: its path varies`);
      operations.set(url, config.operation ?? url);
      rejections.set(url, repeatedAnswer(deps, REJECTION, url));
    },
    createServer(options, handle) {
      const server = createServer(options, (request, response) => {
        // While the server closes, each response must end its connection, which the framework does.
        if (!server.listening) return handle(request, response);
        void enter(request, response, () => handle(request, response));
      });
      return server;
    },
  };
}

/** Returns the path as the router reads it, so that no other spelling avoids the limit. */
function pathOf(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Returns a text that distinguishes callers before the address of a caller behind a proxy is known. */
function connectionOf({ headers, socket }: IncomingMessage): string {
  return credentialOf(headers) ?? socket.remoteAddress ?? "";
}

/** Returns a text that distinguishes callers: the credential, right or wrong, or the network. */
export function requestCaller({ headers, ip }: FastifyRequest): string {
  return credentialOf(headers) ?? headers.cookie ?? networkOf(ip);
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  return headers.authorization ?? headers["x-service-key"]?.toString();
}
