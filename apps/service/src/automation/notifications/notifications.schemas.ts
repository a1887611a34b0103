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

export const NotificationQuery = Type.Object(
  { unread: Type.Optional(Type.Boolean({ description: "Only notifications that were not read." })), ...PageQuery },
  strict,
);
export const NotificationList = ListOf(
  Type.Object(
    {
      id: WireId("ntf"),
      object: OneOf(["notification"]),
      member_id: WireId("mem"),
      rule_id: WireId("rule"),
      rule_name: StringExample("Large orders"),
      event_id: WireId("evt"),
      contact_id: Nullable(WireId("con")),
      message: StringExample("Order 1001 is above the limit."),
      read_at: Nullable(Timestamp),
      ...ownershipFields,
    },
    { title: "Notification" },
  ),
);
export const ReadBody = Type.Object(
  { ids: Type.Array(WireId("ntf"), { minItems: 1, maxItems: 100 }) },
  { ...strict, title: "NotificationsRead" },
);
export const ReadView = Type.Object(
  {
    object: OneOf(["notifications_read"]),
    count: Type.Integer({ examples: [2], description: "The number of notifications that were not read before." }),
  },
  { title: "NotificationsReadResult" },
);
