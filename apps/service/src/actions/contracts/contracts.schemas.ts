import { environmentFields, EnvironmentFilter, promotionFields, SECRET_NAME, t } from "../../lib/lib.ts";
import { SURFACES } from "../callers/surface.ts";
import { PARAMETER_TYPES } from "./parameter-specs.ts";
import type { ParameterInput, ParameterValue } from "./parameter-specs.ts";

export const RISKS = ["low", "medium", "high"] as const;
export type Risk = (typeof RISKS)[number];
const ACTION_ROLES = ["owner", "admin", "developer", "operator", "viewer", "ai"] as const;
const PEOPLE = ["owner", "admin", "developer", "operator", "viewer"] as const;
const MAX_URL = 2048;
const SCOPE = "^[a-z][a-z0-9_]*:(read|write)$";
const PERMISSION = "^[a-z][a-z0-9_]*([.:][a-z0-9_]+)*$";

const Url = (example: string, description: string) =>
  t.StringExample(example, { minLength: 1, maxLength: MAX_URL, description });
const Path = (example: string, description: string) => t.StringExample(example, { maxLength: 512, description });
const Key = t.StringExample("billing.refund", { description: "The key of the contract, unique in its environment." });
const Scalar = (description: string) =>
  t.Unsafe<ParameterValue>({ description: `${description} A string, a number or a boolean.` });

/** A value without a single type. The check of the whole definition compares its type. */
const Parameter = t.Unsafe<ParameterInput>({
  title: "ActionParameter",
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    type: t.OneOf(PARAMETER_TYPES, "The type of the parameter. Values are never converted."),
    required: t.Boolean({ description: "Whether a call without the parameter is refused. Default: false." }),
    min: t.Number({ description: "The minimum of a number, or the minimum number of characters of a string." }),
    max: t.Number({
      description: "The maximum of a number, or the maximum number of characters (code points) of a string.",
    }),
    enum: t.Array(Scalar("An allowed value."), { minItems: 1, maxItems: 200 }),
    sensitive: t.Boolean({ description: "Whether the values are hidden in the audit log and in previews." }),
    description: t.String({ maxLength: 500, description: "The description for people and AI models." }),
  },
});
const Params = t.Unsafe<Record<string, ParameterInput>>({
  type: "object",
  additionalProperties: Parameter,
  maxProperties: 64,
  description: "The parameters by name. Calls with other parameters are refused.",
  examples: [{ payment_id: { type: "string", required: true, max: 64 }, reason: { type: "string", max: 500 } }],
});
const Undo = t.Object(
  {
    endpoint: Url(
      "https://api.example.com/refunds/undo",
      "The URL that undoes a run. It is called like `endpoint`, with `X-Service-Event: action.undo` and the `result` of the run.",
    ),
    window_seconds: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 31_536_000,
        default: 86_400,
        description: "How long after its execution a run can be undone, in seconds.",
      }),
    ),
  },
  { ...t.strict, title: "ActionUndo" },
);
const SecretRef = t.StringExample("billing_token", {
  pattern: SECRET_NAME,
  maxLength: 100,
  description: "The name of a secret (`PUT /v1/secrets/{name}`). For `basic`, the secret is `user:password`.",
});
const Header = t.StringExample("X-Api-Key", { maxLength: 128, description: "The header that contains the `api_key`." });
const AuthType = t.OneOf(
  ["none", "bearer", "api_key", "basic", "hmac"],
  "The authentication in addition to the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret.",
);
const SuccessWhen = t.Object(
  {
    path: Path("$.status", "The path of the checked value in the backend's response."),
    equals: t.Unsafe<ParameterValue | null>({
      description: "The expected value: a string, a number, a boolean or null.",
      examples: ["ok"],
    }),
  },
  { ...t.strict, title: "ActionSuccess" },
);
const handling = {
  json: t.Boolean({
    default: true,
    description:
      "Whether a run is executed only if the 2xx response is JSON. With `false`, any 2xx response counts, and the result of a response that is not JSON is null.",
  }),
  success_when: t.Nullable(SuccessWhen),
  result_path: t.Nullable(
    Path("$.data", "The path of the result in the backend's response. Default: the whole response."),
  ),
  error_path: t.Nullable(Path("$.error.message", "The path of the error message in a failed response.")),
  expose: t.Nullable(
    t.Array(t.StringExample("refund_id", { minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
      description: "The members of the result that are shown. Default: all members.",
    }),
  ),
};
const approval = {
  approver_roles: t.Array(t.OneOf(PEOPLE), {
    minItems: 1,
    description: "The roles whose members may approve the action.",
  }),
  four_eyes: t.Boolean({
    description:
      "Whether requesters and editors are prevented from approving the action. Default: true for destructive actions.",
  }),
  required: t.Integer({
    minimum: 1,
    maximum: 10,
    default: 1,
    description: "The number of people who must approve the action.",
  }),
  expires_in_seconds: t.Integer({
    minimum: 1,
    maximum: 2_592_000,
    default: 86_400,
    description: "How long a proposal waits for a decision, in seconds.",
  }),
  allow_rule: t.Array(t.StringExample("rule_0h2k4m6n01jd3c4z8q2w5e7r9t0y1u2i3o@2", { minLength: 1, maxLength: 200 }), {
    maxItems: 20,
    default: [],
    description:
      "The rules that may approve the action, each as `<rule id>@<version>`. The author of the rule must have a role that may approve. A rule id without a version, or a rule name, applies only while the rule's last author is an owner. Only owners can write a contract that contains rules.",
  }),
};
const partial = { ...t.strict, minProperties: 1 };

const needed = {
  label: t.StringExample("Refund a payment", {
    minLength: 1,
    maxLength: 200,
    description: "The display name of the action.",
  }),
  surface: t.Array(t.OneOf(SURFACES), {
    minItems: 1,
    description:
      "The surfaces from which the action can be requested. The service determines the surface of each call.",
  }),
  roles: t.Array(t.OneOf(ACTION_ROLES), { minItems: 1, description: "The roles that may run or request the action." }),
  requires_confirmation: t.Boolean({ description: "Whether a person reviews a preview before the action runs." }),
  audit: t.Boolean({ description: "Whether runs are recorded in the audit log." }),
  params: Params,
  endpoint: Url(
    "https://api.example.com/refunds",
    "The backend that performs the action: an https URL on the public internet.",
  ),
};
const optional = {
  description: t.StringExample("Returns the money of one payment.", {
    maxLength: 2000,
    description: "The description for people and AI models.",
  }),
  risk: t.OneOf(RISKS, "The risk of the action. `high` requires confirmation by a person."),
  destructive: t.Boolean({
    default: false,
    description: "Whether the effect cannot be reversed. Requires confirmation by a person.",
  }),
  reversible: t.Boolean({ description: "Whether the action can be undone through `undo`." }),
  undo: t.Nullable(Undo),
  idempotent: t.Boolean({
    default: false,
    description: "Whether a call can be repeated safely. The backend recognises repeated calls by `run_id`.",
  }),
  scope: t.Nullable(
    t.StringExample("billing:write", {
      pattern: SCOPE,
      maxLength: 100,
      description: "The scope that a key must have.",
    }),
  ),
  permission: t.Nullable(
    t.StringExample("refunds", {
      pattern: PERMISSION,
      maxLength: 100,
      description: "The operator permission that the action requires.",
    }),
  ),
  delivery: t.OneOf(
    ["sync", "async"],
    "`sync`: the call waits for the backend, and returns the completed run. `async`: the call returns 202 at once, and the run ends later.",
  ),
  auth: t.Object(
    { type: AuthType, secret_ref: t.Optional(t.Nullable(SecretRef)), header: t.Optional(t.Nullable(Header)) },
    { ...t.strict, title: "ActionAuth" },
  ),
  response: t.Partial(t.Object(handling), { ...partial, title: "ActionResponse" }),
  timeout_ms: t.Integer({
    minimum: 1,
    maximum: 30_000,
    default: 10_000,
    description: "The timeout of the whole call, in milliseconds.",
  }),
  approval: t.Partial(t.Object(approval), { ...partial, title: "ActionApproval" }),
  sandbox_endpoint: t.Nullable(
    Url("https://sandbox.example.com/refunds", "The URL for sandbox runs. Without it, sandbox runs are simulated."),
  ),
};

const options = t.Partial(t.Object(optional)).properties;

export const ContractBody = t.Object(
  {
    key: t.StringExample("billing.refund", { maxLength: 128, pattern: "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$" }),
    ...needed,
    ...options,
  },
  { ...t.strict, title: "NewActionContract" },
);
/** A contract as it is submitted for registration. */
export type ContractInput = t.Static<typeof ContractBody>;
/** Each member in the request is replaced as a whole. */
export const ContractPatch = t.Partial(t.Object({ ...needed, ...options }), {
  ...partial,
  title: "ActionContractChange",
});
export type ContractPatch = t.Static<typeof ContractPatch>;

const definition = {
  key: Key,
  ...needed,
  ...optional,
  undo: t.Nullable(t.Object({ endpoint: Undo.properties.endpoint, window_seconds: t.Integer() })),
  auth: t.Object({ type: AuthType, secret_ref: t.Nullable(SecretRef), header: t.Nullable(Header) }),
  response: t.Object(handling),
  approval: t.Object(approval),
};
const DefinitionShape = t.Object(definition);
/**
 * A contract as the API shows it: parameters as they were declared, everything else with its defaults. The hash covers
 * this form.
 */
export type Definition = t.Static<typeof DefinitionShape>;

const version = {
  ...definition,
  version: t.Integer({ description: "The number of the version, counted from 1.", examples: [1] }),
  sha256: t.StringExample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", {
    description: "Hex SHA-256 of the definition in its RFC 8785 form.",
  }),
  author: t.Object(
    { kind: t.OneOf(["key", "member"]), id: t.WireId("key") },
    { description: "The author of this version.", title: "ActionContractAuthor" },
  ),
};
const view = {
  id: t.WireId("ctr"),
  object: t.OneOf(["action_contract"]),
  ...version,
  connector_key: t.Nullable(t.StringExample("stripe", { description: "The connector that the contract belongs to." })),
  ...t.ownershipFields,
  ...environmentFields,
  promoted_from: promotionFields("ctr", "contract").promoted_from,
  updated_at: t.Timestamp,
};
export const ContractView = t.Object(view, { title: "ActionContract" });
const Secret = t.StringExample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  description: "The secret that signs the calls to the backend.",
});
export const ContractWithSecret = t.Object({ ...view, signing_secret: Secret }, { title: "ActionContractWithSecret" });
export const ContractListView = t.ListOf(ContractView);
export const ContractListQuery = t.Object(
  {
    runnable: t.Optional(
      t.Boolean({
        description: "Whether to return only the contracts that the caller may run from the current surface.",
      }),
    ),
    environment: EnvironmentFilter,
    ...t.PageQuery,
  },
  t.strict,
);
export type ContractListQuery = t.Static<typeof ContractListQuery>;
const Which = t.Optional(
  t.OneOf(["live", "sandbox"], "The environment of the contract. Default: the caller's, or else the other one."),
);
export const ContractQuery = t.Object({ environment: Which }, t.strict);
export type ContractQuery = t.Static<typeof ContractQuery>;
export const VersionListView = t.ListOf(
  t.Object(
    { id: t.WireId("ctr"), object: t.OneOf(["action_contract_version"]), ...version, ...t.ownershipFields },
    { title: "ActionContractVersion" },
  ),
);
export const VersionListQuery = t.Object({ environment: Which, ...t.PageQuery }, t.strict);
export type VersionListQuery = t.Static<typeof VersionListQuery>;

export const SigningSecretView = t.Object(
  {
    signing_secret: Secret,
    previous_secret: t.Optional(Secret),
    previous_expires_at: t.Optional(t.Timestamp),
  },
  { title: "ActionSigningSecret" },
);
/** The whole body may be omitted. */
export const RegenerateBody = t.Nullable(
  t.Object(
    {
      overlap_seconds: t.Optional(
        t.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: "How long the old secret also signs, in seconds.",
        }),
      ),
    },
    { ...t.strict, title: "SigningSecretRegeneration" },
  ),
);
