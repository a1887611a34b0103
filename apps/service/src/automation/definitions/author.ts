import { assertKeyValid, assertAllowed } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import { readStanding } from "../../accounts/accounts.ts";
import type { Author } from "../../accounts/accounts.ts";

/** The columns that say who wrote a rule or workflow. */
export interface AuthorColumns {
  readonly workspace_id: Uuid;
  readonly author_kind: string;
  readonly author_id: Uuid;
}

export function authorOfRow(row: Omit<AuthorColumns, "workspace_id">): Author {
  return { kind: row.author_kind as Author["kind"], id: row.author_id };
}

/** Returns the reason why the author of a rule or workflow may not call these operations now. Undefined if the author may. */
export async function authorRefusal(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  what: "rule" | "workflow",
  row: AuthorColumns,
  operations: readonly Operation[],
): Promise<ServiceError | undefined> {
  const standing = await readStanding(db, row.workspace_id, authorOfRow(row));
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
