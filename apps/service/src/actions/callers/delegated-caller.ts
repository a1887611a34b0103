import type { Db } from "../../platform/db/db.ts";
import { assertKeyValid } from "../../access/access.ts";
import { MAX_ACTING_CHAIN, peopleBehind } from "../../events/events.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Id, Uuid } from "../../lib/lib.ts";
import { readStanding } from "../../accounts/accounts.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { ActionCaller } from "./actor.ts";

/** A rule or a workflow, which acts for its author. */
export interface DelegatedCaller {
  readonly scope: Scope;
  readonly type: "rule" | "workflow";
  readonly id: Id;
  readonly author: Author;
  readonly display: string | null;
  /** The events that led to this call, oldest first. */
  readonly chain: readonly Uuid[];
  readonly tenant: string | null;
}

/**
 * Returns the caller for a rule or a workflow, with its author's current rights. It acts as an AI if an AI wrote it.
 * Throws 401 if the author no longer exists, and 409 `conflict` at the end of a chain.
 */
export async function askerOfAutomaton(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { scope, type, id, author, display, chain, tenant }: DelegatedCaller,
): Promise<ActionCaller> {
  if (chain.length > MAX_ACTING_CHAIN) {
    throw new ServiceError("conflict", {
      detail: `The chain has ${chain.length} events. Actions run after at most ${MAX_ACTING_CHAIN} events of a chain.`,
    });
  }
  const rights = await readStanding(db, scope.workspaceId, author);
  if (rights === undefined)
    throw new ServiceError("key_revoked", { detail: `The ${type}'s author no longer exists in this workspace.` });
  assertKeyValid(rights, clock.now());
  return {
    scope,
    actor: { type, id, display, key_id: null, ip: null },
    rights,
    surface: type,
    isAi: rights.actorType === "ai",
    author,
    keyId: null,
    memberId: rights.memberId,
    people: rights.people,
    causes: await db.at(scope.bucket, async () => await peopleBehind(db.query, scope, chain)),
    chain,
    tenant,
  };
}
