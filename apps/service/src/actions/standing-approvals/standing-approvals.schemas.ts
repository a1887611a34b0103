import { t } from "../../lib/lib.ts";
import { ConditionView } from "../../events/events.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { AGENT_TYPES } from "./terms.ts";
import { WINDOW_UNITS } from "./windows.ts";

const Name = (description: string) => t.StringExample("Small refunds", { minLength: 1, maxLength: 100, description });
const ActionKey = t.StringExample("billing.refund", {
  minLength: 1,
  maxLength: 200,
  description: "The key of the contract.",
});
const Version = t.Integer({
  minimum: 1,
  examples: [3],
  description: "The version of the contract that was reviewed. A new version ends the standing approval.",
});
const AgentType = t.OneOf(
  AGENT_TYPES,
  "`key`: one AI or service key, and those that replace it. `member`: the AI keys and connected AI clients of a member.",
);
const AgentId = t.StringExample("key_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  description: "The key or the member.",
});
const Agent = t.Object({ type: AgentType, id: AgentId }, { ...t.strict, title: "StandingApprovalAgent" });
const Sum = t.Object(
  {
    parameter: t.StringExample("amount", { description: "A parameter of the type int or number." }),
    max: t.StringExample("500.00", {
      pattern: "^[0-9]{1,15}(\\.[0-9]{1,15})?$",
      description: "The maximum sum in one window, as an exact decimal.",
    }),
  },
  { ...t.strict, title: "StandingApprovalSum" },
);
const Count = t.Integer({
  minimum: 1,
  maximum: 10_000,
  examples: [10],
  description: "The maximum number of calls.",
});
const Per = t.OneOf(WINDOW_UNITS, "The window of the budget: an hour or a calendar day of `time_zone`.");
const Zone = t.StringExample("Europe/Berlin", {
  minLength: 1,
  maxLength: 64,
  description: "An IANA time zone, in which hours and days begin.",
});

export const StandingApprovalParams = t.Object({ id: t.WireId("sap") });

export const StandingApprovalBody = t.Object(
  {
    name: Name("What it is for. Proposals and the audit log show it."),
    action: ActionKey,
    contract_version: Version,
    agents: t.Array(Agent, { minItems: 1, maxItems: 50, description: "The callers whose proposals it approves." }),
    when: t.Optional(ConditionView),
    budget: t.Object(
      { count: Count, per: Per, sum: t.Optional(Sum) },
      {
        ...t.strict,
        title: "StandingApprovalBudgetInput",
        description: "Beyond the budget, proposals wait for people.",
      },
    ),
    time_zone: t.Optional(Zone),
    expires_at: t.String({
      format: "date-time",
      description: "The end, at most 90 days ahead. RFC 3339, with a zone.",
    }),
  },
  { ...t.strict, title: "StandingApprovalInput" },
);
export type StandingApprovalInput = t.Static<typeof StandingApprovalBody>;

export const StandingApprovalShape = t.Object(
  {
    id: t.WireId("sap"),
    object: t.OneOf(["standing_approval"]),
    name: Name("What it is for."),
    state: t.OneOf(["active", "ended"]),
    action: ActionKey,
    contract_version: Version,
    agents: t.Array(Agent),
    when: t.Nullable(ConditionView),
    budget: t.Object({ count: Count, per: Per, sum: t.Nullable(Sum) }, { title: "StandingApprovalBudget" }),
    used: t.Object(
      {
        count: t.Integer({ examples: [4] }),
        sum: t.Nullable(t.StringExample("120.5", { description: "An exact decimal. Null if no sum is limited." })),
        window_start: t.Timestamp,
        window_end: t.Timestamp,
      },
      { title: "StandingApprovalUse", description: "What is used of the budget in the current window." },
    ),
    time_zone: Zone,
    uses: t.Integer({ examples: [37], description: "The number of calls that it has approved." }),
    last_used_at: t.Nullable(t.Timestamp),
    created_by: ActionActor,
    expires_at: t.Timestamp,
    ended_at: t.Nullable(t.Timestamp),
    ended_by: t.Nullable(ActionActor),
    end_reason: t.Nullable(
      t.OneOf(
        ["ended", "expired", "contract_changed", "writer_not_owner"],
        "`ended`: a person ended it. `contract_changed`: the action has another version, or none. `writer_not_owner`: its writer was removed, is no longer an owner, or has taken the account back.",
      ),
    ),
    ...t.ownershipFields,
  },
  { title: "StandingApproval" },
);
export const StandingApprovalList = t.ListOf(StandingApprovalShape);

export const StandingApprovalQuery = t.Object(
  {
    ...t.PageQuery,
    state: t.Optional(t.OneOf(["active", "ended"], "Whether it can still approve.")),
    action: t.Optional(ActionKey),
  },
  t.strict,
);
export type StandingApprovalQuery = t.Static<typeof StandingApprovalQuery>;
