import type { Hidden } from "../../../lib/lib.ts";
import { BrokerError } from "../broker.ts";
import type { BrokerDeps } from "../broker.ts";
import { createBrokerLink } from "./broker-link.ts";
import type { BrokerLink } from "./broker-link.ts";
import { faultOf, PassingError } from "./faults.ts";
import { askTopic } from "./requests.ts";
import type { Place, TopicAnswer } from "./requests.ts";
import type { Sasl } from "./sasl.ts";
import { signIn } from "./sign-in.ts";

export interface ClusterOptions {
  /** Each `host:port`. */
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly tls: boolean;
  readonly sasl: Sasl | null;
  readonly credential: Hidden | null;
}

export type Cluster = ReturnType<typeof createCluster>;

interface SignedIn {
  readonly link: BrokerLink;
  /** From then on, a new connection signs in again: the broker ends this one soon. */
  readonly staleAtMs: number;
}

/** A cluster that names more brokers than this does not decide how many connections we open. */
const MOST_LINKS = 256;
const MOST_CANDIDATES = 16;
const LEADER_NOT_AVAILABLE = 5;
const RENEWED_AFTER = 0.8;

/** The brokers of one cluster, and who leads the partitions of one topic. */
export function createCluster({ dial, clock }: Pick<BrokerDeps, "dial" | "clock">, options: ClusterOptions) {
  const { topic, tls, sasl, credential } = options;
  const links = new Map<string, Promise<SignedIn>>();
  const open = new Set<BrokerLink>();
  let known: TopicAnswer = { brokers: new Map(), code: 0, leaders: [] };
  let refreshing: Promise<void> | undefined;
  let isClosed = false;

  async function connect(at: string, withinMs: number): Promise<SignedIn> {
    const until = clock.monotonicMs() + withinMs;
    const leftMs = (): number => Math.max(1, until - clock.monotonicMs());
    const socket = await dial({ ...placeOf(at), tls, withinMs }).catch((error: unknown) => {
      throw dialFault(error, at, options.brokers);
    });
    const link = createBrokerLink(socket, at, () => {
      open.delete(link);
      links.delete(at);
    });
    open.add(link);
    if (isClosed) link.close();
    try {
      const lifetimeMs = await signIn(link, sasl, credential, leftMs);
      const staleAtMs = lifetimeMs > 0 ? clock.monotonicMs() + lifetimeMs * RENEWED_AFTER : Infinity;
      return { link, staleAtMs };
    } catch (error) {
      link.close();
      throw error;
    }
  }

  /** Returns the signed-in connection to a broker, which many share. */
  async function linkTo(at: string, withinMs: number): Promise<BrokerLink> {
    const found = links.get(at);
    if (found === undefined) {
      if (links.size >= MOST_LINKS) throw new BrokerError("connect", `The cluster names more than ${MOST_LINKS} brokers.`);
      return (await begin(at, withinMs)).link;
    }
    const { link, staleAtMs } = await found;
    if (clock.monotonicMs() < staleAtMs) return link;
    links.delete(at);
    return await linkTo(at, withinMs);
  }

  async function begin(at: string, withinMs: number): Promise<SignedIn> {
    const begun = connect(at, withinMs);
    links.set(at, begun);
    return await begun.catch((error: unknown) => {
      if (links.get(at) === begun) links.delete(at);
      throw error;
    });
  }

  /** Open connections first: they need no new one. */
  function candidates(): string[] {
    const named = [...known.brokers.values()].map(textOf);
    return [...new Set([...[...open].map(({ at }) => at), ...options.brokers, ...named])].slice(0, MOST_CANDIDATES);
  }

  async function askAnyone(withinMs: number): Promise<{ readonly answer: TopicAnswer; readonly link: BrokerLink }> {
    const until = clock.monotonicMs() + withinMs;
    const all = candidates();
    let first: BrokerError | undefined;
    for (const [index, at] of all.entries()) {
      // A broker that is silent must leave time for the others.
      const shareMs = Math.max(1, (until - clock.monotonicMs()) / (all.length - index));
      try {
        const link = await linkTo(at, shareMs);
        return { answer: await link.ask(askTopic(topic), "send", shareMs), link };
      } catch (error) {
        if (!(error instanceof PassingError)) throw error;
        first ??= error;
      }
    }
    throw first ?? new BrokerError("connect", "The destination names no broker.");
  }

  async function learn(withinMs: number): Promise<void> {
    const { answer, link } = await askAnyone(withinMs);
    if (answer.code !== 0 && answer.code !== LEADER_NOT_AVAILABLE) {
      throw faultOf(answer.code, { of: topic, at: link.at, address: link.address });
    }
    known = answer;
  }

  return {
    linkTo,
    get partitionCount(): number {
      return known.leaders.length;
    },
    get isUsable(): boolean {
      return !isClosed && open.size > 0;
    },
    /** Returns where the leader of a partition is; undefined if there is none now. Throws for a place that is no host and port. */
    leaderOf(partition: number): string | undefined {
      const leader = known.leaders[partition];
      const place = leader === undefined ? undefined : known.brokers.get(leader);
      if (place === undefined) return undefined;
      if (HOST.test(place.host) && place.port > 0 && place.port < 65_536) return textOf(place);
      throw new BrokerError("resolve", "The cluster names a broker by an address that is no host and port. Correct its advertised.listeners.");
    },
    /** Asks who leads the partitions. Many calls at once ask once. Rejects with `BrokerError`. */
    async refresh(withinMs: number): Promise<void> {
      refreshing ??= learn(withinMs).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
    close(): void {
      isClosed = true;
      for (const link of open) link.close();
    },
  };
}

const HOST = /^[A-Za-z0-9._:-]{1,255}$/;

function textOf({ host, port }: Place): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function placeOf(at: string): Place {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(at) ?? [];
  if (host === undefined) throw new BrokerError("resolve", `${at} is no host and port, such as kafka.example.com:9092.`);
  return { host: host.replaceAll(/^\[|\]$/g, ""), port: Number(port) };
}

/** A refusal of the guard or of TLS stays one. Whoever reads it must learn that the cluster, not the destination, named the address. */
function dialFault(error: unknown, at: string, brokers: readonly string[]): BrokerError {
  if (!(error instanceof BrokerError)) throw error;
  const text = brokers.includes(at)
    ? error.message
    : `The cluster names ${at} as one of its brokers (advertised.listeners), and it cannot be used. ${error.message}`;
  const canPass = error.step === "connect" || error.step === "resolve";
  return new (canPass ? PassingError : BrokerError)(error.step, text, error.address);
}
