import type { Caller } from "../accounts/accounts.ts";
import type { Comparison } from "./comparison.ts";
import type { Held } from "./kinds/kind.ts";

/** The deliveries that would be lost, by the object whose deletion cancels them. */
export type Pending = ReadonlyMap<Held, number>;

/** Counts the pending deliveries of the objects that a comparison deletes. */
export async function pendingOf(caller: Caller, { parts }: Comparison): Promise<Pending> {
  const counts = new Map<Held, number>();
  for (const { kind, remove } of parts) {
    if (kind.pending === undefined || remove.length === 0) continue;
    const found = await kind.pending(
      caller,
      remove.map(({ id }) => id),
    );
    for (const held of remove) counts.set(held, found.get(held.id) ?? 0);
  }
  return counts;
}
