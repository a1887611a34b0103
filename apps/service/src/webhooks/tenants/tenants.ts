import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import {
  after,
  paginateByName,
  ServiceError,
  timeText,
  toRfc3339,
  uuidFloor,
  uuidTime,
  wireId,
} from "../../lib/lib.ts";
import type { IdMaker, Instant, Page, PageInput, t } from "../../lib/lib.ts";
import { createProfiles, profileView } from "./profiles.ts";
import type { ProfileInput } from "./profiles.ts";
import { deleteProfile, profilesOf } from "./profiles.store.ts";
import { PHASES } from "./deletion-phases.ts";
import type { Phase } from "./deletion-phases.ts";
import { countOverdue, latestDeletions, startDeletion } from "./tenant-deletion.store.ts";
import type { DeletionRow } from "./tenant-deletion.store.ts";
import { createTenantDeletionWorker } from "./tenant-deletion.worker.ts";
import type { TenantDeletionDeps } from "./tenant-deletion.worker.ts";
import { countsOf, failuresOf, tenantsAfter } from "./tenants.store.ts";
import type { TenantCounts } from "./tenants.store.ts";
import type * as shapes from "./tenants.schemas.ts";

export type TenantDeletionView = t.Static<typeof shapes.TenantDeletionView>;

/** A customer of the workspace, by the workspace's own id, with what it has. */
export type TenantView = t.Static<typeof shapes.TenantView>;

/** The customers of a workspace. They exist by being named: nothing makes them. */
export type Tenants = ReturnType<typeof createTenants>;

export interface TenantsDeps extends TenantDeletionDeps {
  readonly ids: IdMaker;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NAMES_AT_ONCE = 250;
const MOST_EVENTS = 10_000;
const MOST_FAILURES = 100_000;

export function createTenants(deps: TenantsDeps) {
  const { db, clock, ids } = deps;
  const deletions = createTenantDeletionWorker(deps);

  async function viewsOf(scope: Scope, names: readonly string[]): Promise<TenantView[]> {
    if (names.length === 0) return [];
    const since = uuidFloor(after(clock.now(), -DAY_MS));
    const counts = await countsOf(db.query, scope, names, { since, most: MOST_EVENTS });
    const failed = await failuresOf(db.query, scope, names, { since, most: MOST_FAILURES });
    const profiles = await profilesOf(db.query, scope, names);
    const last = new Map((await latestDeletions(db.query, scope, names)).map((row) => [row.tenant, row]));
    return counts.map((row): TenantView => ({
      object: "tenant",
      ...countsView(row),
      ...profileView(row.tenant, profiles.get(row.tenant)),
      failures_24h: { count: failed.failures.get(row.tenant) ?? 0, capped: failed.isCut },
      deletion: deletionView(last.get(row.tenant)),
      ...scopeFields(scope),
    }));
  }

  async function existing(scope: Scope, tenant: string): Promise<TenantView> {
    const [view] = await viewsOf(scope, [tenant]);
    const isNamed = (await profilesOf(db.query, scope, [tenant])).has(tenant);
    if (view === undefined || (isEmpty(view) && view.deletion === null && !isNamed))
      throw new ServiceError("not_found");
    return view;
  }

  const profiles = createProfiles({
    db,
    ids,
    async isKnown(scope, tenant) {
      const [view] = await viewsOf(scope, [tenant]);
      return view !== undefined && !isEmpty(view);
    },
  });

  return {
    profiles,
    deletions,
    /** Counts the deletions that began more than an hour ago and have not finished. */
    overdueDeletions: async (): Promise<number> => await countOverdue(db, uuidFloor(after(clock.now(), -HOUR_MS))),
    /** Lists tenants with an endpoint, a source, a key, a contact, or an event since yesterday, by name. */
    list: async (scope: Scope, page: PageInput): Promise<Page<TenantView>> =>
      await paginateByName(page, {
        binding: [scope.tag, "tenants"],
        read: async (last = "", limit) =>
          await tenantsAfter(db.query, scope, { after: last, since: uuidFloor(startOfYesterday(clock.now())), limit }),
        nameOf: (name) => name,
        view: async (names) => await viewsOf(scope, names),
      }),
    /** Sets the name and the values of a tenant, which need not exist. Throws 409 `conflict` for a `uid` that is taken. */
    async change(scope: Scope, tenant: string, input: Partial<ProfileInput>): Promise<TenantView> {
      await profiles.change(scope, tenant, input);
      return await existing(scope, tenant);
    },
    /** Returns the names of tenants without a profile after a name, in order. */
    unnamed: async (scope: Scope, from: string, limit: number): Promise<string[]> =>
      await unnamedTenants(deps, scope, { from, limit }),
    /** Throws 404 for a tenant that has nothing and whose deletion is not known. */
    get: existing,
    /**
     * Deletes the endpoints, sources and keys of the tenant, its events, and the bodies in its logs, in the background. A
     * repeated call returns the deletion that is under way. Throws 404 like `get`.
     */
    async remove(scope: Scope, tenant: string): Promise<TenantDeletionView> {
      await existing(scope, tenant);
      const { bucket, tag, workspaceId: workspace_id } = scope;
      const row = await db.transaction(async (tx) => {
        tx.onCommit(deletions.wake);
        // A program that deleted its application does not find it again.
        await deleteProfile(tx, scope, tenant);
        return await startDeletion(tx, { bucket, tag, id: ids.uuid(), workspace_id, tenant });
      });
      return deletionOf(row);
    },
  };
}

async function unnamedTenants(
  { db, clock }: Pick<TenantsDeps, "db" | "clock">,
  scope: Scope,
  { from, limit }: { readonly from: string; readonly limit: number },
): Promise<string[]> {
  const found: string[] = [];
  const since = uuidFloor(startOfYesterday(clock.now()));
  for (let last: string | undefined = from; last !== undefined && found.length < limit;) {
    const names: string[] = await tenantsAfter(db.query, scope, { after: last, since, limit: NAMES_AT_ONCE });
    const named = await profilesOf(db.query, scope, names);
    found.push(...names.filter((name) => !named.has(name)));
    last = names.length < NAMES_AT_ONCE ? undefined : names.at(-1);
  }
  return found.slice(0, limit);
}

function isEmpty({ endpoints, sources, keys, contact_email: contact, last_seen_at: lastSeen }: TenantView): boolean {
  return endpoints + sources + keys === 0 && contact === null && lastSeen === null;
}

function countsView({ tenant, endpoints, sources, keys, contact_email, events, last_event_id: last }: TenantCounts) {
  return {
    tenant,
    endpoints,
    sources,
    keys,
    contact_email,
    events_24h: { count: Math.min(events, MOST_EVENTS), capped: events > MOST_EVENTS },
    last_seen_at: last === null ? null : toRfc3339(uuidTime(last)),
    usage_path: `/v1/usage/series?tenant=${encodeURIComponent(tenant)}`,
  };
}

function deletionView(row: DeletionRow | undefined): TenantDeletionView | null {
  return row === undefined ? null : deletionOf(row);
}

function deletionOf(row: DeletionRow): TenantDeletionView {
  const finishedAt = row.finished_at;
  const removed = Object.fromEntries(PHASES.map((phase) => [phase, Number(row.removed[phase] ?? 0)]));
  return {
    id: wireId("job", row.tag, row.id),
    object: "tenant_deletion",
    state: finishedAt === null ? "running" : "finished",
    phase: finishedAt === null ? (row.phase as Phase) : null,
    removed: removed as Record<Phase, number>,
    created_at: toRfc3339(uuidTime(row.id)),
    ended_at: timeText(finishedAt),
  };
}

/** Returns the beginning of yesterday, in UTC, which is that of a partition. */
function startOfYesterday(now: Instant): Instant {
  return after(now, -DAY_MS - (now % DAY_MS));
}
