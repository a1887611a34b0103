import type { TenantKey, Uuid, Violation } from "../../lib/lib.ts";
import { oneRequest } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import { eventOf, eventPart } from "../../events/events.ts";
import type { EventDraft } from "../../events/events.ts";
import { uuidAfter } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Channel, Channels } from "../endpoints/signing-channels.ts";
import { claimEndpoint } from "../endpoints/signing-channels.store.ts";
import { cancelPending } from "./deliveries.store.ts";
import { insertEndpoint } from "../endpoints/endpoints.store.ts";
import { LEASE_SECONDS } from "./engine.worker.ts";
import { headersPlace, sealHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";
import { headerFaults } from "../requests/headers.ts";
import { outcomeBuckets, takeOutcomes } from "./outcome.store.ts";
import type { DeliveryOutcome } from "./outcome.store.ts";
import { EVENT_SPREAD_MS } from "./delivery-plans.ts";
import { pendingPart } from "./queue.store.ts";
import { fingerprintOf, createChannels, openChannel } from "../endpoints/signing-channels.ts";
import type { EndpointsDeps } from "../endpoints/endpoint.ts";

export type { DeliveryOutcome } from "./outcome.store.ts";

/** The content and the address of a delivery. */
export interface Post {
  /**
   * The URL. Each URL with its headers has one endpoint of its own, so that health, slots and order of sending belong
   * to that receiver.
   */
  readonly url: string;
  readonly headers: HeaderValues;
  /** The name of the sender in the database. */
  readonly description: string;
  /** An existing event, or an event of the delivery's own, which no subscriber reacts to. */
  readonly event: { readonly id: Uuid; readonly name: string } | OwnEvent;
}

type OwnEvent = Required<Pick<EventDraft, "name" | "data" | "tenant" | "chain">> & { readonly subject: string };

/**
 * Sends deliveries that another module creates as a part of its own work. They are signed, retried, logged and replayed
 * like all others, and reported by `delivery_outcome` when they end, if their sender awaits them. Their endpoints
 * belong to that module: they subscribe to no events, the endpoints' routes do not show them, and they are not
 * disabled.
 */
export interface OwnedDeliveries extends Channels {
  /**
   * Checks the URL and the headers before they are saved. Throws 422 `url_blocked`. Returns the faults of the headers,
   * by pointers from `/headers` on.
   */
  vet(scope: Scope, url: string, headers: Readonly<Record<string, string>>): Promise<readonly Violation[]>;
  /** Creates a delivery that is due at once when the transaction commits. Returns its id. */
  post(tx: Tx, scope: Scope, by: Pick<Channel, "id" | "owner">, post: Post): Promise<Uuid>;
  /** Cancels a delivery. Has no effect if the delivery has ended. */
  cancel(tx: Tx, place: TenantKey, deliveryId: Uuid): Promise<void>;
  /** Returns the buckets that have outcomes. */
  outcomeBuckets(): Promise<readonly number[]>;
  /** Removes and returns up to 200 outcomes of one bucket. They are deleted when the transaction commits. */
  outcomes(tx: Tx, bucket: number): Promise<readonly DeliveryOutcome[]>;
}

export type OwnedDeliveriesDeps = Pick<
  EndpointsDeps,
  "db" | "clock" | "ids" | "sealer" | "net" | "inboxes" | "wakeAll"
>;

export function createOwnedDeliveries(deps: OwnedDeliveriesDeps): OwnedDeliveries {
  return {
    async vet(scope, url, headers) {
      await deps.net.vet(await deps.inboxes.addressOf(scope, url));
      return headerFaults(headers);
    },
    ...createChannels(deps),
    post: async (tx, scope, by, post) => await write(deps, tx, { scope, by }, post),
    async cancel(tx, place, deliveryId) {
      await cancelPending(tx.query, place, deliveryId);
    },
    outcomeBuckets: async () => await outcomeBuckets(deps.db),
    outcomes: async (tx, bucket) => await takeOutcomes(tx, bucket),
  };
}

interface Sender {
  readonly scope: Scope;
  readonly by: Pick<Channel, "id" | "owner">;
}

async function write(deps: OwnedDeliveriesDeps, tx: Tx, sender: Sender, post: Post): Promise<Uuid> {
  const { scope } = sender;
  const event =
    "id" in post.event ? { scope, ...post.event } : eventOf(deps, { scope, isInternal: true, ...post.event });
  const id = uuidAfter(deps.ids, event.id, EVENT_SPREAD_MS);
  const endpointId = await endpointOf(deps, tx, sender, post);
  const request = 0;
  await tx.commit(
    [
      oneRequest,
      ...("data" in event ? [eventPart([{ event, request }])] : []),
      pendingPart(
        [{ event, request, delivery: { id, endpointId, isUnjudged: false, lane: null, initialState: "due" } }],
        {
          leaseId: deps.ids.uuid(),
          leaseSeconds: LEASE_SECONDS,
        },
      ),
    ],
    "select 1",
  );
  tx.onCommit(deps.wakeAll);
  return id;
}

async function endpointOf(deps: OwnedDeliveriesDeps, tx: Tx, { scope, by }: Sender, post: Post): Promise<Uuid> {
  const { bucket, tag, workspaceId } = scope;
  const { url, headers, description } = post;
  const proposed = deps.ids.uuid();
  const fingerprint = fingerprintOf(deps.sealer, by.id, post);
  const id = await claimEndpoint(tx, { bucket, tag, channelId: by.id, fingerprint }, proposed);
  if (id !== proposed) return id;
  await openChannel(deps, tx, { ...by, workspaceId });
  await insertEndpoint(tx.query, {
    bucket,
    tag,
    id,
    workspace_id: workspaceId,
    url: await deps.inboxes.stored(scope, url),
    events: [],
    active: true,
    description,
    secret_sealed: null,
    ...sealHeaders(deps.sealer, headersPlace(id), headers),
    rate_limit_per_second: null,
    max_in_flight: 16,
    channel_id: by.id,
  });
  return id;
}
