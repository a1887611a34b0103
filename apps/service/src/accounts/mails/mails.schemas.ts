import {
  ListOf,
  Nullable,
  OneOf,
  ownershipFields,
  PageQuery,
  strict,
  StringExample,
  Timestamp,
  Type,
  WireId,
} from "../../lib/lib.ts";
import { MAIL_PURPOSES } from "../../platform/mail/mail.ts";

const State = OneOf(
  ["waiting", "sent", "failed", "skipped"],
  "`waiting`: it is sent, or sent again later. `sent`: the mail server accepted it. `skipped`: its reason is gone, for example because the member left.",
);
const Purpose = OneOf(MAIL_PURPOSES, "The reason of the e-mail.");

export const MailListQuery = Type.Object(
  { state: Type.Optional(State), purpose: Type.Optional(Purpose), ...PageQuery },
  strict,
);
export const MailList = ListOf(
  Type.Object(
    {
      id: WireId("mail"),
      object: OneOf(["mail"]),
      purpose: StringExample("invitation"),
      member_id: Nullable(WireId("mem")),
      recipient: Nullable(
        StringExample("a•••@example.com", {
          description: "The address without its name. Null until a mail for a member is sent.",
        }),
      ),
      state: State,
      attempts: Type.Integer({ examples: [1] }),
      max_attempts: Type.Integer({ examples: [8] }),
      error_class: Nullable(StringExample("connection")),
      error: Nullable(StringExample("The mail server cannot be reached.")),
      next_attempt_at: Nullable(Timestamp),
      ended_at: Nullable(Timestamp),
      ...ownershipFields,
    },
    { title: "Mail" },
  ),
);

const kinds = {
  notifications: Type.Boolean({ description: "Notifications of rules." }),
  approvals: Type.Boolean({ description: "Proposals that wait for your approval." }),
  endpoint_failures: Type.Boolean({
    description: "Endpoints that fail, or that the service disabled. For owners and admins.",
  }),
};
export const PreferencesView = Type.Object(
  { object: OneOf(["mail_preferences"]), ...kinds },
  { title: "MailPreferences", description: "Whether the member gets this e-mail." },
);
export const PreferencesBody = Type.Object(
  {
    notifications: Type.Optional(kinds.notifications),
    approvals: Type.Optional(kinds.approvals),
    endpoint_failures: Type.Optional(kinds.endpoint_failures),
  },
  { ...strict, minProperties: 1, title: "MailPreferencesChange" },
);
