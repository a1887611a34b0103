import type { Db } from "../../platform/db/db.ts";
import { operation, assertKeyValid, assertAllowed } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import { operators, readStanding, writers } from "../../accounts/accounts.ts";
import type { Author } from "../../accounts/accounts.ts";
import type { Step } from "./definition.ts";

/** The permissions that the workflow's author needs at the time of the step: to write workflows, and to call what the step calls. */
const WRITING = operation({ name: "workflows.update", access: "write", callers: writers });
const OPERATIONS: Readonly<Partial<Record<Step["type"], Operation>>> = {
  fire_event: operation({ name: "events.fire", access: "write", callers: writers }),
  webhook: operation({ name: "webhook_endpoints.create", access: "write", callers: writers }),
  action: operation({ name: "actions.run", access: "write", callers: operators }),
  http: operation({ name: "http_calls.test", access: "write", callers: writers }),
};

/** Returns the reason why the author may not run this step now. Undefined if the author may. */
export async function refusalOf(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  owner: { readonly workspaceId: Uuid; readonly author: Author },
  step: Step,
): Promise<ServiceError | undefined> {
  const standing = await readStanding(db, owner.workspaceId, owner.author);
  const wanted = OPERATIONS[step.type];
  try {
    if (standing === undefined)
      throw new ServiceError("key_revoked", { detail: "The workflow's author no longer exists in this workspace." });
    assertKeyValid(standing, clock.now());
    for (const one of wanted === undefined ? [WRITING] : [WRITING, wanted]) assertAllowed(standing, one);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
