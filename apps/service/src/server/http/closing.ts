import type { Socket } from "node:net";
import type { Clock } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";

export interface ClosingDeps {
  readonly clock: Clock;
  /** How long a connection must have been silent before a stop ends it. Default: a second. */
  readonly lingerMs?: number;
}

const LOOK_MS = 100;
const LINGER_MS = 1000;
/** New connections may keep coming from who does not ask whether the process is ready. */
const MOST_LINGERS = 5;

/**
 * Lets a stop end with its last answer, and without taking a request along. From its begin, answers end their connections (Fastify's
 * `Connection: close`); one that was used a moment ago is left until it has had such an answer, or was silent for a while: its client may be
 * sending. Then Fastify ends those that are idle. One that is busy then would be waited for until its client gives it up: minutes, and for
 * ever where the client is the service itself, delivering to its own inbox; so they are looked at again and again.
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
