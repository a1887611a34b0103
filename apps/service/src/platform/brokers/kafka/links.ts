import type { Hidden } from "../../../lib/lib.ts";
import { BrokerError } from "../broker.ts";
import type { BrokerDeps } from "../broker.ts";
import { createBrokerLink } from "./broker-link.ts";
import type { BrokerLink } from "./broker-link.ts";
import { asBrokerError, PassingError } from "./faults.ts";
import type { NamedBroker } from "./requests.ts";
import type { Sasl } from "./sasl.ts";
import { signIn } from "./sign-in.ts";

export interface LinkOptions {
  /** The destination's own, each `host:port`. */
  readonly brokers: readonly string[];
  readonly tls: boolean;
  readonly sasl: Sasl | null;
  readonly credential: Hidden | null;
}

interface SignedIn {
  readonly link: BrokerLink;
  /** From then on, a new connection signs in again: the broker ends this one soon. */
  readonly staleAtMs: number;
}

/** A cluster that names more brokers than this does not decide how many connections we open. */
const MOST_LINKS = 256;
const RENEWED_AFTER = 0.8;

/** Signed-in connections to the brokers of one cluster, one for each. */
export function createLinks({ dial, clock }: Pick<BrokerDeps, "dial" | "clock">, options: LinkOptions) {
  const links = new Map<string, Promise<SignedIn>>();
  const open = new Set<BrokerLink>();
  let isClosed = false;

  async function connect(at: string, withinMs: number): Promise<SignedIn> {
    const until = clock.monotonicMs() + withinMs;
    const leftMs = (): number => Math.max(1, until - clock.monotonicMs());
    const socket = await dial({ ...brokerAt(at), tls: options.tls, withinMs }).catch((error: unknown) => {
      throw dialFault(error, at, options.brokers);
    });
    const link = createBrokerLink(socket, at, () => {
      open.delete(link);
    });
    open.add(link);
    if (isClosed) link.close();
    try {
      const lifetimeMs = await signIn(link, options, leftMs);
      const staleAtMs = lifetimeMs > 0 ? clock.monotonicMs() + lifetimeMs * RENEWED_AFTER : Infinity;
      return { link, staleAtMs };
    } catch (error) {
      link.close();
      throw asBrokerError(error);
    }
  }

  async function begin(at: string, withinMs: number): Promise<SignedIn> {
    const begun = connect(at, withinMs);
    links.set(at, begun);
    return await begun.catch((error: unknown) => {
      if (links.get(at) === begun) links.delete(at);
      throw error;
    });
  }

  /** Returns the connection to a broker. Rejects with `BrokerError`. */
  async function linkTo(at: string, withinMs: number): Promise<BrokerLink> {
    if (isClosed) throw new BrokerError("connect", "The connection was closed.");
    const found = links.get(at);
    if (found === undefined) {
      if (open.size >= MOST_LINKS)
        throw new BrokerError("connect", `The cluster names more than ${MOST_LINKS} brokers.`);
      return (await begin(at, withinMs)).link;
    }
    const { link, staleAtMs } = await found;
    if (link.isOpen && clock.monotonicMs() < staleAtMs) return link;
    if (links.get(at) === found) links.delete(at);
    return await linkTo(at, withinMs);
  }

  return {
    linkTo,
    /** Where the open connections are to. */
    open: (): string[] => Array.from(open, ({ at }) => at),
    close(): void {
      isClosed = true;
      for (const link of open) link.close();
    },
  };
}

function brokerAt(at: string): NamedBroker {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(at) ?? [];
  if (host === undefined)
    throw new BrokerError("resolve", `${at} is no host and port, such as kafka.example.com:9092.`);
  return { host: host.replaceAll(/^\[|\]$/g, ""), port: Number(port) };
}

/** A refusal of the guard or of TLS stays one. Its reader must learn that the cluster, not the destination, named the address. */
function dialFault(error: unknown, at: string, brokers: readonly string[]): BrokerError {
  if (!(error instanceof BrokerError)) return asBrokerError(error);
  const text = brokers.includes(at)
    ? error.message
    : `The cluster names ${at} as one of its brokers (advertised.listeners), and it cannot be used. ${error.message}`;
  const canPass = error.step === "connect" || error.step === "resolve";
  return new (canPass ? PassingError : BrokerError)(error.step, text, error.address);
}
