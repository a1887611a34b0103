import {
  DateTimeFilter,
  ListOf,
  OneOf,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import type { Static, TSchema } from "../../lib/lib.ts";
import { SURFACES } from "../callers/surface.ts";
import { Preview, ProposalView } from "../proposals/proposals.schemas.ts";
import { ActionKey, ActionParameters, RUN_STATUSES, runFields, RunView } from "../requests/run.schemas.ts";

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
export type RunBody = Static<typeof RunBody>;

export const RunListView = ListOf(RunView);

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
export type RunListQuery = Static<typeof RunListQuery>;

function confirmation() {
  return Type.Object(
    { accepted: Type.Boolean({ examples: [false] }), reason: StringExample("actor_is_ai") },
    { description: "The effect of `confirmed`." },
  );
}

function partial(fields: Readonly<Record<string, TSchema>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]));
}
