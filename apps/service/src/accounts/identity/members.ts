import type { Db, Tx } from "../../platform/db/db.ts";
import { paginate, orNotFound, ServiceError, toDate } from "../../lib/lib.ts";
import type { Clock, Page, Uuid, t } from "../../lib/lib.ts";
import type { Account, ResetLink } from "./account.ts";
import { makerOf, ownsAllOf } from "../api-keys/makers.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { holdCredential } from "../api-keys/hold-credential.ts";
import { memberView } from "../people/member-view.ts";
import type { MemberView } from "../people/member-view.ts";
import * as store from "../people/members.store.ts";
import { assignableRoles, reaches } from "../callers/roles.ts";
import type { MemberRole } from "../callers/roles.ts";
import { ownUuid } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import type * as shapes from "./people.schemas.ts";

export type MemberChange = t.Static<typeof shapes.MemberBody>;

export type Members = ReturnType<typeof createMembers>;

export interface MembersDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly account: Account;
}

export function createMembers(deps: MembersDeps) {
  const { db, clock } = deps;
  return {
    list: async (scope: Scope, page: { limit?: number; cursor?: string }): Promise<Page<MemberView>> =>
      await paginate(page, {
        binding: [scope.tag, "members"],
        read: async (before, count) => await store.listMembers(db.query, scope.workspaceId, before, count),
        view: (row) => memberView(scope, row),
      }),
    /** Changes a member for their next request. Throws if no owner would remain. */
    async change(caller: ApiKey, id: string, change: MemberChange): Promise<MemberView> {
      return await db.transaction(async (tx) => {
        const member = await withinReach(tx, caller, ownUuid(caller, "mem", id));
        const role = change.role ?? (member.role as MemberRole);
        assertRoleWithin(caller, role);
        if (change.permissions !== undefined && caller.role !== "owner") {
          throw new ServiceError("role_not_allowed", { detail: "Only owners can grant operator permissions." });
        }
        if (role !== "owner") await keepAnOwner(tx, member);
        await store.updateMember(tx, member.id, { role, permissions: change.permissions ?? member.permissions });
        await store.revokeInvitationsBy(tx, member.id, assignableRoles(role), toDate(clock.now()));
        // A consent shows the rights of an app by the role of that moment.
        if (!reaches(role, member.role as MemberRole)) await store.revokeApps(tx, member.id, toDate(clock.now()));
        const changed = await store.findMember(tx.query, caller.workspaceId, member.id);
        return memberView(caller, changed ?? member);
      });
    },
    /** Ends the member's sessions here and revokes their keys. */
    async remove(caller: ApiKey, id: string): Promise<void> {
      await db.transaction(async (tx) => {
        const member = await withinReach(tx, caller, ownUuid(caller, "mem", id));
        await keepAnOwner(tx, member);
        await store.removeMember(tx, member, toDate(clock.now()));
        await store.revokeInvitationsBy(tx, member.id, [], toDate(clock.now()));
      });
    },
    /** Creates a link to choose a new password. Only for callers who own all workspaces of the person. */
    async resetLink(caller: ApiKey, id: string, clearTotp: boolean): Promise<ResetLink> {
      return await db.transaction(async (tx) => {
        const member = await withinReach(tx, caller, ownUuid(caller, "mem", id));
        await holdCredential(tx, caller);
        await assertOwnsAllWorkspacesOf(tx, caller, member);
        return await deps.account.newResetLink(tx, { personId: member.person_id, clearTotp, maker: makerOf(caller) });
      });
    },
  };
}

export function assertRoleWithin(caller: ApiKey, role: MemberRole): void {
  if (reaches(caller.role, role)) return;
  throw new ServiceError("role_not_allowed", {
    detail: `The role ${role} is above yours (${caller.role}).`,
  });
}

/**
 * Returns the member and locks the workspace's members until the transaction ends. Throws if the role is above the
 * caller's.
 */
async function withinReach(tx: Tx, caller: ApiKey, id: Uuid): Promise<store.MemberRow> {
  await store.lockMembers(tx, caller.workspaceId);
  const member = orNotFound(await store.findMember(tx.query, caller.workspaceId, id));
  assertRoleWithin(caller, member.role as MemberRole);
  return member;
}

async function keepAnOwner(tx: Tx, member: store.MemberRow): Promise<void> {
  if (member.role !== "owner" || (await store.otherOwners(tx, member.workspace_id, member.id))) return;
  throw new ServiceError("last_owner", { detail: "Make another person an owner first." });
}

/** Throws unless the caller owns all workspaces of the person, because the link gives access to each of them. */
async function assertOwnsAllWorkspacesOf(
  tx: Tx,
  { memberId, workspaceId }: ApiKey,
  member: store.MemberRow,
): Promise<void> {
  const own = memberId === null ? undefined : await store.findMember(tx.query, workspaceId, memberId);
  if (own !== undefined && (await ownsAllOf(tx.query, own, member.person_id))) return;
  throw new ServiceError("conflict", {
    detail:
      "This person belongs to workspaces that you do not own. The operator can create the link on the command line.",
  });
}
