import { bulk, defineDependentPart } from "../../platform/db/db.ts";
import type { CommitPart } from "../../platform/db/db.ts";
import { newsOf } from "../../insights/insights.ts";
import { isPulled } from "../endpoints/kind.ts";
import { FAR } from "./far.ts";
import { PENDING, pendingPart, pendingPulledPart } from "./queue.store.ts";
import type { Lease, PendingInsert, PulledInsert } from "./queue.store.ts";

interface LanedInsert extends PendingInsert {
  /** The position in the call, which decides among the deliveries of one transaction. */
  readonly at: number;
}

/**
 * Writes deliveries of lanes, without a place: it locks nothing, so that no call waits for another. Their order is that of their
 * transactions, because what was answered before another call began has an older one. `advance_lanes` gives the places.
 */
const lanedPart = defineDependentPart<LanedInsert>({
  name: "laned",
  columns: [
    ...PENDING.columns,
    bulk("lane", "text", ({ delivery }) => delivery.lane),
    bulk("lane_at", "int", ({ at }) => at),
  ],
  extras: [bulk("held", "boolean", ({ delivery }) => delivery.initialState === "held")],
  text: ({
    rows,
    names,
    selected,
  }) => `laned as (insert into pending_delivery (${names}, due_at, next_attempt_at, lane_xact, lane_since)
      select ${selected("d")}, ${FAR}, case when not d.held then ${FAR} end, pg_current_xact_id(), statement_timestamp()
      from ${rows("d")} returning bucket, tag, id),
    ${newsOf("delivery", "laned")}`,
});

/** Returns the parts that write pending deliveries. Those of lanes have a part of their own, so that the others cost nothing more. */
export function pendingParts(rows: readonly PulledInsert[], lease: Lease): readonly CommitPart<"dependent">[] {
  const others = rows.filter(({ delivery }) => delivery.lane === null);
  const laned = rows.flatMap((row, at) => (row.delivery.lane === null ? [] : [{ ...row, at }]));
  const other = others.some(({ delivery }) => isPulled(delivery)) ? pendingPulledPart : pendingPart;
  return [...(others.length === 0 ? [] : [other(others, lease)]), ...(laned.length === 0 ? [] : [lanedPart(laned)])];
}
