import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../../accounts/accounts.ts";
import { createTurns, holdTurn, nextTurn, ServiceError } from "../../lib/lib.ts";
import type { Turns } from "../../lib/lib.ts";
import { requestCaller } from "./overload.ts";

/** Bodies up to this size need no turn: most events and webhooks have a few KiB. */
const SMALL_BYTES = 64 * 1024;
const OF_CALLER = 4;
/** Anyone can name credentials that do not exist, so that the places of callers do not bound those of a network. */
const OF_NETWORK = 32;
const OF_ALL = 128;
const PATIENCE_MS = 15_000;

/**
 * Lets each caller have a few large bodies in progress at a time, and all callers some more: they fill the memory, and each step of their
 * way takes milliseconds, for which all others wait. Nothing of a body that waits for its turn is read. A caller is a credential, right or
 * wrong, or a network.
 */
export function largeBodies(app: Pick<FastifyInstance, "addHook">): void {
  const late = (): ServiceError =>
    new ServiceError("service_unavailable", {
      detail: `At most ${OF_CALLER} requests of one caller with bodies above ${SMALL_BYTES / 1024} KiB are processed at a time. Send fewer at once.`,
      headers: { "Retry-After": "2" },
    });
  const turnsOf = (most: number): Turns => createTurns({ most, patienceMs: PATIENCE_MS, late });
  const [ofCaller, ofNetwork, ofAll] = [turnsOf(OF_CALLER), turnsOf(OF_NETWORK), turnsOf(OF_ALL)];
  app.addHook("onRequest", async (request, reply) => {
    if (!isLarge(request)) return;
    await holdTurn(ofCaller, requestCaller(request), reply.raw);
    await holdTurn(ofNetwork, networkOf(request.ip), reply.raw);
    await holdTurn(ofAll, "all", reply.raw);
  });
  // Those that arrived together are parsed in different turns of the event loop.
  app.addHook("preValidation", async (request) => {
    if (isLarge(request)) await nextTurn();
  });
}

/** A body of unknown length counts as large, except on a route whose answer may be a stream of hours. */
function isLarge({ headers, routeOptions }: FastifyRequest): boolean {
  if (headers["transfer-encoding"] !== undefined) return routeOptions.config.switchboard === undefined;
  return Number(headers["content-length"] ?? 0) > SMALL_BYTES;
}
