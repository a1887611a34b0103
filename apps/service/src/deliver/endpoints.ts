import type { Db, Query } from "../db/db.ts";
import { after, decodeCursor, fromDate, momentOf, newSigningSecret, pageOf, ServiceError, toDate, toRfc3339, uuidFloor } from "../kernel/kernel.ts";
import type { Clock, IdMaker, Page, Sealer, Uuid } from "../kernel/kernel.ts";
import { isEventName } from "../events/events.ts";
import type { Net } from "../net/net.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { cancelPending, countFailed, endpointStats } from "./deliveries.store.ts";
import type { EndpointStats } from "./deliveries.store.ts";
import { changeEndpoint, deleteEndpoint, endpointsOfUrl, findEndpoint, insertEndpoint, listEndpoints } from "./endpoints.store.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { refuseHeaders } from "./headers.ts";
import { secretPlace, targetOf } from "./targets.ts";
import type { Target } from "./targets.ts";
import { endpointView } from "./views.ts";
import type { EndpointView } from "./views.ts";

export interface EndpointInput {
  readonly url: string;
  readonly events: string[];
  readonly active?: boolean;
  readonly description?: string;
  readonly headers?: Record<string, string>;
  readonly rate_limit_per_second?: number | null;
  readonly max_in_flight?: number;
}

export type WithSecret = EndpointView & { readonly secret: string };

export interface RevealedSecret {
  readonly secret: string;
  readonly previous_secret?: string;
  readonly previous_expires_at?: string;
}

export interface ReplayFailed {
  readonly since: string;
  readonly until: string;
  readonly dry_run?: boolean;
}

export interface Endpoints {
  create(scope: Scope, input: EndpointInput): Promise<WithSecret>;
  list(scope: Scope, page: { limit?: number; cursor?: string }): Promise<Page<EndpointView>>;
  get(scope: Scope, id: string): Promise<EndpointView>;
  /** Throws 422 `url_blocked` for an unsafe new URL; nothing is changed then. */
  change(scope: Scope, id: string, input: Partial<EndpointInput>): Promise<EndpointView>;
  toggle(scope: Scope, id: string): Promise<EndpointView>;
  /** Its waiting deliveries are cancelled, its log is kept. */
  remove(scope: Scope, id: string): Promise<void>;
  reveal(scope: Scope, id: string): Promise<RevealedSecret>;
  /** The old secret signs beside the new one for `overlapSeconds`. */
  regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<WithSecret>;
  /** How many failed deliveries of a time lie there to be replayed. */
  countFailed(scope: Scope, id: string, range: ReplayFailed): Promise<number>;
  /** Replays them in the background; answers their count at once. */
  replayFailed(scope: Scope, id: string, range: ReplayFailed): Promise<{ count: number; job_id: string }>;
  stats(scope: Scope, id: string): Promise<EndpointStats>;
  /** Where and with what a test of this endpoint is sent. */
  target(scope: Scope, id: string): Promise<Target & { readonly id: Uuid }>;
  /** Every secret that may now sign what is sent to exactly this URL, inactive endpoints' and overlapping ones included. */
  secretsOfUrl(scope: Scope, url: string): Promise<string[]>;
}

export interface EndpointsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly wakeAll: () => void;
  readonly startReplay: (of: { scope: Scope; endpointId: Uuid; from: Uuid; to: Uuid; total: number }) => Promise<string>;
}

const DAY_MS = 86_400_000;

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, clock } = deps;
  const view = (scope: Scope, row: EndpointRow): EndpointView => endpointView(scope, row, clock.now());

  async function existing(query: Query, scope: Scope, id: string): Promise<EndpointRow> {
    const row = await findEndpoint(query, scope, ownUuid(scope, "ep", id));
    if (row === undefined) throw new ServiceError("not_found");
    return row;
  }

  async function change(scope: Scope, id: string, by: EndpointChange): Promise<EndpointRow> {
    const row = await changeEndpoint(db.query, scope, ownUuid(scope, "ep", id), by);
    if (row === undefined) throw new ServiceError("not_found");
    deps.wakeAll();
    return row;
  }

  async function failedRange(scope: Scope, id: string, range: ReplayFailed): Promise<Parameters<typeof countFailed>[1]> {
    const { id: endpointId } = await existing(db.query, scope, id);
    return { bucket: scope.bucket, tag: scope.tag, endpointId, from: bound(range.since, "/since"), to: bound(range.until, "/until") };
  }

  return {
    create: async (scope, input) => await create(deps, scope, input),
    async list(scope, { limit = 20, cursor }) {
      const binding = [scope.tag, "endpoints"];
      const rows = await listEndpoints(db.query, scope, decodeCursor(cursor, binding), limit + 1);
      return pageOf(rows, limit, binding, (row) => view(scope, row));
    },
    get: async (scope, id) => view(scope, await existing(db.query, scope, id)),
    async change(scope, id, input) {
      await existing(db.query, scope, id);
      await refuseInput(deps, input);
      return view(scope, await change(scope, id, changeOf(input)));
    },
    async toggle(scope, id) {
      const row = await existing(db.query, scope, id);
      return view(scope, await change(scope, id, changeOf({ active: !row.active })));
    },
    async remove(scope, id) {
      const uuid = ownUuid(scope, "ep", id);
      await db.transaction(async (tx) => {
        if (!(await deleteEndpoint(tx, scope, uuid, toDate(clock.now())))) throw new ServiceError("not_found");
        await cancelPending(tx, scope, { endpointId: uuid });
      });
    },
    reveal: async (scope, id) => reveal(deps, await existing(db.query, scope, id)),
    async regenerate(scope, id, overlapSeconds) {
      const row = await existing(db.query, scope, id);
      const secret = newSigningSecret();
      const overlap = overlapSeconds > 0 ? { previous_secret_sealed: row.secret_sealed, previous_expires_at: toDate(after(clock.now(), overlapSeconds * 1000)) } : { previous_secret_sealed: null, previous_expires_at: null };
      const changed = await change(scope, id, { secret_sealed: deps.sealer.seal(secret, secretPlace(row.id)), ...overlap });
      return { ...view(scope, changed), secret };
    },
    countFailed: async (scope, id, range) => await countFailed(db.query, await failedRange(scope, id, range)),
    async replayFailed(scope, id, range) {
      const of = await failedRange(scope, id, range);
      const row = await existing(db.query, scope, id);
      if (!row.active) throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then replay." });
      const count = await countFailed(db.query, of);
      return { count, job_id: await deps.startReplay({ scope, endpointId: of.endpointId, from: of.from, to: of.to, total: count }) };
    },
    async stats(scope, id) {
      const row = await existing(db.query, scope, id);
      return await endpointStats(db.query, scope, row.id, uuidFloor(after(clock.now(), -DAY_MS)));
    },
    async target(scope, id) {
      const row = await existing(db.query, scope, id);
      return { ...targetOf(deps.sealer, row, clock.now()), id: row.id };
    },
    async secretsOfUrl(scope, url) {
      const targets = (await endpointsOfUrl(db.query, scope, url)).map((row) => targetOf(deps.sealer, row, clock.now()));
      return targets.flatMap(({ secret, previous }) => (previous === null ? [secret] : [secret, previous]));
    },
  };
}

async function create(deps: EndpointsDeps, scope: Scope, input: EndpointInput): Promise<WithSecret> {
  await refuseInput(deps, input);
  const id = deps.ids.uuid();
  const secret = newSigningSecret();
  const row = await insertEndpoint(deps.db.query, {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    url: input.url,
    events: [...new Set(input.events)],
    active: input.active ?? true,
    description: input.description ?? "",
    secret_sealed: deps.sealer.seal(secret, secretPlace(id)),
    headers: JSON.stringify(input.headers ?? {}),
    rate_limit_per_second: input.rate_limit_per_second ?? null,
    max_in_flight: input.max_in_flight ?? 16,
  });
  return { ...endpointView(scope, row, deps.clock.now()), secret };
}

async function refuseInput(deps: EndpointsDeps, input: Partial<EndpointInput>): Promise<void> {
  const errors = (input.events ?? []).flatMap((name, at) =>
    name === "*" || isEventName(name) ? [] : [{ pointer: `/events/${at}`, code: "event_name", message: 'must be "*" or an event name such as order.created' }],
  );
  if (input.headers !== undefined) errors.push(...refuseHeaders(input.headers));
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  if (input.url !== undefined) await deps.net.vet(input.url);
}

/** Switching an endpoint on again gives it a fresh start: what was said of its failures no longer counts. */
function changeOf(input: Partial<EndpointInput>): EndpointChange {
  const { headers, active, ...rest } = input;
  return {
    ...rest,
    ...(headers === undefined ? {} : { headers: JSON.stringify(headers) }),
    ...(active === undefined ? {} : { active }),
    ...(active === true ? { disabled_reason: null, failing_since: null } : {}),
  };
}

function reveal(deps: EndpointsDeps, row: EndpointRow): RevealedSecret {
  const target = targetOf(deps.sealer, row, deps.clock.now());
  if (target.previous === null || row.previous_expires_at === null) return { secret: target.secret };
  return { secret: target.secret, previous_secret: target.previous, previous_expires_at: toRfc3339(fromDate(row.previous_expires_at)) };
}

function bound(text: string, pointer: string): Uuid {
  const at = momentOf(text, pointer);
  if (at === undefined) throw new ServiceError("validation_failed", { errors: [{ pointer, code: "required", message: "is required" }] });
  return uuidFloor(at);
}

