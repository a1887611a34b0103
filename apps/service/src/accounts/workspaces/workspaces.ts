import type { Tx } from "../../platform/db/db.ts";
import { after, bucketOf, newTag, randomText, ServiceError, sha256, tagOf, toDate } from "../../lib/lib.ts";
import type { Id, Tag, Uuid } from "../../lib/lib.ts";
import { createApiKeys, insertKey } from "../api-keys/api-keys.ts";
import type { ApiKeysDeps } from "../api-keys/api-keys.ts";
import { adoptKeys } from "../api-keys/keys.store.ts";
import { insertMember } from "../people/members.store.ts";
import type { NotedActor, NotedOrigin, RecordAudit } from "../people/audit-port.ts";
import { hashPassword, assertPasswordAllowed, verifyPassword } from "../proofs/password.ts";
import { insertPerson, personByEmail } from "../people/people.store.ts";
import { scopeOf, workspaceWireId } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import * as store from "./workspaces.store.ts";

/** A new workspace, with its sandbox key, which is shown only once. */
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

export interface OperatorsKey {
  readonly workspace_id: Id;
  readonly name: string;
  readonly sandbox_key: string;
}

export interface Owner {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

export interface WorkspacesDeps extends ApiKeysDeps {
  readonly note: RecordAudit;
}

const SETUP_LINK_MS = 30 * 60_000;

export function createWorkspaces(deps: WorkspacesDeps) {
  const { db } = deps;
  return {
    keys: createApiKeys(deps),
    /** Creates the first workspace, or returns undefined if there is one. `then` runs in the same transaction. */
    createFirst: async (
      name: string,
      then: (tx: Tx, made: NewWorkspace) => Promise<void>,
    ): Promise<NewWorkspace | undefined> =>
      await db.transaction(async (tx) => {
        await store.lockSetup(tx);
        if (await store.anyWorkspace(tx.query)) return undefined;
        const made = await insertWorkspace(deps, tx, name, null);
        await store.markOperators(tx, made.scope.workspaceId);
        await then(tx, made);
        return made;
      }),
    /** Creates a workspace with its sandbox key, in the transaction of the caller. `by` is null for the operator. */
    insert: async (tx: Tx, name: string, by: NotedActor | null): Promise<NewWorkspace> =>
      await insertWorkspace(deps, tx, name, by),
    /**
     * Makes the person the first owner and returns the owner's live key. The person and `people` count as makers of the
     * workspace's keys.
     */
    join: async (tx: Tx, scope: Scope, personId: Uuid, people: readonly Uuid[]): Promise<string> =>
      await join(deps, tx, scope, { personId, people }),
    /** Creates the owner and the owner's live key, in the transaction of the caller. */
    addOwner: async (tx: Tx, scope: Scope, owner: Owner): Promise<string> => await addOwner(deps, tx, scope, owner),
    /**
     * Creates the token of a one-time setup link for the operator's workspace. Returns undefined if it has an owner or does
     * not exist.
     */
    newSetupToken: async (): Promise<string | undefined> => await newSetupToken(deps),
    claim: async (token: string, owner: Owner, from: NotedOrigin): Promise<Claimed> =>
      await claim(deps, token, owner, from),
    /**
     * Creates an admin key for the sandbox of the first workspace, for the operator. Returns undefined if there is no
     * workspace.
     */
    operatorsSandboxKey: async (name: string): Promise<OperatorsKey | undefined> =>
      await operatorsSandboxKey(deps, name),
    /** Returns the workspace of a tenant id. Throws if there is none. */
    idOfTag: async (tag: Tag): Promise<Uuid> => await store.workspaceOfTag(db.query, tagOf(tag, "live")),
    hasOwner: async (): Promise<boolean> => await store.anyOwner(db.query),
    /** Returns true if the workspace is the operator's, which the first start created. */
    isOperators: async (id: Uuid): Promise<boolean> => (await store.workspaceById(db.query, id))?.is_operators ?? false,
    /** Returns the name of a workspace. */
    nameOf: async (id: Uuid): Promise<string> => (await store.workspaceById(db.query, id))?.name ?? "",
  };
}

async function insertWorkspace(
  deps: WorkspacesDeps,
  tx: Tx,
  name: string,
  actor: NotedActor | null,
): Promise<NewWorkspace> {
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
  deps.note(tx, scope, { subject: "workspace", action: "workspaces.create", actor, parameters: { name } });
  return { scope, sandboxScope, sandboxKey, workspaceId: workspaceWireId(tag, workspace.id) };
}

async function addOwner(deps: WorkspacesDeps, tx: Tx, scope: Scope, owner: Owner): Promise<string> {
  const { email, name, password } = owner;
  assertPasswordAllowed(password, email);
  const earlier = await personByEmail(tx.query, email);
  if (earlier !== undefined) {
    if (!(await verifyPassword(earlier.password_hash, password))) throw new ServiceError("sign_in_failed");
    return await join(deps, tx, scope, { personId: earlier.id, people: [] });
  }
  const person = { id: deps.ids.uuid(), email, name, password_hash: await hashPassword(password) };
  await insertPerson(tx, person);
  return await join(deps, tx, scope, { personId: person.id, people: [] });
}

async function join(
  deps: WorkspacesDeps,
  tx: Tx,
  scope: Scope,
  { personId, people }: { readonly personId: Uuid; readonly people: readonly Uuid[] },
): Promise<string> {
  const member = { id: deps.ids.uuid(), workspace_id: scope.workspaceId, person_id: personId, role: "owner" };
  await insertMember(tx, member);
  await adoptKeys(tx, scope.workspaceId, [...new Set([personId, ...people])]);
  return await insertKey(deps, tx, scope, {
    name: "Owner's key",
    role: "owner",
    actorType: "user",
    memberId: member.id,
    madeBy: people,
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

async function claim(deps: WorkspacesDeps, token: string, owner: Owner, from: NotedOrigin): Promise<Claimed> {
  return await deps.db.transaction(async (tx) => {
    await store.lockSetup(tx);
    const workspaceId = await store.useSetupLink(tx, sha256(token), toDate(deps.clock.now()));
    const workspace = workspaceId === undefined ? undefined : await store.workspaceById(tx.query, workspaceId);
    // A second link of the same workspace is invalid once the workspace has its owner.
    const unclaimed = await store.unclaimedWorkspace(tx.query);
    if (workspace === undefined || unclaimed?.id !== workspace.id) throw new ServiceError("setup_link_invalid");
    const scope = scopeOf(workspace.id, workspace.tag);
    const apiKey = await addOwner(deps, tx, scope, owner);
    const actor = { id: null, display: owner.name, ip: from.ip, requestId: from.requestId ?? null };
    const parameters = { email: owner.email };
    deps.note(tx, scope, { subject: "workspace", action: "auth.setup", actor, parameters });
    return { workspaceId: workspaceWireId(workspace.tag, workspace.id), apiKey };
  });
}

async function operatorsSandboxKey(deps: WorkspacesDeps, name: string): Promise<OperatorsKey | undefined> {
  const workspace = await store.firstWorkspace(deps.db.query);
  if (workspace === undefined) return undefined;
  const scope = scopeOf(workspace.id, tagOf(workspace.tag, "sandbox"));
  return await deps.db.transaction(async (tx) => {
    // The role admin lets the holder of the key revoke it afterwards.
    const key = await insertKey(deps, tx, scope, { name, role: "admin", actorType: "service", memberId: null });
    deps.note(tx, scope, { subject: "key", action: "keys.create", actor: null, parameters: { name, role: "admin" } });
    return { workspace_id: workspaceWireId(workspace.tag, workspace.id), name: workspace.name, sandbox_key: key };
  });
}
