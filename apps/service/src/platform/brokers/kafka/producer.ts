import { BrokerError } from "../broker.ts";
import type { BrokerDeps, BrokerMessage, Confirmation } from "../broker.ts";
import { lateText } from "./broker-link.ts";
import type { Cluster } from "./cluster.ts";
import { asBrokerError, PassingError, RefusedBatchError } from "./faults.ts";
import { createLanes } from "./lanes.ts";
import type { Entry } from "./lanes.ts";
import { partitionOf } from "./partition.ts";
import { recordOf } from "./record-batch.ts";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** Sends messages to the leaders of their partitions, and again where that can help. */
export function createProducer(clock: BrokerDeps["clock"], cluster: Cluster, topic: string) {
  const open = new Set<Entry>();
  const lanes = createLanes({ clock, cluster, topic, failed });

  function place(entry: Entry): void {
    try {
      entry.partition = partitionFor(entry.key, cluster, lanes.requestCount);
      const leader = cluster.leaderOf(entry.partition);
      if (leader === undefined) failed([entry], noLeader(topic, entry.partition));
      else lanes.put(leader, entry);
    } catch (error) {
      entry.settle(asBrokerError(error));
    }
  }

  /** Tries messages again if the error allows it; ends them otherwise. */
  function failed(entries: readonly Entry[], error: BrokerError): void {
    const isShared = error instanceof RefusedBatchError && entries.length > 1;
    for (const entry of entries) {
      if (entry.isSettled) continue;
      if (isShared) {
        entry.isAlone = true;
        place(entry);
      } else if (error instanceof PassingError) {
        void later(entry, error);
      } else {
        entry.settle(error);
      }
    }
  }

  async function later(entry: Entry, error: PassingError): Promise<void> {
    entry.lastError = error;
    const pauseMs = entry.tries === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** entry.tries, LONGEST_PAUSE_MS);
    entry.tries += 1;
    await pause(pauseMs);
    if (entry.isSettled) return;
    try {
      await cluster.refresh();
      if (!entry.isSettled) place(entry);
    } catch (refreshError) {
      // Without any broker there is nothing to wait for. What failed first says more than that the others cannot be reached either.
      entry.settle(refreshError instanceof PassingError ? error : asBrokerError(refreshError));
    }
  }

  return {
    async send(message: BrokerMessage, withinMs: number): Promise<Confirmation> {
      const { promise, resolve, reject } = Promise.withResolvers<Confirmation>();
      const entry: Entry = {
        ...freshEntry(message, clock.monotonicMs() + withinMs),
        settle(outcome) {
          if (entry.isSettled) return;
          entry.isSettled = true;
          open.delete(entry);
          clearTimeout(timer);
          if (outcome instanceof BrokerError) reject(outcome);
          else resolve(outcome);
        },
      };
      const timer = setTimeout(() => entry.settle(lateError(entry, withinMs)), withinMs);
      open.add(entry);
      place(entry);
      cluster.renew();
      return await promise;
    },
    close(): void {
      const closed = new BrokerError("confirm", "The connection was closed before the message was confirmed.");
      for (const entry of open) entry.settle(entry.lastError ?? closed);
    },
  };
}

function freshEntry(message: BrokerMessage, until: number): Omit<Entry, "settle"> {
  return {
    record: recordOf(message),
    key: message.key,
    until,
    partition: 0,
    tries: 0,
    isAlone: false,
    isSettled: false,
    lastError: undefined,
    link: undefined,
  };
}

/** Without a key, the partitions with a leader have their turns: one for each request. */
function partitionFor(key: string | null, cluster: Cluster, turn: number): number {
  const count = cluster.partitionCount;
  if (count === 0) return 0;
  if (key !== null) return partitionOf(key, count);
  for (let step = 0; step < count; step += 1) {
    const partition = (turn + step) % count;
    if (cluster.leaderOf(partition) !== undefined) return partition;
  }
  return turn % count;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function noLeader(topic: string, partition: number): PassingError {
  return new PassingError(
    "send",
    `No broker leads ${topic}[${partition}] now. Check the cluster: the brokers with its replicas may be down.`,
  );
}

function lateError({ lastError, link }: Entry, withinMs: number): BrokerError {
  if (lastError !== undefined) return lastError;
  if (link !== undefined) return new BrokerError("confirm", lateText(link.at, "confirm", withinMs), link.address);
  return new BrokerError(
    "connect",
    `No broker that leads the topic's partition could be reached within ${withinMs} ms. Check the cluster's brokers.`,
  );
}
