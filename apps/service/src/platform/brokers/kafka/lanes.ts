import { BrokerError } from "../broker.ts";
import type { BrokerDeps, Confirmation } from "../broker.ts";
import type { BrokerLink } from "./broker-link.ts";
import type { Cluster } from "./cluster.ts";
import { asBrokerError, brokerFault, RefusedBatchError } from "./faults.ts";
import { batchOf } from "./record-batch.ts";
import { askProduce } from "./requests.ts";
import type { ProducedPartition } from "./requests.ts";

/** A message on its way. It is settled once. */
export interface Entry {
  readonly record: Buffer;
  readonly key: string | null;
  /** In monotonic milliseconds. */
  readonly until: number;
  partition: number;
  tries: number;
  /** True after a batch with it was refused: it is then sent on its own, so that it takes no other message with it. */
  isAlone: boolean;
  isSettled: boolean;
  lastError: BrokerError | undefined;
  /** The connection that it was written to. */
  link: BrokerLink | undefined;
  settle(outcome: Confirmation | BrokerError): void;
}

export interface LanesDeps {
  readonly clock: BrokerDeps["clock"];
  readonly cluster: Cluster;
  readonly topic: string;
  /** Called with the messages of one batch that were not confirmed. */
  readonly failed: (entries: readonly Entry[], error: BrokerError) => void;
}

/** The messages that wait for one broker. */
interface Lane {
  readonly waiting: Entry[];
  inFlight: number;
}

/** Requests that one broker has at once. Messages that arrive during them go together in the next. */
const MOST_IN_FLIGHT = 4;
/** Half of what a topic takes by default. */
const BATCH_BYTES = 524_288;
const LEAST_BATCH_BYTES = 16_384;
/** The broker's own answer that replicas are slow should come before the time is over. */
const BROKER_SHARE = 0.8;

/** One queue for each broker. What waits in it is written together, a batch for each partition. */
export function createLanes({ clock, cluster, topic, failed }: LanesDeps) {
  const lanes = new Map<string, Lane>();
  let batchBytes = BATCH_BYTES;
  let requestCount = 0;

  const longestMs = (entries: readonly Entry[]): number =>
    Math.max(1, ...entries.map(({ until }) => until - clock.monotonicMs()));

  function drain(leader: string, lane: Lane): void {
    while (lane.inFlight < MOST_IN_FLIGHT) {
      const entries = takenFrom(lane, batchBytes);
      if (entries.length === 0) return;
      lane.inFlight += 1;
      requestCount += 1;
      void deliver(leader, entries).finally(() => {
        lane.inFlight -= 1;
        drain(leader, lane);
      });
    }
  }

  async function deliver(leader: string, entries: readonly Entry[]): Promise<void> {
    try {
      const link = await cluster.linkTo(leader, longestMs(entries));
      for (const entry of entries) entry.link = link;
      const parts = Map.groupBy(entries, ({ partition }) => partition);
      const batches = batchesOf(parts, clock.now());
      const withinMs = longestMs(entries);
      const request = askProduce(topic, batches, Math.ceil(withinMs * BROKER_SHARE));
      const answers = await link.ask(request, "confirm", withinMs);
      for (const [partition, part] of parts) {
        judge(
          part,
          answers.find((one) => one.partition === partition),
          link,
        );
      }
    } catch (error) {
      failed(entries, asBrokerError(error));
    }
  }

  function judge(part: readonly Entry[], answer: ProducedPartition | undefined, link: BrokerLink): void {
    const of = `${topic}[${part[0]?.partition ?? 0}]`;
    const error = whyNotConfirmed(answer, of, link);
    if (error === null) {
      for (const [index, entry] of part.entries()) {
        entry.settle({ text: `${of} at offset ${(answer?.offset ?? 0n) + BigInt(index)}`, address: link.address });
      }
      return;
    }
    if (error instanceof RefusedBatchError && error.isTooLarge && part.length > 1) {
      const bytes = part.reduce((sum, { record }) => sum + record.length, 0);
      batchBytes = Math.max(LEAST_BATCH_BYTES, Math.floor(bytes / 2));
    }
    failed(part, error);
  }

  return {
    /** The number of requests so far. */
    get requestCount(): number {
      return requestCount;
    },
    put(leader: string, entry: Entry): void {
      const lane = lanes.get(leader) ?? { waiting: [], inFlight: 0 };
      lanes.set(leader, lane);
      lane.waiting.push(entry);
      // Messages that are sent in the same turn of the event loop goes together.
      if (lane.waiting.length === 1) queueMicrotask(() => drain(leader, lane));
    },
  };
}

function whyNotConfirmed(
  answer: ProducedPartition | undefined,
  of: string,
  { at, address }: BrokerLink,
): BrokerError | null {
  if (answer?.code === 0) return null;
  if (answer !== undefined) return brokerFault(answer.code, { of, at, address });
  const text = `The broker at ${at} answered, but not about ${of}. Check the broker's version.`;
  return new BrokerError("confirm", text, address);
}

function batchesOf(parts: ReadonlyMap<number, readonly Entry[]>, nowMs: number): Map<number, Buffer> {
  return new Map(
    Array.from(
      parts,
      ([partition, part]) =>
        [
          partition,
          batchOf(
            part.map(({ record }) => record),
            nowMs,
          ),
        ] as const,
    ),
  );
}

/** Takes what goes into one request. */
function takenFrom({ waiting }: Lane, mostBytes: number): Entry[] {
  const taken: Entry[] = [];
  let bytes = 0;
  let count = 0;
  for (const entry of waiting) {
    const isNext = taken.length === 0 || (bytes + entry.record.length <= mostBytes && !entry.isAlone);
    if (!entry.isSettled && (!isNext || taken[0]?.isAlone === true)) break;
    count += 1;
    if (entry.isSettled) continue;
    bytes += entry.record.length;
    taken.push(entry);
  }
  waiting.splice(0, count);
  return taken;
}
