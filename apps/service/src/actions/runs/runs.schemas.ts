import { t } from "../../lib/lib.ts";
import { SURFACES } from "../callers/surface.ts";
import { Preview, ProposalView } from "../proposals/proposals.schemas.ts";
import { ActionKey, ActionParameters, RUN_STATUSES, runFields, RunView } from "../requests/run.schemas.ts";

export const RunBody = t.Object(
  {
    action: t.StringExample("billing.refund", {
      minLength: 1,
      maxLength: 200,
      description: "The key of the contract.",
    }),
    parameters: t.Optional(ActionParameters),
    params: t.Optional(ActionParameters),
    confirmed: t.Optional(
      t.Boolean({
        default: false,
        description:
          "`true` replaces an approval if the contract and the workspace allow it. Ignored for calls by an AI.",
      }),
    ),
    surface: t.Optional(
      t.OneOf(
        SURFACES,
        "Narrows the surface of the call. The contract must list both this surface and the actual one.",
      ),
    ),
    prompt: t.Optional(
      t.StringExample("The customer ordered twice, please pay one back.", {
        maxLength: 10_000,
        description: "The reason for the call, for the audit log. Approvers do not see it in the preview.",
      }),
    ),
    dry_run: t.Optional(
      t.Boolean({
        default: false,
        description: "Whether to return only what the call would do. Nothing is called.",
      }),
    ),
  },
  { ...t.strict, title: "ActionCall" },
);
export type RunBody = t.Static<typeof RunBody>;

export const RunListView = t.ListOf(RunView);

/** A run as its caller sees it, or the expected outcome of a dry run. */
export const RunAnswer = t.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: runFields.status,
    outcome: t.Optional(
      t.OneOf(["executed", "pending_confirmation"], "The expected result of the call, for a dry run."),
    ),
    code: t.Optional(t.OneOf(["approval_required"])),
    confirmation: t.Optional(confirmation()),
    preview: t.Optional(Preview),
  },
  { title: "RunAnswer" },
);

const OverBudget = t.Object(
  {
    standing_approval_id: t.WireId("sap"),
    name: t.StringExample("Small refunds"),
    window_end: t.Timestamp,
    detail: t.StringExample(
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
export const RunAccepted = t.Object(
  {
    ...partial(runFields),
    action: ActionKey,
    status: t.OneOf(["pending_confirmation", "executing"]),
    code: t.Optional(t.OneOf(["approval_required"], "The call was confirmed, but still needs an approval.")),
    confirmation: t.Optional(confirmation()),
    over_budget: t.Optional(OverBudget),
    proposal: t.Optional(ProposalView),
  },
  { title: "RunAccepted" },
);

export const RunListQuery = t.Object(
  {
    ...t.PageQuery,
    status: t.Optional(t.OneOf(RUN_STATUSES, "The current state.")),
    action: t.Optional(ActionKey),
    surface: t.Optional(t.OneOf(SURFACES, "The surface of the request.")),
    created_after: t.Optional(t.DateTimeFilter("Started at or after this time.")),
    created_before: t.Optional(t.DateTimeFilter("Started before this time.")),
  },
  t.strict,
);
export type RunListQuery = t.Static<typeof RunListQuery>;

function confirmation() {
  return t.Object(
    { accepted: t.Boolean({ examples: [false] }), reason: t.StringExample("actor_is_ai") },
    { description: "The effect of `confirmed`." },
  );
}

function partial(fields: Readonly<Record<string, t.TSchema>>): Record<string, t.TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, t.Optional(field)]));
}
