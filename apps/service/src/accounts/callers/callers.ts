import type { Role } from "./api-key.ts";
import { ADMIN_ROLES, MEMBER_ROLES } from "./roles.ts";

/** The callers of an operation (contract, section 2), by role, scope, environment and kind of credential. */
export interface Callers {
  readonly roles: readonly Role[];
  /** A key with scopes needs one for the operation. */
  readonly scoped: boolean;
  /** Refuses sandbox credentials, because the operation writes data that both environments share. */
  readonly liveOnly: boolean;
  /**
   * Accepts only sessions and unlimited keys of a person, because the operation changes the rights of people or shows
   * an unlimited key.
   */
  readonly peopleOnly: boolean;
  /** The handler accepts only a console session, so that the operation is left out of what a key may do. */
  readonly sessionOnly?: true;
}

/**
 * The callers of a route. `public` needs no key. `by operation` stands for the callers of the operation that the body
 * names.
 */
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

/** Returns the same callers, whose keys need no scope. */
export function unscoped(who: Callers): Callers {
  return { ...who, scoped: false };
}

/** Returns the same callers with live credentials. */
export function live(who: Callers): Callers {
  return { ...who, liveOnly: true };
}

/** Returns the same callers, in a console session. */
export function inSession(who: Callers): Callers {
  return { ...who, sessionOnly: true };
}

/** Returns only the people among the callers. */
export function byPeople(who: Callers): Callers {
  return { ...who, peopleOnly: true };
}

/** Returns only the people among the callers, with live credentials. */
export function inPerson(who: Callers): Callers {
  return byPeople(live(who));
}
