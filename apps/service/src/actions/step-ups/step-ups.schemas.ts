import { AssertionShape, GUARDED_OPERATIONS, RequestOptionsShape, STEP_UP_METHODS } from "../../accounts/accounts.ts";
import { t } from "../../lib/lib.ts";
import { StandingApprovalBody } from "../standing-approvals/standing-approvals.schemas.ts";

const HASH = "5f0c2b7d9e4a1836c7d2f8b05a9e3c416d8f7b20e1a4c5938b6d7f0e2a1c4b59";

export const StepUpParams = t.Object({ id: t.WireId("stp") });

export const StepUpBody = t.Object(
  {
    proposals: t.Optional(
      t.Array(
        t.Object(
          {
            id: t.StringExample("prop_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", { description: "The proposal to approve." }),
            params_hash: t.StringExample(HASH, {
              minLength: 64,
              maxLength: 64,
              description: "The `params_hash` of the proposal as it was reviewed.",
            }),
          },
          { ...t.strict, title: "StepUpProposal" },
        ),
        { minItems: 1, maxItems: 100, description: "One proof counts once for each of them." },
      ),
    ),
    standing_approval: t.Optional(StandingApprovalBody),
    change: t.Optional(
      t.Object(
        {
          operation: t.OneOf(GUARDED_OPERATIONS, "The operation that asked for the step-up."),
          id: t.Optional(
            t.StringExample("run_7k2m9qaw01m7w4q17jeay9df1b7sqp908g", {
              maxLength: 200,
              description: "The id or the key in the path of the request, if it has one.",
            }),
          ),
          body: t.Optional(
            t.Unsafe<object>({
              type: "object",
              additionalProperties: true,
              description:
                "The body of the request, exactly as it will be sent. Omitted for operations of `auth` and `slack_links`, which are known by their name.",
              examples: [{ settings: { require_step_up: false } }],
            }),
          ),
        },
        {
          ...t.strict,
          title: "StepUpChange",
          description: "One change of what guards. The proof counts once, for exactly this change.",
        },
      ),
    ),
  },
  { ...t.strict, title: "StepUpRequest" },
);

export type StepUpInput = t.Static<typeof StepUpBody>;

export const StepUpProofBody = t.Object(
  {
    assertion: t.Optional(AssertionShape),
    code: t.Optional(
      t.StringExample("492039", {
        minLength: 6,
        maxLength: 6,
        description: "Six digits from the authenticator app, if `method` is `totp`. Recovery codes do not count.",
        ...t.secret,
      }),
    ),
  },
  { ...t.strict, title: "StepUpProof" },
);

export const StepUpShape = t.Object(
  {
    id: t.WireId("stp"),
    object: t.OneOf(["step_up"]),
    method: t.OneOf(STEP_UP_METHODS, "What to prove it with. A person with a passkey that works here uses it."),
    passkey_request: t.Nullable(RequestOptionsShape),
    proved: t.Boolean({ description: "Whether it counts for the decisions that it was begun for." }),
    expires_at: t.Timestamp,
  },
  { title: "StepUp" },
);
