import { minUuidAt, pageText, paginate } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { approve, personApproving } from "./approve.ts";
import type { ApproveInput } from "./approve.ts";
import { cancel, reject } from "./close-proposal.ts";
import type { Decider, Target } from "./close-proposal.ts";
import { answerOnce, readOwnProposal } from "./decide-proposal.ts";
import type { DecideDeps } from "./decide-proposal.ts";
import { edit } from "./edit.ts";
import { proposalText } from "./proposal-view.ts";
import type { ProposalListQuery } from "./proposals.schemas.ts";
import { listProposals } from "./proposals.store.ts";

export type Proposals = ReturnType<typeof createProposals>;

/** Creates the decisions about proposals. Answers are the bytes to send; texts are JSON. */
export function createProposals(deps: DecideDeps) {
  const { db, baseUrl } = deps;
  const named = async (decider: Decider): Promise<Decider> => ({
    ...decider,
    asker: await deps.lookup.named(decider.asker),
  });
  return {
    approve: async (decider: Decider, approval: Target & { readonly input: ApproveInput }) =>
      await answerOnce(deps, approval.request, async () => {
        const { asker, isPerson } = await named(decider);
        return await approve(deps, personApproving(asker, isPerson), approval);
      }),
    reject: async (decider: Decider, rejection: Target & { readonly reason: string | undefined }) =>
      await answerOnce(deps, rejection.request, async () => await reject(deps, await named(decider), rejection)),
    cancel: async (decider: Decider, target: Target) =>
      await answerOnce(deps, target.request, async () => await cancel(deps, await named(decider), target)),
    edit: async (decider: Decider, change: Target & { readonly parameters: unknown }) =>
      await answerOnce(deps, change.request, async () => await edit(deps, await named(decider), change)),
    async list(scope: Scope, { limit, cursor, ...filters }: ProposalListQuery): Promise<string> {
      const { action, surface, state, standing_approval_id: standing } = filters;
      const standingApprovalId = standing === undefined ? undefined : ownUuid(scope, "sap", standing);
      const from = minUuidAt(filters.created_after, "created_after");
      const to = minUuidAt(filters.created_before, "created_before");
      const filter = { action, surface, state, standingApprovalId, from, to };
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "proposals", filters],
          read: async (before, count) => await listProposals(db.query, scope, { ...filter, before }, count),
          view: (row) => proposalText({ scope, baseUrl }, row),
        },
      );
      return pageText(page);
    },
    get: async (scope: Scope, id: string) => proposalText({ scope, baseUrl }, await readOwnProposal(deps, scope, id)),
  };
}
