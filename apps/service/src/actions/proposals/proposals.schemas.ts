import {
  DateTimeFilter,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { Static } from "../../lib/lib.ts";
import { STEP_UP_METHODS } from "../../accounts/accounts.ts";
import { VIA } from "../callers/actor.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { SURFACES } from "../callers/surface.ts";
import { RISKS } from "../contracts/contracts.schemas.ts";
import { ActionKey, ActionParameters, RunView, Shown, Surface } from "../requests/run.schemas.ts";

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
const DecidedVia = OneOf(VIA, "Present if the person decided in another service, with their linked account there.");

export const Preview = Type.Object(
  {
    title: StringExample("Refund a payment"),
    summary: StringExample("Runs billing.refund (version 3) at api.example.com. Medium risk, can be undone."),
    fields: Type.Array(
      Type.Object(
        {
          name: StringExample("payment_id"),
          description: StringExample("The payment to give back."),
          value: StringExample("pay_10482"),
          masked: Type.Boolean({ description: "Whether the value is sensitive and therefore hidden." }),
        },
        { title: "PreviewField" },
      ),
    ),
    risk: OneOf(RISKS),
    target_host: Nullable(
      StringExample("api.example.com", { description: "The host that would be called. Null if nothing is called." }),
    ),
    reversible: Type.Boolean(),
  },
  {
    title: "Preview",
    description:
      "Created by the service from the contract and the parameters only, or from the texts of a workflow's approval. Invisible characters are spelled out.",
  },
);

export type Preview = Static<typeof Preview>;
export type PreviewField = Preview["fields"][number];

const ProposalWorkflow = Type.Object(
  {
    id: WireId("wf"),
    name: StringExample("Release orders", { description: "The name when the step began." }),
    version: Type.Integer({ examples: [3] }),
    run_id: WireId("wfr"),
    step_id: StringExample("ask"),
    event: Type.Object(
      { id: WireId("evt"), type: StringExample("order.placed") },
      { title: "ProposalTrigger", description: "The event that started the run." },
    ),
  },
  { title: "ProposalWorkflow", description: "The workflow that waits for the decision. Null for all other proposals." },
);

export const ProposalView = Type.Object(
  {
    id: WireId("prop"),
    object: OneOf(["proposal"]),
    action: ActionKey,
    contract_version: Type.Integer({ examples: [3] }),
    state: OneOf(PROPOSAL_STATES),
    surface: Surface,
    proposer: ActionActor,
    edited_by: Nullable(ActionActor),
    workflow: Nullable(ProposalWorkflow),
    preview: Preview,
    parameters: Shown,
    params_hash: StringExample(HASH, {
      description:
        "Hex SHA-256 of the RFC 8785 form of `{action, contract_version, parameters}`. An approval refers to this hash.",
    }),
    prompt: Nullable(StringExample("The customer ordered twice, please pay one back.")),
    approver_roles: Type.Array(StringExample("admin"), { description: "The roles whose members may decide." }),
    four_eyes: Type.Boolean({
      description: "Whether requesters and editors are prevented from approving the proposal.",
    }),
    approvals_required: Type.Integer({ examples: [1], description: "The number of people who must approve." }),
    approvals: Type.Array(
      Type.Object(
        {
          by: ActionActor,
          at: Timestamp,
          comment: Nullable(StringExample("Checked with the customer.")),
          kind: OneOf(
            ["inline", "explicit", "standing"],
            "`inline`: the call contained its own confirmation. `standing`: a standing approval, which is `by`.",
          ),
          via: Type.Optional(DecidedVia),
          step_up: Type.Optional(
            OneOf(STEP_UP_METHODS, "Present if the person proved again who they are for this approval, and how."),
          ),
        },
        { title: "ProposalApproval" },
      ),
    ),
    decision: Nullable(
      Type.Object(
        {
          by: ActionActor,
          at: Timestamp,
          reason: Nullable(StringExample("Already refunded by hand.")),
          via: Type.Optional(DecidedVia),
        },
        { title: "ProposalDecision", description: "The person who ended the proposal without a run, and the reason." },
      ),
    ),
    approve_url: StringExample("https://junction.example.com/approvals/prop_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
      description: "The page on which people decide. Opening the page changes nothing.",
    }),
    run_id: Nullable(WireId("run")),
    supersedes: Nullable(WireId("prop")),
    superseded_by: Nullable(WireId("prop")),
    standing_approval_id: Nullable(WireId("sap")),
    expires_at: Timestamp,
    ended_at: Nullable(Timestamp),
    ...ownershipFields,
    run: Type.Optional(RunView),
  },
  { title: "Proposal" },
);
export const ProposalListView = ListOf(ProposalView);

export const ApproveBody = Type.Object(
  {
    params_hash: StringExample(HASH, {
      minLength: 64,
      maxLength: 64,
      description: "The `params_hash` of the proposal as it was reviewed.",
    }),
    comment: Type.Optional(StringExample("Checked with the customer.", { maxLength: 1000 })),
  },
  { ...strict, title: "ApproveProposal" },
);
export const RejectBody = Nullable(
  Type.Object(
    { reason: Type.Optional(StringExample("Already refunded by hand.", { maxLength: 1000 })) },
    { ...strict, title: "ProposalRejection" },
  ),
);
export const EditBody = Type.Object({ parameters: ActionParameters }, { ...strict, title: "ProposalEdit" });

export const ProposalListQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(OneOf(PROPOSAL_STATES, "The current state.")),
    action: Type.Optional(ActionKey),
    surface: Type.Optional(OneOf(SURFACES, "The surface of the request.")),
    standing_approval_id: Type.Optional(WireId("sap")),
    created_after: Type.Optional(DateTimeFilter("Proposed at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Proposed before this time.")),
  },
  strict,
);
export type ProposalListQuery = Static<typeof ProposalListQuery>;
