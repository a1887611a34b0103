import { t } from "../../lib/lib.ts";
import { STEP_UP_METHODS } from "../../accounts/accounts.ts";
import { VIA } from "../callers/actor.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { SURFACES } from "../callers/surface.ts";
import { RISKS } from "../contracts/contracts.schemas.ts";
import { ActionKey, ActionParameters, RunView, ShownValue, Surface } from "../requests/run.schemas.ts";

/** The states of a proposal (contract, section 7, "Proposals"). */
export const PROPOSAL_STATES = [
  "proposed",
  "approved",
  "executing",
  "executed",
  "failed",
  "rejected",
  "expired",
  "cancelled",
  "superseded",
  "undone",
  "undo_failed",
] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

const HASH = "5f0c2b7d9e4a1836c7d2f8b05a9e3c416d8f7b20e1a4c5938b6d7f0e2a1c4b59";
const DecidedVia = t.OneOf(VIA, "Present if the person decided in another service, with their linked account there.");

export const Preview = t.Object(
  {
    title: t.StringExample("Refund a payment"),
    summary: t.StringExample("Runs billing.refund (version 3) at api.example.com. Medium risk, can be undone."),
    fields: t.Array(
      t.Object(
        {
          name: t.StringExample("payment_id"),
          description: t.StringExample("The payment to give back."),
          value: t.StringExample("pay_10482"),
          masked: t.Boolean({ description: "Whether the value is sensitive and therefore hidden." }),
        },
        { title: "PreviewField" },
      ),
    ),
    risk: t.OneOf(RISKS),
    target_host: t.Nullable(
      t.StringExample("api.example.com", { description: "The host that would be called. Null if nothing is called." }),
    ),
    reversible: t.Boolean(),
    count: t.Optional(
      t.Integer({
        description: "For a write of an operator tool and for a configuration: the number of objects that change.",
        examples: [4210],
      }),
    ),
    example: t.Optional(
      t.Unsafe<unknown>({
        description: "For a write of an operator tool: one of these objects. Null if there is none.",
      }),
    ),
  },
  {
    title: "Preview",
    description:
      "Created by the service from the contract and the parameters only, or from the texts of a workflow's approval. Invisible characters are spelled out.",
  },
);

export type Preview = t.Static<typeof Preview>;
export type PreviewField = Preview["fields"][number];

const ProposalWorkflow = t.Object(
  {
    id: t.WireId("wf"),
    name: t.StringExample("Release orders", { description: "The name when the step began." }),
    version: t.Integer({ examples: [3] }),
    run_id: t.WireId("wfr"),
    step_id: t.StringExample("ask"),
    event: t.Object(
      { id: t.WireId("evt"), type: t.StringExample("order.placed") },
      { title: "ProposalTrigger", description: "The event that started the run." },
    ),
  },
  { title: "ProposalWorkflow", description: "The workflow that waits for the decision. Null for all other proposals." },
);

export const ProposalView = t.Object(
  {
    id: t.WireId("prop"),
    object: t.OneOf(["proposal"]),
    action: ActionKey,
    contract_version: t.Integer({ examples: [3] }),
    state: t.OneOf(PROPOSAL_STATES),
    surface: Surface,
    proposer: ActionActor,
    edited_by: t.Nullable(ActionActor),
    workflow: t.Nullable(ProposalWorkflow),
    preview: Preview,
    parameters: ShownValue,
    params_hash: t.StringExample(HASH, {
      description:
        "Hex SHA-256 of the RFC 8785 form of `{action, contract_version, parameters}`. An approval refers to this hash.",
    }),
    prompt: t.Nullable(t.StringExample("The customer ordered twice, please pay one back.")),
    approver_roles: t.Array(t.StringExample("admin"), { description: "The roles whose members may decide." }),
    four_eyes: t.Boolean({
      description: "Whether requesters and editors are prevented from approving the proposal.",
    }),
    approvals_required: t.Integer({ examples: [1], description: "The number of people who must approve." }),
    approvals: t.Array(
      t.Object(
        {
          by: ActionActor,
          at: t.Timestamp,
          comment: t.Nullable(t.StringExample("Checked with the customer.")),
          kind: t.OneOf(
            ["inline", "explicit", "standing"],
            "`inline`: the call contained its own confirmation. `standing`: a standing approval, which is `by`.",
          ),
          via: t.Optional(DecidedVia),
          step_up: t.Optional(
            t.OneOf(STEP_UP_METHODS, "Present if the person proved again who they are for this approval, and how."),
          ),
        },
        { title: "ProposalApproval" },
      ),
    ),
    decision: t.Nullable(
      t.Object(
        {
          by: ActionActor,
          at: t.Timestamp,
          reason: t.Nullable(t.StringExample("Already refunded by hand.")),
          via: t.Optional(DecidedVia),
        },
        { title: "ProposalDecision", description: "The person who ended the proposal without a run, and the reason." },
      ),
    ),
    approve_url: t.StringExample("https://junction.example.com/approvals/prop_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
      description: "The page on which people decide. Opening the page changes nothing.",
    }),
    run_id: t.Nullable(t.WireId("run")),
    supersedes: t.Nullable(t.WireId("prop")),
    superseded_by: t.Nullable(t.WireId("prop")),
    standing_approval_id: t.Nullable(t.WireId("sap")),
    expires_at: t.Timestamp,
    ended_at: t.Nullable(t.Timestamp),
    ...t.ownershipFields,
    run: t.Optional(RunView),
  },
  { title: "Proposal" },
);
export const ProposalListView = t.ListOf(ProposalView);

export const ApproveBody = t.Object(
  {
    params_hash: t.StringExample(HASH, {
      minLength: 64,
      maxLength: 64,
      description: "The `params_hash` of the proposal as it was reviewed.",
    }),
    comment: t.Optional(t.StringExample("Checked with the customer.", { maxLength: 1000 })),
  },
  { ...t.strict, title: "ApproveProposal" },
);
export const RejectBody = t.Nullable(
  t.Object(
    { reason: t.Optional(t.StringExample("Already refunded by hand.", { maxLength: 1000 })) },
    { ...t.strict, title: "ProposalRejection" },
  ),
);
export const EditBody = t.Object({ parameters: ActionParameters }, { ...t.strict, title: "ProposalEdit" });

export const ProposalListQuery = t.Object(
  {
    ...t.PageQuery,
    state: t.Optional(t.OneOf(PROPOSAL_STATES, "The current state.")),
    action: t.Optional(ActionKey),
    surface: t.Optional(t.OneOf(SURFACES, "The surface of the request.")),
    standing_approval_id: t.Optional(t.WireId("sap")),
    created_after: t.Optional(t.DateTimeFilter("Proposed at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Proposed before this time.")),
  },
  t.strict,
);
export type ProposalListQuery = t.Static<typeof ProposalListQuery>;
