import { PROPOSAL_STATES, RUN_STATUSES } from "../../actions/actions.ts";

/** JSON Schema of `structuredContent`. Official clients check it also in results with `isError`, which are problem documents. */

const nullable = (type: string): object => ({ type: [type, "null"] });

const RUN_MEMBERS = {
  id: { type: "string", description: "The id of the run, run_…" },
  action: { type: "string", description: "The key of the action." },
  proposal_id: nullable("string"),
  audit_id: nullable("string"),
  simulated: { type: "boolean", description: "True if nothing was called, because the sandbox has no backend." },
  result: { description: "The backend's response, as far as the contract exposes it. Any JSON value." },
};

const PROBLEM_SCHEMA = {
  type: "object",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", description: "The code of the refusal, such as validation_failed." },
    detail: { type: "string" },
  },
  required: ["title", "status", "code"],
};

const RUN = {
  type: "object",
  properties: { ...RUN_MEMBERS, object: { const: "run" }, status: { enum: RUN_STATUSES } },
  required: ["id", "object", "action", "status"],
};

const PROPOSAL = {
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

export const RUN_SCHEMA = orProblem(RUN);
export const PROPOSAL_SCHEMA = orProblem(PROPOSAL);
export const RECENT_EVENTS_SCHEMA = orProblem({
  type: "object",
  properties: {
    events: {
      type: "array",
      items: {
        type: "object",
        properties: {
          eventId: { type: "string", description: "The id of the event, evt_…" },
          name: { type: "string" },
          timestamp: { type: "string" },
          data: { description: "The data of the event, in the form of its type." },
          delivery: {
            type: "object",
            description: "How the event was delivered.",
            properties: {
              id: { type: "string" },
              subscription_id: { type: "string", description: "The id that events/subscribe returned, sub_…" },
              state: { type: "string" },
              attempt_count: { type: "integer" },
              last_status_code: nullable("integer"),
            },
          },
        },
        required: ["eventId", "name", "timestamp", "data", "delivery"],
      },
    },
  },
  required: ["events"],
});

/** The result of an action: its run, or the proposal that a person must approve first. */
export function actionSchema(waits: boolean): object {
  if (!waits) return RUN_SCHEMA;
  return orProblem({
    type: "object",
    properties: {
      ...RUN_MEMBERS,
      status: {
        enum: [...RUN_STATUSES, "pending_confirmation"],
        description: "pending_confirmation: nothing has run, and a person must approve the proposal.",
      },
      over_budget: {
        type: "object",
        description: "The standing approval that covers the call, if its budget has no room until `window_end`.",
      },
      proposal: PROPOSAL,
    },
    required: ["action", "status"],
  });
}

function orProblem(schema: object): object {
  return { type: "object", anyOf: [schema, PROBLEM_SCHEMA] };
}
