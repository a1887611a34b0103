import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { parseId, parseJson, ServiceError, wireId } from "../../lib/lib.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import { createShardBatcher, lockName } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import {
  changeProfile,
  findProfiles,
  insertProfile,
  insertProfiles,
  listProfiles,
  profileOfTenant,
  profilesNamed,
  profilesOf,
} from "./profiles.store.ts";
import type { NamedTenant, ProfileRow, Span } from "./profiles.store.ts";

export type { ProfileRow, Span } from "./profiles.store.ts";

/** The name and the values that a workspace gives a tenant. */
export interface ProfileInput {
  readonly name: string;
  /** The tenant's name elsewhere. A new profile names its tenant by it; without it, by the profile's own id. */
  readonly uid?: string | null;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Is kept and shown. It limits nothing. */
  readonly rate_limit_per_second?: number | null;
}

/** A tenant of another product. */
export interface AdoptedProfile {
  readonly input: ProfileInput;
  readonly externalRef: string;
}

export interface ProfilesDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  /** Returns true if anything of the workspace names the tenant. */
  readonly isKnown: (scope: Scope, tenant: string) => Promise<boolean>;
}

/** The tenants that the workspace has given a name or values (contract, section 18). */
export function createProfiles(deps: ProfilesDeps) {
  const { db, ids } = deps;
  const finding = createShardBatcher<NamedTenant, ProfileRow | undefined>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 500,
    concurrency: 2,
    run: async (named) => await findProfiles(db, named),
  });
  return {
    /** Returns the profile of a tenant by its name, `uid`, id or external id; undefined if it has none. */
    find: async (scope: Scope, name: string): Promise<ProfileRow | undefined> =>
      await finding.add(namedTenant(scope, name)),
    list: async (scope: Scope, span: Span): Promise<ProfileRow[]> => await listProfiles(db.query, scope, span),
    of: async (scope: Scope, tenants: readonly string[]): Promise<ReadonlyMap<string, ProfileRow>> =>
      await profilesOf(db.query, scope, tenants),
    /** Throws 409 `conflict` if another tenant has one of the names. `externalRef`: its id in the product that it comes from. */
    async create(scope: Scope, input: ProfileInput, externalRef?: string): Promise<ProfileRow> {
      const id = ids.uuid();
      const uid = input.uid ?? null;
      return await db.transaction(async (tx) => {
        await lockNames(tx, scope);
        const tenant = uid ?? wireId("app", scope.tag, id);
        for (const name of [uid, externalRef ?? null]) if (name !== null) await assertFree(tx, scope, name);
        const made = await insertProfile(tx, {
          ...columnsOf(scope, id, input),
          tenant,
          external_ref: externalRef ?? null,
        });
        if (made === undefined) throw taken();
        return made;
      });
    },
    /** Returns the profiles that have one of these names. */
    named: async (scope: Scope, names: readonly string[]): Promise<ProfileRow[]> =>
      await profilesNamed(db.query, scope, names),
    /** Creates many profiles at once. Throws 409 `conflict` if a name is taken. Returns the tenants by the ids that they had elsewhere. */
    async adopt(scope: Scope, adopted: readonly AdoptedProfile[]): Promise<ReadonlyMap<string, string>> {
      const rows = adopted.map(({ input, externalRef }) => {
        const id = ids.uuid();
        const tenant = input.uid ?? wireId("app", scope.tag, id);
        return { ...columnsOf(scope, id, input), tenant, external_ref: externalRef };
      });
      await db.transaction(async (tx) => {
        await lockNames(tx, scope);
        const names = rows.flatMap(({ uid, external_ref: ref }) => [ref, ...(uid === null ? [] : [uid])]);
        if ((await profilesNamed(tx.query, scope, names)).length > 0) throw taken();
        await insertProfiles(tx, rows);
      });
      return new Map(rows.map((row) => [row.external_ref, row.tenant]));
    },
    /** Changes the profile of a tenant. A tenant without one gets one. Throws 409 `conflict` for a `uid` that is taken. */
    async change(scope: Scope, tenant: string, input: Partial<ProfileInput>): Promise<ProfileRow> {
      const { uid, metadata, ...rest } = input;
      const change = {
        ...rest,
        ...(uid === undefined ? {} : { uid }),
        ...(metadata && { metadata: JSON.stringify(metadata) }),
      };
      return await db.transaction(async (tx) => {
        await lockNames(tx, scope);
        const held = await profileOfTenant(tx.query, scope, tenant);
        if (uid != null && uid !== tenant && uid !== held?.uid) {
          await assertFree(tx, scope, uid);
          // Its endpoints and events would not be those of the tenant that gets the name.
          if (await deps.isKnown(scope, uid)) throw taken();
        }
        const row =
          held === undefined
            ? await insertProfile(tx, {
                ...columnsOf(scope, ids.uuid(), { name: tenant, ...input }),
                tenant,
                external_ref: null,
              })
            : await changeProfile(tx, scope, tenant, change);
        if (row === undefined) throw taken();
        return row;
      });
    },
  };
}

/** The members of a tenant that its profile has. */
export interface ProfileView {
  readonly name: string;
  readonly uid: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly external_ref: string | null;
}

export function profileView(tenant: string, row: ProfileRow | undefined): ProfileView {
  if (row === undefined) return { name: tenant, uid: null, metadata: {}, external_ref: null };
  return { name: row.name, uid: row.uid, metadata: metadataOf(row), external_ref: row.external_ref };
}

export function metadataOf({ metadata }: Pick<ProfileRow, "metadata">): Record<string, string> {
  return parseJson(metadata) as Record<string, string>;
}

function namedTenant(scope: Scope, name: string): NamedTenant {
  return { bucket: scope.bucket, tag: scope.tag, name, id: appUuid(scope, name) };
}

/** Returns the UUID of an id of ours; undefined for another name. Throws 403 for the id of another workspace. */
function appUuid(scope: Scope, name: string): Uuid | undefined {
  return parseId(name)?.prefix === "app" ? ownUuid(scope, "app", name) : undefined;
}

function columnsOf(scope: Scope, id: Uuid, input: ProfileInput) {
  const { bucket, tag, workspaceId: workspace_id } = scope;
  return {
    bucket,
    tag,
    id,
    workspace_id,
    uid: input.uid ?? null,
    name: input.name,
    metadata: JSON.stringify(input.metadata ?? {}),
    rate_limit_per_second: input.rate_limit_per_second ?? null,
  };
}

/** One name may be the `uid` of one tenant, the tenant of another and the external id of a third, so an index alone does not tell. */
async function lockNames(tx: Tx, { tag }: Scope): Promise<void> {
  await lockName(tx, `tenant names ${tag}`);
}

async function assertFree(tx: Tx, scope: Scope, name: string): Promise<void> {
  const [found] = await findProfiles(tx, [namedTenant(scope, name)]);
  if (found !== undefined) throw taken();
}

function taken(): ServiceError {
  return new ServiceError("conflict", {
    detail: "Another tenant has this `uid`. Use another one, or change that tenant.",
  });
}
