import { fromDate, instant } from "../../lib/lib.ts";
import { TOO_EXPENSIVE } from "../endpoints/filters.ts";
import type { LanePlace, LeasedDelivery } from "./queue.ts";
import type { ClaimedRow } from "./queue.store.ts";

/** Returns the work of a claimed delivery. */
export function workOf(row: ClaimedRow, leasedUntilMs: number): LeasedDelivery {
  return {
    bucket: row.bucket,
    tag: row.tag,
    deliveryId: row.id,
    eventId: row.event_id,
    eventName: row.event_name,
    occurredAt: row.occurred_at === null ? instant(0) : fromDate(row.occurred_at),
    traceparent: row.traceparent,
    tenant: row.tenant,
    ...(row.subject === undefined ? {} : { subject: row.subject }),
    data: row.data === null && row.bytes !== null ? undefined : row.data,
    bytes: row.data === null ? (row.bytes ?? 0) : 0,
    endpointId: row.endpoint_id,
    attemptCount: row.attempt_count,
    trigger: row.trigger,
    restingState: row.resting_state,
    transformed: row.transformed === true,
    isUnjudged: row.last_error_class === TOO_EXPENSIVE,
    lane: lanePlaceOf(row),
    leasedUntilMs,
  };
}

function lanePlaceOf({ lane, lane_sequence: sequence }: ClaimedRow): LanePlace | null {
  return lane === null || sequence === null ? null : { key: lane, sequence };
}
