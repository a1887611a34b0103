/** Exports what the configuration needs of this domain without loading it. */
export { MEMBER_ROLES } from "./callers/roles.ts";
