import { t } from "../../lib/lib.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { SURFACES } from "../callers/surface.ts";

export const RUN_STATUSES = ["queued", "executing", "executed", "failed", "undone", "undo_failed"] as const;

export const ActionKey = t.StringExample("billing.refund", { maxLength: 200, description: "The key of the contract." });
export const ActionParameters = t.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The parameters of the contract, by name. Values are never converted.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
  ...t.secret,
});
export const Surface = t.OneOf(SURFACES, "The surface of the request.");
export const ShownValue = t.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  description: "The values, redacted: secrets are hidden if their name, their format or their contract marks them.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
});

export const runFields = {
  id: t.WireId("run"),
  object: t.OneOf(["run"]),
  action: ActionKey,
  contract_version: t.Integer({ examples: [3] }),
  status: t.OneOf(
    [...RUN_STATUSES, "dry_run"],
    "`queued` and `executing` are in progress. All other statuses are final.",
  ),
  surface: Surface,
  actor: ActionActor,
  approver: t.Nullable(ActionActor),
  proposal_id: t.Nullable(t.WireId("prop")),
  parameters: ShownValue,
  prompt: t.Nullable(t.StringExample("The customer ordered twice, please pay one back.")),
  result: t.Unsafe<unknown>({
    description:
      "The backend's response, as far as the contract exposes it. The caller who ran the action sees it unchanged; others see it redacted.",
    examples: [{ refund_id: "re_7" }],
  }),
  simulated: t.Boolean({
    description:
      "Whether this is a simulated sandbox run, because the contract has no `sandbox_endpoint`. Nothing was called.",
  }),
  error: t.Nullable(
    t.Object({
      code: t.StringExample("action_endpoint_failed", {
        description: "`outcome_unknown`: it is unknown whether the backend acted.",
      }),
      detail: t.Nullable(t.StringExample("The backend answered 500.")),
      outcome_unknown: t.Boolean({
        description: "Whether the backend may have performed the action despite the error.",
      }),
    }),
  ),
  backend: t.Nullable(
    t.Object({ host: t.StringExample("api.example.com"), status: t.Nullable(t.Integer({ examples: [200] })) }),
  ),
  audit_id: t.Nullable(t.WireId("aud")),
  reversible: t.Boolean({ description: "Whether the run can still be undone." }),
  undo_until: t.Nullable(t.Timestamp),
  undone_at: t.Nullable(t.Timestamp),
  undone_by: t.Nullable(ActionActor),
  duration_ms: t.Nullable(t.Integer({ examples: [184] })),
  started_at: t.Timestamp,
  ended_at: t.Nullable(t.Timestamp),
  ...t.ownershipFields,
};

export const RunView = t.Object(runFields, { title: "Run" });
