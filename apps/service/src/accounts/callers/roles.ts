import type { Role } from "./api-key.ts";

/** The roles of a person in a workspace, highest first. */
export const MEMBER_ROLES = ["owner", "admin", "developer", "operator", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles that manage members, keys and the workspace. */
export const ADMIN_ROLES = ["owner", "admin"] as const;

/** Returns true if `own` is at least as high as `other`. A caller cannot assign or change a role above its own. */
export function reaches(own: Role, other: MemberRole): boolean {
  return own !== "ai" && MEMBER_ROLES.indexOf(own) <= MEMBER_ROLES.indexOf(other);
}

/** Returns the roles that a role may assign. */
export function assignableRoles(own: Role): MemberRole[] {
  return own === "owner" || own === "admin" ? MEMBER_ROLES.filter((role) => reaches(own, role)) : [];
}
