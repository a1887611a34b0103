import { Nullable, OneOf, ownershipFields, secret, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";
import { ActionActor } from "../callers/actor.schemas.ts";
import { SURFACES } from "../callers/surface.ts";

export const RUN_STATUSES = ["queued", "executing", "executed", "failed", "undone", "undo_failed"] as const;

export const ActionKey = StringExample("billing.refund", { maxLength: 200, description: "The key of the contract." });
export const ActionParameters = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "The parameters of the contract, by name. Values are never converted.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
  ...secret,
});
export const Surface = OneOf(SURFACES, "The surface of the request.");
export const Shown = Type.Unsafe<object>({
  type: "object",
  additionalProperties: true,
  description: "The values, redacted: secrets are hidden if their name, their format or their contract marks them.",
  examples: [{ payment_id: "pay_10482", reason: "ordered twice" }],
});

export const runFields = {
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
