import { BrokerError } from "../broker.ts";
import type { BrokerDeps, BrokerMessage, Confirmation } from "../broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import type { Cluster } from "./cluster.ts";
import { faultOf, PassingError, RefusedBatchError } from "./faults.ts";
import { partitionOf } from "./partition.ts";
import { batchOf, recordOf } from "./record-batch.ts";
import { askProduce } from "./requests.ts";
import type { ProducedPartition } from "./requests.ts";

/** A message on its way. It is settled once. */
interface Entry {
  readonly record: Buffer;
  readonly key: string | null;
  readonly until: number;
  partition: number;
  tries: number;
  /** True after a batch with it was refused: it is then sent on its own, so that it takes no other message with it. */
  isAlone: boolean;
  isSettled: boolean;
  lastError: BrokerError | undefined;
  settle(outcome: Confirmation | BrokerError): void;
}

/** What waits for one broker. */
interface Lane {
  readonly waiting: Entry[];
  inFlight: number;
}

/** Requests that one broker has at once. What comes meanwhile goes together in the next. */
const MOST_IN_FLIGHT = 4;
/** Half of what a topic takes by default. */
const BATCH_BYTES = 524_288;
const LEAST_BATCH_BYTES = 16_384;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** The broker's own answer that replicas are slow should come before the time is over. */
const BROKER_SHARE = 0.8;

/** Sends messages to the leaders of their partitions, those of the same moment together. */
export function createProducer(clock: BrokerDeps["clock"], cluster: Cluster, topic: string) {
  const lanes = new Map<string, Lane>();
  const waiting = new Set<Entry>();
  let batchBytes = BATCH_BYTES;
  let turn = 0;

  const leftMs = ({ until }: Entry): number => Math.max(1, until - clock.monotonicMs());

  /** Without a key, a partition for each request, by turns, among those with a leader. */
  function partitionFor(key: string | null): number {
    const count = cluster.partitionCount;
    if (count === 0) return 0;
    if (key !== null) return partitionOf(key, count);
    for (let step = 0; step < count; step += 1) {
      const partition = (turn + step) % count;
      if (cluster.leaderOf(partition) !== undefined) return partition;
    }
    return turn % count;
  }

  function place(entry: Entry): void {
    try {
      entry.partition = partitionFor(entry.key);
      const leader = cluster.leaderOf(entry.partition);
      if (leader === undefined) return again([entry], noLeader(topic, entry.partition));
      const lane = lanes.get(leader) ?? { waiting: [], inFlight: 0 };
      lanes.set(leader, lane);
      lane.waiting.push(entry);
      // What is sent in the same turn of the event loop goes together.
      if (lane.waiting.length === 1) queueMicrotask(() => drain(leader, lane));
    } catch (error) {
      entry.settle(asBrokerError(error));
    }
  }

  function drain(leader: string, lane: Lane): void {
    while (lane.waiting.length > 0 && lane.inFlight < MOST_IN_FLIGHT) {
      const entries = take(lane, batchBytes);
      if (entries.length === 0) continue;
      lane.inFlight += 1;
      turn += 1;
      void deliver(leader, entries).finally(() => {
        lane.inFlight -= 1;
        drain(leader, lane);
      });
    }
  }

  async function deliver(leader: string, entries: readonly Entry[]): Promise<void> {
    try {
      const withinMs = Math.max(...entries.map(leftMs));
      const link = await cluster.linkTo(leader, withinMs);
      const parts = Map.groupBy(entries, ({ partition }) => partition);
      const batches = new Map(
        Array.from(parts, ([partition, part]) => [partition, batchOf(part.map(({ record }) => record), clock.now())] as const),
      );
      const remainingMs = Math.max(...entries.map(leftMs));
      const request = askProduce(topic, batches, Math.ceil(remainingMs * BROKER_SHARE));
      const answers = await link.ask(request, "confirm", remainingMs);
      for (const [partition, part] of parts) {
        judge(part, answers.find((one) => one.partition === partition), link);
      }
    } catch (error) {
      again(entries, asBrokerError(error));
    }
  }

  function judge(part: readonly Entry[], answer: ProducedPartition | undefined, { at, address }: BrokerLink): void {
    const of = `${topic}[${part[0]?.partition ?? 0}]`;
    if (answer === undefined) {
      return again(part, new BrokerError("confirm", `${at} answered, but not about ${of}. Check the broker's version.`, address));
    }
    if (answer.code !== 0) return again(part, faultOf(answer.code, { of, at, address }));
    for (const [index, entry] of part.entries()) {
      entry.settle({ text: `${of} at offset ${answer.offset + BigInt(index)}`, address });
    }
  }

  /** Tries messages again if the error allows it; ends them otherwise. */
  function again(entries: readonly Entry[], error: BrokerError): void {
    const open = entries.filter(({ isSettled }) => !isSettled);
    if (error instanceof RefusedBatchError && entries.length > 1) {
      if (error.isTooLarge) batchBytes = Math.max(LEAST_BATCH_BYTES, Math.floor(sizeOf(entries) / 2));
      for (const entry of open) {
        entry.isAlone = true;
        place(entry);
      }
      return;
    }
    for (const entry of open) {
      if (error instanceof PassingError) void later(entry, error);
      else entry.settle(error);
    }
  }

  async function later(entry: Entry, error: BrokerError): Promise<void> {
    entry.lastError = error;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** entry.tries, LONGEST_PAUSE_MS);
    entry.tries += 1;
    if (pauseMs >= leftMs(entry)) return;
    await pause(entry.tries === 1 ? 0 : pauseMs);
    if (entry.isSettled) return;
    try {
      await cluster.refresh(leftMs(entry));
      place(entry);
    } catch (refreshError) {
      // Without any broker there is nothing to wait for. What failed first says more than that the others cannot be reached either.
      entry.settle(refreshError instanceof PassingError ? error : asBrokerError(refreshError));
    }
  }

  return {
    async send(message: BrokerMessage, withinMs: number): Promise<Confirmation> {
      const { promise, resolve, reject } = Promise.withResolvers<Confirmation>();
      const timer = setTimeout(() => {
        entry.settle(entry.lastError ?? new BrokerError("confirm", lateText(topic, withinMs)));
      }, withinMs);
      const entry: Entry = {
        record: recordOf(message),
        key: message.key,
        until: clock.monotonicMs() + withinMs,
        partition: 0,
        tries: 0,
        isAlone: false,
        isSettled: false,
        lastError: undefined,
        settle(outcome) {
          if (entry.isSettled) return;
          entry.isSettled = true;
          waiting.delete(entry);
          clearTimeout(timer);
          if (outcome instanceof BrokerError) reject(outcome);
          else resolve(outcome);
        },
      };
      waiting.add(entry);
      place(entry);
      return await promise;
    },
    close(): void {
      for (const entry of waiting) {
        entry.settle(entry.lastError ?? new BrokerError("confirm", "The connection was closed before the message was confirmed."));
      }
    },
  };
}

/** Takes what goes into one request. */
function take(lane: Lane, mostBytes: number): Entry[] {
  const taken: Entry[] = [];
  let bytes = 0;
  while (lane.waiting.length > 0) {
    const next = lane.waiting[0];
    if (next === undefined) break;
    if (next.isSettled) {
      lane.waiting.shift();
      continue;
    }
    bytes += next.record.length;
    if (taken.length > 0 && (bytes > mostBytes || next.isAlone)) break;
    taken.push(next);
    lane.waiting.shift();
    if (next.isAlone) break;
  }
  return taken;
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { record }) => sum + record.length, 0);
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function asBrokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error;
  throw error;
}

function noLeader(topic: string, partition: number): PassingError {
  return new PassingError(
    "send",
    `No broker leads ${topic}[${partition}] now. Check the cluster: the brokers with its replicas may be down.`,
  );
}

function lateText(topic: string, withinMs: number): string {
  return `Kafka did not confirm the message for ${topic} within ${withinMs} ms; it may have arrived. Check the brokers, and quotas of the user.`;
}
