import { t } from "../../lib/lib.ts";
import { AssertionShape } from "../proofs/passkeys.schemas.ts";
import { MAX_PASSWORD, MIN_PASSWORD } from "../proofs/password.ts";
import { MEMBER_ROLES } from "../callers/roles.ts";

export const NAME_PATTERN = "^[^\\u0000-\\u001f\\u007f]+$";
/** One line of text. PostgreSQL does not accept NUL, and no name needs a line break. */
export const Name = t.StringExample("Ines Costa", {
  minLength: 1,
  maxLength: 100,
  pattern: NAME_PATTERN,
  ...t.readable,
});
const Email = t.StringExample("ines.costa@example.com", {
  minLength: 3,
  maxLength: 254,
  pattern: "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$",
});
const NewPassword = t.StringExample("correct horse battery staple", {
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: "At least 12 characters, and not the e-mail address.",
  ...t.secret,
});
const GivenPassword = t.StringExample("correct horse battery staple", {
  minLength: 1,
  maxLength: MAX_PASSWORD,
  ...t.secret,
});
const Code = t.StringExample("492039", {
  minLength: 6,
  maxLength: 40,
  description: "Six digits from the authenticator app, or a recovery code.",
  ...t.secret,
});
const Token = t.StringExample("q3vZ8wL5xYb2NcRk", {
  minLength: 1,
  maxLength: 100,
  description: "The token from the link.",
  ...t.secret,
});
const Role = t.OneOf(MEMBER_ROLES);
const Permission = t.StringExample("refunds", { pattern: "^[a-z][a-z0-9_.:-]{0,63}$" });

export const MemberParams = t.Object({ id: t.WireId("mem") });
export const InvitationParams = t.Object({ id: t.WireId("inv") });
export const SessionParams = t.Object({ id: t.WireId("ses") });

export const MemberShape = t.Object(
  {
    id: t.WireId("mem"),
    object: t.OneOf(["member"]),
    name: t.StringExample("Ines Costa"),
    email: t.StringExample("ines.costa@example.com"),
    role: t.StringExample("developer"),
    permissions: t.Array(t.StringExample("refunds"), {
      description: "Operator permissions that action contracts can require.",
    }),
    totp_active: t.Boolean({ description: "Whether the person uses an authenticator app as second factor." }),
    passkey_active: t.Boolean({ description: "Whether the person has a passkey as second factor." }),
    ...t.ownershipFields,
  },
  { title: "Member" },
);
export const MemberList = t.ListOf(MemberShape);
export const MemberBody = t.Object(
  {
    role: t.Optional(Role),
    permissions: t.Optional(t.Array(Permission, { maxItems: 100, uniqueItems: true })),
  },
  { ...t.strict, minProperties: 1, title: "MemberChange" },
);

const invitationFields = {
  id: t.WireId("inv"),
  object: t.OneOf(["invitation"]),
  email: t.StringExample("ada.moreau@example.com"),
  role: t.StringExample("developer"),
  invited_by: t.Nullable(t.WireId("mem")),
  expires_at: t.Timestamp,
  ...t.ownershipFields,
};
export const NewInvitationShape = t.Object(
  {
    ...invitationFields,
    invite_url: t.StringExample(
      "https://junction.example.com/invite?token=q3vZ8wL5xYb2NcRk",
      "The link for the invited person, shown only once. Works once, for 7 days.",
    ),
    emailed: t.Boolean({
      description:
        "Whether the link is also sent to the person by e-mail. False if the operator has set no mail server: pass the link on yourself.",
    }),
  },
  { title: "NewInvitation" },
);
export const InvitationList = t.ListOf(t.Object(invitationFields, { title: "Invitation" }));
export const InvitationBody = t.Object({ email: Email, role: Role }, { ...t.strict, title: "InvitationRequest" });
export const TokenBody = t.Object({ token: Token }, { ...t.strict, title: "LinkToken" });
export const OfferShape = t.Object(
  {
    object: t.OneOf(["invitation_offer"]),
    workspace_name: t.StringExample("Acme"),
    email: t.StringExample("ada.moreau@example.com"),
    role: t.StringExample("developer"),
    expires_at: t.Timestamp,
  },
  { title: "InvitationOffer" },
);
export const AcceptBody = t.Object(
  {
    token: Token,
    name: Name,
    password: t.StringExample("correct horse battery staple", {
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      description: "A new password. If the e-mail address already has an account, the password of that account.",
      ...t.secret,
    }),
    totp_code: t.Optional(Code),
    assertion: t.Optional(AssertionShape),
  },
  { ...t.strict, title: "Acceptance" },
);

export const SignInBody = t.Object(
  {
    email: Email,
    password: GivenPassword,
    totp_code: t.Optional(Code),
    assertion: t.Optional(AssertionShape),
    workspace_id: t.Optional(t.WireId("ws")),
  },
  { ...t.strict, title: "SignIn" },
);
export const SignedInShape = t.Object(
  {
    object: t.OneOf(["sign_in"]),
    csrf_token: t.StringExample("o7Qm2xV4", "Must be sent as X-CSRF-Token with every request that changes something."),
    member: MemberShape,
    workspaces: t.Array(
      t.Object(
        { workspace_id: t.WireId("ws"), name: t.StringExample("Acme"), role: t.StringExample("owner") },
        { title: "Membership" },
      ),
      {
        description: "The workspaces of the person. X-Service-Workspace selects one of them for a request.",
      },
    ),
  },
  { title: "SignedIn" },
);
export const SessionListQuery = t.Object(t.PageQuery, t.strict);
export const SessionList = t.ListOf(
  t.Object(
    {
      id: t.WireId("ses"),
      object: t.OneOf(["session"]),
      current: t.Boolean(),
      ip: t.StringExample("203.0.113.20"),
      user_agent: t.StringExample("Mozilla/5.0"),
      created_at: t.Timestamp,
      last_used_at: t.Timestamp,
      expires_at: t.Timestamp,
    },
    { title: "Session" },
  ),
);
export const PasswordBody = t.Object(
  { current: GivenPassword, new: NewPassword, code: t.Optional(Code) },
  { ...t.strict, title: "PasswordChange" },
);
export const ResetBody = t.Object(
  {
    token: Token,
    password: NewPassword,
    keep_keys: t.Optional(
      t.Boolean({
        examples: [false],
        description:
          "If true, the person's connected apps, personal API keys and standing approvals stay. They end by default, because the one who knew the old password may have made them.",
      }),
    ),
  },
  { ...t.strict, title: "PasswordReset" },
);
export const ResetReviewShape = t.Object(
  {
    object: t.OneOf(["reset_review"]),
    email: t.StringExample("ines.costa@example.com"),
    clears_second_factors: t.Boolean({
      description: "Whether the link also removes passkeys, the authenticator app and recovery codes.",
    }),
    minted: t.Array(
      t.Object(
        {
          kind: t.OneOf(["app", "key"]),
          name: t.StringExample("Laptop script"),
          workspace_name: t.StringExample("Acme"),
        },
        { title: "ResetReviewItem" },
      ),
      { description: "The connected apps and personal API keys, newest first. At most 100 are listed." },
    ),
  },
  { title: "ResetReview" },
);
export const ResetRequestBody = t.Object({ email: Email }, { ...t.strict, title: "PasswordResetRequest" });
export const ResetRequestShape = t.Object(
  {
    object: t.OneOf(["password_reset_request"]),
    emailed: t.Boolean({
      description:
        "Whether the service sends e-mail at all. False if the operator has set no mail server: ask an owner or the operator for a link.",
    }),
  },
  { title: "PasswordResetRequested" },
);
export const EnrolBody = t.Object(
  { password: t.Optional(GivenPassword), code: t.Optional(Code) },
  { ...t.strict, title: "TotpEnrolment" },
);
export const EnrolShape = t.Object(
  {
    secret: t.StringExample("JBSWY3DPEHPK3PXP"),
    otpauth_url: t.StringExample("otpauth://totp/Junction:ines.costa%40example.com?secret=JBSWY3DPEHPK3PXP"),
  },
  { title: "TotpSecret" },
);
export const CodeBody = t.Object({ code: Code }, { ...t.strict, title: "TotpCode" });
export const RecoveryShape = t.Object(
  {
    recovery_codes: t.Array(t.StringExample("k7mq-2vxa"), {
      description: "Each code works once in place of the app. Shown only once.",
    }),
  },
  { title: "RecoveryCodes" },
);
export const ResetLinkBody = t.Nullable(
  t.Object(
    {
      clear_totp: t.Optional(
        t.Boolean({ default: false, description: "Whether the link also removes all second factors." }),
      ),
    },
    { ...t.strict, title: "ResetLinkRequest" },
  ),
);
export const ResetLinkShape = t.Object(
  {
    reset_url: t.StringExample(
      "https://junction.example.com/reset?token=q3vZ8wL5xYb2NcRk",
      "The link, shown only once. Works once, for 24 hours.",
    ),
    expires_at: t.Timestamp,
  },
  { title: "ResetLink" },
);
