import {
  closed,
  ListOf,
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
import { AUTH_TYPES, PARAMETER_TYPES, RISKS, SURFACES } from "./contract.ts";
import type { ParameterInput, ParameterValue } from "./contract.ts";
import { ACTION_ROLES } from "../runs/authorization.ts";
import { SECRET_NAME } from "../runs/encryption-context.ts";

const PEOPLE = ["owner", "admin", "developer", "operator", "viewer"] as const;
const MAX_URL = 2048;
const SCOPE = "^[a-z][a-z0-9_]*:(read|write)$";
const PERMISSION = "^[a-z][a-z0-9_]*([.:][a-z0-9_]+)*$";

const Url = (example: string, description: string) =>
  Sample(example, { minLength: 1, maxLength: MAX_URL, description });
const Path = (example: string, description: string) => Sample(example, { maxLength: 512, description });
const Key = Sample("billing.refund", { description: "Its name, which no other contract of the workspace has." });
const Scalar = (description: string) =>
  Type.Unsafe<ParameterValue>({ description: `${description} A string, a number or a boolean.` });

/** A value of no single type; whether it is of the right one is judged with the whole. */
const Parameter = Type.Unsafe<ParameterInput>({
  title: "ActionParameter",
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    type: OneOf(PARAMETER_TYPES, "Values are never converted."),
    required: Type.Boolean({ description: "Whether a call without it is refused; without this member it is not." }),
    min: Type.Number({ description: "The least number, or the fewest characters of a string." }),
    max: Type.Number({ description: "The largest number, or the most characters (code points) of a string." }),
    enum: Type.Array(Scalar("One of the values that it takes."), { minItems: 1, maxItems: 200 }),
    sensitive: Type.Boolean({ description: "Its values are kept out of audit rows and previews." }),
    description: Type.String({ maxLength: 500, description: "For people and models." }),
  },
});
const Params = Type.Unsafe<Record<string, ParameterInput>>({
  type: "object",
  additionalProperties: Parameter,
  maxProperties: 64,
  description: "Its parameters by name. A call with any other is refused.",
  examples: [{ payment_id: { type: "string", required: true, max: 64 }, reason: { type: "string", max: 500 } }],
});
const Undo = Type.Object(
  {
    endpoint: Url(
      "https://api.example.com/refunds/undo",
      "What undoes it; called as `endpoint` is, with `X-Service-Event: action.undo` and the `result` of the run.",
    ),
    window_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        default: 86_400,
        description: "For how long after its execution it can be undone.",
      }),
    ),
  },
  { ...closed, title: "ActionUndo" },
);
const SecretRef = Sample("billing_token", {
  pattern: SECRET_NAME,
  maxLength: 100,
  description: "The name of a secret (`PUT /v1/secrets/{name}`). `basic` takes `user:password`.",
});
const Header = Sample("X-Api-Key", { maxLength: 128, description: "The header that an `api_key` is sent in." });
const AuthType = OneOf(
  AUTH_TYPES,
  "Beside the signature, which every call has. `hmac` signs with the secret instead of the contract's own signing secret.",
);
const SuccessWhen = Type.Object(
  {
    path: Path("$.status", "Where to look in the answer."),
    equals: Type.Unsafe<ParameterValue | null>({
      description: "A string, a number, a boolean or null.",
      examples: ["ok"],
    }),
  },
  { ...closed, title: "ActionSuccess" },
);
const handling = {
  json: Type.Boolean({
    default: true,
    description:
      "Whether a 2xx answer must be JSON for the run to be executed. With `false` any 2xx counts, and an answer that is not JSON has the result null.",
  }),
  success_when: Nullable(SuccessWhen),
  result_path: Nullable(Path("$.data", "Where the result stands in the answer; without it the whole answer is it.")),
  error_path: Nullable(Path("$.error.message", "Where a failed answer says why.")),
  expose: Nullable(
    Type.Array(Sample("refund_id", { minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 100,
      description: "The members of the result that are shown; without it all are.",
    }),
  ),
};
const approval = {
  approver_roles: Type.Array(OneOf(PEOPLE), { minItems: 1, description: "Who may approve it." }),
  four_eyes: Type.Boolean({
    description: "Whoever asked for it, or edited it, may not approve it. Without it: whether it is destructive.",
  }),
  required: Type.Integer({ minimum: 1, maximum: 10, default: 1, description: "How many people must approve it." }),
  expires_in_seconds: Type.Integer({
    minimum: 1,
    maximum: 2_592_000,
    default: 86_400,
    description: "How long a proposal waits.",
  }),
  allow_rule: Type.Array(Sample("rule_0h2k4m6n01jd3c4z8q2w5e7r9t0y1u2i3o@2", { minLength: 1, maxLength: 200 }), {
    maxItems: 20,
    default: [],
    description:
      "The rules that may approve it, each as `<rule id>@<version>`; its author must have a role that may approve. An id without a version, or a rule's name, allows it only while an owner is its last author. Only an owner writes a contract that names any.",
  }),
};
const partial = { ...closed, minProperties: 1 };

const needed = {
  label: Sample("Refund a payment", { minLength: 1, maxLength: 200, description: "What it does, for people." }),
  surface: Type.Array(OneOf(SURFACES), {
    minItems: 1,
    description: "Where it may be called from; how a call comes in says which that is.",
  }),
  roles: Type.Array(OneOf(ACTION_ROLES), { minItems: 1, description: "Who may run it, or ask for it." }),
  requires_confirmation: Type.Boolean({ description: "A person sees a preview before anything happens." }),
  audit: Type.Boolean({ description: "Whether executions are written to the audit." }),
  params: Params,
  endpoint: Url("https://api.example.com/refunds", "The backend that performs it: an https address on the internet."),
};
const optional = {
  description: Sample("Returns the money of one payment.", { maxLength: 2000, description: "For people and models." }),
  risk: OneOf(RISKS, "`high` needs confirmation by a person."),
  destructive: Type.Boolean({
    default: false,
    description: "It cannot be taken back. Needs confirmation by a person.",
  }),
  reversible: Type.Boolean({ description: "It can be undone, by `undo`." }),
  undo: Nullable(Undo),
  idempotent: Type.Boolean({ default: false, description: "A call may be repeated: the backend tells by `run_id`." }),
  scope: Nullable(Sample("billing:write", { pattern: SCOPE, maxLength: 100, description: "What a key must hold." })),
  permission: Nullable(
    Sample("refunds", { pattern: PERMISSION, maxLength: 100, description: "An operator permission that it needs." }),
  ),
  delivery: OneOf(
    ["sync", "async"],
    "`sync`: the call waits for the backend and answers with the run that ended. `async`: it answers 202 at once, and the run ends later.",
  ),
  auth: Type.Object(
    { type: AuthType, secret_ref: Type.Optional(Nullable(SecretRef)), header: Type.Optional(Nullable(Header)) },
    { ...closed, title: "ActionAuth" },
  ),
  response: Type.Partial(Type.Object(handling), { ...partial, title: "ActionResponse" }),
  timeout_ms: Type.Integer({ minimum: 1, maximum: 30_000, default: 10_000, description: "For the whole call." }),
  approval: Type.Partial(Type.Object(approval), { ...partial, title: "ActionApproval" }),
  sandbox_endpoint: Nullable(
    Url("https://sandbox.example.com/refunds", "Where sandbox runs go; without it they are simulated."),
  ),
};

const options = Type.Partial(Type.Object(optional)).properties;

export const ContractBody = Type.Object(
  {
    key: Sample("billing.refund", { maxLength: 128, pattern: "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$" }),
    ...needed,
    ...options,
  },
  { ...closed, title: "NewActionContract" },
);
/** What is named is replaced as a whole. */
export const ContractPatch = Type.Partial(Type.Object({ ...needed, ...options }), {
  ...partial,
  title: "ActionContractChange",
});

const definition = {
  key: Key,
  ...needed,
  ...optional,
  undo: Nullable(Type.Object({ endpoint: Undo.properties.endpoint, window_seconds: Type.Integer() })),
  auth: Type.Object({ type: AuthType, secret_ref: Nullable(SecretRef), header: Nullable(Header) }),
  response: Type.Object(handling),
  approval: Type.Object(approval),
  version: Type.Integer({ description: "Counts changes, from 1.", examples: [1] }),
  sha256: Sample("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", {
    description: "Hex SHA-256 of the definition in its RFC 8785 form.",
  }),
  author: Type.Object(
    { kind: OneOf(["key", "member"]), id: WireId("key") },
    { description: "Who wrote this version.", title: "ActionContractAuthor" },
  ),
};
const view = {
  id: WireId("ctr"),
  object: OneOf(["action_contract"]),
  ...definition,
  connector_key: Nullable(Sample("stripe", { description: "The connector that brought it." })),
  ...Owned,
  updated_at: Timestamp,
};
export const ContractView = Type.Object(view, { title: "ActionContract" });
const Secret = Sample("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", {
  description: "What signs the calls to its backend.",
});
export const ContractWithSecret = Type.Object(
  { ...view, signing_secret: Secret },
  { title: "ActionContractWithSecret" },
);
export const ContractListView = ListOf(ContractView);
export const ContractListQuery = Type.Object(
  {
    runnable: Type.Optional(Type.Boolean({ description: "Those alone that the caller may run from here." })),
    ...PageQuery,
  },
  closed,
);
export const VersionListView = ListOf(
  Type.Object(
    { id: WireId("ctr"), object: OneOf(["action_contract_version"]), ...definition, ...Owned },
    { title: "ActionContractVersion" },
  ),
);
export const VersionListQuery = Type.Object(PageQuery, closed);

export const SigningSecretView = Type.Object(
  {
    signing_secret: Secret,
    previous_secret: Type.Optional(Secret),
    previous_expires_at: Type.Optional(Timestamp),
  },
  { title: "ActionSigningSecret" },
);
/** The whole body may be left out. */
export const RegenerateBody = Nullable(
  Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 604_800, default: 0, description: "How long the old secret signs too." }),
      ),
    },
    { ...closed, title: "SigningSecretRegeneration" },
  ),
);

export const SecretBody = Type.Object(
  {
    value: Sample("sk_live_example", {
      minLength: 1,
      maxLength: 8192,
      description: "One line. Never shown again.",
      ...secret,
    }),
  },
  { ...closed, title: "SecretValue" },
);
export const SecretView = Type.Object(
  {
    object: OneOf(["secret"]),
    name: Sample("billing_token"),
    used_by: Type.Array(Sample("billing.refund"), { description: "The contracts that name it." }),
    ...Owned,
    updated_at: Timestamp,
  },
  { title: "Secret" },
);
export const SecretListView = ListOf(SecretView);
export const SecretListQuery = Type.Object(PageQuery, closed);
