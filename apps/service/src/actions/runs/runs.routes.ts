import { sendAnswer, sendText } from "../../access/access.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import { callerOf, readers, unscoped, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { RunInput } from "../requests/action-request.ts";
import { DECIDING } from "../proposals/proposals.routes.ts";
import { askerOfRequest, deciderOf, requestContext, targetOf } from "../proposals/request.routes.ts";
import type { Runs } from "./runs.ts";
import { RunView } from "../requests/run.schemas.ts";
import * as shapes from "./runs.schemas.ts";
import type { RunBody } from "./runs.schemas.ts";

const RunParams = t.Object({ id: t.WireId("run") });
/** The errors of a call of the backend. */
const BACKEND_ERRORS = [
  "url_blocked",
  "secret_missing",
  "secret_host_refused",
  "action_endpoint_failed",
  "action_endpoint_redirect",
  "action_endpoint_timeout",
] as const;

export function runRoutes(app: App, runs: Runs): void {
  runRoute(app, runs);
  runReadRoutes(app, runs);
}

function runRoute(app: App, runs: Runs): void {
  route(app, "POST /v1/actions/run", {
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
        ...BACKEND_ERRORS,
      ],
    },
    operationId: "runAction",
    summary: "Run or propose an action",
    description:
      "Status 200: the action ran, and this is its result. Status 202: the run waits for a person's approval, or, if the contract's delivery is async, for its backend. A standing approval can approve it at once. Status 502 or 504: the backend failed, and `execution` names the run.",
    body: shapes.RunBody,
    response: { 200: shapes.RunAnswer, 202: shapes.RunAccepted },
    handler: async (request, reply) => {
      const { dry_run: isDryRun = false, ...body } = request.body;
      const asker = askerOfRequest(request);
      const input = inputOf(body);
      const asked = requestContext(request);
      if (!isDryRun) return await sendAnswer(reply, await runs.run(asker, input, asked));
      return await sendText(reply, await runs.dryRun(asker, input, asked));
    },
  });
}

function runReadRoutes(app: App, runs: Runs): void {
  route(app, "GET /v1/runs", {
    config: { operation: "runs.list", callers: readers },
    operationId: "listRuns",
    summary: "List action runs",
    description: "Newest first, with filters.",
    querystring: shapes.RunListQuery,
    response: { 200: shapes.RunListView },
    handler: async (request, reply) => await sendText(reply, await runs.list(callerOf(request).scope, request.query)),
  });

  route(app, "GET /v1/runs/:id", {
    config: { operation: "runs.get", callers: readers },
    operationId: "getRun",
    summary: "Show an action run",
    description: "Parameters and result are redacted.",
    params: RunParams,
    response: { 200: RunView },
    handler: async (request, reply) =>
      await sendText(reply, await runs.get(callerOf(request).scope, request.params.id)),
  });

  route(app, "POST /v1/runs/:id/undo", {
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
        ...BACKEND_ERRORS,
      ],
    },
    operationId: "undoRun",
    summary: "Undo an action run",
    description:
      "Works once, within the undo window of the contract version that ran, through the `undo` endpoint of that version. If the action needed a confirmation, only a person who may approve it can undo it, with a step-up for `runs.undo` if the approval needs one. Status 502 or 504: the backend failed, and the run's status is `undo_failed`.",
    params: RunParams,
    response: { 200: RunView },
    handler: async (request, reply) => await sendAnswer(reply, await runs.undo(deciderOf(request), targetOf(request))),
  });
}

function inputOf({ action, parameters, params, confirmed, surface, prompt }: RunBody): RunInput {
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
