import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Dispatcher } from "undici";
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
import { createPools } from "./pools.ts";
import type { PoolDeps, Pools } from "./pools.ts";

/** Sends requests over undici's pools, with one timer each. */
export function createExchanger(deps: PoolDeps) {
  const pools = createPools(deps);
  /** The attempt whose request undici is writing at this very moment. The channel below reports its socket. */
  let starting: RequestAttempt | null = null;

  function onSendHeaders(message: unknown): void {
    if (starting === null) return;
    const flight = starting;
    starting = null;
    onSocket(flight, (message as { readonly socket: object }).socket);
  }
  subscribe("undici:client:sendHeaders", onSendHeaders);

  function launch(flight: RequestAttempt, dispatcher: Dispatcher): void {
    const { method, path, headers, body } = flight.order;
    dispatcher.dispatch(
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
        onResponseEnd: () => finishAttempt(flight, null),
        onResponseError(_controller, error) {
          if (canRetry(flight, error)) redo(flight);
          else failAttempt(flight, error);
        },
      },
    );
  }

  /**
   * Sends the request again within the same attempt, on its own connection: the pool's other idle connections may be
   * dead too. This happens once, because the new connection is not a reused one.
   */
  function redo(flight: RequestAttempt): void {
    flight.wire = null;
    const client = pools.single(flight.order.route);
    launch(flight, client);
    void client.close();
  }

  return {
    /** Sends a request. Never rejects because of the receiver's behavior. */
    send: async (order: Order): Promise<Exchange> =>
      await new Promise<Exchange>((resolve) => {
        const { dispatcher, release } = wayOf(pools, order);
        const flight = startAttempt(order, deps.clock, (landing) => {
          release();
          resolve(landing);
        });
        launch(flight, dispatcher);
      }),
    /** Waits for requests in progress. */
    async close(): Promise<void> {
      await pools.close();
      unsubscribe("undici:client:sendHeaders", onSendHeaders);
    },
  };
}

interface Way {
  readonly dispatcher: Dispatcher;
  /** Returns the connection after the request has ended. */
  release(): void;
}

function wayOf(pools: Pools, { once, route }: Order): Way {
  if (once) {
    const client = pools.single(route);
    return { dispatcher: client, release: () => void client.close() };
  }
  const lease = pools.acquire(route);
  return { dispatcher: lease.pool, release: () => pools.release(lease) };
}
