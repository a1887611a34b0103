import { anyMember, callerOf, inSession, keepers, owners, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./standing-approvals.schemas.ts";
import type { StandingApprovals } from "./standing-approvals.ts";

export function standingApprovalRoutes(app: App, standing: StandingApprovals): void {
  writeRoutes(app, standing);
  readRoutes(app, standing);
}

function writeRoutes(app: App, standing: StandingApprovals): void {
  route(app, "POST /v1/standing-approvals", {
    config: {
      operation: "standing_approvals.create",
      callers: inSession(owners),
      audit: "contract",
      errors: [
        "not_found",
        "action_unknown",
        "contract_changed",
        "surface_not_allowed",
        "step_up_required",
        "conflict",
      ],
    },
    operationId: "createStandingApproval",
    summary: "Approve in advance",
    description:
      "Approves matching proposals of AI clients and programs at once, within a budget, until it ends. For owners in a console session. Not available for destructive actions, or for actions that need several people. It cannot be edited: end it, and create another one.",
    body: shapes.StandingApprovalBody,
    response: { 201: shapes.StandingApprovalShape },
    handler: async (request) => await standing.create(callerOf(request), request.body),
  });

  route(app, "POST /v1/standing-approvals/:id/end", {
    config: { operation: "standing_approvals.end", callers: keepers, audit: "contract" },
    operationId: "endStandingApproval",
    summary: "End a standing approval",
    description: "Proposals wait for people again, from the next call. Ending it again changes nothing.",
    params: shapes.StandingApprovalParams,
    response: { 200: shapes.StandingApprovalShape },
    handler: async (request) => await standing.end(callerOf(request), request.params.id),
  });
}

function readRoutes(app: App, standing: StandingApprovals): void {
  route(app, "GET /v1/standing-approvals", {
    config: { operation: "standing_approvals.list", callers: anyMember },
    operationId: "listStandingApprovals",
    summary: "List standing approvals",
    description: "Newest first, with filters and with what is used of each budget.",
    querystring: shapes.StandingApprovalQuery,
    response: { 200: shapes.StandingApprovalList },
    handler: async (request) => await standing.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/standing-approvals/:id", {
    config: { operation: "standing_approvals.get", callers: anyMember },
    operationId: "getStandingApproval",
    summary: "Show a standing approval",
    description: "`GET /v1/proposals?standing_approval_id=` lists what it has approved.",
    params: shapes.StandingApprovalParams,
    response: { 200: shapes.StandingApprovalShape },
    handler: async (request) => await standing.get(callerOf(request).scope, request.params.id),
  });
}
