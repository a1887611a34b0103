import { ServiceError } from "../lib/lib.ts";
import type { Clock } from "../lib/lib.ts";
import type { Admitted, ApiKey, SessionHeaders, Sessions, Workspaces } from "../accounts/accounts.ts";
import { assertCallerAllowed, assertKeyValid, assertIpAllowed } from "./permission-checks.ts";
import type { Operation } from "./operations.ts";

/** A caller that was admitted and whose connection stays open. */
export interface StandingCaller {
  readonly caller: Admitted;
  /** The session headers of the caller's request. */
  readonly session: SessionHeaders;
  /** The dotted name of the operation that the caller was admitted for. */
  readonly operation: string;
}

interface RecheckDeps {
  readonly clock: Clock;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
}

/** Repeats the checks whose result may have changed since the caller was admitted. */
export async function recheck(
  { clock, workspaces, sessions }: RecheckDeps,
  operations: ReadonlyMap<string, Operation>,
  { caller, session, operation: name }: StandingCaller,
): Promise<ApiKey> {
  const key =
    caller.key.session === undefined ? await workspaces.keys.byId(caller.key.id) : await sessions.admit(session);
  const operation = operations.get(name);
  if (key === undefined || operation === undefined) throw new ServiceError("key_invalid");
  assertStillAllowed({ clock }, key, operation);
  assertIpAllowed(key, caller.ip);
  return key;
}

/** Throws the refusal of a key that was revoked, has expired or may no longer call an operation. */
export function assertStillAllowed({ clock }: Pick<RecheckDeps, "clock">, key: ApiKey, operation: Operation): void {
  assertKeyValid(key, clock.now());
  assertCallerAllowed(key, operation);
}

export function mayCall(key: ApiKey, operation: Operation | undefined): boolean {
  if (operation === undefined) return false;
  try {
    assertCallerAllowed(key, operation);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
