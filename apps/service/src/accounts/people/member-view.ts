import { tagOf, timeText, wireId } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import type { InvitationRow, MemberRow } from "./members.store.ts";
import { scopeFields, scopeOf } from "../callers/scope.ts";
import type { Scope, ScopeFields } from "../callers/scope.ts";

/** A person in a workspace. Members belong to both environments and are shown in the live one. */
export interface MemberView extends ScopeFields {
  readonly id: Id;
  readonly object: "member";
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly permissions: string[];
  readonly totp_active: boolean;
  readonly passkey_active: boolean;
  readonly created_at: string;
}

export interface InvitationView extends ScopeFields {
  readonly id: Id;
  readonly object: "invitation";
  readonly email: string;
  readonly role: string;
  readonly invited_by: Id | null;
  readonly expires_at: string;
  readonly created_at: string;
}

/** Returns the id of a member. Members belong to both environments, and their ids contain the live tenant id. */
export function memberWireId(scope: Pick<Scope, "tag">, id: Uuid): Id {
  return wireId("mem", tagOf(scope.tag, "live"), id);
}

export function memberView(scope: Scope, row: MemberRow): MemberView {
  return {
    id: memberWireId(scope, row.id),
    object: "member",
    name: row.name,
    email: row.email,
    role: row.role,
    permissions: row.permissions,
    totp_active: row.totp_active,
    passkey_active: row.passkey_active,
    ...scopeFields(liveOf(scope)),
    created_at: timeText(row.created_at),
  };
}

export function invitationView(scope: Scope, row: InvitationRow): InvitationView {
  const live = tagOf(scope.tag, "live");
  return {
    id: wireId("inv", live, row.id),
    object: "invitation",
    email: row.email,
    role: row.role,
    invited_by: row.invited_by === null ? null : wireId("mem", live, row.invited_by),
    expires_at: timeText(row.expires_at),
    ...scopeFields(liveOf(scope)),
    created_at: timeText(row.created_at),
  };
}

export function liveOf(scope: Scope): Scope {
  return scopeOf(scope.workspaceId, tagOf(scope.tag, "live"));
}
