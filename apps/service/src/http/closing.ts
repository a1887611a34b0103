import type { App } from "../workspaces/workspaces.ts";

const LOOK_MS = 100;

/**
 * Lets a stop end with its last answer. Fastify ends the connections that are idle when the stop begins; one that is busy then would be
 * waited for until its client gives it up: minutes, and for ever where the client is the service itself, delivering to its own inbox.
 */
export function endIdleWhenClosing(app: App): void {
  app.addHook("preClose", (done) => {
    if (app.server.listening) {
      const timer = setInterval(() => app.server.closeIdleConnections(), LOOK_MS);
      app.server.once("close", () => clearInterval(timer));
    }
    done();
  });
}
