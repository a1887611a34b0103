import type { Flush, Tx } from "./types.ts";

/**
 * Collects the work that a transaction does before and after its commit. A part that is rolled back takes its hooks
 * with it.
 */
export interface CommitHooks extends Pick<Tx, "onCommit" | "beforeCommit"> {
  mark(): Mark;
  /** Removes the hooks that were added after the mark. */
  backTo(mark: Mark): void;
  flush(tx: Tx): Promise<void>;
  committed(): void;
}

export interface Mark {
  readonly collected: number;
  readonly afterwards: number;
}

interface Collected {
  readonly flush: Flush<never>;
  readonly item: unknown;
}

export function createCommitHooks(): CommitHooks {
  const collected: Collected[] = [];
  const afterwards: (() => void)[] = [];
  return {
    onCommit: (run) => void afterwards.push(run),
    beforeCommit: (flush, item) => void collected.push({ flush, item }),
    mark: () => ({ collected: collected.length, afterwards: afterwards.length }),
    backTo(mark) {
      collected.length = mark.collected;
      afterwards.length = mark.afterwards;
    },
    async flush(tx) {
      for (const [flush, group] of Map.groupBy(collected, (one) => one.flush))
        await flush(
          tx,
          group.map(({ item }) => item as never),
        );
    },
    committed() {
      for (const run of afterwards) run();
    },
  };
}
