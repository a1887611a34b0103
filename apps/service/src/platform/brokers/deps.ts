import type { Socket } from "node:net";
import type { Clock } from "../../lib/lib.ts";
import { DialError } from "../outbound-http/outbound-http.ts";
import type { Net } from "../outbound-http/outbound-http.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerDeps } from "./broker.ts";

/** Returns what drivers connect with: the guarded connections of the service. */
export function createBrokerDeps({ net, clock }: { readonly net: Net; readonly clock: Clock }): BrokerDeps {
  return {
    net,
    clock,
    dial: async (to) => await asBroker(async () => await net.dial(to)),
    secure: async (socket, to) => await asBroker(async () => await net.secure(socket, to)),
  };
}

async function asBroker(connect: () => Promise<Socket>): Promise<Socket> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof DialError) throw new BrokerError(error.step, error.message, error.address);
    throw error;
  }
}
