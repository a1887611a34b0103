import { BrokerError } from "./broker.ts";
import type { BrokerMessage, Confirmation } from "./broker.ts";

/** A message that waits until its batch is written. */
export interface BatchedMessage {
  readonly message: BrokerMessage;
  readonly line: Buffer;
}

export interface BatchesDeps {
  readonly maxItems: number;
  readonly maxWaitMs: number;
  now(): number;
  /** Writes the messages of one prefix. Rejects with `BrokerError` only. */
  write(prefix: string, messages: readonly BatchedMessage[], withinMs: number): Promise<Confirmation>;
}

export interface Batches {
  /** Resolves when the batch of the message is written. */
  add(prefix: string, item: BatchedMessage, withinMs: number): Promise<Confirmation>;
  /** Writes the messages that wait, and resolves when nothing is being written. */
  close(): Promise<void>;
}

interface Batch {
  readonly items: BatchedMessage[];
  readonly done: PromiseWithResolvers<Confirmation>;
  bytes: number;
  /** The time by which every message must have its result, on the clock of `now`. */
  endsAt: number;
  dueAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** A batch with as many bytes of lines is written without waiting for more. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** The bytes of the lines that wait or are being written, of one connection. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The time that is left for writing a batch, at most half of an attempt's. */
const WRITE_MS = 5000;

/** Collects messages by prefix. A batch is written when it is full, or when its first message has waited long enough. */
export function createBatches({ maxItems, maxWaitMs, now, write }: BatchesDeps): Batches {
  const open = new Map<string, Batch>();
  const writing = new Set<Promise<unknown>>();
  let bytes = 0;

  function newBatch(at: number): Batch {
    const done = Promise.withResolvers<Confirmation>();
    return { items: [], done, bytes: 0, endsAt: Infinity, dueAt: at + maxWaitMs, timer: undefined };
  }

  function flush(prefix: string, batch: Batch): void {
    clearTimeout(batch.timer);
    open.delete(prefix);
    const written = write(prefix, batch.items, Math.max(1, Math.floor(batch.endsAt - now())))
      .then(batch.done.resolve, batch.done.reject)
      .finally(() => {
        bytes -= batch.bytes;
        writing.delete(written);
      });
    writing.add(written);
  }

  function schedule(prefix: string, batch: Batch, at: number): void {
    clearTimeout(batch.timer);
    batch.timer = setTimeout(() => flush(prefix, batch), Math.max(0, batch.dueAt - at));
  }

  return {
    async add(prefix, item, withinMs) {
      if (bytes + item.line.length > MOST_BYTES)
        throw new BrokerError("send", "64 MiB of messages wait for the bucket, which is too slow for more.");
      const at = now();
      const batch = open.get(prefix) ?? newBatch(at);
      open.set(prefix, batch);
      batch.items.push(item);
      batch.bytes += item.line.length;
      bytes += item.line.length;
      batch.endsAt = Math.min(batch.endsAt, at + withinMs);
      batch.dueAt = Math.min(batch.dueAt, at + withinMs - Math.min(WRITE_MS, withinMs / 2));
      if (batch.items.length >= maxItems || batch.bytes >= BATCH_BYTES) flush(prefix, batch);
      else schedule(prefix, batch, at);
      return await batch.done.promise;
    },
    async close() {
      for (const [prefix, batch] of open) flush(prefix, batch);
      await Promise.all(writing);
    },
  };
}
