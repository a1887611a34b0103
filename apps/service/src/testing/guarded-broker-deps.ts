import type { Socket } from "node:net";
import { systemClock } from "../lib/lib.ts";
import { createNet, parseAllowTargets, parseNameServers } from "../platform/outbound-http/outbound-http.ts";
import { createBrokerDeps } from "../platform/brokers/brokers.ts";
import type { BrokerDeps } from "../platform/brokers/brokers.ts";
import { startBrokerNames } from "./broker-names.ts";

export interface GuardedDeps extends BrokerDeps {
  /** The hosts and ports of all connections that were asked for. */
  readonly dialed: string[];
  /** Returns the number of connections that are open. */
  openSockets(): number;
  /** Ends them without a word, as a broken network does. */
  close(): Promise<void>;
}

/**
 * The service's own guarded connections, with a name server that knows the names of the tests: `bootstrap.test` and `kafka-<n>.test` are this
 * machine, which is allowed; `metadata.test` is an address that never is.
 */
export async function guardedDeps(ca?: string): Promise<GuardedDeps> {
  const names = await startBrokerNames();
  const net = createNet({
    clock: systemClock,
    allow: parseAllowTargets("127.0.0.1/32"),
    inbox: null,
    dnsServers: parseNameServers(names.address),
    ...(ca === undefined ? {} : { ca: [ca] }),
  });
  const deps = createBrokerDeps({ net, clock: systemClock });
  const sockets = new Set<Socket>();
  const dialed: string[] = [];
  return {
    ...deps,
    dialed,
    async dial(to) {
      dialed.push(`${to.host}:${to.port}`);
      const socket = await deps.dial(to);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
    openSockets: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await names.close();
    },
  };
}
