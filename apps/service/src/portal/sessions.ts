import type { Db, Query, Tx } from "../platform/db/db.ts";
import {
  after,
  fromDate,
  orNotFound,
  paginate,
  randomText,
  ServiceError,
  sha256,
  timeText,
  toDate,
  toRfc3339,
  uuidTime,
  wireId,
} from "../lib/lib.ts";
import type { Clock, IdMaker, Instant, Page, Uuid, t } from "../lib/lib.ts";
import {
  deleteTenantContact,
  holdCredential,
  networkOf,
  ownUuid,
  saveTenantContact,
  scopeFields,
  scopeOf,
  takeTry,
  tooMany,
  workspaceWireId,
} from "../accounts/accounts.ts";
import type { Admitted, AuditNote, PortalKey, Role, Scope, WorkspaceSettings } from "../accounts/accounts.ts";
import type { Signals } from "../platform/telemetry/telemetry.ts";
import { operationsOf } from "./capabilities.ts";
import type { Capability } from "./capabilities.ts";
import { assertMayGive, createCredential, earliest, makerOf, makersRights } from "./session-rights.ts";
import type { SessionRightsDeps } from "./session-rights.ts";
import * as store from "./sessions.store.ts";
import type { SessionRow, TenantSessions } from "./sessions.store.ts";
import type * as shapes from "./sessions.schemas.ts";

export type Theme = t.Static<typeof shapes.Theme>;

export type SessionSpec = t.Static<typeof shapes.SessionBody>;

export type SessionView = t.Static<typeof shapes.SessionView>;

export type NewSessionView = t.Static<typeof shapes.NewSessionView>;

export type CredentialView = t.Static<typeof shapes.CredentialView>;

/** A token, and the workspace that the page's address names, if it does. */
export type Exchange = t.Static<typeof shapes.ExchangeBody>;

export interface ExchangeOrigin {
  readonly ip: string;
  readonly requestId: string;
}

/** The sessions of the portal (contract, section 10). */
export type PortalSessions = ReturnType<typeof createPortalSessions>;

export interface PortalSessionsDeps extends SessionRightsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly baseUrl: string;
  readonly signals: Pick<Signals, "portalOpened">;
  readonly note: (tx: Tx, scope: Scope, note: AuditNote) => void;
  /** Returns the settings of a workspace. */
  readonly settings: (workspaceId: Uuid, query: Query) => Promise<WorkspaceSettings>;
}

const DEFAULT_SECONDS = 3600;
/** A link is opened at once by the browser that it was created for. */
const LINK_MS = 5 * 60_000;
const KEEP_ENDED_MS = 24 * 3_600_000;
const FAILURES = { perMinute: 30, perHour: 300 };

export function createPortalSessions(deps: PortalSessionsDeps) {
  const { db, clock, keys } = deps;
  const revoke = async (scope: Scope, uuid: Uuid): Promise<SessionView> => {
    const now = clock.now();
    return await db.transaction(async (tx) => {
      const row = orNotFound(await store.revokeSession(tx, scope.tag, uuid, toDate(now)));
      // The statement is a new one, so that it finds a token whose creation the first one waited for.
      const tokens = await store.revokeTokensOf(tx, uuid, toDate(now));
      for (const id of [uuid, ...tokens]) await keys.revoke(tx, id, toDate(now));
      return view(row, now);
    });
  };
  return {
    /** Throws 403 `scope_missing` if the maker may not call an operation of a capability. */
    create: async (maker: Admitted, spec: SessionSpec): Promise<NewSessionView> =>
      (await create(deps, maker, spec)).made,
    /** Creates a session and a credential of it at once, for a caller that passes the credential on. */
    async createOpened(maker: Admitted, spec: SessionSpec): Promise<NewSessionView & { readonly credential: string }> {
      const { made, credential } = await create(deps, maker, spec, true);
      return { ...made, credential };
    },
    /** Ends the session of a portal's credential. Has no effect for another key. */
    async end(scope: Scope, keyId: Uuid): Promise<void> {
      const session = await keys.sessionOf(db.query, keyId);
      if (session !== undefined) await revoke(scope, session);
    },
    list: async (
      { tag }: Scope,
      { tenant, ...page }: { limit?: number; cursor?: string; tenant?: string },
    ): Promise<Page<SessionView>> =>
      await paginate(page, {
        binding: [tag, "portal sessions", tenant ?? null],
        read: async (before, count) => await store.listSessions(db.query, { tag, tenant }, before, count),
        view: (row) => view(row, clock.now()),
      }),
    /** Ends the session, its credential and the MCP tokens that were created in it, at once, on every node. */
    revoke: async (scope: Scope, id: string): Promise<SessionView> => await revoke(scope, ownUuid(scope, "prt", id)),
    /** Returns the credential of the session, once. Throws 401 `portal_token_invalid`, 429 after many failures of one network. */
    async exchange(asked: Exchange, origin: ExchangeOrigin): Promise<CredentialView> {
      const made = await db.transaction(async (tx) => await exchange(deps, tx, asked, origin));
      deps.signals.portalOpened(made === undefined ? "refused" : "opened");
      if (made !== undefined) return made;
      const waitSeconds = await takeTry(db, { subject: `portal:network:${networkOf(origin.ip)}`, ...FAILURES });
      throw waitSeconds === undefined ? new ServiceError("portal_token_invalid") : tooMany(waitSeconds, "portal links");
    },
    /** Ends the sessions of a tenant that are older than the id, and deletes their MCP tokens and its contact. */
    async endTenant(sessions: TenantSessions): Promise<void> {
      const now = toDate(clock.now());
      await db.transaction(async (tx) => {
        await store.revokeSessionsOfTenant(tx, sessions, now);
        await keys.revokeOfTenant(tx, sessions, now);
        await forgetAll(deps, tx, await store.tokensOfTenant(tx, sessions));
        await deleteTenantContact(tx, sessions, toDate(uuidTime(sessions.before)));
      });
    },
    /** Deletes sessions and their credentials a day after they expired. Returns true if there may be more. */
    forget: async (): Promise<boolean> =>
      await db.transaction(async (tx) => {
        if (!(await store.lockForgetting(tx))) return false;
        const ids = await store.expiredSessions(tx, toDate(after(clock.now(), -KEEP_ENDED_MS)));
        await forgetAll(deps, tx, ids);
        return ids.length > 0;
      }),
  };
}

async function create(
  deps: PortalSessionsDeps,
  { key, scope }: Admitted,
  spec: SessionSpec,
  isOpened = false,
): Promise<{ readonly made: NewSessionView; readonly credential: string }> {
  const { db, clock, ids, baseUrl } = deps;
  const { tenant, contact_email: email } = spec;
  assertMayGive(deps, key, spec.capabilities);
  const now = clock.now();
  const expiresAt = earliest(after(now, (spec.expires_in_seconds ?? DEFAULT_SECONDS) * 1000), key.expiresAt);
  const linkEndsAt = earliest(after(now, LINK_MS), expiresAt);
  const token = randomText(43);
  const { row, credential } = await db.transaction(async (tx) => {
    await holdCredential(tx, key);
    const rights = await makersRights(deps, tx, key, toDate(now));
    if (email !== undefined) await saveTenantContact(tx, scope, { tenant, email, at: toDate(now) });
    const inserted = await store.insertSession(tx, {
      id: ids.uuid(),
      workspace_id: scope.workspaceId,
      tag: scope.tag,
      tenant,
      token_hash: sha256(token),
      capabilities: [...spec.capabilities],
      theme: JSON.stringify(spec.theme ?? {}),
      ...rights,
      token_expires_at: toDate(linkEndsAt),
      expires_at: toDate(expiresAt),
    });
    return { row: inserted, credential: isOpened ? (await credentialOf(deps, tx, inserted)).text : "" };
  });
  const workspace = workspaceWireId(scope.tag, scope.workspaceId);
  const made = {
    ...view(row, now),
    // A fragment is sent to no server, and is in no log.
    url: `${baseUrl}/portal/?workspace=${workspace}#token=${token}`,
    url_expires_at: toRfc3339(linkEndsAt),
  };
  return { made, credential };
}

async function credentialOf(deps: PortalSessionsDeps, tx: Tx, row: SessionRow): Promise<PortalKey> {
  const as = { name: `Portal of ${row.tenant}`, actorType: "service", role: row.role as Role } as const;
  return await createCredential(deps, tx, row, as);
}

async function forgetAll({ keys }: PortalSessionsDeps, tx: Tx, ids: readonly Uuid[]): Promise<void> {
  if (ids.length === 0) return;
  await keys.forget(tx, ids);
  await store.deleteSessions(tx, ids);
}

/** Returns undefined for a token that must not be exchanged. */
async function exchange(
  deps: PortalSessionsDeps,
  tx: Tx,
  { token, workspace }: Exchange,
  { ip, requestId }: ExchangeOrigin,
): Promise<CredentialView | undefined> {
  const now = toDate(deps.clock.now());
  const row = await store.takeSession(tx, sha256(token), now);
  if (row === undefined) return undefined;
  const scope = scopeOf(row.workspace_id, row.tag);
  const maker = makerOf(row);
  // The page's address selects the sites that may frame it, so it must be that of the token's workspace.
  const isElsewhere = workspace !== undefined && workspace !== workspaceWireId(row.tag, row.workspace_id);
  const since = toDate(uuidTime(row.id));
  const rights = await deps.keys.rightsOf(tx.query, row.workspace_id, { ...maker, since });
  if (isElsewhere || rights !== row.maker_rights) {
    await store.revokeSession(tx, row.tag, row.id, now);
    return undefined;
  }
  const capabilities = row.capabilities as Capability[];
  const operations = operationsOf(capabilities);
  const settings = await deps.settings(row.workspace_id, tx.query);
  const made = await credentialOf(deps, tx, row);
  deps.note(tx, scope, {
    subject: "key",
    action: "portal_sessions.exchange",
    actor: { type: "service", id: made.id, display: `Portal of ${row.tenant}`, ip, requestId },
    parameters: { id: wireId("prt", row.tag, row.id), tenant: row.tenant, capabilities },
    tenant: row.tenant,
  });
  return {
    object: "portal_credential",
    credential: made.text,
    expires_at: timeText(row.expires_at),
    tenant: row.tenant,
    capabilities,
    operations,
    theme: row.theme,
    brand: { name: settings.portal_name, logo: settings.portal_logo },
  };
}

function view(row: SessionRow, now: Instant): SessionView {
  return {
    id: wireId("prt", row.tag, row.id),
    object: "portal_session",
    tenant: row.tenant,
    capabilities: row.capabilities as Capability[],
    theme: row.theme,
    state: stateOf(row, now),
    expires_at: timeText(row.expires_at),
    opened_at: timeText(row.exchanged_at),
    revoked_at: timeText(row.revoked_at),
    ...scopeFields(scopeOf(row.workspace_id, row.tag)),
    created_at: timeText(row.created_at),
  };
}

function stateOf(row: SessionRow, now: Instant): SessionView["state"] {
  if (row.revoked_at !== null) return "revoked";
  const isOpened = row.exchanged_at !== null;
  if (fromDate(isOpened ? row.expires_at : row.token_expires_at) <= now) return "expired";
  return isOpened ? "active" : "waiting";
}
