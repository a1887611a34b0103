import { closed, ListOf, Nullable, OneOf, Owned, Timestamp, Type, WireId } from "../kernel/kernel.ts";
import { MAX_PASSWORD, MIN_PASSWORD } from "./password.ts";
import { MEMBER_ROLES } from "./roles.ts";
import { ASSISTANTS } from "./settings.ts";

/** One line of text: PostgreSQL takes no NUL, and no name needs a line break. */
export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$",
});
const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: "At least 12 characters, and not the e-mail address.",
});
const GivenPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD });
const Code = Type.String({ minLength: 6, maxLength: 40, description: "Six digits of the app, or a recovery code." });
const Token = Type.String({ minLength: 1, maxLength: 100, description: "From the link." });
const Role = OneOf(MEMBER_ROLES);
const Permission = Type.String({ pattern: "^[a-z][a-z0-9_.:-]{0,63}$" });

export const IdParams = Type.Object({ id: Type.String() });

export const MemberShape = Type.Object({
  id: WireId("mem"),
  object: OneOf(["member"]),
  name: Type.String(),
  email: Type.String(),
  role: Type.String(),
  permissions: Type.Array(Type.String(), { description: "Operator permissions that actions may ask for." }),
  totp_active: Type.Boolean({ description: "Whether signing in takes a second factor." }),
  ...Owned,
});
export const MemberList = ListOf(MemberShape);
export const MemberBody = Type.Object(
  {
    role: Type.Optional(Role),
    permissions: Type.Optional(Type.Array(Permission, { maxItems: 100, uniqueItems: true })),
  },
  { ...closed, minProperties: 1 },
);

const invitationFields = {
  id: WireId("inv"),
  object: OneOf(["invitation"]),
  email: Type.String(),
  role: Type.String(),
  invited_by: Nullable(WireId("mem")),
  expires_at: Timestamp,
  ...Owned,
};
export const NewInvitationShape = Type.Object({
  ...invitationFields,
  invite_url: Type.String({
    description: "To be passed on to the invited person, shown this once. Works once, for 7 days.",
  }),
});
export const InvitationList = ListOf(Type.Object(invitationFields));
export const InvitationBody = Type.Object({ email: Email, role: Role }, closed);
export const TokenBody = Type.Object({ token: Token }, closed);
export const OfferShape = Type.Object({
  object: OneOf(["invitation_offer"]),
  workspace_name: Type.String(),
  email: Type.String(),
  role: Type.String(),
  expires_at: Timestamp,
});
export const AcceptBody = Type.Object(
  {
    token: Token,
    name: Name,
    password: Type.String({
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      description: "A new one; for an e-mail that has an account, the password of that account.",
    }),
    totp_code: Type.Optional(Code),
  },
  closed,
);

export const SignInBody = Type.Object(
  {
    email: Email,
    password: GivenPassword,
    totp_code: Type.Optional(Code),
    workspace_id: Type.Optional(WireId("ws")),
  },
  closed,
);
export const SignedInShape = Type.Object({
  object: OneOf(["sign_in"]),
  csrf_token: Type.String({ description: "Sent back as X-CSRF-Token with every request that changes something." }),
  member: MemberShape,
  workspaces: Type.Array(Type.Object({ workspace_id: WireId("ws"), name: Type.String(), role: Type.String() }), {
    description: "Where the person belongs; X-Service-Workspace names one of them for a request.",
  }),
});
export const SessionList = ListOf(
  Type.Object({
    id: WireId("ses"),
    object: OneOf(["session"]),
    current: Type.Boolean(),
    ip: Type.String(),
    user_agent: Type.String(),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Timestamp,
  }),
);
export const PasswordBody = Type.Object({ current: GivenPassword, new: NewPassword }, closed);
export const ResetBody = Type.Object({ token: Token, password: NewPassword }, closed);
export const EnrolBody = Type.Object({ password: GivenPassword }, closed);
export const EnrolShape = Type.Object({ secret: Type.String(), otpauth_url: Type.String() });
export const CodeBody = Type.Object({ code: Code }, closed);
export const RecoveryShape = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: "Each signs in once in the app's place; shown this once." }),
});
export const ResetLinkBody = Nullable(
  Type.Object(
    {
      clear_totp: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the link also removes the second factor." }),
      ),
    },
    closed,
  ),
);
export const ResetLinkShape = Type.Object({
  reset_url: Type.String({ description: "Shown this once. Works once, for a day." }),
  expires_at: Timestamp,
});

export const NewWorkspaceBody = Type.Object({ name: Name }, closed);
export const NewWorkspaceShape = Type.Object({
  workspace_id: WireId("ws"),
  name: Type.String(),
  api_key: Type.String({ description: "The owner's live key, shown this once." }),
  sandbox_key: Type.String({ description: "Shown this once." }),
});
const retention = {
  minimum: 1,
  maximum: 36_500,
  description: "Days that the logs are kept; null: as long as the installation keeps them.",
} as const;
const settings = {
  retention_days: Nullable(Type.Integer(retention)),
  inline_confirmation: Type.Boolean({
    description: "Whether `confirmed: true` may stand for the approval of an action of low or medium risk.",
  }),
  solo_approval: Type.Boolean({
    description: "Whether the only person of the workspace may approve what that person proposed.",
  }),
  assistant: OneOf(ASSISTANTS),
  time_zone: Type.String({ maxLength: 64, description: "An IANA name, such as Europe/Berlin." }),
};
export const WorkspaceShape = Type.Object({
  id: WireId("ws"),
  object: OneOf(["workspace"]),
  name: Type.String(),
  settings: Type.Object(settings),
  deletion_at: Nullable(Timestamp),
  ...Owned,
});
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
        { ...closed, minProperties: 1 },
      ),
    ),
  },
  { ...closed, minProperties: 1 },
);
export const DeleteWorkspaceBody = Type.Object(
  { name: Type.String({ maxLength: 100, description: "The workspace's name, typed." }) },
  closed,
);
