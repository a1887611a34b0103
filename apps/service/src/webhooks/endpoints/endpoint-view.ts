import { fromDate, timeText, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Instant } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import type { EndpointKind } from "./kind.ts";
import { subscriptionsOf } from "./tenant-patterns.ts";
import type { EndpointAuth } from "../requests/endpoint-auth.ts";
import { familiesOf, publicKeysOf } from "./signature-families.ts";
import type { SignatureFamily } from "./signature-families.ts";
import { shownHeaders } from "../requests/header-values.ts";
import { orderingOf } from "./ordering.ts";
import type { Ordering } from "./ordering.ts";
import { readFilter } from "./channels.ts";
import { ownTransform } from "./wire.ts";
import { movedInView } from "./moved-in.ts";
import type { MovedInView } from "./moved-in.ts";

/** The owner and the time of an object, as all views show them. */
export interface OwnedView {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

export interface EndpointView extends OwnedView, MovedInView {
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
