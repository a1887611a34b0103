import {
  closed,
  ListOf,
  Moment,
  Nullable,
  OneOf,
  Owned,
  PageQuery,
  Sample,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { TSchema } from "../../lib/lib.ts";
import { RISKS, SURFACES } from "../contracts/contract.ts";
import { PROPOSAL_STATES } from "../proposals/proposal.ts";
import { RUN_STATUSES } from "./runs.store.ts";

const HASH = "5f0c2b7d9e4a1836c7d2f8b05a9e3c416d8f7b20e1a4c5938b6d7f0e2a1c4b59";
const ACTOR_TYPES = ["user", "service", "ai", "rule", "workflow", "connector", "system"] as const;

const ActionKey = Sample("billing.refund", { maxLength: 200, description: "The contract's key." });
const ActionParameters = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The parameters that the contract takes, by name. Values are never converted.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
  ...secret,
});
const Surface = OneOf(SURFACES, "Where it was asked for.");
const Actor = Type.Object(
  {
    type: OneOf(ACTOR_TYPES),
    id: Nullable(WireId("mem")),
    display: Nullable(Sample("Ines Costa")),
    key_id: Nullable(WireId("key")),
    ip: Nullable(Sample("203.0.113.7")),
  },
  { title: "ActionActor" },
);
const Shown = Type.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  description: "Redacted: what is a secret by its name, its form or its contract is not shown.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
});

export const RunBody = Type.Object(
  {
    action: Sample("billing.refund", { minLength: 1, maxLength: 200, description: "The contract's key." }),
    parameters: Type.Optional(ActionParameters),
    params: Type.Optional(ActionParameters),
    confirmed: Type.Optional(
      Type.Boolean({
        default: false,
        description: "`true` stands for an approval where the contract and the workspace let it; never for an AI.",
      }),
    ),
    surface: Type.Optional(
      OneOf(SURFACES, "Narrows where the call counts as coming from: the contract must list both."),
    ),
    prompt: Type.Optional(
      Sample("The customer ordered twice, please pay one back.", {
        maxLength: 10_000,
        description: "What led to the call, for the audit. Nobody who approves sees it in the preview.",
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: "Shows what would come of the call, and calls nothing." }),
    ),
  },
  { ...closed, title: "ActionCall" },
);

const Preview = Type.Object(
  {
    title: Sample("Refund a payment"),
    summary: Sample("Runs billing.refund (version 3) at api.example.com. Medium risk, can be undone."),
    fields: Type.Array(
      Type.Object(
        {
          name: Sample("payment_id"),
          description: Sample("The payment to give back."),
          value: Sample("pay_10482"),
          masked: Type.Boolean({ description: "The value is sensitive and not shown." }),
        },
        { title: "PreviewField" },
      ),
    ),
    risk: OneOf(RISKS),
    target_host: Nullable(Sample("api.example.com", { description: "Where the call goes; null: nothing is called." })),
    reversible: Type.Boolean(),
  },
  {
    title: "Preview",
    description:
      "Made by the service of the contract and the parameters alone. Characters that cannot be seen are spelled out.",
  },
);

const runFields = {
  id: WireId("run"),
  object: OneOf(["run"]),
  action: ActionKey,
  contract_version: Type.Integer({ examples: [3] }),
  status: OneOf([...RUN_STATUSES, "dry_run"], "`queued` and `executing` are under way; the others are ends."),
  surface: Surface,
  actor: Actor,
  approver: Nullable(Actor),
  proposal_id: Nullable(WireId("prop")),
  parameters: Shown,
  prompt: Nullable(Sample("The customer ordered twice, please pay one back.")),
  result: Type.Unsafe<unknown>({
    description:
      "What the backend answered, as far as the contract exposes it. Whoever ran it sees it as it came, others redacted.",
    examples: [{ refund_id: "re_7" }],
  }),
  simulated: Type.Boolean({
    description: "A sandbox run of a contract without a sandbox_endpoint: nothing was called.",
  }),
  error: Nullable(
    Type.Object({
      code: Sample("action_endpoint_failed", {
        description: "`outcome_unknown`: nobody knows whether the backend acted.",
      }),
      detail: Nullable(Sample("The backend answered 500.")),
      outcome_unknown: Type.Boolean({ description: "The backend may have done it all the same." }),
    }),
  ),
  backend: Nullable(
    Type.Object({ host: Sample("api.example.com"), status: Nullable(Type.Integer({ examples: [200] })) }),
  ),
  audit_id: Nullable(WireId("aud")),
  reversible: Type.Boolean({ description: "Whether it can still be undone." }),
  undo_until: Nullable(Timestamp),
  undone_at: Nullable(Timestamp),
  undone_by: Nullable(Actor),
  duration_ms: Nullable(Type.Integer({ examples: [184] })),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
  ...Owned,
};

export const RunView = Type.Object(runFields, { title: "Run" });
export const RunListView = ListOf(RunView);

export const ProposalView = Type.Object(
  {
    id: WireId("prop"),
    object: OneOf(["proposal"]),
    action: ActionKey,
    contract_version: Type.Integer({ examples: [3] }),
    state: OneOf(PROPOSAL_STATES),
    surface: Surface,
    proposer: Actor,
    edited_by: Nullable(Actor),
    preview: Preview,
    parameters: Shown,
    params_hash: Sample(HASH, {
      description:
        "Hex SHA-256 of the RFC 8785 form of `{action, contract_version, parameters}`: what an approval is of.",
    }),
    prompt: Nullable(Sample("The customer ordered twice, please pay one back.")),
    approver_roles: Type.Array(Sample("admin"), { description: "Who may decide." }),
    four_eyes: Type.Boolean({ description: "Whoever asked for it, or edited it, cannot approve it." }),
    approvals_required: Type.Integer({ examples: [1], description: "How many people must approve." }),
    approvals: Type.Array(
      Type.Object(
        {
          by: Actor,
          at: Timestamp,
          comment: Nullable(Sample("Checked with the customer.")),
          kind: OneOf(["inline", "explicit"], "`inline`: the call confirmed itself."),
        },
        { title: "ProposalApproval" },
      ),
    ),
    decision: Nullable(
      Type.Object(
        { by: Actor, at: Timestamp, reason: Nullable(Sample("Already refunded by hand.")) },
        { title: "ProposalDecision", description: "Who ended it without a run, and why." },
      ),
    ),
    approve_url: Sample("https://junction.example.com/approvals/prop_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
      description: "The page on which people decide. To open it changes nothing.",
    }),
    run_id: Nullable(WireId("run")),
    supersedes: Nullable(WireId("prop")),
    superseded_by: Nullable(WireId("prop")),
    expires_at: Timestamp,
    ended_at: Nullable(Timestamp),
    ...Owned,
    run: Type.Optional(RunView),
  },
  { title: "Proposal" },
);
export const ProposalListView = ListOf(ProposalView);

/** A run as it is told to whoever asked for it, or what would come of it. */
export const RunAnswer = Type.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: runFields.status,
    outcome: Type.Optional(OneOf(["executed", "pending_confirmation"], "Of a dry run: what would come of the call.")),
    code: Type.Optional(OneOf(["approval_required"])),
    confirmation: Type.Optional(confirmation()),
    preview: Type.Optional(Preview),
  },
  { title: "RunAnswer" },
);

/** It waits: for a person, or for the backend of a contract whose delivery is async. */
export const RunAccepted = Type.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: OneOf(["pending_confirmation", "executing"]),
    code: Type.Optional(OneOf(["approval_required"], "It was confirmed, and needs an approval all the same.")),
    confirmation: Type.Optional(confirmation()),
    proposal: Type.Optional(ProposalView),
  },
  { title: "RunAccepted" },
);

export const ApproveBody = Type.Object(
  {
    params_hash: Sample(HASH, { minLength: 64, maxLength: 64, description: "Of the proposal as it was looked at." }),
    comment: Type.Optional(Sample("Checked with the customer.", { maxLength: 1000 })),
  },
  { ...closed, title: "ApproveProposal" },
);
export const RejectBody = Nullable(
  Type.Object(
    { reason: Type.Optional(Sample("Already refunded by hand.", { maxLength: 1000 })) },
    { ...closed, title: "ProposalRejection" },
  ),
);
export const EditBody = Type.Object({ parameters: ActionParameters }, { ...closed, title: "ProposalEdit" });

export const RunListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(OneOf(RUN_STATUSES, "Where it stands.")),
    action: Type.Optional(ActionKey),
    surface: Type.Optional(OneOf(SURFACES, "How it was asked for.")),
    created_after: Type.Optional(Moment("Begun at this moment or later.")),
    created_before: Type.Optional(Moment("Begun before this moment.")),
  },
  closed,
);
export const ProposalListQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(OneOf(PROPOSAL_STATES, "Where it stands.")),
    action: Type.Optional(ActionKey),
    surface: Type.Optional(OneOf(SURFACES, "How it was asked for.")),
    created_after: Type.Optional(Moment("Proposed at this moment or later.")),
    created_before: Type.Optional(Moment("Proposed before this moment.")),
  },
  closed,
);

function confirmation() {
  return Type.Object(
    { accepted: Type.Boolean({ examples: [false] }), reason: Sample("actor_is_ai") },
    { description: "What became of `confirmed`." },
  );
}

function partial(fields: Readonly<Record<string, TSchema>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]));
}
