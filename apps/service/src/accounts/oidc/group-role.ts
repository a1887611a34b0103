import type { Tx } from "../../platform/db/db.ts";
import { toDate } from "../../lib/lib.ts";
import type { ErrorCode, IdMaker, Clock, Uuid } from "../../lib/lib.ts";
import type { RecordAudit } from "../people/audit-port.ts";
import { memberWireId } from "../people/member-view.ts";
import {
  findMember,
  insertMember,
  otherOwners,
  removeMember,
  revokeInvitationsBy,
  updateMember,
} from "../people/members.store.ts";
import { assignableRoles, MEMBER_ROLES } from "../callers/roles.ts";
import type { MemberRole } from "../callers/roles.ts";
import { scopeOf } from "../callers/scope.ts";
import * as store from "./oidc.store.ts";
import type { ManagedWorkspace, Membership } from "./oidc.store.ts";

/** Returns the highest role that a person's groups have; null if they have none. */
export function roleOfGroups(
  roles: Readonly<Record<string, MemberRole>>,
  groups: readonly string[],
): MemberRole | null {
  const held = groups.flatMap((group) => (Object.hasOwn(roles, group) ? [roles[group]] : []));
  return MEMBER_ROLES.find((role) => held.includes(role)) ?? null;
}

export interface GroupRoleDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly note: RecordAudit;
}

interface Change {
  readonly workspace: ManagedWorkspace;
  readonly personId: Uuid;
  /** Null: no group of the person has a role. */
  readonly role: MemberRole | null;
}

/**
 * Gives the person the role of the groups in the operator's workspace. Without one, it removes a member whom groups
 * brought there, and leaves one who came by an invitation. It never takes the last owner, and never brings back a person
 * whom a member removed. The caller has locked the workspace's members.
 */
export async function applyGroupRole(deps: GroupRoleDeps, tx: Tx, change: Change): Promise<void> {
  const last = await store.lastMembership(tx.query, change.workspace.id, change.personId);
  const member = last?.removed_at === null ? last : undefined;
  if (change.role === null) {
    if (member?.by_groups === "set") await leave(deps, tx, change, member);
  } else if (member !== undefined) await setRole(deps, tx, { ...change, role: change.role }, member);
  else if (last === undefined || last.by_groups === "removed") await join(deps, tx, { ...change, role: change.role });
}

async function join(deps: GroupRoleDeps, tx: Tx, change: Change & { readonly role: MemberRole }): Promise<void> {
  const { workspace, personId, role } = change;
  const id = deps.ids.uuid();
  await insertMember(tx, { id, workspace_id: workspace.id, person_id: personId, role });
  await store.markByGroups(tx, id, "set");
  noteChange(deps, tx, change, { id, action: "members.accept" });
}

async function setRole(
  deps: GroupRoleDeps,
  tx: Tx,
  change: Change & { readonly role: MemberRole },
  member: Membership,
): Promise<void> {
  const { workspace, role } = change;
  const { id } = member;
  if (role !== "owner" && (await isLastOwner(tx, workspace, member))) {
    noteChange(deps, tx, change, { id, action: "members.update", errorCode: "last_owner" });
    return;
  }
  if (member.by_groups !== "set") await store.markByGroups(tx, id, "set");
  if (member.role === role) return;
  await updateMember(tx, id, { role });
  await revokeInvitationsBy(tx, id, assignableRoles(role), toDate(deps.clock.now()));
  noteChange(deps, tx, change, { id, action: "members.update" });
}

async function leave(deps: GroupRoleDeps, tx: Tx, change: Change, member: Membership): Promise<void> {
  const { id } = member;
  if (await isLastOwner(tx, change.workspace, member)) {
    noteChange(deps, tx, change, { id, action: "members.remove", errorCode: "last_owner" });
    return;
  }
  const row = await findMember(tx.query, change.workspace.id, id);
  if (row === undefined) return;
  const now = toDate(deps.clock.now());
  await removeMember(tx, row, now);
  await revokeInvitationsBy(tx, id, [], now);
  await store.markByGroups(tx, id, "removed");
  noteChange(deps, tx, change, { id, action: "members.remove" });
}

async function isLastOwner(tx: Tx, workspace: ManagedWorkspace, { id, role }: Membership): Promise<boolean> {
  return role === "owner" && !(await otherOwners(tx, workspace.id, id));
}

/** Notes a change as the operator's, who gave the groups their roles. */
function noteChange(
  { note }: GroupRoleDeps,
  tx: Tx,
  { workspace, role }: Change,
  { id, action, errorCode }: { readonly id: Uuid; readonly action: string; readonly errorCode?: ErrorCode },
): void {
  const scope = scopeOf(workspace.id, workspace.tag);
  const parameters = { member_id: memberWireId(scope, id), role, by: "groups" };
  note(tx, scope, {
    subject: "member",
    action,
    actor: null,
    parameters,
    ...(errorCode === undefined ? {} : { errorCode }),
  });
}
