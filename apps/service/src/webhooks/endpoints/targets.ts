import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { fromDate, openSecrets, resultOf } from "../../lib/lib.ts";
import type { Clock, Instant, Sealer, SigningSecrets, Tag, Uuid } from "../../lib/lib.ts";
import { channelPlace } from "./signing-channels.ts";
import { endpointTargets } from "./endpoints.store.ts";
import type { TargetRow } from "./endpoints.store.ts";
import { headersPlace, openHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";
import { storedDestination } from "../requests/destination.ts";
import type { StoredDestination } from "../requests/destination.ts";
import { storedAuth } from "../requests/endpoint-auth.ts";
import { ownSigning } from "./signature-families.ts";
import type { OwnSigning } from "./signature-families.ts";
import type { StoredAuth } from "../requests/sign-in.ts";
import { ownSchedule } from "./own-schedule.ts";
import type { RetrySchedule } from "./own-schedule.ts";
import type { OwnInboxes } from "./own-inboxes.ts";
import type { EndpointTransform } from "../transforms/run-transform.ts";
import { endOf } from "./subscriber-rights.ts";
import type { SubscriptionRow } from "./subscriptions.store.ts";
import { ownTransform, wireOf } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** The address, headers and secrets of an endpoint as they are in the database now. */
export interface Target extends SigningSecrets {
  readonly workspaceId: Uuid;
  readonly url: string;
  readonly headers: HeaderValues;
  readonly failingSince: Instant | null;
  readonly active: boolean;
  /** True if its messages are pulled. */
  readonly isPulled: boolean;
  readonly tenant: string | null;
  /** True if the endpoint belongs to another module. Callers could not enable it again. */
  readonly owned: boolean;
  /** JSON text of the condition that events have to meet; null for none. */
  readonly filter: string | null;
  /** The broker that gets its messages; null for other kinds. */
  readonly destination: StoredDestination | null;
  /** How the service signs in to the receiver; null if it does not. */
  readonly auth: StoredAuth | null;
  /** The families of signatures and the keys of Ed25519; null for the default families. */
  readonly signing: OwnSigning | null;
  /** The waits between attempts in milliseconds; null for those of the installation. */
  readonly retrySchedule: RetrySchedule | null;
  /** The transformation that changes the request before it is sent; null for none. */
  readonly transform: EndpointTransform | null;
  /** The form of its requests. */
  readonly wire: Wire;
  /** The id that an AI client has for its subscription; null for other endpoints. */
  readonly subscriptionId: string | null;
  /** True if that module waits for the outcome. */
  readonly awaited: boolean;
}

export interface TargetKey {
  readonly bucket: number;
  readonly tag: Tag;
  readonly endpointId: Uuid;
}

export interface Targets {
  /** Returns undefined if the endpoint was deleted. Concurrent reads share a statement, and nothing is cached. */
  load(key: TargetKey): Promise<Target | undefined>;
}

export interface TargetDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly inboxes: OwnInboxes;
}

export function createTargets(deps: TargetDeps): Targets {
  const batcher = createShardBatcher<TargetKey, Target | undefined>(deps.db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 1000,
    concurrency: 2,
    shareOf: ({ tag }) => tag,
    favorsFew: true,
    run: async (keys) => {
      const distinct = new Map(
        keys.map((key) => [key.endpointId, { bucket: key.bucket, tag: key.tag, id: key.endpointId }]),
      );
      const rows = await deps.inboxes.current(await endpointTargets(deps.db, [...distinct.values()]));
      const now = deps.clock.now();
      const ended = await endedSubscriptions(deps.db, rows, now);
      const found = new Map(
        rows.flatMap((row) =>
          row.deleted_at === null && !ended.has(row.id)
            ? [[row.id, resultOf(() => targetOf(deps.sealer, row, now))] as const]
            : [],
        ),
      );
      return keys.map((key) => found.get(key.endpointId));
    },
  });
  return { load: async (key) => await batcher.add(key) };
}

/** A subscription gets nothing after its end, or after the right of its client, also before it is deleted. */
async function endedSubscriptions(db: Db, rows: readonly TargetRow[], now: Instant): Promise<ReadonlySet<Uuid>> {
  const judged = rows
    .filter(isSubscription)
    .map(async (row) => ((await endOf(db, row, now)) === undefined ? [] : [row.id]));
  return new Set((await Promise.all(judged)).flat());
}

function isSubscription(row: TargetRow): row is TargetRow & SubscriptionRow {
  return row.subscriber_key_id !== null && row.ends_at !== null;
}

export function secretPlace(endpointId: string): string {
  return `endpoint:${endpointId}`;
}

export function targetOf(sealer: Sealer, row: TargetRow, now: Instant): Target {
  return {
    workspaceId: row.workspace_id,
    // Requests are shown to tenants too, who do not see where else the workspace sends messages.
    url: row.destination === null ? row.url : `${row.kind}:`,
    headers: openHeaders(sealer, headersPlace(row.id), row),
    ...signingSecretsOf(sealer, row, now),
    failingSince: row.failing_since === null ? null : fromDate(row.failing_since),
    active: row.active,
    isPulled: row.kind === "pull",
    tenant: row.tenant,
    owned: row.channel_id !== null,
    filter: row.filter,
    retrySchedule: ownSchedule(row),
    destination: storedDestination(row),
    auth: storedAuth(row),
    signing: ownSigning(sealer, row, now),
    transform: transformOf(row),
    wire: wireOf(row),
    subscriptionId: row.subscription_id,
    awaited: row.awaits,
  };
}

function transformOf(row: TargetRow): EndpointTransform | null {
  const text = ownTransform(row);
  return text === null ? null : { text, tenant: row.tenant, version: row.transform_version ?? 0 };
}

export function signingSecretsOf(sealer: Sealer, row: TargetRow, now: Instant): SigningSecrets {
  return openSecrets(sealer, placeOf(row), row, now);
}

function placeOf({ id, channel_id: channelId, owner }: TargetRow): string {
  if (channelId === null) return secretPlace(id);
  if (owner !== "workflow" && owner !== "rule") throw new Error("an endpoint's channel is not there");
  return channelPlace({ owner, id: channelId });
}
