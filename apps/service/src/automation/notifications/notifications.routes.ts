import { anyMember, callerOf, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Notifications } from "./notifications.ts";
import * as shapes from "./notifications.schemas.ts";

export function notificationRoutes(app: App, notifications: Notifications): void {
  route(app, "GET /v1/notifications", {
    config: { operation: "notifications.list", callers: anyMember },
    operationId: "listNotifications",
    summary: "List notifications",
    description:
      "Returns what rules (`notify`) have sent to the person of the session or key, newest first. A key without a person has no notifications.",
    querystring: shapes.NotificationQuery,
    response: { 200: shapes.NotificationList },
    handler: async (request) => {
      const { scope, key } = callerOf(request);
      return await notifications.list(scope, key.memberId, request.query);
    },
  });

  route(app, "POST /v1/notifications/read", {
    config: { operation: "notifications.read", callers: anyMember },
    operationId: "readNotifications",
    summary: "Mark notifications as read",
    description: "A notification that was read is not sent by e-mail. Notifications of others are left as they are.",
    body: shapes.ReadBody,
    response: { 200: shapes.ReadView },
    handler: async (request) => {
      const { scope, key } = callerOf(request);
      const count = await notifications.read(scope, key.memberId, request.body.ids);
      return { object: "notifications_read" as const, count };
    },
  });
}
