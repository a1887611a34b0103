import { isPassing } from "./errors.ts";
import { ownContext } from "./own-context.ts";
import { retryOnConflict } from "./retry.ts";

/**
 * Thrown by `run` for a batch whose items together exceed the limit, once `weight` knows it. The items wait again, in
 * smaller batches.
 */
export class Overweight extends Error {
  override readonly name = "Overweight";
}

export interface Batcher<In, Out> {
  /** Resolves with the item's own result once its batch has run. */
  add(item: In): Promise<Out>;
  /** The items that wait and were not yet passed to `run`. */
  readonly waiting: number;
}

export interface BatchOptions<In, Out> {
  /**
   * Receives the items in order of arrival (see `shareOf`). Returns one result for each item, in the same order. An
   * `Error` as a result rejects only that item. When it throws, nothing of the batch may have been written: it runs
   * again with each half, until the item that fails is alone.
   */
  run(items: readonly In[]): Promise<readonly (Out | Error)[]>;
  readonly maxSize: number;
  /** The size of items that differ in size. A batch weighs at most `max`, unless one item alone is heavier. */
  readonly weight?: { of(item: In): number; readonly max: number };
  /** The number of concurrent batches. With one, batches are largest. */
  readonly concurrency?: number;
  /**
   * Returns the share that an item belongs to, such as a tenant. A batch takes from each share in turn, so that a share
   * with many items does not delay the others. Without it, items are taken in order of arrival.
   */
  readonly shareOf?: (item: In) => string;
  /**
   * Puts shares with few items, waiting or running, into batches apart from those with many. Each kind has its own concurrent batches, so
   * that a few items wait for no batch of many.
   */
  readonly favorsFew?: boolean;
  /**
   * Puts the items of one share into one batch at a time. With a second concurrent batch, shares with few items do not
   * wait for shares with many.
   */
  readonly exclusive?: boolean;
  /**
   * Runs the items for which it returns true apart from the others: in batches of one share, one batch at a time. Another batch stays free
   * for the other items.
   */
  readonly apart?: (item: In) => boolean;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Shares one statement among concurrent requests: items that arrive while a batch runs go into the next one. There are
 * no timers: a single item leaves at the end of the current turn of the event loop. A batch runs in the context in
 * which the batcher was created, because it belongs to none of the requests whose items it carries. An item that cannot
 * be processed fails alone; see `process`.
 */
export function createBatcher<In, Out>(options: BatchOptions<In, Out>): Batcher<In, Out> {
  const { run, favorsFew = false, concurrency = 1 } = options;
  const queue = createQueue<In, Out>(options);
  const lanes = favorsFew ? [laneOf("few"), laneOf("many")] : [laneOf("many")];
  let scheduled = false;
  const outside = ownContext();

  function schedule(): void {
    if (scheduled || queue.length === 0 || lanes.every(isFull)) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      outside(() => {
        for (const lane of lanes) void next(lane);
      });
    });
  }

  function isFull({ running }: Lane): boolean {
    return running >= concurrency;
  }

  async function next(lane: Lane): Promise<void> {
    if (isFull(lane)) return;
    const batch = queue.takeBatch(lane.size);
    if (batch.length === 0) return;
    lane.running += 1;
    schedule();
    const tooHeavy = await process(batch, run);
    lane.running -= 1;
    queue.ended(batch);
    for (const waiting of tooHeavy) queue.push(waiting);
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

/** The running batches of shares with few items, or with many. */
interface Lane {
  readonly size: ShareSize;
  running: number;
}

type ShareSize = "few" | "many";

function laneOf(size: ShareSize): Lane {
  return { size, running: 0 };
}

/** Returns an item's result, or the error that was thrown for it, which rejects only that item. */
export function resultOf<Out>(make: () => Out): Out | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The most items of a share that has few. A quiet workspace has some events on their way at a time, one that floods has hundreds. */
const FEW = 16;
/** The items that run apart in one batch: each takes long. */
const MOST_HEAVY = 8;
/** The number of attempts for a batch that conflicts with other transactions. */
const TRIES = 4;

/**
 * Settles each item, and divides the batch into halves if it fails. A passing fault fails all items, because the halves
 * would meet it too. Returns the items that together weigh too much, which are not settled.
 */
async function process<In, Out>(
  batch: readonly Waiting<In, Out>[],
  run: BatchOptions<In, Out>["run"],
): Promise<readonly Waiting<In, Out>[]> {
  try {
    const results = await retryOnConflict(TRIES, async () => await run(batch.map(({ item }) => item)));
    batch.forEach((waiting, at) => settle(waiting, results[at]));
  } catch (error) {
    if (error instanceof Overweight) return batch;
    if (batch.length === 1 || isPassing(error)) {
      for (const waiting of batch) waiting.reject(error);
      return [];
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await process(batch.slice(0, middle), run);
    return [...first, ...(await process(batch.slice(middle), run))];
  }
  return [];
}

interface Share<In, Out> {
  readonly name: string;
  items: Waiting<In, Out>[];
  /** The index of the first waiting item. */
  head: number;
}

interface Queue<In, Out> {
  readonly length: number;
  push(waiting: Waiting<In, Out>): void;
  /** Returns an empty batch if none of the waiting items of such shares may run now. */
  takeBatch(size: ShareSize): Waiting<In, Out>[];
  ended(batch: readonly Waiting<In, Out>[]): void;
}

type QueueOptions<In, Out> = Pick<
  BatchOptions<In, Out>,
  "maxSize" | "weight" | "shareOf" | "favorsFew" | "exclusive" | "apart"
>;

function createQueue<In, Out>(options: QueueOptions<In, Out>): Queue<In, Out> {
  const { maxSize, weight, shareOf, favorsFew = false, exclusive = false, apart = () => false } = options;
  const most = weight?.max ?? Infinity;
  const weigh = ({ item }: Waiting<In, Out>): number => weight?.of(item) ?? 0;
  const nameOf = ({ item }: Waiting<In, Out>): string => shareOf?.(item) ?? "";
  const shares = createShares<In, Out>();
  /** The number of waiting and running items of each share. */
  const sizes = new Map<string, number>();
  const heavy: Waiting<In, Out>[] = [];
  let underWay: Waiting<In, Out> | undefined;
  let length = 0;

  function resize(name: string, by: number): void {
    const size = (sizes.get(name) ?? 0) + by;
    if (size === 0) sizes.delete(name);
    else sizes.set(name, size);
  }

  function takeHeavy(): Waiting<In, Out>[] | undefined {
    if (underWay !== undefined) return undefined;
    const first = heavy.shift();
    underWay = first;
    if (first === undefined) return undefined;
    const batch = [first];
    let total = weigh(first);
    for (const next of heavy.filter((one) => nameOf(one) === nameOf(first)).slice(0, MOST_HEAVY - 1)) {
      total += weigh(next);
      if (total > most) break;
      batch.push(next);
      heavy.splice(heavy.indexOf(next), 1);
    }
    return batch;
  }

  function takeLight(wanted: ShareSize): Waiting<In, Out>[] {
    // A share that is alone waits for no other, and has the largest batches together.
    const isShared = favorsFew && sizes.size > 1;
    const isWanted = (name: string): boolean => wanted === (isShared && (sizes.get(name) ?? 0) <= FEW ? "few" : "many");
    const batch: Waiting<In, Out>[] = [];
    let total = 0;
    while (batch.length < maxSize) {
      const share = shares.next(isWanted);
      const first = share?.items[share.head];
      if (share === undefined || first === undefined) break;
      const isApart = apart(first.item);
      total += isApart ? 0 : weigh(first);
      if (batch.length > 0 && total > most) break;
      (isApart ? heavy : batch).push(first);
      shares.pass(share);
    }
    return batch;
  }

  return {
    get length() {
      return length;
    },
    push(waiting) {
      length += 1;
      resize(nameOf(waiting), 1);
      shares.push(nameOf(waiting), waiting);
    },
    takeBatch(size) {
      // Heavy items are never among the few.
      const heavyNext = size === "few" ? () => undefined : takeHeavy;
      const batch = heavyNext() ?? takeLight(size);
      const taken = batch.length > 0 ? batch : (heavyNext() ?? []);
      length -= taken.length;
      if (exclusive) shares.occupy(taken.map(nameOf));
      return taken;
    },
    ended(batch) {
      if (underWay !== undefined && batch.includes(underWay)) underWay = undefined;
      for (const waiting of batch) resize(nameOf(waiting), -1);
      if (exclusive) shares.free(batch.map(nameOf));
    },
  };
}

/** The waiting items, by share. */
interface Shares<In, Out> {
  push(name: string, waiting: Waiting<In, Out>): void;
  /** Returns the share whose turn it is, of those that are wanted. */
  next(isWanted: (name: string) => boolean): Share<In, Out> | undefined;
  /** Removes the first item of the share, and gives the turn to the next one. */
  pass(share: Share<In, Out>): void;
  /** Leaves these shares out until they are free. */
  occupy(names: readonly string[]): void;
  free(names: readonly string[]): void;
}

function createShares<In, Out>(): Shares<In, Out> {
  const shares = new Map<string, Share<In, Out>>();
  const busy = new Set<string>();
  // Contains the shares that have waiting items and are free.
  let turn: Share<In, Out>[] = [];
  return {
    push(name, waiting) {
      const known = shares.get(name);
      if (known !== undefined) {
        known.items.push(waiting);
        return;
      }
      const made = { name, items: [waiting], head: 0 };
      shares.set(name, made);
      if (!busy.has(name)) turn.push(made);
    },
    next: (isWanted) => turn.find(({ name }) => isWanted(name)),
    pass(share) {
      turn.splice(turn.indexOf(share), 1);
      if (advance(share)) turn.push(share);
      else shares.delete(share.name);
    },
    occupy(names) {
      for (const name of names) busy.add(name);
      turn = turn.filter(({ name }) => !busy.has(name));
    },
    free(names) {
      for (const name of names) {
        const share = busy.delete(name) ? shares.get(name) : undefined;
        if (share !== undefined) turn.push(share);
      }
    },
  };
}

/**
 * Removes the first waiting item. Returns false if it was the last. Removed items are released in bulk, because slicing
 * at each step would copy the array each time.
 */
function advance<In, Out>(share: Share<In, Out>): boolean {
  share.head += 1;
  if (share.head === share.items.length) return false;
  if (share.head > 64 && share.head * 2 > share.items.length) {
    share.items = share.items.slice(share.head);
    share.head = 0;
  }
  return true;
}

function settle<In, Out>(waiting: Waiting<In, Out>, result: Out | Error | undefined): void {
  if (result instanceof Error) waiting.reject(result);
  else waiting.resolve(result as Out);
}
