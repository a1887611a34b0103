import { AsyncLocalStorage } from "node:async_hooks";
import { isConflict, isPassing } from "./errors.ts";

export interface Batcher<In, Out> {
  /** Resolves with the item's own result once the batch that carried it is done. */
  add(item: In): Promise<Out>;
  /** Items waiting, not yet handed to `run`. */
  readonly waiting: number;
}

export interface BatchOptions<In, Out> {
  /**
   * Gets the items in order of arrival; returns one result an item, in the same order. An `Error` as a result rejects that item alone.
   * When it throws, nothing of the batch may have been written: it runs again with each half, until the item that fails is alone.
   */
  run(items: readonly In[]): Promise<readonly (Out | Error)[]>;
  readonly maxSize: number;
  /** Where items differ in size: a batch weighs at most `max`, unless one item alone is heavier. */
  readonly weight?: { of(item: In): number; readonly max: number };
  /** Batches under way at once; one keeps them largest. */
  readonly concurrency?: number;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Shares one statement among concurrent requests: what arrives while a batch is under way goes into the next one.
 * No timers: a lone item leaves at the end of the current turn of the event loop.
 * A batch runs in the context in which the batcher was made: it belongs to none of the requests whose items it carries.
 * An item that cannot be processed fails alone; see `process`.
 */
export function createBatcher<In, Out>(options: BatchOptions<In, Out>): Batcher<In, Out> {
  const { run, concurrency = 1 } = options;
  let queue: Waiting<In, Out>[] = [];
  let running = 0;
  let scheduled = false;
  const outside = AsyncLocalStorage.snapshot();

  function schedule(): void {
    if (scheduled || running >= concurrency || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void outside(next);
    });
  }

  async function next(): Promise<void> {
    if (running >= concurrency || queue.length === 0) return;
    const size = sizeOfNext(options, queue);
    const batch = queue.length <= size ? queue : queue.slice(0, size);
    queue = queue.length <= size ? [] : queue.slice(size);
    running += 1;
    schedule();
    await process(batch, run);
    running -= 1;
    schedule();
  }

  return {
    add(item) {
      return new Promise<Out>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        schedule();
      });
    },
    get waiting() {
      return queue.length;
    },
  };
}

/** An item's result, or the error that making it threw: for that item alone. */
export function resultOf<Out>(make: () => Out): Out | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A batch that loses against another transaction this many times in a row is given up. */
const TRIES = 4;

/** Settles each item, by halves where the batch fails. A fault that passes by itself fails them all: halves would meet it too. */
async function process<In, Out>(batch: readonly Waiting<In, Out>[], run: BatchOptions<In, Out>["run"]): Promise<void> {
  try {
    const results = await retrying(async () => await run(batch.map(({ item }) => item)));
    batch.forEach((waiting, at) => settle(waiting, results[at]));
  } catch (error) {
    if (batch.length === 1 || isPassing(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await process(batch.slice(0, middle), run);
    await process(batch.slice(middle), run);
  }
}

async function retrying<T>(run: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 1 || !isConflict(error)) throw error;
    }
  }
}

function sizeOfNext<In, Out>({ maxSize, weight }: BatchOptions<In, Out>, queue: readonly Waiting<In, Out>[]): number {
  if (weight === undefined) return maxSize;
  let size = 0;
  let total = 0;
  for (const { item } of queue) {
    total += weight.of(item);
    if (size === maxSize || (size > 0 && total > weight.max)) return size;
    size += 1;
  }
  return size;
}

function settle<In, Out>(waiting: Waiting<In, Out>, result: Out | Error | undefined): void {
  if (result instanceof Error) waiting.reject(result);
  else waiting.resolve(result as Out);
}
