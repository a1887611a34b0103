import type { BrokerDriver } from "./broker.ts";
import { createCluster } from "./kafka/cluster.ts";
import { createProducer } from "./kafka/producer.ts";

/** A topic of a Kafka cluster. Contract section 15. */
export interface KafkaDestination {
  /** Where to ask for the cluster's brokers, each `host:port`. */
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly tls: boolean;
  readonly sasl: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
    readonly username: string;
    /** The secret is the password. */
    readonly secret_ref: string;
  } | null;
}

/**
 * Writes to a topic with `acks=all`. It speaks Kafka's protocol itself, since no library takes sockets that the guard has judged: every
 * broker that the cluster names is dialed like the first.
 */
export const kafka: BrokerDriver<KafkaDestination> = {
  kind: "kafka",
  async open({ dial, clock }, { brokers, topic, tls, sasl }, credential, withinMs) {
    const cluster = createCluster({ dial, clock }, { brokers, topic, tls, sasl, credential });
    const producer = createProducer(clock, cluster, topic);
    const close = (): void => {
      producer.close();
      cluster.close();
    };
    try {
      await cluster.refresh(withinMs);
    } catch (error) {
      close();
      throw error;
    }
    return {
      send: async (message, sendWithinMs) => await producer.send(message, sendWithinMs),
      get isUsable() {
        return cluster.isUsable;
      },
      async close() {
        await Promise.resolve(close());
      },
    };
  },
};
