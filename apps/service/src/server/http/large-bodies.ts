import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../../accounts/accounts.ts";
import { createTurns, ServiceError } from "../../lib/lib.ts";

/** Bodies up to this size need no turn: most events and webhooks have a few KiB. */
const SMALL_BYTES = 64 * 1024;
const OF_CALLER = 4;
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
  const ofCaller = createTurns({ most: OF_CALLER, patienceMs: PATIENCE_MS, late });
  const ofAll = createTurns({ most: OF_ALL, patienceMs: PATIENCE_MS, late });
  app.addHook("onRequest", async (request, reply) => {
    if (!isLarge(request)) return;
    for (const take of [() => ofCaller.take(callerOf(request)), () => ofAll.take("all")]) {
      const end = await take();
      // A caller may have gone while it waited.
      if (reply.raw.destroyed) end();
      else reply.raw.once("close", end);
    }
  });
}

/** A body of unknown length counts as large, except on a route whose answer may be a stream of hours. */
function isLarge({ headers, routeOptions }: FastifyRequest): boolean {
  if (headers["transfer-encoding"] !== undefined) return routeOptions.config.switchboard === undefined;
  return Number(headers["content-length"] ?? 0) > SMALL_BYTES;
}

function callerOf({ headers, ip }: FastifyRequest): string {
  return headers.authorization ?? headers["x-service-key"]?.toString() ?? headers.cookie ?? networkOf(ip);
}
