import { hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../../accounts/accounts.ts";
import { createTurns, holdTurn, ServiceError } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { requestCaller } from "./overload.ts";
import { createTurnTimes } from "./turn-times.ts";
import type { TurnTimes } from "./turn-times.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The response may take long without work, such as one that waits for messages: it gives its place on early (`callerPlaces`). */
    waits?: boolean;
  }
}

const MOST = 64;
const LEAST = 1;
/** A place is given on with the response, or earlier: a slow request must not keep others of its caller waiting for longer. */
const MOST_PLACE_MS = 1000;
const MOST_WAITING_PLACE_MS = 50;
const PATIENCE_MS = 15_000;
const MOST_KNOWN = 10_000;
const PROBES: readonly string[] = ["/livez", "/readyz", "/metrics", "/version"];

/** The number of requests that one caller may have in progress. */
export interface CallerLimit extends Pick<TurnTimes, "turned"> {
  readonly most: number;
  /** Notes that a request of a caller arrived. */
  arrived(caller: string): void;
}

/** The limit is halved while turns are long and there is more than one caller, because a single one can keep only itself waiting. */
export function createCallerLimit(clock: Pick<Clock, "monotonicMs">): CallerLimit {
  const turnTimes = createTurnTimes(clock);
  let most = MOST;
  let callers = new Set<string>();
  return {
    get most() {
      return most;
    },
    arrived(caller) {
      const ended = turnTimes.arrived();
      if (ended === "short") most = Math.min(MOST, most + 1);
      else if (ended === "long" && callers.size > 1) most = Math.max(LEAST, Math.floor(most / 2));
      if (ended !== undefined) callers = new Set();
      callers.add(caller);
    },
    turned: turnTimes.turned,
  };
}

/**
 * Gives each caller places for requests in progress, fewer while the event loop is late: a request has several turns of the loop, and waits in
 * each of them for the requests of all others. A caller is a credential that was right before, or a network: anyone can make up credentials. Requests that share their work with
 * others, such as events and webhooks, need no place (`overload.ts`, `noisy-networks.ts`, `large-bodies.ts`), and neither do probes.
 */
export function callerPlaces(app: Pick<FastifyInstance, "addHook">, { clock }: { readonly clock: Clock }): void {
  const limit = createCallerLimit(clock);
  let known = new Set<string>();
  const learn = (credential: string): void => {
    if (known.size >= MOST_KNOWN) known = new Set();
    known.add(credential);
  };
  const turns = createTurns({
    most: () => limit.most,
    patienceMs: PATIENCE_MS,
    late: () =>
      new ServiceError("service_unavailable", {
        detail: "The service is busy, and this caller has many requests in progress. Send fewer at once.",
        headers: { "Retry-After": "2" },
      }),
  });
  app.addHook("onRequest", async (request, reply) => {
    // A probe does not compete with the requests of callers.
    if (PROBES.includes(request.routeOptions.url ?? "")) return;
    const credential = fingerprintOf(request);
    const isKnown = known.has(credential);
    const caller = isKnown ? credential : networkOf(request.ip);
    if (!isKnown)
      reply.raw.once("close", () => {
        if (request.admitted != null) learn(credential);
      });
    const arrivedMs = clock.monotonicMs();
    limit.arrived(caller);
    setImmediate(() => limit.turned(clock.monotonicMs() - arrivedMs));
    if (sharesItsWork(request)) return;
    await holdTurn(turns, caller, reply.raw, mayWait(request) ? MOST_WAITING_PLACE_MS : MOST_PLACE_MS);
  });
}

/** Returns what stands for a credential, so that no set of secrets is kept. */
function fingerprintOf(request: FastifyRequest): string {
  return hash("sha256", requestCaller(request), "base64");
}

function sharesItsWork({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.sheds === true || config.rawBody === true;
}

/** MCP and the General API do the work of any operation, also of those that wait. */
function mayWait({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.waits === true || config.switchboard !== undefined;
}
