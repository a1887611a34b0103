import {
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
import { ConditionView } from "../../events/events.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { AGENT_TYPES } from "./terms.ts";
import { WINDOW_UNITS } from "./windows.ts";

const Name = (description: string) => StringExample("Small refunds", { minLength: 1, maxLength: 100, description });
const ActionKey = StringExample("billing.refund", {
  minLength: 1,
  maxLength: 200,
  description: "The key of the contract.",
});
const Version = Type.Integer({
  minimum: 1,
  examples: [3],
  description: "The version of the contract that was reviewed. A new version ends the standing approval.",
});
const AgentType = OneOf(
  AGENT_TYPES,
  "`key`: one AI or service key, and those that replace it. `member`: the AI keys and connected AI clients of a member.",
);
const AgentId = StringExample("key_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
  description: "The key or the member.",
});
const Agent = Type.Object({ type: AgentType, id: AgentId }, { ...strict, title: "StandingApprovalAgent" });
const Sum = Type.Object(
  {
    parameter: StringExample("amount", { description: "A parameter of the type int or number." }),
    max: StringExample("500.00", {
      pattern: "^[0-9]{1,15}(\\.[0-9]{1,15})?$",
      description: "The maximum sum in one window, as an exact decimal.",
    }),
  },
  { ...strict, title: "StandingApprovalSum" },
);
const Count = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  examples: [10],
  description: "The maximum number of calls.",
});
const Per = OneOf(WINDOW_UNITS, "The window of the budget: an hour or a calendar day of `time_zone`.");
const Zone = StringExample("Europe/Berlin", {
  minLength: 1,
  maxLength: 64,
  description: "An IANA time zone, in which hours and days begin.",
});

export const StandingApprovalParams = Type.Object({ id: WireId("sap") });

export const StandingApprovalBody = Type.Object(
  {
    name: Name("What it is for. Proposals and the audit log show it."),
    action: ActionKey,
    contract_version: Version,
    agents: Type.Array(Agent, { minItems: 1, maxItems: 50, description: "The callers whose proposals it approves." }),
    when: Type.Optional(ConditionView),
    budget: Type.Object(
      { count: Count, per: Per, sum: Type.Optional(Sum) },
      { ...strict, title: "StandingApprovalBudgetInput", description: "Beyond the budget, proposals wait for people." },
    ),
    time_zone: Type.Optional(Zone),
    expires_at: Type.String({
      format: "date-time",
      description: "The end, at most 90 days ahead. RFC 3339, with a zone.",
    }),
  },
  { ...strict, title: "StandingApprovalInput" },
);
export type StandingApprovalInput = Static<typeof StandingApprovalBody>;

export const StandingApprovalShape = Type.Object(
  {
    id: WireId("sap"),
    object: OneOf(["standing_approval"]),
    name: Name("What it is for."),
    state: OneOf(["active", "ended"]),
    action: ActionKey,
    contract_version: Version,
    agents: Type.Array(Agent),
    when: Nullable(ConditionView),
    budget: Type.Object({ count: Count, per: Per, sum: Nullable(Sum) }, { title: "StandingApprovalBudget" }),
    used: Type.Object(
      {
        count: Type.Integer({ examples: [4] }),
        sum: Nullable(StringExample("120.5", { description: "An exact decimal. Null if no sum is limited." })),
        window_start: Timestamp,
        window_end: Timestamp,
      },
      { title: "StandingApprovalUse", description: "What is used of the budget in the current window." },
    ),
    time_zone: Zone,
    uses: Type.Integer({ examples: [37], description: "The number of calls that it has approved." }),
    last_used_at: Nullable(Timestamp),
    created_by: ActionActor,
    expires_at: Timestamp,
    ended_at: Nullable(Timestamp),
    ended_by: Nullable(ActionActor),
    end_reason: Nullable(
      OneOf(
        ["ended", "expired", "contract_changed", "writer_not_owner"],
        "`ended`: a person ended it. `contract_changed`: the action has another version, or none. `writer_not_owner`: its writer was removed, is no longer an owner, or has taken the account back.",
      ),
    ),
    ...ownershipFields,
  },
  { title: "StandingApproval" },
);
export const StandingApprovalList = ListOf(StandingApprovalShape);

export const StandingApprovalQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(OneOf(["active", "ended"], "Whether it can still approve.")),
    action: Type.Optional(ActionKey),
  },
  strict,
);
export type StandingApprovalQuery = Static<typeof StandingApprovalQuery>;
