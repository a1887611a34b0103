import type { Socket } from "node:net";
import type { Clock } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";

export interface ClosingDeps {
  readonly clock: Clock;
  /** The time for which a connection must have been silent before a stop ends it. Default: a second. */
  readonly lingerMs?: number;
}

const LOOK_MS = 100;
const LINGER_MS = 1000;
/** Clients that do not check whether the process is ready may keep opening connections. */
const MOST_LINGERS = 5;

/**
 * Lets a stop end with its last response, without losing a request. After the stop begins, responses end their
 * connections (Fastify's `Connection: close`). A connection that was used recently is left until it has had such a
 * response, or was silent for a while, because its client may be sending. Then Fastify ends the idle connections. It
 * would wait for each busy one until its client gives up: minutes, or indefinitely if the client is the service itself,
 * delivering to its own inbox. So idle connections are closed again and again.
 */
export function endIdleWhenClosing(app: App, { clock, lingerMs = LINGER_MS }: ClosingDeps): void {
  const usedMs = new Map<Socket, number>();
  let ending: NodeJS.Timeout | undefined;
  app.server.on("connection", (socket: Socket) => {
    usedMs.set(socket, clock.monotonicMs());
    socket.once("close", () => usedMs.delete(socket));
  });
  app.addHook("onResponse", (request, _reply, done) => {
    const { socket } = request.raw;
    if (usedMs.has(socket)) usedMs.set(socket, clock.monotonicMs());
    done();
  });
  app.addHook("preClose", (done) => {
    if (!app.server.listening) return done();
    const beganMs = clock.monotonicMs();
    const look = (): void => {
      const nowMs = clock.monotonicMs();
      const lively = [...usedMs.values()].some((ms) => nowMs - ms < lingerMs);
      if (lively && nowMs - beganMs < MOST_LINGERS * lingerMs) return;
      clearInterval(waiting);
      ending = setInterval(() => app.server.closeIdleConnections(), LOOK_MS);
      done();
    };
    const waiting = setInterval(look, LOOK_MS);
    look();
  });
  app.addHook("onClose", (_app, done) => {
    clearInterval(ending);
    done();
  });
}
