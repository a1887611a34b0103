import { isDeepStrictEqual } from "node:util";
import { newSigningSecret, paginate, ServiceError, wireId } from "../../lib/lib.ts";
import type { Page, Uuid, t } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { changeExisting, existingEndpoint, storedEndpoint } from "./endpoint.ts";
import type { EndpointsDeps, WithSecret } from "./endpoint.ts";
import { acceptDestination } from "../requests/destination.ts";
import type { DestinationColumns } from "../requests/destination.ts";
import { acceptAuth, assertAuthSentAgain } from "../requests/endpoint-auth.ts";
import { headersOf } from "./endpoint-headers.ts";
import { accept, changeOf, transformOf } from "./endpoint-input.ts";
import type { EndpointInput } from "./endpoint-input.ts";
import type { EndpointSummary, StatsView } from "./endpoint-stats.ts";
import { assertClientAgrees } from "./client-subscriptions.ts";
import type { Subscriber } from "./client-subscriptions.ts";
import { createEndpointSecrets } from "./endpoint-secrets.ts";
import type { EndpointSecrets } from "./endpoint-secrets.ts";
import { listEndpoints, ownEndpoints } from "./endpoints.store.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import { createExplanations } from "./explain.ts";
import type { Explanations } from "./explain.ts";
import { assertFitsKind, brokerKindOf } from "./kind.ts";
import { orTaken } from "./moved-in.ts";
import type { Imported } from "./moved-in.ts";
import { assertFiltersFit, createEndpoint } from "./new-endpoint.ts";
import { removeEndpoint as remove } from "./remove-endpoint.ts";
import { createShownTypes } from "./shown-types.ts";
import type { ShownTypes } from "./shown-types.ts";
import { signatureColumns } from "./signature-families.ts";
import { createEndpointSpans } from "./spans.ts";
import type { EndpointSpans } from "./spans.ts";
import { isSubscriptionOf, lastVerified, openSubscriptions, subscriptionsOfClient } from "./subscriptions.store.ts";
import type { ClientSubscriptionRow, SubscriptionRow } from "./subscriptions.store.ts";
import { assertSameTenant } from "./tenant-patterns.ts";
import { orderedKeyOf, orderEndpoint } from "./ordered-endpoints.store.ts";
import { createTransforms, recordVersion } from "./transforms.ts";
import type { NamedAuthor, Transforms } from "./transforms.ts";
import { endpointView } from "./endpoint-view.ts";
import type { EndpointView } from "./endpoint-view.ts";
import type * as shapes from "./endpoints.schemas.ts";

export type { WithSecret } from "./endpoint.ts";
export type { EndpointInput } from "./endpoint-input.ts";

export type EndpointListQuery = t.Static<typeof shapes.EndpointListQuery>;

export interface Endpoints extends EndpointSecrets, Explanations, ShownTypes, Transforms, EndpointSpans {
  /**
   * Creates an endpoint. The maker may see the secret again; without a maker, only owners may. Throws 409 `conflict` if
   * there are 5,000 endpoints already, or another one has its `uid`. `imported`: its secret and id of before.
   */
  create(scope: Scope, input: EndpointInput, maker?: NamedAuthor, imported?: Imported): Promise<WithSecret>;
  /**
   * Creates the endpoint of a client's subscription, or refreshes the one with the same id. Throws 409 `conflict` if the client has too
   * many of them, or a person disabled it.
   */
  subscribe(scope: Scope, input: EndpointInput, subscriber: Subscriber): Promise<EndpointView>;
  /** Returns the endpoints of subscriptions in all workspaces. */
  subscriptions(): Promise<readonly SubscriptionRow[]>;
  isSubscriptionOf(scope: Scope, id: Uuid, keyId: Uuid): Promise<boolean>;
  /** Returns the subscriptions of a client that have ids of its own. */
  subscriptionsOfClient(scope: Scope, lineageId: Uuid): Promise<readonly ClientSubscriptionRow[]>;
  /** Returns when the receiver at this address last repeated a challenge of this client; null for never. */
  lastVerified(scope: Scope, client: { readonly lineageId: Uuid; readonly url: string }): Promise<Date | null>;
  /** Deletes an endpoint as `remove` does, and records it in the same transaction. Returns false if it was deleted before. */
  unsubscribe(scope: Scope, id: Uuid, record: (tx: Tx) => void): Promise<boolean>;
  /** Lists endpoints. With `stats`, each includes its last 24 hours. */
  list(scope: Scope, page: EndpointListQuery): Promise<Page<EndpointView & { readonly stats?: EndpointSummary }>>;
  /** Returns the workspace's own endpoints, oldest first, without those of tenants and of clients' subscriptions. */
  own(scope: Scope): Promise<EndpointView[]>;
  stats(scope: Scope, id: string): Promise<StatsView>;
  /** Returns the number of deliveries that the deletion of each endpoint would cancel, by its id, counted up to 1,000. */
  undelivered(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  get(scope: Scope, id: string): Promise<EndpointView>;
  /**
   * Changes an endpoint. Throws 422 `url_blocked` for an unsafe new URL, and `validation_failed` for a header whose
   * value is neither given nor kept; then nothing is changed. Throws 409 `transform_cases_failed` if the cases of a new
   * transformation do not pass.
   */
  change(scope: Scope, id: string, input: Partial<EndpointInput>, author?: NamedAuthor): Promise<EndpointView>;
  toggle(scope: Scope, id: string): Promise<EndpointView>;
  /** Deletes an endpoint. Its pending deliveries are cancelled, and its log is kept. */
  remove(scope: Scope, id: string): Promise<void>;
}

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, clock } = deps;
  const view = (scope: Scope, row: EndpointRow): EndpointView => endpointView(scope, row, clock.now());

  return {
    ...createEndpointSecrets(deps),
    ...createExplanations(deps),
    ...createShownTypes(deps),
    ...createEndpointSpans(deps),
    ...createTransforms(deps),
    async create(scope, input, maker, imported = { secret: newSigningSecret() }) {
      const made = await createEndpoint(deps, { scope, maker, ...imported }, input);
      return { ...made, secret: imported.secret.reveal() };
    },
    subscribe: async (scope, input, subscriber) =>
      await createEndpoint(deps, { scope, maker: undefined, secret: subscriber.secret, subscriber }, input),
    subscriptions: async () => await openSubscriptions(db),
    isSubscriptionOf: async (scope, id, keyId) => await isSubscriptionOf(db.query, scope, id, keyId),
    subscriptionsOfClient: async (scope, lineageId) => await subscriptionsOfClient(db.query, scope, lineageId),
    lastVerified: async (scope, { lineageId, url }) =>
      await lastVerified(db.query, scope, { lineageId, url: await deps.inboxes.stored(scope, url) }),
    unsubscribe: async (scope, id, record) => await remove(deps, scope, id, record),
    async list(scope, { with: more, tenant, ...query }) {
      const page = await paginate(query, {
        binding: [scope.tag, "endpoints", tenant ?? null],
        read: async (before, count) => await listEndpoints(db.query, scope, { tenant, before }, count),
        view: (row) => row,
      });
      const rows = await deps.inboxes.current(page.data);
      const ids = more === "stats" ? rows.map((row) => row.id) : [];
      const stats = ids.length === 0 ? undefined : await deps.statistics.summaries(scope, ids);
      const data = rows.map((row) => {
        const summary = stats?.get(row.id);
        return { ...view(scope, row), ...(summary !== undefined && { stats: summary }) };
      });
      return { ...page, data };
    },
    own: async (scope) =>
      (await deps.inboxes.current(await ownEndpoints(db.query, scope))).map((row) => view(scope, row)),
    stats: async (scope, id) => await deps.statistics.of(scope, (await existingEndpoint(deps, scope, id)).id),
    async undelivered(scope, ids) {
      const uuids = ids.map((id) => ownUuid(scope, "ep", id));
      const counts = await deps.statistics.undelivered(scope, uuids);
      return new Map([...counts].map(([id, count]) => [wireId("ep", scope.tag, id), count]));
    },
    get: async (scope, id) => view(scope, await existingEndpoint(deps, scope, id)),
    change: async (scope, id, input, author) => view(scope, await change(deps, { scope, id, author }, input)),
    async toggle(scope, id) {
      return view(
        scope,
        await changeExisting(deps, { scope, id }, (held) => changeOf(deps, { active: !held.active }, held)),
      );
    },
    async remove(scope, id) {
      if (!(await remove(deps, scope, ownUuid(scope, "ep", id)))) throw new ServiceError("not_found");
    },
  };
}

interface Change {
  readonly scope: Scope;
  readonly id: string;
  readonly author: NamedAuthor | undefined;
}

async function change(
  deps: EndpointsDeps,
  { scope, id, author }: Change,
  input: Partial<EndpointInput>,
): Promise<EndpointRow> {
  const before = await storedEndpoint(deps, scope, id);
  assertSameTenant(before, input.tenant);
  assertClientAgrees(before, input);
  assertFitsKind(before, input);
  const [{ url: today } = before] = await deps.inboxes.current([before]);
  const accepted = await accept(deps, scope, input);
  const kind = brokerKindOf(before);
  // The author of a destination is stored in the same columns.
  const auth =
    kind === undefined && (await acceptAuth(deps, { scope, author, url: accepted.url ?? today }, input.auth));
  const place = kind && (await acceptDestination(deps, { scope, author, kind }, input.destination));
  const saved = accepted.url === undefined ? {} : { url: await deps.inboxes.stored(scope, accepted.url) };
  return await orTaken(
    async () =>
      await changeExisting(
        deps,
        { scope, id },
        (held) => {
          // Another change may have happened in between.
          const present = held.url === before.url ? today : held.url;
          assertAuthSentAgain(held, accepted, present);
          if (input.auth && accepted.url === undefined && held.url !== before.url) throw changedMeanwhile();
          return {
            ...changeOf(deps, { ...accepted, ...saved }, held),
            ...headersOf(deps, { held, present }, { ...accepted, ...movedTo(place, held) }),
            ...transformOf(held, accepted),
            ...auth,
            ...place,
            ...signatureColumns(deps.sealer, held, accepted.signatures),
          };
        },
        async (tx, row, held) => {
          if (row.transform_version !== held.transform_version) await recordVersion(tx, row, author);
          if (row.ordering_key !== null) await orderEndpoint(tx, orderedKeyOf(row));
          if (row.on_failed !== held.on_failed) tx.onCommit(() => deps.lanes.unblocked(orderedKeyOf(row)));
          await assertFiltersFit(tx, scope, input);
        },
      ),
  );
}

function changedMeanwhile(): ServiceError {
  return new ServiceError("conflict", {
    detail: "The URL of the endpoint was changed at the same time. Repeat the call.",
  });
}

/** Returns what stands for a new URL if the endpoint gets another destination: stored header values are sent to no other one. */
function movedTo(place: DestinationColumns | undefined, { destination }: EndpointRow): { readonly url?: string } {
  const isSame = place?.destination === undefined || isDeepStrictEqual(JSON.parse(place.destination), destination);
  return isSame ? {} : { url: "" };
}
