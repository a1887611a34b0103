import type { Role } from "./api-keys/api-key.ts";
import { ADMIN_ROLES, MEMBER_ROLES } from "./identity/roles.ts";

/** Who may call an operation (contract, section 2): roles, environment, actor types, and which limits of a credential it takes. */
export interface Callers {
  readonly roles: readonly Role[];
  /** A key with scopes needs one for the operation. */
  readonly scoped: boolean;
  /** Sandbox credentials are refused: it writes what both environments share. */
  readonly liveOnly: boolean;
  /** Takes sessions, and unlimited keys that are bound to a person: it decides what people may do. */
  readonly peopleOnly: boolean;
}

/** Who may call a route: `public` needs no key, and `by operation` is decided by the operation that the body names. */
export type RouteCallers = Callers | "public" | "by operation";

export const readers = callers([...MEMBER_ROLES, "ai"]);
export const anyMember = callers(MEMBER_ROLES);
export const operators = callers(["owner", "admin", "developer", "operator"]);
export const writers = callers(["owner", "admin", "developer"]);
export const keepers = callers(ADMIN_ROLES);
export const owners = callers(["owner"]);

export function callers(roles: readonly Role[]): Callers {
  return { roles, scoped: true, liveOnly: false, peopleOnly: false };
}

/** The same callers; keys need no scope. */
export function unscoped(who: Callers): Callers {
  return { ...who, scoped: false };
}

/** The same callers with live credentials. */
export function live(who: Callers): Callers {
  return { ...who, liveOnly: true };
}

/** Only the people among them, with live credentials. */
export function inPerson(who: Callers): Callers {
  return { ...live(who), peopleOnly: true };
}
