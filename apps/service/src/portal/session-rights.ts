import { ServiceError } from "../lib/lib.ts";
import type { Instant } from "../lib/lib.ts";
import { scopeOf } from "../accounts/accounts.ts";
import type { ApiKey, PortalKey, PortalKeys, PortalMaker, Role } from "../accounts/accounts.ts";
import type { Tx } from "../platform/db/db.ts";
import { operationsOf } from "./capabilities.ts";
import type { Capability } from "./capabilities.ts";
import type { SessionRow } from "./sessions.store.ts";

export interface SessionRightsDeps {
  readonly keys: PortalKeys;
  /** Returns true if the key may call the operation. */
  readonly mayCall: (key: ApiKey, operation: string) => boolean;
}

/** The columns that limit a session to the rights of its maker. */
export type RightsColumns = Pick<
  SessionRow,
  | "role"
  | "blocked_actions"
  | "rate_limit_per_hour"
  | "made_by"
  | "maker_lineage_id"
  | "maker_member_id"
  | "maker_rights"
>;

/** The calls of one session in an hour. */
const MAX_RATE = 10_000;

/** Throws 403 `scope_missing` if the maker may not call an operation of a capability. */
export function assertMayGive({ mayCall }: SessionRightsDeps, key: ApiKey, capabilities: readonly Capability[]): void {
  const errors = capabilities.flatMap((capability, at) => {
    const missing = operationsOf([capability]).find((operation) => !mayCall(key, operation));
    if (missing === undefined) return [];
    const message = `includes ${missing}, which you may not call`;
    return [{ pointer: `/capabilities/${at}`, code: "capability", message }];
  });
  if (errors.length === 0) return;
  const detail = "A session cannot have capabilities whose operations its creator may not call.";
  throw new ServiceError("scope_missing", { detail, errors });
}

/**
 * Returns the columns of a new session. Throws 401 if the maker has ended. The addresses of the maker do not limit the session,
 * because it is used by the maker's customers.
 */
export async function makersRights(
  { keys }: SessionRightsDeps,
  tx: Tx,
  key: ApiKey,
  now: Date,
): Promise<RightsColumns> {
  const maker = {
    maker_lineage_id: key.session === undefined ? key.lineageId : null,
    maker_member_id: key.memberId,
  };
  const rights = await keys.rightsOf(tx.query, key.workspaceId, { ...makerOf(maker), since: now });
  if (rights === null) throw new ServiceError("key_revoked");
  return {
    role: roleOf(key.role),
    blocked_actions: key.permissionMode === "restricted" ? [...key.blockedActions] : [],
    rate_limit_per_hour: Math.min(MAX_RATE, key.rateLimitPerHour),
    made_by: [...key.people],
    ...maker,
    maker_rights: rights,
  };
}

/** How a credential differs between a page and an MCP token. */
interface CredentialOf {
  readonly name: string;
  readonly actorType: "service" | "ai";
  readonly role: Role;
  /** Scopes in addition to the operations of the capabilities. */
  readonly scopes?: readonly string[];
}

/** Creates a credential with the rights of a session. */
export async function createCredential(
  { keys }: Pick<SessionRightsDeps, "keys">,
  tx: Tx,
  row: SessionRow,
  { name, actorType, role, scopes = [] }: CredentialOf,
): Promise<PortalKey> {
  return await keys.create(tx, {
    sessionId: row.id,
    name,
    actorType,
    workspaceId: row.workspace_id,
    bucket: scopeOf(row.workspace_id, row.tag).bucket,
    tag: row.tag,
    tenant: row.tenant,
    role,
    blockedActions: row.blocked_actions,
    scopes: [...scopes, ...operationsOf(row.capabilities as Capability[])],
    rateLimitPerHour: row.rate_limit_per_hour,
    madeBy: row.made_by,
    maker: makerOf(row),
    makerRights: row.maker_rights,
    expiresAt: row.expires_at,
  });
}

export function makerOf({
  maker_lineage_id: lineageId,
  maker_member_id: memberId,
}: Pick<SessionRow, "maker_lineage_id" | "maker_member_id">): PortalMaker {
  return { lineageId, memberId };
}

/** Nothing in the portal requires a higher role than that of a developer. */
function roleOf(role: Role): Role {
  return role === "owner" || role === "admin" ? "developer" : role;
}

export function earliest(at: Instant, limit: Instant | null): Instant {
  return limit !== null && limit < at ? limit : at;
}
