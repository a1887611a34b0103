import { sendAnswer, sendText } from "../../access/access.ts";
import { t } from "../../lib/lib.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Proposals } from "./proposals.ts";
import * as shapes from "./proposals.schemas.ts";
import { deciderOf, targetOf } from "./request.routes.ts";

const ProposalParams = t.Object({ id: t.WireId("prop") });
/**
 * The contract defines who may decide. The routes admit every reader, so that a refusal can state more than a missing
 * role.
 */
export const DECIDING = { callers: readers, ownIdempotency: true } as const;

/** The errors of a decision that comes too late. */
const NOT_DECIDABLE = ["already_decided", "proposal_expired", "proposal_changed"] as const;

export function proposalRoutes(app: App, proposals: Proposals): void {
  proposalReadRoutes(app, proposals);
  approveRoute(app, proposals);
  endRoutes(app, proposals);
  editRoute(app, proposals);
}

function proposalReadRoutes(app: App, proposals: Proposals): void {
  route(app, "GET /v1/proposals", {
    config: { operation: "proposals.list", callers: readers, errors: ["not_found"] },
    operationId: "listProposals",
    summary: "List proposals",
    description: "Newest first, with filters. `state=proposed` returns the proposals that wait for a decision.",
    querystring: shapes.ProposalListQuery,
    response: { 200: shapes.ProposalListView },
    handler: async (request, reply) =>
      await sendText(reply, await proposals.list(callerOf(request).scope, request.query)),
  });

  route(app, "GET /v1/proposals/:id", {
    config: { operation: "proposals.get", callers: readers },
    operationId: "getProposal",
    summary: "Show a proposal",
    description: "Returns the proposal with its preview, its approvals and the hash that an approval refers to.",
    params: ProposalParams,
    response: { 200: shapes.ProposalView },
    handler: async (request, reply) =>
      await sendText(reply, await proposals.get(callerOf(request).scope, request.params.id)),
  });
}

function approveRoute(app: App, proposals: Proposals): void {
  route(app, "POST /v1/proposals/:id/approve", {
    config: {
      operation: "proposals.approve",
      ...DECIDING,
      errors: [
        "role_not_allowed",
        "self_approval_forbidden",
        "human_approval_required",
        "step_up_required",
        ...NOT_DECIDABLE,
        "contract_changed",
        "proposer_revoked",
      ],
    },
    operationId: "approveProposal",
    summary: "Approve a proposal",
    description:
      "Only a person can approve, once each. If the workspace requires it (`require_step_up`), an action of high risk needs a proved step-up of the session for this proposal first. After the last required approval, the action runs once. The response contains the proposal and its run, whether the backend succeeded or failed.",
    params: ProposalParams,
    body: shapes.ApproveBody,
    response: { 200: shapes.ProposalView },
    handler: async (request, reply) =>
      await sendAnswer(
        reply,
        await proposals.approve(deciderOf(request), { ...targetOf(request), input: request.body }),
      ),
  });
}

function endRoutes(app: App, proposals: Proposals): void {
  route(app, "POST /v1/proposals/:id/reject", {
    config: {
      operation: "proposals.reject",
      ...DECIDING,
      errors: ["role_not_allowed", "human_approval_required", ...NOT_DECIDABLE],
    },
    operationId: "rejectProposal",
    summary: "Reject a proposal",
    description: "Available to people who may approve the proposal. Nothing runs.",
    params: ProposalParams,
    body: shapes.RejectBody,
    response: { 200: shapes.ProposalView },
    handler: async (request, reply) =>
      await sendAnswer(
        reply,
        await proposals.reject(deciderOf(request), { ...targetOf(request), reason: request.body?.reason }),
      ),
  });

  route(app, "POST /v1/proposals/:id/cancel", {
    config: {
      operation: "proposals.cancel",
      ...DECIDING,
      errors: ["role_not_allowed", ...NOT_DECIDABLE],
    },
    operationId: "cancelProposal",
    summary: "Cancel a proposal",
    description: "Available to its creator, owners and admins. Nothing runs.",
    params: ProposalParams,
    response: { 200: shapes.ProposalView },
    handler: async (request, reply) =>
      await sendAnswer(reply, await proposals.cancel(deciderOf(request), targetOf(request))),
  });
}

function editRoute(app: App, proposals: Proposals): void {
  route(app, "PATCH /v1/proposals/:id", {
    config: {
      operation: "proposals.update",
      ...DECIDING,
      errors: ["role_not_allowed", "human_approval_required", "conflict", ...NOT_DECIDABLE, "contract_changed"],
    },
    operationId: "editProposal",
    summary: "Edit a proposal",
    description:
      "Creates a new proposal with these parameters and returns it. The old proposal is superseded. Available to its creator, and to people who can approve it.",
    params: ProposalParams,
    body: shapes.EditBody,
    response: { 200: shapes.ProposalView },
    handler: async (request, reply) =>
      await sendAnswer(
        reply,
        await proposals.edit(deciderOf(request), { ...targetOf(request), parameters: request.body.parameters }),
      ),
  });
}
