import type { Role } from "../api-keys/api-key.ts";

/** What a person can be in a workspace, highest first. */
export const MEMBER_ROLES = ["owner", "admin", "developer", "operator", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Who looks after members, keys and the workspace. */
export const ADMIN_ROLES = ["owner", "admin"] as const;

/** Whether `own` reaches as far as `other`: nobody gives, takes or touches a role above their own. */
export function reaches(own: Role, other: MemberRole): boolean {
  return own !== "ai" && MEMBER_ROLES.indexOf(own) <= MEMBER_ROLES.indexOf(other);
}

/** The roles that one may give to others. */
export function assignableRoles(own: Role): MemberRole[] {
  return own === "owner" || own === "admin" ? MEMBER_ROLES.filter((role) => reaches(own, role)) : [];
}
