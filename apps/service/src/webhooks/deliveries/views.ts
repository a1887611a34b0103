import { environmentOf, fromDate, instant, parseJson, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { AttemptRow, DeliveryRow } from "./deliveries.store.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import { subscriptionsOf } from "../endpoints/tenant-patterns.ts";
import { shownHeaders } from "../endpoints/header-values.ts";

interface DeliveryOwner {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

export interface EndpointView extends DeliveryOwner {
  readonly id: Id;
  readonly object: "webhook_endpoint";
  readonly url: string;
  readonly events: string[];
  readonly active: boolean;
  readonly description: string;
  readonly headers: Record<string, string>;
  readonly rate_limit_per_second: number | null;
  readonly max_in_flight: number;
  readonly tenant: string | null;
  /** JSON text. See `endpointText`. */
  readonly filter: string | null;
  /** JSON text. See `endpointText`. */
  readonly transform: string | null;
  /** The version of the transformation; null if there has been none. */
  readonly transform_version: number | null;
  readonly event_versions: Readonly<Record<string, unknown>> | null;
  readonly health: "green" | "amber" | "red";
  readonly failing_since: string | null;
  readonly disabled_reason: string | null;
}

export interface DeliveryView extends DeliveryOwner {
  readonly id: Id;
  readonly object: "delivery";
  readonly event: string;
  readonly event_id: Id;
  readonly endpoint_id: Id;
  readonly state: DeliveryRow["state"];
  /** Green: delivered. Amber: retrying. Red: failed. Null before the first attempt, and when cancelled or filtered. */
  readonly light: "green" | "amber" | "red" | null;
  readonly attempt_count: number;
  readonly next_attempt_at: string | null;
  readonly last_status_code: number | null;
  readonly last_error_class: string | null;
  readonly completed_at: string | null;
}

export interface AttemptView extends DeliveryOwner {
  readonly id: Id;
  readonly object: "attempt";
  readonly delivery_id: Id;
  readonly number: number;
  readonly trigger: "ladder" | "replay";
  readonly started_at: string;
  readonly status_code: number | null;
  readonly error_class: string | null;
  readonly error_detail: string | null;
  /** The duration of each phase in milliseconds. */
  readonly latency_ms: {
    readonly dns: number;
    readonly connect: number;
    readonly tls: number;
    readonly first_byte: number;
    readonly total: number;
  };
  readonly resolved_ip: string | null;
  readonly response_headers: Record<string, string> | null;
  readonly response_snippet: string | null;
  readonly response_truncated: boolean;
}

/** The time after which a failing endpoint is shown red: by then the short waits of the retry schedule have passed. */
const RED_AFTER_MS = 60 * 60_000;

export function endpointView(scope: Scope, row: EndpointRow, now: Instant): EndpointView {
  return {
    id: wireId("ep", row.tag, row.id),
    object: "webhook_endpoint",
    url: row.url,
    events: subscriptionsOf(row),
    active: row.active,
    description: row.description,
    headers: shownHeaders(row.headers),
    rate_limit_per_second: row.rate_limit_per_second,
    max_in_flight: row.max_in_flight,
    tenant: row.tenant,
    filter: row.filter,
    transform: row.transform,
    transform_version: row.transform_version,
    event_versions: row.event_versions,
    health: healthOf(row, now),
    failing_since: time(row.failing_since),
    disabled_reason: row.disabled_reason,
    ...scopeFields(scope),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

/**
 * Returns the JSON text of an endpoint and its further members. The filter and the transformation are as the caller wrote them, with
 * all digits.
 */
export function endpointText({
  filter,
  transform,
  ...view
}: Pick<EndpointView, "filter" | "transform"> & object): string {
  return `${JSON.stringify(view).slice(0, -1)},"transform":${transform ?? "null"},"filter":${filter ?? "null"}}`;
}

function healthOf(row: EndpointRow, now: Instant): EndpointView["health"] {
  if (row.disabled_reason !== null) return "red";
  if (row.failing_since === null) return "green";
  return now - fromDate(row.failing_since) > RED_AFTER_MS ? "red" : "amber";
}

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
    next_attempt_at: time(row.next_attempt_at),
    last_status_code: row.last_status_code,
    last_error_class: row.last_error_class,
    completed_at: time(row.completed_at),
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
    started_at: toRfc3339(fromDate(row.started_at)),
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

function owned(scope: Scope, id: Uuid): DeliveryOwner {
  return { ...scopeFields({ ...scope, environment: environmentOf(scope.tag) }), created_at: toRfc3339(uuidTime(id)) };
}

function time(date: Date | null): string | null {
  return date === null ? null : toRfc3339(instant(date.getTime()));
}
