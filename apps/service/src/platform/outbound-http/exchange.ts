import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  onSocket,
  failAttempt,
  finishAttempt,
  canRetry,
  receiveBody,
  receiveHead,
  startAttempt,
} from "./request-attempt.ts";
import type { Exchange, RequestAttempt, Order } from "./request-attempt.ts";
import { createConnections } from "./connections.ts";
import type { ConnectionDeps } from "./connections.ts";
import type { Connection } from "./origins.ts";

/** Sends requests over undici's clients, with one timer each. */
export function createExchanger(deps: ConnectionDeps) {
  const connections = createConnections(deps);
  /** The attempt whose request undici is writing at this very moment. The channel below reports its socket. */
  let starting: RequestAttempt | null = null;

  function onSendHeaders(message: unknown): void {
    if (starting === null) return;
    const flight = starting;
    starting = null;
    onSocket(flight, (message as { readonly socket: object }).socket);
  }
  subscribe("undici:client:sendHeaders", onSendHeaders);

  function launch(flight: RequestAttempt, connection: Connection): void {
    const { method, path, headers, body, once } = flight.order;
    const release = once ? connections.end : connections.release;
    connection.client.dispatch(
      { method, path, headers, body },
      {
        onRequestStart(controller) {
          flight.controller = controller;
          // The attempt ended while it waited for a connection, so its request must not be written.
          if (flight.landed) controller.abort(new Error("given up"));
          else starting = flight;
        },
        onResponseStart: (_controller, status, responseHeaders) => receiveHead(flight, status, responseHeaders),
        onResponseData: (_controller, chunk) => receiveBody(flight, chunk),
        onResponseEnd() {
          release(connection);
          finishAttempt(flight, null);
        },
        onResponseError(_controller, error) {
          release(connection);
          if (canRetry(flight, error)) redo(flight);
          else failAttempt(flight, error);
        },
      },
    );
  }

  /**
   * Sends the request again within the same attempt, on a new connection: other idle ones may be dead too. This happens
   * once, because the new connection is not a reused one.
   */
  function redo(flight: RequestAttempt): void {
    flight.wire = null;
    launch(flight, connections.fresh(flight.order.route));
  }

  return {
    /** Sends a request. Never rejects because of the receiver's behavior. */
    send: async (order: Order): Promise<Exchange> =>
      await new Promise<Exchange>((resolve) => {
        const connection = order.once ? connections.fresh(order.route) : connections.acquire(order.route);
        launch(startAttempt(order, deps.clock, resolve), connection);
      }),
    refuse: connections.refuse,
    /** Waits for requests in progress. */
    async close(): Promise<void> {
      await connections.close();
      unsubscribe("undici:client:sendHeaders", onSendHeaders);
    },
  };
}
