import { environmentOf, fromDate, instant, parseJson, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { AttemptRow, DeliveryRow } from "./deliveries.store.ts";
import type { EndpointRow } from "../endpoints/endpoints.store.ts";
import type { EndpointKind } from "../endpoints/kind.ts";
import { subscriptionsOf } from "../endpoints/tenant-patterns.ts";
import type { EndpointAuth } from "../requests/endpoint-auth.ts";
import { familiesOf, publicKeysOf } from "../endpoints/signature-families.ts";
import type { SignatureFamily } from "../endpoints/signature-families.ts";
import { shownHeaders } from "../requests/header-values.ts";
import { orderingOf } from "../endpoints/ordering.ts";
import type { Ordering } from "../endpoints/ordering.ts";
import { readFilter } from "../endpoints/channels.ts";
import { ownTransform } from "../endpoints/wire.ts";
import { movedInView } from "../endpoints/moved-in.ts";
import type { MovedInView } from "../endpoints/moved-in.ts";

interface DeliveryOwner {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

export interface EndpointView extends DeliveryOwner, MovedInView {
  readonly id: Id;
  readonly object: "webhook_endpoint";
  readonly kind: EndpointKind;
  readonly name: string;
  /** Null for kind `pull`. */
  readonly url: string | null;
  readonly events: string[];
  readonly active: boolean;
  readonly description: string;
  readonly headers: Record<string, string>;
  readonly rate_limit_per_second: number | null;
  /** Null for kind `pull`. */
  readonly max_in_flight: number | null;
  readonly tenant: string | null;
  /** JSON text. See `endpointText`. */
  readonly filter: string | null;
  /** JSON text. See `endpointText`. */
  readonly transform: string | null;
  /** The version of the transformation; null if there has been none. */
  readonly transform_version: number | null;
  readonly event_versions: Readonly<Record<string, unknown>> | null;
  readonly ordering: Required<Ordering> | null;
  /** The endpoint's own waits between attempts, in seconds; null for those of the installation. */
  readonly retry_schedule: number[] | null;
  readonly auth: EndpointAuth | null;
  /** The end of the validity of the certificate in `auth`; null without one. */
  readonly certificate_expires_at: string | null;
  readonly signatures: SignatureFamily[];
  /** The public key of Ed25519 signatures; null without them. */
  readonly public_key: string | null;
  /** The key before a rotation, while it also signs. */
  readonly previous_public_key: string | null;
  readonly health: "green" | "amber" | "red";
  readonly failing_since: string | null;
  readonly disabled_reason: string | null;
  /** Since when an inactive endpoint gets no new events. */
  readonly inactive_since: string | null;
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
  /** The delivery that it waits for in its lane. */
  readonly blocked_by: Id | null;
  readonly ordering_key: string | null;
  readonly sequence: number | null;
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
  const isPull = row.kind === "pull";
  return {
    id: wireId("ep", row.tag, row.id),
    object: "webhook_endpoint",
    kind: isPull ? "pull" : "webhook",
    name: row.name ?? (isPull ? "pull" : hostOf(row.url)),
    url: isPull ? null : row.url,
    events: subscriptionsOf(row),
    active: row.active,
    description: row.description,
    headers: shownHeaders(row.headers),
    rate_limit_per_second: row.rate_limit_per_second,
    max_in_flight: isPull ? null : row.max_in_flight,
    tenant: row.tenant,
    filter: readFilter(row.filter).own,
    ...movedInView(row),
    transform: ownTransform(row),
    transform_version: row.transform_version,
    event_versions: row.event_versions,
    ordering: orderingOf(row),
    retry_schedule: row.retry_schedule,
    auth: shownAuth(scope, row.auth as EndpointAuth | null),
    certificate_expires_at: time(row.certificate_expires_at),
    signatures: familiesOf(row),
    ...publicKeysOf(row, now),
    health: healthOf(row, now),
    failing_since: time(row.failing_since),
    disabled_reason: row.disabled_reason,
    inactive_since: row.active ? null : time(row.inactive_since),
    ...scopeFields(scope),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** A tenant does not see the names of the workspace's secrets. */
function shownAuth({ tenant = null }: Scope, auth: EndpointAuth | null): EndpointAuth | null {
  return auth === null || tenant === null ? auth : { type: auth.type };
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
    blocked_by: row.blocked_by === null ? null : wireId("dlv", row.tag, row.blocked_by),
    ordering_key: row.lane,
    sequence: row.lane_sequence === null ? null : Number(row.lane_sequence),
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
