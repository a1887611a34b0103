import { fromDate, timeText, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant, t } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import { subscriptionsOf } from "./tenant-patterns.ts";
import type { DestinationInput } from "../requests/destination.schemas.ts";
import type { EndpointAuth } from "../requests/endpoint-auth.ts";
import { familiesOf, publicKeysOf } from "./signature-families.ts";
import { shownHeaders } from "../requests/header-values.ts";
import { brokerKindOf, isOfBroker } from "./kind.ts";
import { orderingOf } from "./ordering.ts";
import { readFilter } from "./channels.ts";
import { ownTransform } from "./wire.ts";
import { movedInView } from "./moved-in.ts";
import type * as shapes from "./endpoints.schemas.ts";

/** The owner and the time of an object, as all views show them. */
export interface OwnedView {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

export type EndpointView = Omit<t.Static<typeof shapes.EndpointView>, "filter" | "transform" | "event_versions"> & {
  /** JSON text. See `endpointText`. */
  readonly filter: string | null;
  /** JSON text. See `endpointText`. */
  readonly transform: string | null;
  readonly event_versions: Readonly<Record<string, unknown>> | null;
};

/** The time after which a failing endpoint is shown red: by then the short waits of the retry schedule have passed. */
const RED_AFTER_MS = 60 * 60_000;

export function endpointView(scope: Scope, row: EndpointRow, now: Instant): EndpointView {
  const isPull = row.kind === "pull";
  const isHttp = !isPull && !isOfBroker(row);
  return {
    id: wireId("ep", row.tag, row.id),
    object: "webhook_endpoint",
    kind: isPull ? "pull" : (brokerKindOf(row) ?? "webhook"),
    name: row.name ?? (isPull ? "pull" : hostOf(row.url)),
    url: isHttp ? row.url : null,
    destination: shownDestination(scope, row.destination),
    events: subscriptionsOf(row),
    active: row.active,
    description: row.description,
    headers: shownHeaders(row.headers),
    rate_limit_per_second: row.rate_limit_per_second,
    max_in_flight: isPull ? null : Math.abs(row.max_in_flight),
    tenant: row.tenant,
    filter: readFilter(row.filter).own,
    ...movedInView(row),
    transform: ownTransform(row),
    transform_version: row.transform_version,
    event_versions: row.event_versions,
    ordering: orderingOf(row),
    retry_schedule: row.retry_schedule,
    auth: shownAuth(scope, row.auth as EndpointAuth | null),
    certificate_expires_at: timeText(row.certificate_expires_at),
    signatures: familiesOf(row),
    ...publicKeysOf(row, now),
    health: healthOf(row, now),
    failing_since: timeText(row.failing_since),
    disabled_reason: row.disabled_reason,
    inactive_since: row.active ? null : timeText(row.inactive_since),
    ...scopeFields(scope),
    created_at: timeText(row.created_at),
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** A tenant does not see the names of the workspace's secrets. */
function shownAuth({ tenant = null }: Scope, auth: EndpointAuth | null): EndpointAuth | null {
  return auth === null || tenant === null ? auth : { type: auth.type };
}

/** A tenant does not see where else the workspace sends its messages. */
function shownDestination({ tenant = null }: Scope, destination: unknown): DestinationInput | null {
  return tenant === null ? (destination as DestinationInput | null) : null;
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

/** Returns the time of a column as text; null for none. */
