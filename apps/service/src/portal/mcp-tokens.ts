import type { Db, Tx } from "../platform/db/db.ts";
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
  uuidTime,
  wireId,
} from "../lib/lib.ts";
import type { Clock, IdMaker, Instant, Page, Uuid, t } from "../lib/lib.ts";
import { holdCredential, ownUuid, scopeFields, scopeOf } from "../accounts/accounts.ts";
import type { Admitted, ApiKey, Scope } from "../accounts/accounts.ts";
import { assertMayGive, createCredential, earliest, makerOf, makersRights } from "./session-rights.ts";
import type { RightsColumns, SessionRightsDeps } from "./session-rights.ts";
import { holdSession, insertSession, revokeSession } from "./sessions.store.ts";
import type { SessionRow } from "./sessions.store.ts";
import * as store from "./mcp-tokens.store.ts";
import type * as shapes from "./mcp-tokens.schemas.ts";

type TokenSpec = t.Static<typeof shapes.TokenBody>;

type TokenView = t.Static<typeof shapes.TokenView>;

type NewTokenView = t.Static<typeof shapes.NewTokenView>;

/**
 * The MCP tokens of tenants: sessions without a page, whose credential is for the operator tools of /mcp alone (contract, section
 * 17; decision 0070).
 */
export type McpTokens = ReturnType<typeof createMcpTokens>;

export interface McpTokensDeps extends SessionRightsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly baseUrl: string;
}

const DEFAULT_SECONDS = 30 * 86_400;
const MOST_OF_TENANT = 20;
/**
 * The operator tools, narrowed by the operations of the capabilities, and the operations by which a client follows and withdraws
 * what it requested.
 */
const SCOPES = ["ops:write", "proposals.get", "actions.cancel"];

export function createMcpTokens(deps: McpTokensDeps) {
  const { db, clock, keys } = deps;
  return {
    /** Throws 403 `scope_missing` if the maker may not call an operation of a capability, and 409 if the tenant has too many tokens. */
    create: async (maker: Admitted, spec: TokenSpec): Promise<NewTokenView> => await create(deps, maker, spec),
    list: async (
      { tag, tenant: own }: Scope,
      { tenant = own ?? undefined, ...page }: { limit?: number; cursor?: string; tenant?: string },
    ): Promise<Page<TokenView>> =>
      await paginate(page, {
        binding: [tag, "mcp tokens", tenant ?? null],
        read: async (before, count) => await store.listTokens(db.query, { tag, tenant }, before, count),
        view: (row) => view(row, clock.now()),
      }),
    /** Ends the token at once, on every node. */
    async revoke(scope: Scope, id: string): Promise<TokenView> {
      const keyId = ownUuid(scope, "key", id);
      const now = clock.now();
      return await db.transaction(async (tx) => {
        const found = orNotFound(await store.findToken(tx.query, scope, keyId));
        await revokeSession(tx, scope.tag, found.id, toDate(now));
        await keys.revoke(tx, found.id, toDate(now));
        return view(orNotFound(await store.findToken(tx.query, scope, keyId)), now);
      });
    },
  };
}

async function create(deps: McpTokensDeps, { key, scope }: Admitted, spec: TokenSpec): Promise<NewTokenView> {
  const { db, clock, ids, baseUrl } = deps;
  const { tag, workspaceId } = scope;
  const tenant = tenantOf(scope, spec);
  assertMayGive(deps, key, spec.capabilities);
  const now = clock.now();
  const ends = after(now, (spec.expires_in_seconds ?? DEFAULT_SECONDS) * 1000);
  return await db.transaction(async (tx) => {
    const { rights, parentId, limit } = await grantOf(deps, tx, key, toDate(now));
    if ((await store.countTokens(tx, { tag, tenant, now: toDate(now) })) >= MOST_OF_TENANT) throw tooManyTokens();
    const row = await insertSession(tx, {
      id: ids.uuid(),
      workspace_id: workspaceId,
      tag,
      tenant,
      // It has no link.
      token_hash: sha256(randomText(43)),
      capabilities: [...spec.capabilities],
      theme: "{}",
      ...rights,
      name: spec.name,
      parent_id: parentId,
      token_expires_at: toDate(now),
      exchanged_at: toDate(now),
      expires_at: toDate(earliest(ends, limit)),
    });
    const name = `MCP token of ${tenant}: ${spec.name}`;
    const made = await createCredential(deps, tx, row, { name, actorType: "ai", role: "ai", scopes: SCOPES });
    const found = orNotFound(await store.findToken(tx.query, scope, ownUuid(scope, "key", made.id)));
    return { ...view(found, now), token: made.text, url: `${baseUrl}/mcp?toolset=operator` };
  });
}

interface Grant {
  readonly rights: RightsColumns;
  readonly parentId: Uuid | null;
  /** The end of the maker. */
  readonly limit: Instant | null;
}

/**
 * Returns the rights of the maker, which are those of its session's maker in the portal. Throws 401 if one of them has ended. Locks
 * rows in the order in which their ends do: sessions, members, keys.
 */
async function grantOf(deps: McpTokensDeps, tx: Tx, key: ApiKey, now: Date): Promise<Grant> {
  if (key.portalMaker === undefined) {
    await holdCredential(tx, key);
    return { rights: await makersRights(deps, tx, key, now), parentId: null, limit: key.expiresAt };
  }
  const sessionId = await deps.keys.sessionOf(tx.query, key.id);
  const session = sessionId === undefined ? undefined : await holdSession(tx, sessionId);
  if (session === undefined || !(await isMakerStanding(deps, tx, session))) throw new ServiceError("key_revoked");
  await holdCredential(tx, key);
  // The token outlasts the session, unless that is revoked.
  return { rights: rightsIn(session), parentId: session.id, limit: null };
}

/**
 * Returns false if the member whose console session made this one has taken the account back. The access checks have compared
 * all other rights, and the rows of the maker's key are not visible to the tenant.
 */
async function isMakerStanding({ keys }: McpTokensDeps, tx: Tx, session: SessionRow): Promise<boolean> {
  if (session.maker_lineage_id !== null) return true;
  const since = toDate(uuidTime(session.id));
  return (await keys.rightsOf(tx.query, session.workspace_id, { ...makerOf(session), since })) === session.maker_rights;
}

function rightsIn(session: SessionRow): RightsColumns {
  return {
    role: session.role,
    blocked_actions: session.blocked_actions,
    rate_limit_per_hour: session.rate_limit_per_hour,
    made_by: session.made_by,
    maker_lineage_id: session.maker_lineage_id,
    maker_member_id: session.maker_member_id,
    maker_rights: session.maker_rights,
  };
}

/** The access checks refuse a tenant's key that names another tenant. */
function tenantOf(scope: Scope, spec: TokenSpec): string {
  const tenant = scope.tenant ?? spec.tenant;
  if (tenant !== undefined) return tenant;
  throw new ServiceError("validation_failed", {
    errors: [{ pointer: "/tenant", code: "required", message: "is required" }],
  });
}

function tooManyTokens(): ServiceError {
  const detail = `A tenant has at most ${MOST_OF_TENANT} MCP tokens. Revoke one that is no longer used.`;
  return new ServiceError("conflict", { detail });
}

function view(row: store.TokenRow, now: Instant): TokenView {
  return {
    id: wireId("key", row.tag, row.key_id),
    object: "mcp_token",
    name: row.name,
    tenant: row.tenant,
    capabilities: row.capabilities as TokenView["capabilities"],
    prefix_hint: row.prefix_hint,
    state: stateOf(row, now),
    expires_at: timeText(row.expires_at),
    last_used_at: timeText(row.used_at),
    revoked_at: timeText(row.revoked_at),
    ...scopeFields(scopeOf(row.workspace_id, row.tag)),
    created_at: timeText(row.created_at),
  };
}

function stateOf({ revoked_at: revokedAt, expires_at: end }: store.TokenRow, now: Instant): TokenView["state"] {
  if (revokedAt !== null) return "revoked";
  return fromDate(end) <= now ? "expired" : "active";
}
