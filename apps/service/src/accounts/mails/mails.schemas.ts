import { t } from "../../lib/lib.ts";
import { MAIL_PURPOSES } from "../../platform/mail/mail.ts";

const State = t.OneOf(
  ["waiting", "sent", "failed", "skipped"],
  "`waiting`: it is sent, or sent again later. `sent`: the mail server accepted it. `skipped`: its reason is gone, for example because the member left.",
);
const Purpose = t.OneOf(MAIL_PURPOSES, "The reason of the e-mail.");

export const MailListQuery = t.Object(
  { state: t.Optional(State), purpose: t.Optional(Purpose), ...t.PageQuery },
  t.strict,
);
export const MailList = t.ListOf(
  t.Object(
    {
      id: t.WireId("mail"),
      object: t.OneOf(["mail"]),
      purpose: t.StringExample("invitation"),
      member_id: t.Nullable(t.WireId("mem")),
      recipient: t.Nullable(
        t.StringExample("a•••@example.com", "The address without its name. Null until a mail for a member is sent."),
      ),
      state: State,
      attempts: t.Integer({ examples: [1] }),
      max_attempts: t.Integer({ examples: [8] }),
      error_class: t.Nullable(t.StringExample("connection")),
      error: t.Nullable(t.StringExample("The mail server cannot be reached.")),
      next_attempt_at: t.Nullable(t.Timestamp),
      ended_at: t.Nullable(t.Timestamp),
      ...t.ownershipFields,
    },
    { title: "Mail" },
  ),
);

const kinds = {
  notifications: t.Boolean({ description: "Notifications of rules." }),
  approvals: t.Boolean({ description: "Proposals that wait for your approval." }),
  endpoint_failures: t.Boolean({
    description: "Endpoints that fail, or that the service disabled. For owners and admins.",
  }),
};
export const PreferencesView = t.Object(
  { object: t.OneOf(["mail_preferences"]), ...kinds },
  { title: "MailPreferences", description: "Whether the member gets this e-mail." },
);
export const PreferencesBody = t.Object(
  {
    notifications: t.Optional(kinds.notifications),
    approvals: t.Optional(kinds.approvals),
    endpoint_failures: t.Optional(kinds.endpoint_failures),
  },
  { ...t.strict, minProperties: 1, title: "MailPreferencesChange" },
);
