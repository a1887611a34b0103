import {
  strict,
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  readable,
  StringExample,
  secret,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { AssertionShape } from "../proofs/passkeys.schemas.ts";
import { MAX_PASSWORD, MIN_PASSWORD } from "../proofs/password.ts";
import { MEMBER_ROLES } from "../callers/roles.ts";

export const NAME_PATTERN = "^[^\\u0000-\\u001f\\u007f]+$";
/** One line of text. PostgreSQL does not accept NUL, and no name needs a line break. */
export const Name = StringExample("Ines Costa", { minLength: 1, maxLength: 100, pattern: NAME_PATTERN, ...readable });
const Email = StringExample("ines.costa@example.com", {
  minLength: 3,
  maxLength: 254,
  pattern: "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$",
});
const NewPassword = StringExample("correct horse battery staple", {
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: "At least 12 characters, and not the e-mail address.",
  ...secret,
});
const GivenPassword = StringExample("correct horse battery staple", {
  minLength: 1,
  maxLength: MAX_PASSWORD,
  ...secret,
});
const Code = StringExample("492039", {
  minLength: 6,
  maxLength: 40,
  description: "Six digits from the authenticator app, or a recovery code.",
  ...secret,
});
const Token = StringExample("q3vZ8wL5xYb2NcRk", {
  minLength: 1,
  maxLength: 100,
  description: "The token from the link.",
  ...secret,
});
const Role = OneOf(MEMBER_ROLES);
const Permission = StringExample("refunds", { pattern: "^[a-z][a-z0-9_.:-]{0,63}$" });

export const MemberParams = Type.Object({ id: WireId("mem") });
export const InvitationParams = Type.Object({ id: WireId("inv") });
export const SessionParams = Type.Object({ id: WireId("ses") });

export const MemberShape = Type.Object(
  {
    id: WireId("mem"),
    object: OneOf(["member"]),
    name: StringExample("Ines Costa"),
    email: StringExample("ines.costa@example.com"),
    role: StringExample("developer"),
    permissions: Type.Array(StringExample("refunds"), {
      description: "Operator permissions that action contracts can require.",
    }),
    totp_active: Type.Boolean({ description: "Whether the person uses an authenticator app as second factor." }),
    passkey_active: Type.Boolean({ description: "Whether the person has a passkey as second factor." }),
    ...ownershipFields,
  },
  { title: "Member" },
);
export const MemberList = ListOf(MemberShape);
export const MemberBody = Type.Object(
  {
    role: Type.Optional(Role),
    permissions: Type.Optional(Type.Array(Permission, { maxItems: 100, uniqueItems: true })),
  },
  { ...strict, minProperties: 1, title: "MemberChange" },
);

const invitationFields = {
  id: WireId("inv"),
  object: OneOf(["invitation"]),
  email: StringExample("ada.moreau@example.com"),
  role: StringExample("developer"),
  invited_by: Nullable(WireId("mem")),
  expires_at: Timestamp,
  ...ownershipFields,
};
export const NewInvitationShape = Type.Object(
  {
    ...invitationFields,
    invite_url: StringExample("https://junction.example.com/invite?token=q3vZ8wL5xYb2NcRk", {
      description: "The link for the invited person, shown only once. Works once, for 7 days.",
    }),
    emailed: Type.Boolean({
      description:
        "Whether the link is also sent to the person by e-mail. False if the operator has set no mail server: pass the link on yourself.",
    }),
  },
  { title: "NewInvitation" },
);
export const InvitationList = ListOf(Type.Object(invitationFields, { title: "Invitation" }));
export const InvitationBody = Type.Object({ email: Email, role: Role }, { ...strict, title: "InvitationRequest" });
export const TokenBody = Type.Object({ token: Token }, { ...strict, title: "LinkToken" });
export const OfferShape = Type.Object(
  {
    object: OneOf(["invitation_offer"]),
    workspace_name: StringExample("Acme"),
    email: StringExample("ada.moreau@example.com"),
    role: StringExample("developer"),
    expires_at: Timestamp,
  },
  { title: "InvitationOffer" },
);
export const AcceptBody = Type.Object(
  {
    token: Token,
    name: Name,
    password: StringExample("correct horse battery staple", {
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      description: "A new password. If the e-mail address already has an account, the password of that account.",
      ...secret,
    }),
    totp_code: Type.Optional(Code),
    assertion: Type.Optional(AssertionShape),
  },
  { ...strict, title: "Acceptance" },
);

export const SignInBody = Type.Object(
  {
    email: Email,
    password: GivenPassword,
    totp_code: Type.Optional(Code),
    assertion: Type.Optional(AssertionShape),
    workspace_id: Type.Optional(WireId("ws")),
  },
  { ...strict, title: "SignIn" },
);
export const SignedInShape = Type.Object(
  {
    object: OneOf(["sign_in"]),
    csrf_token: StringExample("o7Qm2xV4", {
      description: "Must be sent as X-CSRF-Token with every request that changes something.",
    }),
    member: MemberShape,
    workspaces: Type.Array(
      Type.Object(
        { workspace_id: WireId("ws"), name: StringExample("Acme"), role: StringExample("owner") },
        { title: "Membership" },
      ),
      {
        description: "The workspaces of the person. X-Service-Workspace selects one of them for a request.",
      },
    ),
  },
  { title: "SignedIn" },
);
export const SessionListQuery = Type.Object(PageQuery, strict);
export const SessionList = ListOf(
  Type.Object(
    {
      id: WireId("ses"),
      object: OneOf(["session"]),
      current: Type.Boolean(),
      ip: StringExample("203.0.113.20"),
      user_agent: StringExample("Mozilla/5.0"),
      created_at: Timestamp,
      last_used_at: Timestamp,
      expires_at: Timestamp,
    },
    { title: "Session" },
  ),
);
export const PasswordBody = Type.Object(
  { current: GivenPassword, new: NewPassword, code: Type.Optional(Code) },
  { ...strict, title: "PasswordChange" },
);
export const ResetBody = Type.Object(
  {
    token: Token,
    password: NewPassword,
    keep_keys: Type.Optional(
      Type.Boolean({
        examples: [false],
        description:
          "If true, the person's connected apps, personal API keys and standing approvals stay. They end by default, because the one who knew the old password may have made them.",
      }),
    ),
  },
  { ...strict, title: "PasswordReset" },
);
export const ResetReviewShape = Type.Object(
  {
    object: OneOf(["reset_review"]),
    email: StringExample("ines.costa@example.com"),
    clears_second_factors: Type.Boolean({
      description: "Whether the link also removes passkeys, the authenticator app and recovery codes.",
    }),
    minted: Type.Array(
      Type.Object(
        {
          kind: OneOf(["app", "key"]),
          name: StringExample("Laptop script"),
          workspace_name: StringExample("Acme"),
        },
        { title: "ResetReviewItem" },
      ),
      { description: "The connected apps and personal API keys, newest first. At most 100 are listed." },
    ),
  },
  { title: "ResetReview" },
);
export const ResetRequestBody = Type.Object({ email: Email }, { ...strict, title: "PasswordResetRequest" });
export const ResetRequestShape = Type.Object(
  {
    object: OneOf(["password_reset_request"]),
    emailed: Type.Boolean({
      description:
        "Whether the service sends e-mail at all. False if the operator has set no mail server: ask an owner or the operator for a link.",
    }),
  },
  { title: "PasswordResetRequested" },
);
export const EnrolBody = Type.Object(
  { password: Type.Optional(GivenPassword), code: Type.Optional(Code) },
  { ...strict, title: "TotpEnrolment" },
);
export const EnrolShape = Type.Object(
  {
    secret: StringExample("JBSWY3DPEHPK3PXP"),
    otpauth_url: StringExample("otpauth://totp/Junction:ines.costa%40example.com?secret=JBSWY3DPEHPK3PXP"),
  },
  { title: "TotpSecret" },
);
export const CodeBody = Type.Object({ code: Code }, { ...strict, title: "TotpCode" });
export const RecoveryShape = Type.Object(
  {
    recovery_codes: Type.Array(StringExample("k7mq-2vxa"), {
      description: "Each code works once in place of the app. Shown only once.",
    }),
  },
  { title: "RecoveryCodes" },
);
export const ResetLinkBody = Nullable(
  Type.Object(
    {
      clear_totp: Type.Optional(
        Type.Boolean({ default: false, description: "Whether the link also removes all second factors." }),
      ),
    },
    { ...strict, title: "ResetLinkRequest" },
  ),
);
export const ResetLinkShape = Type.Object(
  {
    reset_url: StringExample("https://junction.example.com/reset?token=q3vZ8wL5xYb2NcRk", {
      description: "The link, shown only once. Works once, for 24 hours.",
    }),
    expires_at: Timestamp,
  },
  { title: "ResetLink" },
);
