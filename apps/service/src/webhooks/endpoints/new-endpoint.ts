import { toDate, ServiceError } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { endpointView } from "./endpoint-view.ts";
import type { EndpointView } from "./endpoint-view.ts";
import { orderedKeyOf, orderEndpoint } from "./ordered-endpoints.store.ts";
import { insertLog } from "./pull-log.store.ts";
import { recordVersion } from "./transforms.ts";
import type { NamedAuthor } from "./transforms.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import { refreshSubscription } from "./client-subscriptions.ts";
import type { Subscriber } from "./client-subscriptions.ts";
import { acceptDestination } from "../requests/destination.ts";
import { acceptAuth } from "../requests/endpoint-auth.ts";
import { sealedHeaders } from "./endpoint-headers.ts";
import { accept, settingsOf } from "./endpoint-input.ts";
import type { EndpointInput } from "./endpoint-input.ts";
import { makerColumns } from "./endpoint-secrets.ts";
import { countEndpoints, insertEndpoint, lockCreation, sizeOfFilters } from "./endpoints.store.ts";
import type { EndpointInsert } from "./endpoints.store.ts";
import { brokerKindOf, kindFaults } from "./kind.ts";
import { orTaken } from "./moved-in.ts";
import { signatureColumns } from "./signature-families.ts";
import { countSubscriptions, subscriptionsOfClient } from "./subscriptions.store.ts";
import { secretPlace } from "./targets.ts";
import { entriesOf } from "./tenant-patterns.ts";

/**
 * The maximum for a workspace in one environment, and for each of its tenants. An event that the endpoints of both subscribe
 * to uses half of the deliveries of one commit.
 */
export const MOST_ENDPOINTS = 5000;
/** The maximum for one client of the experimental dialect. */
const MOST_SUBSCRIPTIONS = 20;
/** The maximum for one client of the dialect in which each subscription has one event. */
export const MOST_CLIENT_SUBSCRIPTIONS = 100;
/** The maximum size of the different filters of an environment. */
const MOST_FILTER_BYTES = 2 * 1024 * 1024;

export interface Creation {
  readonly scope: Scope;
  readonly maker: NamedAuthor | undefined;
  readonly secret: Hidden;
  readonly externalRef?: string;
  readonly subscriber?: Subscriber;
}

export async function createEndpoint(
  deps: EndpointsDeps,
  creation: Creation,
  asked: EndpointInput,
): Promise<EndpointView> {
  const { scope, maker, subscriber } = creation;
  const input = await accept(deps, scope, asked, kindFaults(asked));
  const kind = brokerKindOf(input);
  const auth = kind === undefined && (await acceptAuth(deps, { scope, author: maker, url: input.url }, input.auth));
  const place = kind && (await acceptDestination(deps, { scope, author: maker, kind }, input.destination));
  const endpoint = { ...(await endpointRow(deps, creation, input)), ...auth, ...place };
  const row = await orTaken(
    async () =>
      await deps.db.transaction(async (tx) => {
        const again = subscriber && (await refreshSubscription(deps, tx, { scope, subscriber }));
        if (again !== undefined) return again;
        await assertRoom(tx, scope, endpoint.tenant);
        if (subscriber !== undefined) await assertRoomOf(tx, scope, subscriber);
        const inserted = await insertEndpoint(tx.query, endpoint);
        if (input.kind === "pull") await insertLog(tx.query, inserted);
        subscriber?.record(tx, { id: inserted.id, change: "created" });
        await recordVersion(tx, inserted, maker);
        if (inserted.ordering_key !== null) await orderEndpoint(tx, orderedKeyOf(inserted));
        await assertFiltersFit(tx, scope, input);
        return inserted;
      }),
  );
  const [current = row] = await deps.inboxes.current([row]);
  return endpointView(scope, current, deps.clock.now());
}

/** Returns the columns of a new endpoint. Its input is accepted. */
export async function endpointRow(
  deps: Pick<EndpointsDeps, "ids" | "sealer" | "inboxes" | "clock">,
  { scope, maker, secret, externalRef, subscriber }: Creation,
  input: EndpointInput,
): Promise<EndpointInsert & { readonly tenant: string | null }> {
  const id = deps.ids.uuid();
  const tenant = scope.tenant ?? input.tenant ?? null;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    url: input.url === undefined ? "" : await deps.inboxes.stored(scope, input.url),
    events: entriesOf({ events: [...new Set(input.events)], tenant }),
    secret_sealed: deps.sealer.seal(secret, secretPlace(id)),
    ...(maker === undefined ? {} : makerColumns(maker)),
    ...sealedHeaders(deps.sealer, id, input.headers ?? {}),
    ...settingsOf(input),
    ...signatureColumns(deps.sealer, { id, ed25519_sealed: null, ed25519_public: null }, input.signatures),
    tenant,
    ...(externalRef === undefined ? {} : { external_ref: externalRef }),
    ...(input.active === false ? { inactive_since: toDate(deps.clock.now()) } : {}),
    ...(subscriber === undefined ? {} : subscriberColumns(subscriber)),
  };
}

function subscriberColumns({ keyId, lineageId, endsAt, client }: Subscriber): Partial<EndpointInsert> {
  return {
    subscriber_key_id: keyId,
    subscriber_lineage_id: lineageId,
    ends_at: toDate(endsAt),
    ...(client === undefined
      ? {}
      : {
          subscription_id: client.id,
          subscription_arguments: client.arguments,
          callback_verified_at: toDate(client.verifiedAt),
        }),
  };
}

/** Throws if the client has the maximum number of subscriptions. */
async function assertRoomOf(tx: Tx, scope: Scope, { keyId, lineageId, client }: Subscriber): Promise<void> {
  const [count, most] =
    client === undefined
      ? [await countSubscriptions(tx.query, scope, keyId, MOST_SUBSCRIPTIONS), MOST_SUBSCRIPTIONS]
      : [(await subscriptionsOfClient(tx.query, scope, lineageId)).length, MOST_CLIENT_SUBSCRIPTIONS];
  if (count < most) return;
  throw new ServiceError("conflict", {
    detail: `A client can have at most ${most} subscriptions. End one of them first.`,
    extra: { max: most },
  });
}

/** Throws if the tenant, or the workspace itself, has the maximum number of endpoints. Creations that are counted at the same time take turns. */
async function assertRoom(tx: Tx, scope: Scope, tenant: string | null): Promise<void> {
  await lockCreation(tx, scope);
  const place = { bucket: scope.bucket, tag: scope.tag, tenant };
  if ((await countEndpoints(tx.query, place, MOST_ENDPOINTS)) < MOST_ENDPOINTS) return;
  const detail = `${tenant === null ? "A workspace" : "A tenant"} can have at most ${MOST_ENDPOINTS} webhook endpoints per environment. Delete an unused endpoint, or add the events to an existing endpoint.`;
  throw new ServiceError("conflict", { detail });
}

/**
 * Throws 422 if the filters of the environment have become too large together: each batch of events may read all of
 * them.
 */
export async function assertFiltersFit(
  tx: Tx,
  scope: Scope,
  { filter, channels = [] }: Partial<EndpointInput>,
): Promise<void> {
  if (
    (typeof filter !== "string" && channels.length === 0) ||
    (await sizeOfFilters(tx.query, scope)) <= MOST_FILTER_BYTES
  )
    return;
  const message = `would make the filters of the environment's endpoints larger than ${MOST_FILTER_BYTES} bytes together; endpoints with exactly the same filter count once`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/filter", code: "too_large", message }] });
}
