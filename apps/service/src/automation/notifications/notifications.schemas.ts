import { t } from "../../lib/lib.ts";

export const NotificationQuery = t.Object(
  { unread: t.Optional(t.Boolean({ description: "Only notifications that were not read." })), ...t.PageQuery },
  t.strict,
);
export const NotificationList = t.ListOf(
  t.Object(
    {
      id: t.WireId("ntf"),
      object: t.OneOf(["notification"]),
      member_id: t.WireId("mem"),
      rule_id: t.WireId("rule"),
      rule_name: t.StringExample("Large orders"),
      event_id: t.WireId("evt"),
      contact_id: t.Nullable(t.WireId("con")),
      message: t.StringExample("Order 1001 is above the limit."),
      read_at: t.Nullable(t.Timestamp),
      ...t.ownershipFields,
    },
    { title: "Notification" },
  ),
);
export const ReadBody = t.Object(
  { ids: t.Array(t.WireId("ntf"), { minItems: 1, maxItems: 100 }) },
  { ...t.strict, title: "NotificationsRead" },
);
export const ReadView = t.Object(
  {
    object: t.OneOf(["notifications_read"]),
    count: t.Integer({ examples: [2], description: "The number of notifications that were not read before." }),
  },
  { title: "NotificationsReadResult" },
);
