import { AsyncLocalStorage } from "node:async_hooks";

export interface Batcher<In, Out> {
  /** Resolves with the item's own result once the batch that carried it is done. */
  add(item: In): Promise<Out>;
  /** Items waiting, not yet handed to `run`. */
  readonly waiting: number;
}

export interface BatchOptions<In, Out> {
  /** Gets the items in order of arrival; answers one result an item, in the same order. An `Error` as a result rejects that item alone. */
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
    try {
      const results = await run(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, at) => settle(waiting, results[at]));
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    } finally {
      running -= 1;
      schedule();
    }
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
