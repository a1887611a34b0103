import { callerOf, originOf, OWN, sessionCaller, route } from "../../accounts/accounts.ts";
import type { App, StepUps } from "../../accounts/accounts.ts";
import type { Db } from "../../platform/db/db.ts";
import { subjectsOf } from "./step-up.ts";
import * as shapes from "./step-ups.schemas.ts";

/** Mounts the routes by which a person proves again who they are, for decisions about actions of high risk. */
export function stepUpRoutes(app: App, { db, stepUps }: { readonly db: Db; readonly stepUps: StepUps }): void {
  route(app, "POST /v1/step-ups", {
    config: {
      operation: "step_ups.create",
      ...OWN,
      errors: ["not_found", "proposal_changed", "step_up_required", "surface_not_allowed"],
    },
    operationId: "createStepUp",
    summary: "Begin a step-up",
    description:
      "Begins a repeated proof of identity, for a console session only. It is for approvals of the named proposals in the form that was reviewed, for one standing approval with exactly these terms, or for one change of a guard exactly as it will be sent. It ends after 5 minutes. `step_up_required`: the person has no second factor.",
    body: shapes.StepUpBody,
    response: { 201: shapes.StepUpShape },
    handler: async (request) => {
      const owner = sessionCaller(request);
      const subjects = await subjectsOf(db, callerOf(request).scope, request.body);
      return await stepUps.begin(owner, subjects);
    },
  });

  route(app, "POST /v1/step-ups/:id/prove", {
    config: { operation: "step_ups.prove", audit: "account", ...OWN, errors: ["surface_not_allowed"] },
    operationId: "proveStepUp",
    summary: "Prove a step-up",
    description:
      "Accepts the assertion of a passkey that checked the person (`userVerification`), or a code of the authenticator app. Each decision that it was begun for can then be made once, in this session.",
    params: shapes.StepUpParams,
    body: shapes.StepUpProofBody,
    response: { 200: shapes.StepUpShape },
    handler: async (request) =>
      await stepUps.prove(sessionCaller(request), request.params.id, request.body, originOf(request)),
  });
}
