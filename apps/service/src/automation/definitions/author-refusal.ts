import { assertKeyValid, assertAllowed } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import { readStanding } from "../../accounts/accounts.ts";
import type { Author } from "../../accounts/accounts.ts";

/** Returns the reason why the author of a rule or workflow may not call these operations now. Undefined if the author may. */
export async function authorRefusal(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  {
    what,
    workspaceId,
    author,
  }: { readonly what: "rule" | "workflow"; readonly workspaceId: Uuid; readonly author: Author },
  operations: readonly Operation[],
): Promise<ServiceError | undefined> {
  const standing = await readStanding(db, workspaceId, author);
  try {
    if (standing === undefined)
      throw new ServiceError("key_revoked", { detail: `The ${what}'s author no longer exists in this workspace.` });
    assertKeyValid(standing, clock.now());
    for (const operation of operations) assertAllowed(standing, operation);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
