import type { Db } from "../../platform/db/db.ts";
import { refuseDead } from "../../gate/gate.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Clock, Id, Uuid } from "../../lib/lib.ts";
import { readStanding } from "../../accounts/workspaces/workspaces.ts";
import type { Author, Scope } from "../../accounts/workspaces/workspaces.ts";
import type { Asker } from "../actor.ts";

/** What acts for whoever wrote it: a rule, or a workflow. */
export interface Automaton {
  readonly scope: Scope;
  readonly type: "rule" | "workflow";
  readonly id: Id;
  readonly author: Author;
  readonly display: string | null;
  /** The events that led here, oldest first. */
  readonly chain: readonly Uuid[];
}

/** As rules have it: beyond so many events that led to each other nothing is run any more. */
export const MAX_CHAIN = 5;

/**
 * With the rights that the author has at this moment; what an AI wrote acts as an AI. Throws 401 where the author is no more, and 409
 * `conflict` at the end of a chain.
 */
export async function askerOfAutomaton(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { scope, type, id, author, display, chain }: Automaton,
): Promise<Asker> {
  if (chain.length > MAX_CHAIN) {
    throw new ServiceError("conflict", {
      detail: `${chain.length} events led to each other here; actions run after ${MAX_CHAIN} at most.`,
    });
  }
  const rights = await readStanding(db, scope.workspaceId, author);
  if (rights === undefined) throw new ServiceError("key_revoked", { detail: `The ${type}'s author is no more.` });
  refuseDead(rights, clock.now());
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
    chain,
  };
}
