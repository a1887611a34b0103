import type { Db, Tx } from "../db/db.ts";
import {
  after,
  bucketOf,
  createBatcher,
  decodeCursor,
  environmentOf,
  fromDate,
  isApiKey,
  newApiKey,
  newTag,
  pageOf,
  randomText,
  ServiceError,
  sha256,
  tagOf,
  toDate,
} from "../kernel/kernel.ts";
import type { Clock, Id, IdMaker, Page, Sealer, Tag, Uuid } from "../kernel/kernel.ts";
import { keyView } from "./key-view.ts";
import type { KeyView } from "./key-view.ts";
import type { ActorType, ApiKey, PermissionMode, Role } from "./keys.ts";
import { minted } from "./minting.ts";
import type { KeySpec } from "./minting.ts";
import { insertMember } from "./members.store.ts";
import { hashPassword, refuseWeakPassword, verifyPassword } from "./password.ts";
import { insertPerson, personByEmail } from "./people.store.ts";
import { ownUuid, scopeOf, workspaceWireId } from "./scope.ts";
import type { Scope } from "./scope.ts";
import * as store from "./workspaces.store.ts";

export type { ActorType, ApiKey, PermissionMode, Role } from "./keys.ts";
export type { Scope, ScopeFields } from "./scope.ts";
export { ownUuid, refuseForeign, scopeFields, workspaceWireId } from "./scope.ts";
export type { KeyView } from "./key-view.ts";
export { callerOf } from "./caller.routes.ts";
export type { App, Caller } from "./caller.routes.ts";
export { isListed } from "./allowlist.ts";
export type { KeySpec } from "./minting.ts";
export { keyRoutes } from "./keys.routes.ts";
export { setupRoutes } from "./setup.routes.ts";
export { createPeople } from "./people.ts";
export type { People } from "./people.ts";
export { peopleRoutes } from "./people.routes.ts";
export { createSessions } from "./sessions.ts";
export type { SessionHeaders, Sessions } from "./sessions.ts";
export { createSweep } from "./sweep.worker.ts";
export { givable } from "./roles.ts";

/** A workspace as it was just made; the keys are shown this once. */
export interface NewWorkspace {
  readonly scope: Scope;
  readonly workspaceId: Id;
  readonly sandboxScope: Scope;
  readonly sandboxKey: string;
}

export interface Claimed {
  readonly workspaceId: Id;
  readonly apiKey: string;
}

export interface Owner {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

export interface Workspaces {
  /** The key with this text, read from the database now: no revocation is ever seen late. Concurrent look-ups share a statement. */
  keyByText(text: string): Promise<ApiKey | undefined>;
  keyById(id: Uuid): Promise<ApiKey | undefined>;
  /** Makes the first workspace; undefined when there is one already. `then` runs in the same transaction. */
  createFirst(name: string, then: (tx: Tx, made: NewWorkspace) => Promise<void>): Promise<NewWorkspace | undefined>;
  /** Makes a workspace with its sandbox key, inside the transaction of whoever asks. */
  insert(tx: Tx, name: string): Promise<NewWorkspace>;
  /** Makes the person an owner; answers the owner's live key. */
  join(tx: Tx, scope: Scope, personId: Uuid): Promise<string>;
  /** Makes the owner and the owner's live key, inside the transaction of whoever asks. */
  addOwner(tx: Tx, scope: Scope, owner: Owner): Promise<string>;
  /** A one-time link's token for the workspace that nobody owns yet; undefined when every workspace has its owner. */
  newSetupToken(): Promise<string | undefined>;
  claim(token: string, owner: Owner): Promise<Claimed>;
  hasOwner(): Promise<boolean>;
  /** The workspace of a tag; throws when there is none. */
  idOfTag(tag: Tag): Promise<Uuid>;
  createKey(maker: ApiKey, spec: KeySpec): Promise<KeyView & { key: string }>;
  listKeys(scope: Scope, page: { limit?: number; cursor?: string }): Promise<Page<KeyView>>;
  getKey(scope: Scope, id: string): Promise<KeyView>;
  revokeKey(scope: Scope, id: string): Promise<KeyView>;
}

export interface WorkspacesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
}

const SETUP_LINK_MS = 30 * 60_000;

export function createWorkspaces(deps: WorkspacesDeps): Workspaces {
  const { db, clock } = deps;
  const byHash = createBatcher<Buffer, ApiKey | undefined>({
    maxSize: 500,
    concurrency: 2,
    run: async (hashes) => {
      const rows = await store.keysByHash(db, hashes);
      const found = new Map(rows.map((row) => [row.key_hash.toString("latin1"), toKey(deps.sealer, row)]));
      return hashes.map((hash) => found.get(hash.toString("latin1")));
    },
  });
  return {
    keyByText: async (text) => (isApiKey(text) ? await byHash.add(sha256(text)) : undefined),
    keyById: async (id) => {
      const [row] = await store.keysById(db, [id]);
      return row === undefined ? undefined : toKey(deps.sealer, row);
    },
    createFirst: async (name, then) =>
      await db.transaction(async (tx) => {
        await store.lockSetup(tx);
        if (await store.anyWorkspace(tx.query)) return undefined;
        const made = await insertWorkspace(deps, tx, name);
        await then(tx, made);
        return made;
      }),
    insert: async (tx, name) => await insertWorkspace(deps, tx, name),
    join: async (tx, scope, personId) => await join(deps, tx, scope, personId),
    addOwner: async (tx, scope, owner) => await addOwner(deps, tx, scope, owner),
    newSetupToken: async () => await newSetupToken(deps),
    claim: async (token, owner) => await claim(deps, token, owner),
    idOfTag: async (tag) => await store.workspaceOfTag(db.query, tagOf(tag, "live")),
    hasOwner: async () => await store.anyOwner(db.query),
    createKey: async (maker, spec) => await createKey(deps, maker, spec),
    async listKeys(scope, { limit = 20, cursor }) {
      const binding = [scope.tag, "keys"];
      const rows = await store.listKeys(db.query, scope.tag, decodeCursor(cursor, binding), limit + 1);
      return pageOf(rows, limit, binding, keyView);
    },
    getKey: async (scope, id) => {
      const row = await store.findKey(db.query, scope.tag, ownUuid(scope, "key", id));
      if (row === undefined) throw new ServiceError("not_found");
      return keyView(row);
    },
    revokeKey: async (scope, id) =>
      await db.transaction(async (tx) => {
        const row = await store.revokeKey(tx, scope.tag, ownUuid(scope, "key", id), toDate(clock.now()));
        if (row === undefined) throw new ServiceError("not_found");
        return keyView(row);
      }),
  };
}

async function insertWorkspace(deps: WorkspacesDeps, tx: Tx, name: string): Promise<NewWorkspace> {
  const tag = newTag();
  const workspace = { id: deps.ids.uuid(), tag, bucket: bucketOf(tag), name };
  await store.insertWorkspace(tx, workspace);
  const scope = scopeOf(workspace.id, tag);
  const sandboxScope = scopeOf(workspace.id, tagOf(tag, "sandbox"));
  const sandboxKey = await insertKey(deps, tx, sandboxScope, {
    name: "Sandbox key",
    role: "developer",
    actorType: "service",
    memberId: null,
  });
  return { scope, sandboxScope, sandboxKey, workspaceId: workspaceWireId(tag, workspace.id) };
}

async function addOwner(deps: WorkspacesDeps, tx: Tx, scope: Scope, owner: Owner): Promise<string> {
  const { email, name, password } = owner;
  refuseWeakPassword(password, email);
  const earlier = await personByEmail(tx.query, email);
  if (earlier !== undefined) {
    if (!(await verifyPassword(earlier.password_hash, password))) throw new ServiceError("sign_in_failed");
    return await join(deps, tx, scope, earlier.id);
  }
  const person = { id: deps.ids.uuid(), email, name, password_hash: await hashPassword(password) };
  await insertPerson(tx, person);
  return await join(deps, tx, scope, person.id);
}

async function join(deps: WorkspacesDeps, tx: Tx, scope: Scope, personId: Uuid): Promise<string> {
  const member = { id: deps.ids.uuid(), workspace_id: scope.workspaceId, person_id: personId, role: "owner" };
  await insertMember(tx, member);
  return await insertKey(deps, tx, scope, {
    name: "Owner's key",
    role: "owner",
    actorType: "user",
    memberId: member.id,
  });
}

async function newSetupToken(deps: WorkspacesDeps): Promise<string | undefined> {
  const workspace = await store.unclaimedWorkspace(deps.db.query);
  if (workspace === undefined) return undefined;
  const token = randomText(43);
  const expiresAt = toDate(after(deps.clock.now(), SETUP_LINK_MS));
  await deps.db.transaction(async (tx) => {
    await store.insertSetupLink(tx, { token_hash: sha256(token), workspace_id: workspace.id, expires_at: expiresAt });
  });
  return token;
}

async function claim(deps: WorkspacesDeps, token: string, owner: Owner): Promise<Claimed> {
  return await deps.db.transaction(async (tx) => {
    await store.lockSetup(tx);
    const workspaceId = await store.useSetupLink(tx, sha256(token), toDate(deps.clock.now()));
    const workspace = workspaceId === undefined ? undefined : await store.workspaceById(tx.query, workspaceId);
    // A second link of the same workspace is worth nothing once the owner is there.
    const unclaimed = await store.unclaimedWorkspace(tx.query);
    if (workspace === undefined || unclaimed?.id !== workspace.id) throw new ServiceError("setup_link_invalid");
    const apiKey = await addOwner(deps, tx, scopeOf(workspace.id, workspace.tag), owner);
    return { workspaceId: workspaceWireId(workspace.tag, workspace.id), apiKey };
  });
}

async function createKey(deps: WorkspacesDeps, maker: ApiKey, wanted: KeySpec): Promise<KeyView & { key: string }> {
  const { spec, role, actorType, scopes } = minted(maker, wanted);
  return await deps.db.transaction(async (tx) => {
    const memberId = actorType === "user" ? maker.memberId : null;
    const text = await insertKey(deps, tx, maker, { name: spec.name, role, actorType, memberId, scopes, spec });
    const row = await store.findKeyByHash(tx.query, sha256(text));
    if (row === undefined) throw new Error("a key just inserted is not there");
    return { ...keyView(row), key: text };
  });
}

interface KeyOf {
  readonly name: string;
  readonly role: Role;
  readonly actorType: ActorType;
  readonly memberId: Uuid | null;
  readonly scopes?: string[] | null;
  readonly spec?: KeySpec;
}

const UNRESTRICTED: Required<Omit<KeySpec, "name" | "role" | "actor_type">> = {
  permission_mode: "all",
  blocked_actions: [],
  ip_allowlist: [],
  require_signature: false,
  rate_limit_per_hour: 500_000,
};

async function insertKey(
  deps: WorkspacesDeps,
  tx: Tx,
  scope: Pick<Scope, "workspaceId" | "bucket" | "tag">,
  of: KeyOf,
): Promise<string> {
  const text = newApiKey(environmentOf(scope.tag));
  const id = deps.ids.uuid();
  const { name: _name, role: _role, actor_type: _actorType, ...rights } = { ...UNRESTRICTED, name: "", ...of.spec };
  await store.insertKey(tx, {
    id,
    workspace_id: scope.workspaceId,
    bucket: scope.bucket,
    tag: scope.tag,
    key_hash: sha256(text),
    lineage_id: id,
    name: of.name,
    prefix_hint: text.slice(0, 12),
    role: of.role,
    actor_type: of.actorType,
    member_id: of.memberId,
    scopes: of.scopes ?? null,
    accept_body_signature: true,
    signing_secret_sealed: null,
    expires_at: null,
    ...rights,
  });
  return text;
}

function toKey(sealer: Sealer, row: store.KeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    bucket: row.bucket,
    tag: row.tag,
    environment: environmentOf(row.tag),
    lineageId: row.lineage_id,
    permissionMode: row.permission_mode as PermissionMode,
    blockedActions: row.blocked_actions,
    role: row.role as Role,
    actorType: row.actor_type as ActorType,
    memberId: row.member_id,
    scopes: row.scopes,
    permissions: row.permissions,
    rateLimitPerHour: row.rate_limit_per_hour,
    ipAllowlist: row.ip_allowlist,
    requireSignature: row.require_signature,
    acceptBodySignature: row.accept_body_signature,
    signingSecret: row.signing_secret_sealed === null ? null : sealer.open(row.signing_secret_sealed, `key:${row.id}`),
    expiresAt: row.expires_at === null ? null : fromDate(row.expires_at),
    revokedAt: row.revoked_at === null ? null : fromDate(row.revoked_at),
  };
}
