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
import { MAX_PASSWORD, MIN_PASSWORD } from "./password.ts";
import { MEMBER_ROLES } from "./roles.ts";
import { ASSISTANTS } from "../workspaces/settings.ts";

const NAME_PATTERN = "^[^\\u0000-\\u001f\\u007f]+$";
/** One line of text: PostgreSQL takes no NUL, and no name needs a line break. */
export const Name = Sample("Ines Costa", { minLength: 1, maxLength: 100, pattern: NAME_PATTERN });
export const Email = Sample("ines.costa@example.com", {
  minLength: 3,
  maxLength: 254,
  pattern: "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$",
});
const NewPassword = Sample("correct horse battery staple", {
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: "At least 12 characters, and not the e-mail address.",
  ...secret,
});
const GivenPassword = Sample("correct horse battery staple", { minLength: 1, maxLength: MAX_PASSWORD, ...secret });
const Code = Sample("492039", {
  minLength: 6,
  maxLength: 40,
  description: "Six digits of the app, or a recovery code.",
  ...secret,
});
const Token = Sample("q3vZ8wL5xYb2NcRk", { minLength: 1, maxLength: 100, description: "From the link.", ...secret });
const Role = OneOf(MEMBER_ROLES);
const Permission = Sample("refunds", { pattern: "^[a-z][a-z0-9_.:-]{0,63}$" });

export const MemberParams = Type.Object({ id: WireId("mem") });
export const InvitationParams = Type.Object({ id: WireId("inv") });
export const SessionParams = Type.Object({ id: WireId("ses") });

export const MemberShape = Type.Object(
  {
    id: WireId("mem"),
    object: OneOf(["member"]),
    name: Sample("Ines Costa"),
    email: Sample("ines.costa@example.com"),
    role: Sample("developer"),
    permissions: Type.Array(Sample("refunds"), { description: "Operator permissions that actions may ask for." }),
    totp_active: Type.Boolean({ description: "Whether signing in takes a second factor." }),
    ...Owned,
  },
  { title: "Member" },
);
export const MemberList = ListOf(MemberShape);
export const MemberBody = Type.Object(
  {
    role: Type.Optional(Role),
    permissions: Type.Optional(Type.Array(Permission, { maxItems: 100, uniqueItems: true })),
  },
  { ...closed, minProperties: 1, title: "MemberChange" },
);

const invitationFields = {
  id: WireId("inv"),
  object: OneOf(["invitation"]),
  email: Sample("ada.moreau@example.com"),
  role: Sample("developer"),
  invited_by: Nullable(WireId("mem")),
  expires_at: Timestamp,
  ...Owned,
};
export const NewInvitationShape = Type.Object(
  {
    ...invitationFields,
    invite_url: Sample("https://junction.example.com/invite?token=q3vZ8wL5xYb2NcRk", {
      description: "To be passed on to the invited person, shown this once. Works once, for 7 days.",
    }),
  },
  { title: "NewInvitation" },
);
export const InvitationList = ListOf(Type.Object(invitationFields, { title: "Invitation" }));
export const InvitationBody = Type.Object({ email: Email, role: Role }, { ...closed, title: "InvitationRequest" });
export const TokenBody = Type.Object({ token: Token }, { ...closed, title: "LinkToken" });
export const OfferShape = Type.Object(
  {
    object: OneOf(["invitation_offer"]),
    workspace_name: Sample("Acme"),
    email: Sample("ada.moreau@example.com"),
    role: Sample("developer"),
    expires_at: Timestamp,
  },
  { title: "InvitationOffer" },
);
export const AcceptBody = Type.Object(
  {
    token: Token,
    name: Name,
    password: Sample("correct horse battery staple", {
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      description: "A new one; for an e-mail that has an account, the password of that account.",
      ...secret,
    }),
    totp_code: Type.Optional(Code),
  },
  { ...closed, title: "Acceptance" },
);

export const SignInBody = Type.Object(
  {
    email: Email,
    password: GivenPassword,
    totp_code: Type.Optional(Code),
    workspace_id: Type.Optional(WireId("ws")),
  },
  { ...closed, title: "SignIn" },
);
export const SignedInShape = Type.Object(
  {
    object: OneOf(["sign_in"]),
    csrf_token: Sample("o7Qm2xV4", {
      description: "Sent back as X-CSRF-Token with every request that changes something.",
    }),
    member: MemberShape,
    workspaces: Type.Array(
      Type.Object({ workspace_id: WireId("ws"), name: Sample("Acme"), role: Sample("owner") }, { title: "Membership" }),
      {
        description: "Where the person belongs; X-Service-Workspace names one of them for a request.",
      },
    ),
  },
  { title: "SignedIn" },
);
export const SessionListQuery = Type.Object(PageQuery, closed);
export const SessionList = ListOf(
  Type.Object(
    {
      id: WireId("ses"),
      object: OneOf(["session"]),
      current: Type.Boolean(),
      ip: Sample("203.0.113.20"),
      user_agent: Sample("Mozilla/5.0"),
      created_at: Timestamp,
      last_used_at: Timestamp,
      expires_at: Timestamp,
    },
    { title: "Session" },
  ),
);
export const PasswordBody = Type.Object(
  { current: GivenPassword, new: NewPassword },
  { ...closed, title: "PasswordChange" },
);
export const ResetBody = Type.Object({ token: Token, password: NewPassword }, { ...closed, title: "PasswordReset" });
export const EnrolBody = Type.Object({ password: GivenPassword }, { ...closed, title: "TotpEnrolment" });
export const EnrolShape = Type.Object(
  {
    secret: Sample("JBSWY3DPEHPK3PXP"),
    otpauth_url: Sample("otpauth://totp/Junction:ines.costa%40example.com?secret=JBSWY3DPEHPK3PXP"),
  },
  { title: "TotpSecret" },
);
export const CodeBody = Type.Object({ code: Code }, { ...closed, title: "TotpCode" });
export const RecoveryShape = Type.Object(
  {
    recovery_codes: Type.Array(Sample("k7mq-2vxa"), {
      description: "Each signs in once in the app's place; shown this once.",
    }),
  },
  { title: "RecoveryCodes" },
);
export const ResetLinkBody = Nullable(
  Type.Object(
    {
      clear_totp: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the link also removes the second factor." }),
      ),
    },
    { ...closed, title: "ResetLinkRequest" },
  ),
);
export const ResetLinkShape = Type.Object(
  {
    reset_url: Sample("https://junction.example.com/reset/q3vZ8wL5xYb2NcRk", {
      description: "Shown this once. Works once, for a day.",
    }),
    expires_at: Timestamp,
  },
  { title: "ResetLink" },
);

export const NewWorkspaceBody = Type.Object(
  { name: Sample("Acme", { minLength: 1, maxLength: 100, pattern: NAME_PATTERN }) },
  { ...closed, title: "NewWorkspace" },
);
export const NewWorkspaceShape = Type.Object(
  {
    workspace_id: WireId("ws"),
    name: Sample("Acme"),
    api_key: Sample("jn_live_…", { description: "The owner's live key, shown this once." }),
    sandbox_key: Sample("jn_test_…", { description: "Shown this once." }),
  },
  { title: "WorkspaceKeys" },
);
const retention = {
  minimum: 1,
  maximum: 36_500,
  examples: [30],
  description: "Days that the logs are kept; null: as long as the installation keeps them.",
} as const;
const settings = {
  retention_days: Nullable(Type.Integer(retention)),
  inline_confirmation: Type.Boolean({
    description:
      "Whether `confirmed: true` in a call may stand for the approval, where the action is neither destructive nor of high risk and wants one approval without four eyes.",
  }),
  solo_approval: Type.Boolean({
    description:
      "Whether the only member of the workspace may approve what that member asked for, in spite of `four_eyes`. Without effect once there are two.",
  }),
  assistant: OneOf(
    ASSISTANTS,
    "The provider behind the assistant; while it is `off`, the assistant is shown nothing. `PATCH /v1/assistant` sets the rest.",
  ),
  time_zone: Sample("Europe/Berlin", { maxLength: 64, description: "An IANA name, such as Europe/Berlin." }),
};
export const WorkspaceShape = Type.Object(
  {
    id: WireId("ws"),
    object: OneOf(["workspace"]),
    name: Sample("Acme"),
    settings: Type.Object(settings, { title: "WorkspaceSettings" }),
    deletion_at: Nullable(Timestamp),
    ...Owned,
  },
  { title: "Workspace" },
);
export const WorkspaceBody = Type.Object(
  {
    name: Type.Optional(Name),
    settings: Type.Optional(
      Type.Object(
        {
          retention_days: Type.Optional(settings.retention_days),
          inline_confirmation: Type.Optional(settings.inline_confirmation),
          solo_approval: Type.Optional(settings.solo_approval),
          assistant: Type.Optional(settings.assistant),
          time_zone: Type.Optional(settings.time_zone),
        },
        { ...closed, minProperties: 1, title: "WorkspaceSettingsChange" },
      ),
    ),
  },
  { ...closed, minProperties: 1, title: "WorkspaceChange" },
);
export const DeleteWorkspaceBody = Type.Object(
  { name: Sample("Acme", { maxLength: 100, description: "The workspace's name, typed." }) },
  { ...closed, title: "WorkspaceDeletion" },
);
