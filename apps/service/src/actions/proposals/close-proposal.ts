import type { Tx } from "../../platform/db/db.ts";
import { ServiceError, toDate, toRfc3339 } from "../../lib/lib.ts";
import { viaOf } from "../callers/actor.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { assertMayReject } from "./approve.ts";
import type { RequestContext } from "../requests/action-request.ts";
import {
  answeredWith,
  awaitedOf,
  contractOfProposal,
  decideOnce,
  checkDecidable,
  conflictResult,
  readOwnProposal,
  outcomeOf,
} from "./decide-proposal.ts";
import type { Decision, DecideDeps } from "./decide-proposal.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import { entryOf } from "../requests/entries.ts";
import { rejected } from "./proposal-events.ts";
import { moveEnded } from "./proposals.store.ts";
import type { ProposalRow } from "./proposals.store.ts";
import type { SentAnswer } from "../../access/access.ts";
import { proposalText } from "./proposal-view.ts";

/** The caller who ends a proposal. */
export interface Decider {
  readonly asker: ActionCaller;
  readonly isPerson: boolean;
}

/** The id of a proposal or a run in a request, and the request's context. */
export interface Target {
  readonly id: string;
  readonly request: RequestContext;
}

/** Rejects a proposal, on behalf of an approver. */
export async function reject(
  deps: DecideDeps,
  decider: Decider,
  rejection: Target & { readonly reason: string | undefined },
): Promise<SentAnswer> {
  const { scope } = decider.asker;
  const row = await readOwnProposal(deps, scope, rejection.id);
  const reason = rejection.reason === undefined ? null : (await deps.audit.redactorOf(scope)).text(rejection.reason);
  return await decideOnce(deps, rejection.request, async (tx) => {
    await assertMayReject(tx, row, decider.asker, decider.isPerson);
    return await end(deps, tx, { ...rejection, ...decider, row, reason, state: "rejected" });
  });
}

/** Cancels a proposal, on behalf of its proposer, an owner or an admin. */
export async function cancel(deps: DecideDeps, decider: Decider, target: Target): Promise<SentAnswer> {
  const { asker } = decider;
  const row = await readOwnProposal(deps, asker.scope, target.id);
  return await decideOnce(deps, target.request, async (tx) => {
    if (!isProposer(row, asker) && !isKeeper(asker)) {
      throw new ServiceError("role_not_allowed", {
        detail: "Only its creator, an owner or an admin can cancel a proposal. An approver can reject it.",
      });
    }
    return await end(deps, tx, { ...target, ...decider, row, reason: null, state: "cancelled" });
  });
}

export function isProposer(row: ProposalRow, { author }: ActionCaller): boolean {
  return author !== null && row.proposer_author_kind === author.kind && row.proposer_author_id === author.id;
}

function isKeeper({ rights, isAi }: ActionCaller): boolean {
  return !isAi && (rights.role === "owner" || rights.role === "admin");
}

interface ProposalClosure extends Target, Decider {
  readonly row: ProposalRow;
  readonly reason: string | null;
  readonly state: "rejected" | "cancelled";
}

async function end(deps: DecideDeps, tx: Tx, closure: ProposalClosure): Promise<Decision> {
  const { asker, row, state, reason, request } = closure;
  const { scope, actor } = asker;
  const hindered = await checkDecidable(deps, tx, scope, row.id);
  if (hindered !== undefined) return hindered;
  const now = deps.clock.now();
  const decision = JSON.stringify({ by: actor, at: toRfc3339(now), reason, ...viaOf(asker) });
  const moved = await moveEnded(tx, { ...scope, id: row.id }, { state, decision, now: toDate(now) });
  if (moved === undefined) return await conflictResult(deps, tx, scope, row.id);
  deps.audit.record(
    tx,
    scope,
    entryOf("proposal", contractOfProposal(row), state, {
      actor,
      proposalId: row.id,
      result: { reason, ...viaOf(asker) },
      requestId: request.requestId,
    }),
  );
  keepOutcome(deps.audit, tx, outcomeOf(scope, moved, { status: state, result: reason === null ? null : { reason } }));
  await deps.awaited(tx, awaitedOf(deps, scope, moved, state));
  if (state === "rejected") await deps.events.fireWithin(tx, [rejected(scope, moved, { actor, reason, now })]);
  return answeredWith(request, proposalText({ scope, baseUrl: deps.baseUrl }, moved));
}
