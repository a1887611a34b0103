import type { FastifyReply, FastifyRequest } from "fastify";
import { idempotencyRefOf, sendAnswer } from "../../access/access.ts";
import type { OwnWriteRequest } from "../../access/access.ts";
import { pathWithoutCredentials, ServiceError, Type, WireId } from "../../lib/lib.ts";
import type { Id } from "../../lib/lib.ts";
import { callerOf, readers, unscoped } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { askerOf } from "../callers/actor.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { Request, RunInput } from "../requests/action-request.ts";
import type { Surface } from "../callers/surface.ts";
import type { Decider } from "../proposals/close-proposal.ts";
import type { ActionRuns } from "./runs.ts";
import * as shapes from "./runs.schemas.ts";

const RunParams = Type.Object({ id: WireId("run") });
const ProposalParams = Type.Object({ id: WireId("prop") });
/**
 * The contract defines who may decide. The routes admit every reader, so that a refusal can state more than a missing
 * role.
 */
const DECIDING = { callers: readers, ownIdempotency: true } as const;

export function actionRunRoutes(app: App, runs: ActionRuns): void {
  runRoute(app, runs);
  runReadRoutes(app, runs);
  proposalReadRoutes(app, runs);
  approveRoute(app, runs);
  endRoutes(app, runs);
  editRoute(app, runs);
}

function runRoute(app: App, runs: ActionRuns): void {
  app.post(
    "/v1/actions/run",
    {
      config: {
        operation: "actions.run",
        callers: unscoped(readers),
        limit: "actions.run",
        runsContract: true,
        ownIdempotency: true,
        errors: [
          "action_unknown",
          "role_not_allowed",
          "scope_missing",
          "surface_not_allowed",
          "permission_required",
          "url_blocked",
          "secret_missing",
          "secret_host_refused",
          "action_endpoint_failed",
          "action_endpoint_redirect",
          "action_endpoint_timeout",
        ],
      },
      schema: {
        operationId: "runAction",
        summary: "Run or propose an action",
        description:
          "Status 200: the action ran, and this is its result. Status 202: the run waits for a person's approval, or, if the contract's delivery is async, for its backend. A standing approval can approve it at once. Status 502 or 504: the backend failed, and `execution` names the run.",
        body: shapes.RunBody,
        response: { 200: shapes.RunAnswer, 202: shapes.RunAccepted },
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body;
      const asker = askerOfRequest(request);
      const input = inputOf(body);
      const asked = requestOf(request);
      if (!isDryRun) return await sendAnswer(reply, await runs.run(asker, input, asked));
      return await sendText(reply, await runs.dryRun(asker, input, asked));
    },
  );
}

function runReadRoutes(app: App, runs: ActionRuns): void {
  app.get(
    "/v1/runs",
    {
      config: { operation: "runs.list", callers: readers },
      schema: {
        operationId: "listRuns",
        summary: "List action runs",
        description: "Newest first, with filters.",
        querystring: shapes.RunListQuery,
        response: { 200: shapes.RunListView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.list(callerOf(request).scope, request.query)),
  );

  app.get(
    "/v1/runs/:id",
    {
      config: { operation: "runs.get", callers: readers },
      schema: {
        operationId: "getRun",
        summary: "Show an action run",
        description: "Parameters and result are redacted.",
        params: RunParams,
        response: { 200: shapes.RunView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.get(callerOf(request).scope, request.params.id)),
  );

  app.post(
    "/v1/runs/:id/undo",
    {
      config: {
        operation: "runs.undo",
        ...DECIDING,
        errors: [
          "conflict",
          "role_not_allowed",
          "surface_not_allowed",
          "permission_required",
          "human_approval_required",
          "step_up_required",
          "url_blocked",
          "secret_missing",
          "secret_host_refused",
          "action_endpoint_failed",
          "action_endpoint_redirect",
          "action_endpoint_timeout",
        ],
      },
      schema: {
        operationId: "undoRun",
        summary: "Undo an action run",
        description:
          "Works once, within the undo window of the contract version that ran, through the `undo` endpoint of that version. If the action needed a confirmation, only a person who may approve it can undo it, with a step-up for `runs.undo` if the approval needs one. Status 502 or 504: the backend failed, and the run's status is `undo_failed`.",
        params: RunParams,
        response: { 200: shapes.RunView },
      },
    },
    async (request, reply) =>
      await sendAnswer(
        reply,
        await runs.undo(deciderOf(request), { id: request.params.id, request: requestOf(request) }),
      ),
  );
}

function proposalReadRoutes(app: App, runs: ActionRuns): void {
  app.get(
    "/v1/proposals",
    {
      config: { operation: "proposals.list", callers: readers, errors: ["not_found"] },
      schema: {
        operationId: "listProposals",
        summary: "List proposals",
        description: "Newest first, with filters. `state=proposed` returns the proposals that wait for a decision.",
        querystring: shapes.ProposalListQuery,
        response: { 200: shapes.ProposalListView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.proposals(callerOf(request).scope, request.query)),
  );

  app.get(
    "/v1/proposals/:id",
    {
      config: { operation: "proposals.get", callers: readers },
      schema: {
        operationId: "getProposal",
        summary: "Show a proposal",
        description: "Returns the proposal with its preview, its approvals and the hash that an approval refers to.",
        params: ProposalParams,
        response: { 200: shapes.ProposalView },
      },
    },
    async (request, reply) => await sendText(reply, await runs.proposal(callerOf(request).scope, request.params.id)),
  );
}

function approveRoute(app: App, runs: ActionRuns): void {
  app.post(
    "/v1/proposals/:id/approve",
    {
      config: {
        operation: "proposals.approve",
        ...DECIDING,
        errors: [
          "role_not_allowed",
          "self_approval_forbidden",
          "human_approval_required",
          "step_up_required",
          "already_decided",
          "proposal_expired",
          "proposal_changed",
          "contract_changed",
          "proposer_revoked",
        ],
      },
      schema: {
        operationId: "approveProposal",
        summary: "Approve a proposal",
        description:
          "Only a person can approve, once each. If the workspace requires it (`require_step_up`), an action of high risk needs a proved step-up of the session for this proposal first. After the last required approval, the action runs once. The response contains the proposal and its run, whether the backend succeeded or failed.",
        params: ProposalParams,
        body: shapes.ApproveBody,
        response: { 200: shapes.ProposalView },
      },
    },
    async (request, reply) =>
      await sendAnswer(
        reply,
        await runs.approve(deciderOf(request), {
          id: request.params.id,
          input: request.body,
          request: requestOf(request),
        }),
      ),
  );
}

function endRoutes(app: App, runs: ActionRuns): void {
  app.post(
    "/v1/proposals/:id/reject",
    {
      config: {
        operation: "proposals.reject",
        ...DECIDING,
        errors: [
          "role_not_allowed",
          "human_approval_required",
          "already_decided",
          "proposal_expired",
          "proposal_changed",
        ],
      },
      schema: {
        operationId: "rejectProposal",
        summary: "Reject a proposal",
        description: "Available to people who may approve the proposal. Nothing runs.",
        params: ProposalParams,
        body: shapes.RejectBody,
        response: { 200: shapes.ProposalView },
      },
    },
    async (request, reply) =>
      await sendAnswer(
        reply,
        await runs.reject(deciderOf(request), {
          id: request.params.id,
          reason: request.body?.reason,
          request: requestOf(request),
        }),
      ),
  );

  app.post(
    "/v1/proposals/:id/cancel",
    {
      config: {
        operation: "proposals.cancel",
        ...DECIDING,
        errors: ["role_not_allowed", "already_decided", "proposal_expired", "proposal_changed"],
      },
      schema: {
        operationId: "cancelProposal",
        summary: "Cancel a proposal",
        description: "Available to its creator, owners and admins. Nothing runs.",
        params: ProposalParams,
        response: { 200: shapes.ProposalView },
      },
    },
    async (request, reply) =>
      await sendAnswer(
        reply,
        await runs.cancel(deciderOf(request), { id: request.params.id, request: requestOf(request) }),
      ),
  );
}

function editRoute(app: App, runs: ActionRuns): void {
  app.patch(
    "/v1/proposals/:id",
    {
      config: {
        operation: "proposals.update",
        ...DECIDING,
        errors: [
          "role_not_allowed",
          "human_approval_required",
          "conflict",
          "already_decided",
          "proposal_expired",
          "proposal_changed",
          "contract_changed",
        ],
      },
      schema: {
        operationId: "editProposal",
        summary: "Edit a proposal",
        description:
          "Creates a new proposal with these parameters and returns it. The old proposal is superseded. Available to its creator, and to people who can approve it.",
        params: ProposalParams,
        body: shapes.EditBody,
        response: { 200: shapes.ProposalView },
      },
    },
    async (request, reply) =>
      await sendAnswer(
        reply,
        await runs.edit(deciderOf(request), {
          id: request.params.id,
          parameters: request.body.parameters,
          request: requestOf(request),
        }),
      ),
  );
}

interface Body {
  readonly action: string;
  readonly parameters?: Record<string, unknown>;
  readonly params?: Record<string, unknown>;
  readonly confirmed?: boolean;
  readonly surface?: Surface;
  readonly prompt?: string;
}

function inputOf({ action, parameters, params, confirmed, surface, prompt }: Body): RunInput {
  if (parameters !== undefined && params !== undefined) {
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/params", code: "duplicate", message: "is an alias of parameters: send only one of them" }],
    });
  }
  return {
    action,
    parameters: parameters ?? params,
    confirmed: confirmed === true,
    surface: surface ?? null,
    prompt: prompt ?? null,
  };
}

function askerOfRequest(request: FastifyRequest): ActionCaller {
  return askerOf(callerOf(request), { ip: request.ip, display: null });
}

/** Returns the caller of a decision. A person has a console session, or a key that is bound to a member. */
function deciderOf(request: FastifyRequest): Decider {
  const { key } = callerOf(request);
  return { asker: askerOfRequest(request), isPerson: key.actorType === "user" && key.memberId !== null };
}

function requestOf(request: FastifyRequest & OwnWriteRequest): Request {
  return { ref: idempotencyRefOf(request), instance: pathWithoutCredentials(request.url), requestId: request.id as Id };
}

/** Sends JSON text unchanged, without parsing it. */
async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type("application/json; charset=utf-8").send(text);
}
