import { environmentOf, parseJson, timeText, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Uuid, t } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { AttemptRow, DeliveryRow } from "./deliveries.store.ts";
import type { OwnedView } from "../endpoints/endpoint-view.ts";
import type * as shapes from "./deliveries.schemas.ts";

export type DeliveryView = t.Static<typeof shapes.DeliveryView>;

export type AttemptView = t.Static<typeof shapes.AttemptView>;

export function deliveryView(scope: Scope, row: DeliveryRow): DeliveryView {
  return {
    id: wireId("dlv", row.tag, row.id),
    object: "delivery",
    event: row.event_name,
    event_id: wireId("evt", row.tag, row.event_id),
    endpoint_id: wireId("ep", row.tag, row.endpoint_id),
    state: row.state,
    light: lightOf(row),
    attempt_count: row.attempt_count,
    next_attempt_at: timeText(row.next_attempt_at),
    blocked_by: row.blocked_by === null ? null : wireId("dlv", row.tag, row.blocked_by),
    ordering_key: row.lane,
    sequence: row.lane_sequence === null ? null : Number(row.lane_sequence),
    last_status_code: row.last_status_code,
    last_error_class: row.last_error_class,
    completed_at: timeText(row.completed_at),
    ...owned(scope, row.id),
  };
}

function lightOf(row: DeliveryRow): DeliveryView["light"] {
  if (row.state === "delivered") return "green";
  if (row.state === "failed") return "red";
  return row.state === "pending" && row.attempt_count > 0 ? "amber" : null;
}

export function attemptView(scope: Scope, row: AttemptRow): AttemptView {
  const [dns = 0, connect = 0, tls = 0, firstByte = 0, total = 0] = row.latency;
  return {
    id: wireId("att", row.tag, row.id),
    object: "attempt",
    delivery_id: wireId("dlv", row.tag, row.delivery_id),
    number: row.number,
    trigger: row.trigger === "replay" ? "replay" : "ladder",
    started_at: timeText(row.started_at),
    status_code: row.status_code,
    error_class: row.error_class,
    error_detail: row.error_detail,
    latency_ms: { dns, connect, tls, first_byte: firstByte, total },
    resolved_ip: row.resolved_ip,
    response_headers: headersOf(row.response_headers),
    response_snippet: row.response_snippet,
    response_truncated: row.response_truncated,
    ...owned(scope, row.id),
  };
}

/** Stored headers are cut at a limit, so the text may not be complete JSON. */
function headersOf(text: string | null): Record<string, string> | null {
  if (text === null) return null;
  try {
    return parseJson(text) as Record<string, string>;
  } catch {
    return { "(cut)": text };
  }
}

function owned(scope: Scope, id: Uuid): OwnedView {
  return { ...scopeFields({ ...scope, environment: environmentOf(scope.tag) }), created_at: toRfc3339(uuidTime(id)) };
}
