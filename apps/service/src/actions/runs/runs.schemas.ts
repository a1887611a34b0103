import {
  strict,
  ListOf,
  DateTimeFilter,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  StringExample,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { TSchema } from "../../lib/lib.ts";
import { STEP_UP_METHODS } from "../../accounts/accounts.ts";
import { VIA } from "../callers/actor.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { RISKS } from "../contracts/contracts.schemas.ts";
import { SURFACES } from "../callers/surface.ts";
import { PROPOSAL_STATES } from "../proposals/proposal.ts";
import { RUN_STATUSES } from "./runs.store.ts";

const HASH = "5f0c2b7d9e4a1836c7d2f8b05a9e3c416d8f7b20e1a4c5938b6d7f0e2a1c4b59";
const ActionKey = StringExample("billing.refund", { maxLength: 200, description: "The key of the contract." });
const ActionParameters = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The parameters of the contract, by name. Values are never converted.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
  ...secret,
});
const Surface = OneOf(SURFACES, "The surface of the request.");
const DecidedVia = OneOf(VIA, "Present if the person decided in another service, with their linked account there.");
const Shown = Type.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  description: "The values, redacted: secrets are hidden if their name, their format or their contract marks them.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
});

export const RunBody = Type.Object(
  {
    action: StringExample("billing.refund", { minLength: 1, maxLength: 200, description: "The key of the contract." }),
    parameters: Type.Optional(ActionParameters),
    params: Type.Optional(ActionParameters),
    confirmed: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "`true` replaces an approval if the contract and the workspace allow it. Ignored for calls by an AI.",
      }),
    ),
    surface: Type.Optional(
      OneOf(SURFACES, "Narrows the surface of the call. The contract must list both this surface and the actual one."),
    ),
    prompt: Type.Optional(
      StringExample("The customer ordered twice, please pay one back.", {
        maxLength: 10_000,
        description: "The reason for the call, for the audit log. Approvers do not see it in the preview.",
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether to return only what the call would do. Nothing is called.",
      }),
    ),
  },
  { ...strict, title: "ActionCall" },
);

const Preview = Type.Object(
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

const runFields = {
  id: WireId("run"),
  object: OneOf(["run"]),
  action: ActionKey,
  contract_version: Type.Integer({ examples: [3] }),
  status: OneOf(
    [...RUN_STATUSES, "dry_run"],
    "`queued` and `executing` are in progress. All other statuses are final.",
  ),
  surface: Surface,
  actor: ActionActor,
  approver: Nullable(ActionActor),
  proposal_id: Nullable(WireId("prop")),
  parameters: Shown,
  prompt: Nullable(StringExample("The customer ordered twice, please pay one back.")),
  result: Type.Unsafe<unknown>({
    description:
      "The backend's response, as far as the contract exposes it. The caller who ran the action sees it unchanged; others see it redacted.",
    examples: [{ refund_id: "re_7" }],
  }),
  simulated: Type.Boolean({
    description:
      "Whether this is a simulated sandbox run, because the contract has no `sandbox_endpoint`. Nothing was called.",
  }),
  error: Nullable(
    Type.Object({
      code: StringExample("action_endpoint_failed", {
        description: "`outcome_unknown`: it is unknown whether the backend acted.",
      }),
      detail: Nullable(StringExample("The backend answered 500.")),
      outcome_unknown: Type.Boolean({
        description: "Whether the backend may have performed the action despite the error.",
      }),
    }),
  ),
  backend: Nullable(
    Type.Object({ host: StringExample("api.example.com"), status: Nullable(Type.Integer({ examples: [200] })) }),
  ),
  audit_id: Nullable(WireId("aud")),
  reversible: Type.Boolean({ description: "Whether the run can still be undone." }),
  undo_until: Nullable(Timestamp),
  undone_at: Nullable(Timestamp),
  undone_by: Nullable(ActionActor),
  duration_ms: Nullable(Type.Integer({ examples: [184] })),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
  ...ownershipFields,
};

export const RunView = Type.Object(runFields, { title: "Run" });
export const RunListView = ListOf(RunView);

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

/** A run as its caller sees it, or the expected outcome of a dry run. */
export const RunAnswer = Type.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: runFields.status,
    outcome: Type.Optional(
      OneOf(["executed", "pending_confirmation"], "The expected result of the call, for a dry run."),
    ),
    code: Type.Optional(OneOf(["approval_required"])),
    confirmation: Type.Optional(confirmation()),
    preview: Type.Optional(Preview),
  },
  { title: "RunAnswer" },
);

const OverBudget = Type.Object(
  {
    standing_approval_id: WireId("sap"),
    name: StringExample("Small refunds"),
    window_end: Timestamp,
    detail: StringExample(
      "The budget of the standing approval Small refunds has no room for this call until 2026-11-29T00:00:00.000Z, so a person has to decide.",
    ),
  },
  {
    title: "OverBudget",
    description:
      "The standing approval that covers the call, if its budget has no room. The budget begins again at `window_end`.",
  },
);

/** The call waits for a person, or for the backend of a contract whose delivery is async. */
export const RunAccepted = Type.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: OneOf(["pending_confirmation", "executing"]),
    code: Type.Optional(OneOf(["approval_required"], "The call was confirmed, but still needs an approval.")),
    confirmation: Type.Optional(confirmation()),
    over_budget: Type.Optional(OverBudget),
    proposal: Type.Optional(ProposalView),
  },
  { title: "RunAccepted" },
);

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

export const RunListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(OneOf(RUN_STATUSES, "The current state.")),
    action: Type.Optional(ActionKey),
    surface: Type.Optional(OneOf(SURFACES, "The surface of the request.")),
    created_after: Type.Optional(DateTimeFilter("Started at or after this time.")),
    created_before: Type.Optional(DateTimeFilter("Started before this time.")),
  },
  strict,
);
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

function confirmation() {
  return Type.Object(
    { accepted: Type.Boolean({ examples: [false] }), reason: StringExample("actor_is_ai") },
    { description: "The effect of `confirmed`." },
  );
}

function partial(fields: Readonly<Record<string, TSchema>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]));
}
