import type { Db, HotReader, Tx } from "../../platform/db/db.ts";
import {
  after,
  createBatcher,
  environmentOf,
  isApiKey,
  isOAuthSecret,
  newApiKey,
  newSigningSecret,
  paginate,
  resultOf,
  orNotFound,
  ServiceError,
  sha256,
  toDate,
} from "../../lib/lib.ts";
import type { Batcher, Clock, IdMaker, Instant, Page, SealedValue, Sealer, Tag, Uuid, t } from "../../lib/lib.ts";
import { keyView } from "./key-view.ts";
import type { KeyView } from "./key-view.ts";
import { UNLIMITED } from "../callers/api-key.ts";
import { holdCredential } from "./hold-credential.ts";
import type { ActorType, ApiKey, Rights, Role } from "../callers/api-key.ts";
import * as store from "./keys.store.ts";
import { recordedKey, secretPlace, toKey } from "./recorded-key.ts";
import { changed, minted } from "./key-rules.ts";
import type { KeyPatch, KeySpec } from "./key-rules.ts";
import { assertSubsetOf } from "./privilege-comparison.ts";
import { ownUuid } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import type * as shapes from "./keys.schemas.ts";

/** A new key with its secrets, which are shown only once. */
export type NewKeyView = t.Static<typeof shapes.NewKeyShape>;

export type ChangedKeyView = t.Static<typeof shapes.ChangedKeyShape>;

/** Creates, changes, rolls, revokes and reads API keys. Contract, sections 2 and 9. */
export type ApiKeys = ReturnType<typeof createApiKeys>;

export interface ConnectedApp {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Instant;
}

export interface ApiKeysDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
}

export function createApiKeys(deps: ApiKeysDeps) {
  const { db, clock, sealer } = deps;
  const byHash = lookUp<Buffer>(sealer, async (hashes) => await store.keysByHash(db, hashes), HASH);
  const byToken = lookUp<Buffer>(sealer, async (hashes) => await store.keysByToken(db, hashes), HASH);
  const byId = lookUp<Uuid>(sealer, async (ids) => await store.keysById(db, ids), ID);
  return {
    /** Returns the signing secrets of the keys, for redaction. */
    secrets: async (
      reader: HotReader,
      home: { readonly workspaceId: Uuid; readonly tags: readonly Tag[] },
    ): Promise<readonly SealedValue[]> =>
      (await store.keySecrets(reader, home)).map((row) => ({
        sealed: row.signing_secret_sealed,
        place: secretPlace(row.id),
      })),
    /**
     * Returns the key with this text, or the key that an access token stands for. Reads the database, so that revocations apply
     * at once. Concurrent look-ups share a statement.
     */
    async byText(text: string): Promise<ApiKey | undefined> {
      if (isApiKey(text)) return await byHash.add(sha256(text));
      return isOAuthSecret(text, "access") ? await byToken.add(sha256(text)) : undefined;
    },
    /** Does the same by id, for keys of any workspace. */
    byId: async (id: Uuid): Promise<ApiKey | undefined> => await byId.add(id),
    /** Returns a key of the workspace. Throws 404 if there is none. */
    find: async (scope: Scope, id: string): Promise<ApiKey> =>
      recordedKey(sealer, orNotFound(await store.findKey(db.query, scope, keyUuid(scope, id)))),
    /** Throws 422 for inconsistent settings and 403 for rights that the maker does not have. */
    create: async (maker: ApiKey, spec: KeySpec): Promise<NewKeyView> => await create(deps, maker, spec),
    list: async (
      scope: Scope,
      { tenant, ...page }: { limit?: number; cursor?: string; tenant?: string },
    ): Promise<Page<KeyView>> =>
      await paginate(page, {
        binding: [scope.tag, "keys", tenant ?? null],
        read: async (before, count) => await store.listKeys(db.query, scope, { tenant, before }, count),
        view: keyView,
      }),
    get: async (scope: Scope, id: string): Promise<KeyView> =>
      keyView(orNotFound(await store.findKey(db.query, scope, keyUuid(scope, id)))),
    /** Changes a key for its next request. Throws 403 if added rights exceed the caller's, and 409 for a revoked key. */
    change: async (caller: ApiKey, id: string, patch: KeyPatch): Promise<ChangedKeyView> =>
      await change(deps, caller, id, patch),
    /**
     * Creates a key of the same lineage. The old key ends after the overlap. Throws 409 if it has already ended or was
     * replaced.
     */
    roll: async (caller: ApiKey, id: string, overlapSeconds: number): Promise<NewKeyView> =>
      await roll(deps, caller, id, overlapSeconds),
    /**
     * Creates the key of an app that a member connects. It acts as an AI with the given scopes. Its text is never shown: access
     * tokens stand for it. It is revoked with the membership, or with a lower role of the member.
     */
    async connect(tx: Tx, by: ApiKey, { name, scopes, expiresAt }: ConnectedApp): Promise<Uuid> {
      await holdCredential(tx, by);
      assertNotEnded(
        (await store.heldRole(tx, by.memberId)) !== by.role,
        "Your role has changed. Load the page again.",
      );
      const own = { role: "ai", actorType: "ai", memberId: null, permissions: [], scopes, expiresAt } as const;
      const draft = { name, rights: { ...UNLIMITED, ...own }, withSecret: false, madeBy: by.people };
      return (await insert(deps, tx, by, { ...draft, grantedBy: by.memberId })).id;
    },
    /** Revokes the keys of a tenant that are older than the id `before`, outside of any transaction. Returns their number. */
    revokeOfTenant: async (keys: {
      readonly tag: Tag;
      readonly tenant: string;
      readonly before: Uuid;
    }): Promise<number> => await store.revokeKeysOfTenant(db.query, keys, toDate(clock.now())),
    revoke: async (scope: Scope, id: string): Promise<KeyView> =>
      await db.transaction(async (tx) => {
        const uuid = keyUuid(scope, id);
        const found = await store.revokeKey(tx, scope, uuid, toDate(clock.now()));
        if (!found) throw new ServiceError("not_found");
        return await storedKeyView(tx, scope, uuid);
      }),
  };
}

/** The texts by which a row is found for what was asked for. */
interface Matching<Asked> {
  readonly ofRow: (row: store.KeyRow) => string;
  readonly ofAsked: (asked: Asked) => string;
}

const HASH: Matching<Buffer> = {
  ofRow: ({ key_hash: hash }) => hash.toString("latin1"),
  ofAsked: (hash) => hash.toString("latin1"),
};
const ID: Matching<Uuid> = { ofRow: ({ id }) => id, ofAsked: (id) => id };

/** Finds keys. Concurrent look-ups share a statement. A key that cannot be read fails its own look-up alone. */
function lookUp<Asked>(
  sealer: Sealer,
  read: (asked: readonly Asked[]) => Promise<store.KeyRow[]>,
  { ofRow, ofAsked }: Matching<Asked>,
): Pick<Batcher<Asked, ApiKey | undefined>, "add"> {
  return createBatcher<Asked, ApiKey | undefined>({
    maxSize: 500,
    concurrency: 2,
    run: async (asked) => {
      const rows = await read(asked);
      const found = new Map(rows.map((row) => [ofRow(row), resultOf(() => toKey(sealer, row))]));
      return asked.map((one) => found.get(ofAsked(one)));
    },
  });
}

/** The owner and the name of a key without restrictions. */
export interface KeyOf {
  readonly name: string;
  readonly role: Role;
  readonly actorType: ActorType;
  readonly memberId: Uuid | null;
  /** The people who are shown the key, in addition to the person that it is bound to. */
  readonly madeBy?: readonly Uuid[];
}

/** Creates a key without restrictions in the transaction of the caller. Returns its text. */
export async function insertKey(deps: ApiKeysDeps, tx: Tx, scope: KeyPlace, draft: KeyOf): Promise<string> {
  const made = await insert(deps, tx, scope, {
    name: draft.name,
    madeBy: draft.madeBy ?? [],
    withSecret: false,
    rights: {
      ...UNLIMITED,
      role: draft.role,
      actorType: draft.actorType,
      memberId: draft.memberId,
      permissions: [],
    },
  });
  return made.key;
}

type KeyPlace = Pick<Scope, "workspaceId" | "bucket" | "tag">;

interface NewKeyOf {
  readonly name: string;
  readonly rights: Rights;
  readonly withSecret: boolean;
  readonly madeBy: readonly Uuid[];
  /** The lineage of the key that it replaces. Without it, the key starts a lineage of its own. */
  readonly lineageId?: Uuid;
  /** The member who connects the app of the key. */
  readonly grantedBy?: Uuid | null;
}

interface InsertedKey {
  readonly id: Uuid;
  readonly key: string;
  readonly secret: { readonly signing_secret?: string };
}

async function insert(deps: ApiKeysDeps, tx: Tx, place: KeyPlace, draft: NewKeyOf): Promise<InsertedKey> {
  const key = newApiKey(environmentOf(place.tag));
  const id = deps.ids.uuid();
  const { sealed, secret } = draft.withSecret ? newSecret(deps, id) : { sealed: null, secret: {} };
  await store.insertKey(tx, {
    id,
    workspace_id: place.workspaceId,
    bucket: place.bucket,
    tag: place.tag,
    key_hash: sha256(key),
    lineage_id: draft.lineageId ?? id,
    prefix_hint: key.slice(0, 12),
    actor_type: draft.rights.actorType,
    member_id: draft.rights.memberId,
    made_by: [...new Set(draft.madeBy)],
    tenant: draft.rights.tenant,
    granted_by: draft.grantedBy ?? null,
    ...columnsOf(draft.name, draft.rights),
    signing_secret_sealed: sealed,
  });
  return { id, key, secret };
}

async function create(deps: ApiKeysDeps, maker: ApiKey, spec: KeySpec): Promise<NewKeyView> {
  const rights = minted(maker, spec, deps.clock.now());
  const withSecret = spec.signing_secret ?? false;
  return await deps.db.transaction(async (tx) => {
    await holdCredential(tx, maker);
    const made = await insert(deps, tx, maker, { name: spec.name, rights, withSecret, madeBy: maker.people });
    return { ...(await storedKeyView(tx, maker, made.id)), key: made.key, ...made.secret };
  });
}

async function change(deps: ApiKeysDeps, caller: ApiKey, id: string, patch: KeyPatch): Promise<ChangedKeyView> {
  const uuid = keyUuid(caller, id);
  return await deps.db.transaction(async (tx) => {
    const row = orNotFound(await store.lockKey(tx, caller, uuid));
    const key = recordedKey(deps.sealer, row);
    assertNotOfApp(row);
    assertNotEnded(key.revokedAt !== null, "The key is revoked permanently. Create a new key.");
    const rights = changed(caller, key, patch, deps.clock.now());
    const { sealed, secret } = changedSecret(deps, row, patch.signing_secret);
    // The caller gets the new secret and can then act with all rights of the key.
    if (patch.signing_secret !== undefined) assertSubsetOf(caller, rights);
    const columns = { ...columnsOf(patch.name ?? row.name, rights), signing_secret_sealed: sealed };
    await store.changeKey(tx, uuid, columns);
    // The caller sees the secret and can sign as the key.
    if (patch.signing_secret === true) await store.addMakers(tx, uuid, caller.people);
    return { ...(await storedKeyView(tx, caller, uuid)), ...secret };
  });
}

async function roll(deps: ApiKeysDeps, caller: ApiKey, id: string, overlapSeconds: number): Promise<NewKeyView> {
  const uuid = keyUuid(caller, id);
  return await deps.db.transaction(async (tx) => {
    // Keys that roll each other would wait for each other.
    if (caller.session !== undefined) await holdCredential(tx, caller);
    const now = deps.clock.now();
    const row = orNotFound(await store.lockKey(tx, caller, uuid));
    const old = recordedKey(deps.sealer, row);
    assertNotOfApp(row);
    assertNotEnded(
      row.replaced_by !== null,
      "The key was already rolled. Roll the key that replaced it, `replaced_by`.",
    );
    assertNotEnded(
      old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now),
      "The key has expired. Create a new key.",
    );
    // The response contains a credential with all rights of the old key, so the caller must have them.
    assertSubsetOf(caller, old);
    const withSecret = old.signingSecret !== null;
    const end =
      overlapSeconds === 0 ? { revoked: toDate(now) } : { expires: toDate(after(now, overlapSeconds * 1000)) };
    await store.endKey(tx, uuid, end);
    const made = await insert(deps, tx, old, {
      name: row.name,
      rights: old,
      lineageId: old.lineageId,
      withSecret,
      madeBy: [...row.made_by, ...caller.people],
    });
    await store.replaceKey(tx, uuid, made.id);
    return { ...(await storedKeyView(tx, caller, made.id)), key: made.key, ...made.secret };
  });
}

function columnsOf(name: string, rights: Rights): Omit<store.KeyChange, "signing_secret_sealed"> {
  return {
    name,
    ...modeOf(rights),
    role: rights.role,
    scopes: rights.scopes === null ? null : [...rights.scopes],
    permissions: [...rights.permissions],
    rate_limit_per_hour: rights.rateLimitPerHour,
    ip_allowlist: [...rights.ipAllowlist],
    require_signature: rights.requireSignature,
    accept_body_signature: rights.acceptBodySignature,
    expires_at: rights.expiresAt === null ? null : toDate(rights.expiresAt),
  };
}

/** A node of the previous version does not know the tenants of keys, so it must refuse every call of such a key. */
function modeOf({ tenant, permissionMode, blockedActions }: Rights) {
  const own = { mode: permissionMode, blocked: [...blockedActions] };
  return tenant === null
    ? {
        permission_mode: own.mode,
        blocked_actions: own.blocked,
        own_permission_mode: null,
        own_blocked_actions: null,
      }
    : {
        permission_mode: "restricted",
        blocked_actions: ["*"],
        own_permission_mode: own.mode,
        own_blocked_actions: own.blocked,
      };
}

interface SealedSecret {
  readonly sealed: Buffer | null;
  readonly secret: { readonly signing_secret?: string };
}

function newSecret(deps: ApiKeysDeps, keyId: Uuid): SealedSecret {
  const secret = newSigningSecret();
  return { sealed: deps.sealer.seal(secret, secretPlace(keyId)), secret: { signing_secret: secret.reveal() } };
}

function changedSecret(deps: ApiKeysDeps, row: store.KeyRecord, wanted: boolean | undefined): SealedSecret {
  if (wanted === true) return newSecret(deps, row.id);
  return { sealed: wanted === false ? null : row.signing_secret_sealed, secret: {} };
}

async function storedKeyView(tx: Tx, scope: store.KeyPlace, id: Uuid): Promise<KeyView> {
  return keyView(orNotFound(await store.findKey(tx.query, scope, id)));
}

function keyUuid(scope: Pick<Scope, "tag">, id: string): Uuid {
  return ownUuid(scope, "key", id);
}

function assertNotEnded(ended: boolean, detail: string): void {
  if (ended) throw new ServiceError("conflict", { detail });
}

/** The rights of a connected app are those that its member was shown, and those of an MCP token its session's. */
function assertNotOfApp(row: store.KeyRecord): void {
  assertNotEnded(row.portal_session_id !== null, "The key is an MCP token. Revoke it, and create a new one.");
  if (row.granted_by === null) return;
  const detail = "The key belongs to a connected app. Disconnect the app, or revoke the key.";
  throw new ServiceError("conflict", { detail });
}
