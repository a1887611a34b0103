import { setTimeout as sleep } from "node:timers/promises";
import { newSigningSecret, paginate, resultOf, ServiceError, toDate } from "../../lib/lib.ts";
import type { Hidden, Instant, Page, Uuid, Violation } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { cancelPendingOf } from "../deliveries/deliveries.store.ts";
import { changeExisting, existingEndpoint, storedEndpoint } from "./endpoint.ts";
import type { EndpointsDeps, WithSecret } from "./endpoint.ts";
import { createEndpointReplays } from "./endpoint-replays.ts";
import type { EndpointReplays } from "./endpoint-replays.ts";
import type { EndpointSummary, StatsView } from "./endpoint-stats.ts";
import { createEndpointSecrets, makerColumns } from "./endpoint-secrets.ts";
import type { EndpointSecrets } from "./endpoint-secrets.ts";
import {
  countEndpoints,
  deleteEndpoint,
  insertEndpoint,
  listEndpoints,
  lockCreation,
  sizeOfFilters,
} from "./endpoints.store.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { countSubscriptions, isSubscriptionOf, openSubscriptions } from "./subscriptions.store.ts";
import type { SubscriptionRow } from "./subscriptions.store.ts";
import { hasHeaders, headersPlace, meantHeaders, openHeaders, sealHeaders } from "./header-values.ts";
import type { HeaderValues } from "./header-values.ts";
import { createExplanations } from "./explain.ts";
import type { Explanations } from "./explain.ts";
import { filterFaults } from "./filters.ts";
import { pinnedFaults } from "./pinned-versions.ts";
import type { PinnedVersions } from "./pinned-versions.ts";
import { headerFaults } from "./headers.ts";
import { secretPlace } from "./targets.ts";
import { assertSameTenant, entriesOf } from "./tenant-patterns.ts";
import { transformFaults } from "../transforms/transform.ts";
import { assertSavable, createTransforms, recordVersion } from "../transforms/transforms.ts";
import type { Transforms } from "../transforms/transforms.ts";
import { endpointView } from "../deliveries/views.ts";
import type { EndpointView } from "../deliveries/views.ts";

export type { WithSecret } from "./endpoint.ts";

export interface EndpointInput {
  readonly url: string;
  readonly events: string[];
  readonly active?: boolean;
  readonly description?: string;
  readonly headers?: Record<string, string>;
  readonly rate_limit_per_second?: number | null;
  readonly max_in_flight?: number;
  /** The tenant, which a change can only repeat. */
  readonly tenant?: string | null;
  /** The text of a condition as the caller wrote it, so that no digit is lost; null for none. */
  readonly filter?: string | null;
  /** The text of a transformation as the caller wrote it; null for none. */
  readonly transform?: string | null;
  readonly event_versions?: PinnedVersions | null;
}

export interface EndpointListQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly tenant?: string;
  readonly with?: "stats";
}

/** The client that subscribes, and the settings that only its endpoint has. */
export interface Subscriber {
  readonly keyId: Uuid;
  /** The client's own signing secret. */
  readonly secret: Hidden;
  readonly endsAt: Instant;
  /** Runs in the transaction that creates the endpoint. */
  record(tx: Tx, endpoint: EndpointView): void;
}

export interface Endpoints extends EndpointSecrets, EndpointReplays, Explanations, Transforms {
  /**
   * Creates an endpoint. The maker may see the secret again; without a maker, only owners may. Throws 409 `conflict` if
   * there are 5,000 endpoints already.
   */
  create(scope: Scope, input: EndpointInput, maker?: Author): Promise<WithSecret>;
  /** Creates the endpoint of a client's subscription. Throws 409 `conflict` if the client has 20 of them already. */
  subscribe(scope: Scope, input: EndpointInput, subscriber: Subscriber): Promise<EndpointView>;
  /** Returns the endpoints of subscriptions in all workspaces. */
  subscriptions(): Promise<readonly SubscriptionRow[]>;
  isSubscriptionOf(scope: Scope, id: Uuid, keyId: Uuid): Promise<boolean>;
  /** Deletes an endpoint as `remove` does, and records it in the same transaction. Returns false if it was deleted before. */
  unsubscribe(scope: Scope, id: Uuid, record: (tx: Tx) => void): Promise<boolean>;
  /** Lists endpoints. With `stats`, each includes its last 24 hours. */
  list(scope: Scope, page: EndpointListQuery): Promise<Page<EndpointView & { readonly stats?: EndpointSummary }>>;
  stats(scope: Scope, id: string): Promise<StatsView>;
  get(scope: Scope, id: string): Promise<EndpointView>;
  /**
   * Changes an endpoint. Throws 422 `url_blocked` for an unsafe new URL, and `validation_failed` for a header whose
   * value is neither given nor kept; then nothing is changed. Throws 409 `transform_cases_failed` if the cases of a new
   * transformation do not pass.
   */
  change(scope: Scope, id: string, input: Partial<EndpointInput>, author?: Author): Promise<EndpointView>;
  toggle(scope: Scope, id: string): Promise<EndpointView>;
  /** Deletes an endpoint. Its pending deliveries are cancelled, and its log is kept. */
  remove(scope: Scope, id: string): Promise<void>;
}

/**
 * The maximum for a workspace in one environment, and for each of its tenants. An event that the endpoints of both subscribe
 * to uses half of the deliveries of one commit.
 */
const MOST_ENDPOINTS = 5000;
/** The maximum for one client. */
const MOST_SUBSCRIPTIONS = 20;
/** The maximum size of the different filters of an environment. */
const MOST_FILTER_BYTES = 2 * 1024 * 1024;
const NONE: HeaderValues = new Map();
const CANCEL_TRIES = 50;
const CANCEL_PAUSE_MS = 20;

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, clock } = deps;
  const view = (scope: Scope, row: EndpointRow): EndpointView => endpointView(scope, row, clock.now());

  return {
    ...createEndpointSecrets(deps),
    ...createEndpointReplays(deps),
    ...createExplanations(deps),
    ...createTransforms(deps),
    async create(scope, input, maker) {
      const secret = newSigningSecret();
      return { ...(await create(deps, { scope, maker, secret }, input)), secret: secret.reveal() };
    },
    subscribe: async (scope, input, subscriber) =>
      await create(deps, { scope, maker: undefined, secret: subscriber.secret, subscriber }, input),
    subscriptions: async () => await openSubscriptions(db),
    isSubscriptionOf: async (scope, id, keyId) => await isSubscriptionOf(db.query, scope, id, keyId),
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
    stats: async (scope, id) => await deps.statistics.of(scope, (await existingEndpoint(deps, scope, id)).id),
    get: async (scope, id) => view(scope, await existingEndpoint(deps, scope, id)),
    async change(scope, id, input, author) {
      const before = await storedEndpoint(deps, scope, id);
      assertSameTenant(before, input.tenant);
      const [{ url: today } = before] = await deps.inboxes.current([before]);
      const accepted = await accept(deps, scope, input);
      const saved = accepted.url === undefined ? {} : { url: await deps.inboxes.stored(scope, accepted.url) };
      const changed = await changeExisting(
        deps,
        { scope, id },
        (held) => {
          // Another change may have happened in between.
          const present = held.url === before.url ? today : held.url;
          return {
            ...changeOf({ ...accepted, ...saved }, held),
            ...headersOf(deps, { held, present }, accepted),
            ...transformOf(held, accepted),
          };
        },
        async (tx, row, held) => {
          if (row.transform_version !== held.transform_version) await recordVersion(tx, row, author);
          await assertFiltersFit(tx, scope, input);
        },
      );
      return view(scope, changed);
    },
    async toggle(scope, id) {
      return view(scope, await changeExisting(deps, { scope, id }, (held) => changeOf({ active: !held.active }, held)));
    },
    async remove(scope, id) {
      if (!(await remove(deps, scope, ownUuid(scope, "ep", id)))) throw new ServiceError("not_found");
    },
  };
}

async function remove(deps: EndpointsDeps, scope: Scope, id: Uuid, record?: (tx: Tx) => void): Promise<boolean> {
  return await deps.db.transaction(async (tx) => {
    if (!(await deleteEndpoint(tx, scope, id, toDate(deps.clock.now())))) return false;
    record?.(tx);
    // Runs after the commit, because the writer of a result may wait for the endpoint's row, which this transaction
    // locks until then.
    if (await cancelPendingOf(tx.query, scope, { endpoint: id })) tx.onCommit(() => void cancelRest(deps, scope, id));
    return true;
  });
}

/**
 * Cancels the deliveries whose results were being written when their endpoint was deleted. If this fails, a worker
 * cancels them in place of the next attempt.
 */
async function cancelRest({ db }: EndpointsDeps, scope: Scope, id: Uuid): Promise<void> {
  for (let tries = 0, isLeft = true; isLeft && tries < CANCEL_TRIES; tries += 1) {
    await sleep(CANCEL_PAUSE_MS);
    isLeft = await cancelPendingOf(db.query, scope, { endpoint: id }).catch(() => false);
  }
}

interface Creation {
  readonly scope: Scope;
  readonly maker: Author | undefined;
  readonly secret: Hidden;
  readonly subscriber?: Subscriber;
}

async function create(
  deps: EndpointsDeps,
  { scope, maker, secret, subscriber }: Creation,
  asked: EndpointInput,
): Promise<EndpointView> {
  const input = await accept(deps, scope, asked);
  const id = deps.ids.uuid();
  const tenant = scope.tenant ?? input.tenant ?? null;
  const endpoint = {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    url: await deps.inboxes.stored(scope, input.url),
    events: entriesOf({ events: [...new Set(input.events)], tenant }),
    secret_sealed: deps.sealer.seal(secret, secretPlace(id)),
    ...(maker === undefined ? {} : makerColumns(maker)),
    ...sealHeaders(deps.sealer, headersPlace(id), meantOrRefuse(input.headers ?? {}, NONE)),
    ...settingsOf(input),
    tenant,
    ...(subscriber === undefined ? {} : { subscriber_key_id: subscriber.keyId, ends_at: toDate(subscriber.endsAt) }),
  };
  const row = await deps.db.transaction(async (tx) => {
    await assertRoom(tx, scope, tenant);
    if (subscriber !== undefined) await assertRoomOf(tx, scope, subscriber);
    const inserted = await insertEndpoint(tx.query, endpoint);
    subscriber?.record(tx, endpointView(scope, inserted, deps.clock.now()));
    await recordVersion(tx, inserted, maker);
    await assertFiltersFit(tx, scope, input);
    return inserted;
  });
  const [current = row] = await deps.inboxes.current([row]);
  return endpointView(scope, current, deps.clock.now());
}

/** Throws if the client has the maximum number of subscriptions. */
async function assertRoomOf(tx: Tx, scope: Scope, { keyId }: Subscriber): Promise<void> {
  if ((await countSubscriptions(tx.query, scope, keyId, MOST_SUBSCRIPTIONS)) < MOST_SUBSCRIPTIONS) return;
  throw new ServiceError("conflict", {
    detail: `A client can have at most ${MOST_SUBSCRIPTIONS} subscriptions. End one of them first.`,
  });
}

/** Returns the columns that have defaults. */
function settingsOf({ active = true, description = "", filter = null, ...rest }: EndpointInput) {
  return {
    active,
    description,
    rate_limit_per_second: rest.rate_limit_per_second ?? null,
    max_in_flight: rest.max_in_flight ?? 16,
    filter,
    ...transformOf({ transform: null, transform_version: null }, rest),
    event_versions: pinnedText(rest.event_versions),
  };
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
async function assertFiltersFit(tx: Tx, scope: Scope, { filter }: Partial<EndpointInput>): Promise<void> {
  if (typeof filter !== "string" || (await sizeOfFilters(tx.query, scope)) <= MOST_FILTER_BYTES) return;
  const message = `would make the filters of the environment's endpoints larger than ${MOST_FILTER_BYTES} bytes together; endpoints with exactly the same filter count once`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/filter", code: "too_large", message }] });
}

/** Returns the input with its current address. */
async function accept<Input extends Partial<EndpointInput>>(
  deps: EndpointsDeps,
  scope: Scope,
  input: Input,
): Promise<Input> {
  const errors = (input.events ?? []).flatMap((name, at): Violation[] =>
    isEventPattern(name) ? [] : [{ pointer: `/events/${at}`, code: "event_name", message: EVENT_PATTERN_FAULT }],
  );
  if (input.headers !== undefined) errors.push(...headerFaults(input.headers));
  if (typeof input.filter === "string") errors.push(...filterFaults(input.filter));
  if (typeof input.transform === "string") errors.push(...transformFaults(input.transform));
  errors.push(...pinnedFaults(input.event_versions ?? {}));
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  await assertSavable(deps.runner, scope, input.transform);
  if (input.url === undefined) return input;
  const url = await deps.inboxes.addressOf(scope, input.url);
  await deps.net.vet(url);
  return { ...input, url };
}

/** Returns the columns of the transformation. Each change has the next version. */
function transformOf(
  held: Pick<EndpointRow, "transform" | "transform_version">,
  { transform }: Partial<EndpointInput>,
): Pick<EndpointChange, "transform" | "transform_version"> {
  if (transform === undefined || transform === held.transform) return {};
  return { transform, transform_version: (held.transform_version ?? 0) + 1 };
}

/** Returns the columns of a change. Enabling an endpoint also clears its failure state. */
function changeOf(
  { headers: _headers, tenant: _tenant, active, events, event_versions: pinned, ...rest }: Partial<EndpointInput>,
  held: EndpointRow,
): EndpointChange {
  return {
    ...rest,
    ...(events === undefined ? {} : { events: entriesOf({ events, tenant: held.tenant }) }),
    ...(pinned === undefined ? {} : { event_versions: pinnedText(pinned) }),
    ...(active === undefined ? {} : { active }),
    ...(active === true ? { disabled_reason: null, failing_since: null } : {}),
  };
}

function pinnedText(versions: PinnedVersions | null | undefined): string | null {
  return versions === null || versions === undefined ? null : JSON.stringify(versions);
}

function meantOrRefuse(given: Readonly<Record<string, string>>, kept: HeaderValues): HeaderValues {
  const { values, violations } = meantHeaders(given, kept, []);
  if (violations.length > 0) throw new ServiceError("validation_failed", { errors: violations });
  return values;
}

/**
 * Returns the columns of the headers. Values belong to the URL they were entered for: another URL needs them again. Otherwise a developer
 * could point an endpoint at an address of their own and receive a credential that only owners may see.
 */
function headersOf(
  { sealer }: EndpointsDeps,
  { held, present }: { readonly held: EndpointRow; readonly present: string },
  { url, headers }: Partial<EndpointInput>,
): EndpointChange {
  const isElsewhere = url !== undefined && url !== present;
  if (headers === undefined) {
    if (isElsewhere && hasHeaders(held.headers)) throw notSentAgain();
    return {};
  }
  const place = headersPlace(held.id);
  const opened = isElsewhere ? NONE : resultOf(() => openHeaders(sealer, place, held));
  return sealHeaders(sealer, place, meantOrRefuse(headers, opened instanceof Error ? NONE : opened));
}

function notSentAgain(): ServiceError {
  const message =
    "must be sent together with a new URL: stored values are sent only to the current URL. Send the values again, or {} for no headers";
  return new ServiceError("validation_failed", {
    errors: [{ pointer: "/headers", code: "header_values_required", message }],
  });
}
