import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import type { Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { systemClock } from "../lib/lib.ts";
import { unsent } from "../platform/outbound-http/outbound-http.ts";
import { BrokerError } from "../platform/brokers/brokers.ts";
import type { BrokerDeps, BrokerMessage, Dialed } from "../platform/brokers/brokers.ts";

/** Dials without a guard. Every name leads to this machine, as in a test's hosts file. */
export function testDeps(ca?: string) {
  const sockets: Socket[] = [];
  const dialed: Dialed[] = [];
  const trusted = ca === undefined ? {} : { ca };

  async function ready<Made extends Socket>(socket: Made, event: string, step: "connect" | "tls"): Promise<Made> {
    sockets.push(socket);
    try {
      await once(socket, event);
    } catch (error) {
      socket.destroy();
      throw new BrokerError(step, String(error));
    }
    return socket;
  }

  const deps: BrokerDeps = {
    clock: systemClock,
    net: { send: async () => await Promise.resolve(unsent("connect", "no HTTP here", { total: 0 })) },
    async dial(to) {
      dialed.push(to);
      const { host, port, tls } = to;
      if (tls !== true) return await ready(connectPlain({ host: "127.0.0.1", port }), "connect", "connect");
      const socket = connectSecure({ host: "127.0.0.1", port, servername: host, ...trusted });
      return await ready(socket, "secureConnect", "tls");
    },
    secure: async (socket, { host }) =>
      await ready(connectSecure({ socket, servername: host, ...trusted }), "secureConnect", "tls"),
  };
  return {
    deps,
    /** All connections that were asked for. */
    dialed,
    /** The sockets that are still open. */
    openSockets: () => sockets.filter((socket) => !socket.closed),
  };
}

/** A message as the engine makes them. */
export function messageOf(of: Partial<BrokerMessage> = {}): BrokerMessage {
  return {
    id: "dlv_1",
    path: null,
    key: null,
    headers: { "content-type": "application/json", "webhook-id": "evt_1" },
    body: Buffer.from('{"total":"10.00"}'),
    ...of,
  };
}

/** Returns the step and the sentence with which a call fails. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof BrokerError) return `${error.step}: ${error.message}`;
    return `not a BrokerError: ${String(error)}`;
  }
  return "it did not fail";
}
