import type { Db } from "../../platform/db/db.ts";
import { NIL_UUID, paginate, ServiceError, timeText, toDate, wireId } from "../../lib/lib.ts";
import type { Clock, Page, PageInput, t, Uuid } from "../../lib/lib.ts";
import { ADMIN_ROLES, memberWireId, ownUuid, scopeFields } from "../../accounts/accounts.ts";
import type { ApiKey, Caller, Scope } from "../../accounts/accounts.ts";
import { isDocumentId } from "./client-documents.ts";
import * as store from "./grants.store.ts";
import type * as shapes from "./connected-apps.schemas.ts";

export type ConnectedAppView = t.Static<typeof shapes.AppList>["data"][number];

export interface ConnectedAppsDeps {
  readonly db: Db;
  readonly clock: Clock;
}

const ADMINS: ReadonlySet<string> = new Set(ADMIN_ROLES);

/** The apps that members have connected: a member's own, or all of the environment for its owners and admins. */
export function createConnectedApps({ db, clock }: ConnectedAppsDeps) {
  return {
    async list({ key, scope }: Caller, page: PageInput): Promise<Page<ConnectedAppView>> {
      const of = { tag: scope.tag, memberId: memberOf(key), now: toDate(clock.now()) };
      return await paginate(page, {
        binding: [scope.tag, "connected_apps", of.memberId ?? ""],
        read: async (before, limit) => await store.listGrants(db.query, of, { before, limit }),
        view: (row) => connectedAppView(scope, row),
      });
    },
    /** Returns the number of connections of all workspaces. */
    count: async (): Promise<number> => await store.countGrants(db, toDate(clock.now())),
    /** Ends a connection: the next request of the app fails. Throws 404 for one that the caller does not see. */
    async end({ key, scope }: Caller, id: string): Promise<void> {
      await db.transaction(async (tx) => {
        const grant = await store.findGrant(tx.query, scope.tag, ownUuid(scope, "key", id));
        const memberId = memberOf(key);
        if (grant === undefined || (memberId !== null && grant.member_id !== memberId))
          throw new ServiceError("not_found");
        await store.endGrant(tx, grant.key_id, toDate(clock.now()));
      });
    },
  };
}

/** Returns the member whose apps the caller sees; null for all. No member has the nil UUID. */
function memberOf(key: ApiKey): Uuid | null {
  return ADMINS.has(key.role) ? null : (key.memberId ?? NIL_UUID);
}

function connectedAppView(scope: Scope, row: store.ListedGrant): ConnectedAppView {
  return {
    id: wireId("key", scope.tag, row.key_id),
    object: "connected_app",
    client_id: row.client_id,
    client_name: row.client_name,
    client_host: isDocumentId(row.client_id) ? new URL(row.client_id).host : null,
    member_id: memberWireId(scope, row.member_id),
    member_name: row.member_name,
    scopes: row.scopes ?? [],
    last_used_at: timeText(row.used_at),
    expires_at: timeText(row.expires_at ?? row.created_at),
    ...scopeFields(scope),
    created_at: timeText(row.created_at),
  };
}
