import { PROPOSAL_STATES, RUN_STATUSES } from "../../actions/actions.ts";

/** JSON Schema of `structuredContent`. Results with `isError` have problem documents, and no schema. */

const nullable = (type: string): object => ({ type: [type, "null"] });

const RUN_MEMBERS = {
  id: { type: "string", description: "The id of the run, run_…" },
  action: { type: "string", description: "The key of the action." },
  proposal_id: nullable("string"),
  audit_id: nullable("string"),
  simulated: { type: "boolean", description: "True if nothing was called, because the sandbox has no backend." },
  result: { description: "The backend's response, as far as the contract exposes it. Any JSON value." },
};

export const RUN_SCHEMA = {
  type: "object",
  properties: { ...RUN_MEMBERS, object: { const: "run" }, status: { enum: RUN_STATUSES } },
  required: ["id", "object", "action", "status"],
};

export const PROPOSAL_SCHEMA = {
  type: "object",
  properties: {
    id: { type: "string", description: "The id of the proposal, prop_…" },
    object: { const: "proposal" },
    action: { type: "string", description: "The key of the action." },
    state: { enum: PROPOSAL_STATES },
    approve_url: { type: "string", description: "The page on which a person decides." },
    run_id: nullable("string"),
    superseded_by: nullable("string"),
    expires_at: { type: "string", description: "The time by which a person must decide." },
  },
  required: ["id", "object", "action", "state", "approve_url", "run_id", "expires_at"],
};

/** The result of an action: its run, or the proposal that a person must approve first. */
export function actionSchema(waits: boolean): object {
  if (!waits) return RUN_SCHEMA;
  return {
    type: "object",
    properties: {
      ...RUN_MEMBERS,
      status: {
        enum: [...RUN_STATUSES, "pending_confirmation"],
        description: "pending_confirmation: nothing has run, and a person must approve the proposal.",
      },
      proposal: PROPOSAL_SCHEMA,
    },
    required: ["action", "status"],
  };
}
