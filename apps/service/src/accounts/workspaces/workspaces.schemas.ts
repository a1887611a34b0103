import { t } from "../../lib/lib.ts";
import { Name, NAME_PATTERN } from "../identity/people.schemas.ts";
import { ASSISTANTS, LOGO_PATTERN, MAX_LOGO_LENGTH } from "./workspace-defaults.ts";

export const NewWorkspaceBody = t.Object(
  { name: t.StringExample("Acme", { minLength: 1, maxLength: 100, pattern: NAME_PATTERN, ...t.readable }) },
  { ...t.strict, title: "NewWorkspace" },
);
export const NewWorkspaceShape = t.Object(
  {
    workspace_id: t.WireId("ws"),
    name: t.StringExample("Acme"),
    api_key: t.StringExample("jn_live_…", "The owner's live key, shown only once."),
    sandbox_key: t.StringExample("jn_test_…", "The sandbox key, shown only once."),
  },
  { title: "WorkspaceKeys" },
);
const retention = {
  minimum: 1,
  maximum: 36_500,
  examples: [30],
  description: "The number of days for which logs are kept. Null: as long as the installation keeps them.",
} as const;
const settings = {
  retention_days: t.Nullable(t.Integer(retention)),
  inline_confirmation: t.Boolean({
    description:
      "Whether `confirmed: true` in a call can replace the approval. This applies to actions that are not destructive, do not have a high risk, and require one approval, but not by a second person.",
  }),
  solo_approval: t.Boolean({
    description:
      "Whether the only member of the workspace may approve their own requests, despite `four_eyes`. No effect in workspaces with two or more members.",
  }),
  require_step_up: t.Boolean({
    description:
      "Whether people must prove again who they are, with a passkey or an authenticator app, to approve an action of high risk (`POST /v1/step-ups`). Keys, rules and Slack can then not approve such an action. Only a console session can turn it off.",
  }),
  require_approval_for_configuration: t.Boolean({
    description:
      "Whether a plan of the configuration is applied in live only after another person has approved it. `POST /v1/configuration/plans/{id}/apply` then returns a proposal. Only an owner can turn it off.",
  }),
  password_sign_in: t.Boolean({
    description:
      "Whether people can sign in to the workspace with a password. To turn it off, the installation must have OpenID Connect, and an owner must have signed in with it. Sessions that a password opened then end.",
  }),
  assistant: t.OneOf(
    ASSISTANTS,
    "The provider of the assistant. While it is `off`, the assistant receives nothing. `PATCH /v1/assistant` changes the other settings.",
  ),
  time_zone: t.StringExample("Europe/Berlin", {
    maxLength: 64,
    description: "An IANA time zone name, such as Europe/Berlin.",
  }),
  portal_origins: t.Array(t.StringExample("https://app.example.com", { minLength: 1, maxLength: 255 }), {
    maxItems: 20,
    uniqueItems: true,
    description: "The origins of your sites that may show the portal in a frame. Empty: none, but links to it work.",
    examples: [["https://app.example.com"]],
  }),
  portal_name: t.Nullable(
    t.StringExample("Acme", {
      minLength: 1,
      maxLength: 60,
      pattern: NAME_PATTERN,
      ...t.readable,
      description: "The name of your product, shown to your customers at the top of the portal. Null: none.",
    }),
  ),
  portal_logo: t.Nullable(
    t.StringExample("data:image/png;base64,iVBORw0KGgo=", {
      maxLength: MAX_LOGO_LENGTH,
      pattern: LOGO_PATTERN,
      description:
        "The logo of your product, shown to your customers at the top of the portal: a PNG, JPEG, WebP or GIF as a `data:` URL. The page calls no other server for it. Null: none.",
    }),
  ),
};
export const WorkspaceShape = t.Object(
  {
    id: t.WireId("ws"),
    object: t.OneOf(["workspace"]),
    name: t.StringExample("Acme"),
    settings: t.Object(settings, { title: "WorkspaceSettings" }),
    deletion_at: t.Nullable(t.Timestamp),
    ...t.ownershipFields,
  },
  { title: "Workspace" },
);
export const SettingsBody = t.Object(
  {
    retention_days: t.Optional(settings.retention_days),
    inline_confirmation: t.Optional(settings.inline_confirmation),
    solo_approval: t.Optional(settings.solo_approval),
    require_step_up: t.Optional(settings.require_step_up),
    require_approval_for_configuration: t.Optional(settings.require_approval_for_configuration),
    password_sign_in: t.Optional(settings.password_sign_in),
    assistant: t.Optional(settings.assistant),
    time_zone: t.Optional(settings.time_zone),
    portal_origins: t.Optional(settings.portal_origins),
    portal_name: t.Optional(settings.portal_name),
    portal_logo: t.Optional(settings.portal_logo),
  },
  { ...t.strict, minProperties: 1, title: "WorkspaceSettingsChange" },
);
export const WorkspaceBody = t.Object(
  {
    name: t.Optional(Name),
    settings: t.Optional(SettingsBody),
  },
  { ...t.strict, minProperties: 1, title: "WorkspaceChange" },
);
export const DeleteWorkspaceBody = t.Object(
  { name: t.StringExample("Acme", { maxLength: 100, description: "The name of the workspace, as a safeguard." }) },
  { ...t.strict, title: "WorkspaceDeletion" },
);
