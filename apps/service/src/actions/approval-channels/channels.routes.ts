import { anyMember, callerOf, keepers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { t } from "../../lib/lib.ts";
import type { Channels } from "./channels.ts";
import * as shapes from "./channels.schemas.ts";

export function channelRoutes(app: App, channels: Channels): void {
  readRoutes(app, channels);
  changeRoutes(app, channels);
  testRoute(app, channels);
}

function readRoutes(app: App, channels: Channels): void {
  route(app, "GET /v1/approval-channels", {
    config: { operation: "approval_channels.list", callers: anyMember },
    operationId: "listApprovalChannels",
    summary: "List approval channels",
    description: "Newest first. Live and sandbox have separate channels.",
    querystring: shapes.ChannelListQuery,
    response: { 200: shapes.ChannelListView },
    handler: async (request) => await channels.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/approval-channels/:id", {
    config: { operation: "approval_channels.get", callers: anyMember },
    operationId: "getApprovalChannel",
    summary: "Show an approval channel",
    description: "Returns where and when the channel announces proposals.",
    params: shapes.ChannelParams,
    response: { 200: shapes.ChannelView },
    handler: async (request) => await channels.get(callerOf(request).scope, request.params.id),
  });

  route(app, "GET /v1/approval-channels/:id/announcements", {
    config: { operation: "approval_channels.announcements.list", callers: anyMember },
    operationId: "listApprovalAnnouncements",
    summary: "List a channel's announcements",
    description: "Newest first: what was announced, what failed and why, and what is sent again.",
    params: shapes.ChannelParams,
    querystring: shapes.ChannelListQuery,
    response: { 200: shapes.AnnouncementListView },
    handler: async (request) => await channels.announcements(callerOf(request).scope, request.params.id, request.query),
  });
}

function changeRoutes(app: App, channels: Channels): void {
  route(app, "POST /v1/approval-channels", {
    config: {
      operation: "approval_channels.create",
      callers: keepers,
      audit: "channel",
      errors: ["conflict"],
    },
    operationId: "createApprovalChannel",
    summary: "Create an approval channel",
    description:
      "Announces waiting proposals with the service's preview, in a channel of Slack or by e-mail. A button in Slack counts only for a member who has linked that Slack account, with the role, the second-person rule and the proposal of that moment. E-mail only links to the console's page.",
    body: shapes.ChannelBody,
    response: { 201: shapes.ChannelView },
    handler: async (request) => {
      const { kind, ...input } = request.body;
      return await channels.create(callerOf(request).scope, kind, input);
    },
  });

  route(app, "PATCH /v1/approval-channels/:id", {
    config: { operation: "approval_channels.update", callers: keepers, audit: "channel" },
    operationId: "updateApprovalChannel",
    summary: "Change an approval channel",
    description: "Only the members in the request change. Proposals that were announced before keep their messages.",
    params: shapes.ChannelParams,
    body: shapes.ChannelPatch,
    response: { 200: shapes.ChannelView },
    handler: async (request) => await channels.change(callerOf(request).scope, request.params.id, request.body),
  });

  route(app, "DELETE /v1/approval-channels/:id", {
    config: { operation: "approval_channels.delete", callers: keepers, audit: "channel" },
    operationId: "deleteApprovalChannel",
    summary: "Delete an approval channel",
    description: "Nothing more is announced. The buttons of earlier messages no longer decide anything.",
    params: shapes.ChannelParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await channels.remove(callerOf(request).scope, request.params.id);
    },
  });
}

function testRoute(app: App, channels: Channels): void {
  route(app, "POST /v1/approval-channels/:id/test", {
    config: {
      operation: "approval_channels.test",
      callers: keepers,
      remote: true,
      audit: "channel",
    },
    operationId: "testApprovalChannel",
    summary: "Test an approval channel",
    description:
      "Sends a message that says only that the channel works. In Slack, it has the button with which members link their accounts. A failed test is also a successful response.",
    params: shapes.ChannelParams,
    response: { 200: shapes.ChannelTestView },
    handler: async (request) => await channels.test(callerOf(request).scope, request.params.id),
  });
}
