import { withTimeout } from "../../../lib/lib.ts";
import { BrokerError } from "../broker.ts";
import type { BrokerDeps } from "../broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import { brokerFault, PassingError } from "./faults.ts";
import { createLinks } from "./links.ts";
import type { LinkOptions } from "./links.ts";
import { askTopic } from "./requests.ts";
import type { NamedBroker, TopicAnswer } from "./requests.ts";

export interface ClusterOptions extends LinkOptions {
  readonly topic: string;
}

export type Cluster = ReturnType<typeof createCluster>;

const MOST_CANDIDATES = 16;
const LEADER_NOT_AVAILABLE = 5;
/** The time for all brokers together. A message that waits for the answer can have less, and ends by itself. */
const REFRESH_MS = 10_000;
/** A connection that someone else began with more time is not waited for. One of our own says itself why it is late. */
const GRACE_MS = 100;
/** The time that Kafka's Java client has too. */
const RENEW_AFTER_MS = 300_000;

/** The brokers of one cluster, and who leads the partitions of one topic. */
export function createCluster(deps: Pick<BrokerDeps, "dial" | "clock">, options: ClusterOptions) {
  const { clock } = deps;
  const { topic } = options;
  const links = createLinks(deps, options);
  let known: TopicAnswer = { brokers: new Map(), code: 0, leaders: [] };
  let knownAtMs = 0;
  let refreshing: Promise<void> | undefined;

  /** Open connections first: they need no new one. */
  function candidates(): string[] {
    const named = [...known.brokers.values()].filter(isHostAndPort).map(hostPort);
    return [...new Set([...links.open(), ...options.brokers, ...named])].slice(0, MOST_CANDIDATES);
  }

  async function askAnyone(withinMs: number): Promise<{ readonly answer: TopicAnswer; readonly link: BrokerLink }> {
    const until = clock.monotonicMs() + withinMs;
    const all = candidates();
    let first: BrokerError | undefined;
    for (const [index, at] of all.entries()) {
      // A broker that is silent must leave time for the others.
      const shareMs = Math.max(1, (until - clock.monotonicMs()) / (all.length - index));
      try {
        const link = await withTimeout(links.linkTo(at, shareMs), shareMs + GRACE_MS);
        if (link === undefined) throw new PassingError("connect", `There is no connection to ${at} yet.`);
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
      throw brokerFault(answer.code, { of: topic, at: link.at, address: link.address });
    }
    known = answer;
    knownAtMs = clock.monotonicMs();
  }

  async function refresh(withinMs = REFRESH_MS): Promise<void> {
    refreshing ??= learn(withinMs).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }

  return {
    linkTo: links.linkTo,
    get partitionCount(): number {
      return known.leaders.length;
    },
    get isUsable(): boolean {
      return links.open().length > 0;
    },
    /** Returns where the leader of a partition is; undefined if there is none now. Throws for a place that is not a host and port. */
    leaderOf(partition: number): string | undefined {
      const leader = known.leaders[partition];
      const broker = leader === undefined ? undefined : known.brokers.get(leader);
      if (broker === undefined) return undefined;
      if (isHostAndPort(broker)) return hostPort(broker);
      throw new BrokerError(
        "resolve",
        "The cluster names a broker by an address that is no host and port. Correct its advertised.listeners.",
      );
    },
    /** Asks who leads the partitions. Many calls at once ask once. Rejects with `BrokerError`. */
    refresh,
    /** Asks again after some minutes, since a topic can get more partitions, which change those of the keys. */
    renew(): void {
      if (clock.monotonicMs() - knownAtMs < RENEW_AFTER_MS) return;
      knownAtMs = clock.monotonicMs();
      refresh().catch(() => undefined);
    },
    close: links.close,
  };
}

const HOST = /^[A-Za-z0-9._:-]{1,255}$/;

function isHostAndPort({ host, port }: NamedBroker): boolean {
  return HOST.test(host) && port > 0 && port < 65_536;
}

function hostPort({ host, port }: NamedBroker): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
