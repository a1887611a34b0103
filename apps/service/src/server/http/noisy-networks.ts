import type { FastifyRequest } from "fastify";
import { networkOf } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { createTurns, holdTurn } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";

/** The refused requests of a network in a minute from which on its requests take turns. */
const NOISY_FROM = 60;
const MINUTE_MS = 60_000;
/** A turn ends with the response, or earlier: a slow request costs nothing, and must not keep others waiting. */
const MOST_TURN_MS = 50;
/** A request that waited for this long continues without a turn, so that its neighbours cannot make it fail. */
const PATIENCE_MS = 5000;
const MOST_NETWORKS = 10_000;

/**
 * Lets the requests of a network take turns on the public routes that take large bodies, while many of them are refused. Before a
 * signature is verified, its body was received and hashed: one client with many connections would take that time from the senders of
 * other networks. No request is refused, because senders of one cloud share addresses.
 */
export function noisyNetworkHooks(app: App, { clock }: { readonly clock: Pick<Clock, "monotonicMs"> }): void {
  const turns = createTurns({ most: 1, patienceMs: PATIENCE_MS, late: () => new Error("no turn in time") });
  let refused = new Map<string, number>();
  let sinceMs = clock.monotonicMs();

  app.addHook("preParsing", async (request, reply) => {
    if (!isOpen(request) || (refused.get(networkOf(request.ip)) ?? 0) < NOISY_FROM) return;
    await holdTurn(turns, networkOf(request.ip), reply.raw, MOST_TURN_MS).catch(() => undefined);
  });

  app.addHook("onResponse", (request, reply, done) => {
    if (isOpen(request) && reply.statusCode >= 400 && reply.statusCode < 500) note(networkOf(request.ip));
    done();
  });

  function note(network: string): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - sinceMs > MINUTE_MS || refused.size >= MOST_NETWORKS) {
      refused = new Map();
      sinceMs = nowMs;
    }
    refused.set(network, (refused.get(network) ?? 0) + 1);
  }
}

function isOpen({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.callers === "public" && config.rawBody === true;
}
