/** What the configuration needs of this domain, without the domain itself. */
export { MEMBER_ROLES } from "./identity/roles.ts";
