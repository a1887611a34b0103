import { Type } from "../../lib/lib.ts";
import { callerOf, readers, writers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { NamedInboxes } from "./named-inboxes.ts";
import * as shapes from "../../tester/waiting.schemas.ts";

export function namedInboxRoutes(app: App, named: NamedInboxes): void {
  inboxRoutes(app, named);
  messageRoutes(app, named);
}

function inboxRoutes(app: App, named: NamedInboxes): void {
  app.put(
    "/v1/inboxes/:name",
    {
      config: { operation: "inboxes.put", callers: writers },
      schema: {
        operationId: "putInbox",
        summary: "Make an inbox, or find it",
        description:
          "A receiver that keeps what it is sent until it is taken, at most 2000 messages: then it answers 503, and deliveries are tried again.",
        params: shapes.NameParams,
        response: { 200: shapes.NamedInboxView },
      },
    },
    async (request) => await named.put(callerOf(request).scope, request.params.name),
  );

  app.get(
    "/v1/inboxes",
    {
      config: { operation: "inboxes.list", callers: readers },
      schema: {
        operationId: "listInboxes",
        summary: "List inboxes that have a name",
        description: "The newest first, each with how many messages wait in it.",
        querystring: shapes.InboxesQuery,
        response: { 200: shapes.InboxesView },
      },
    },
    async (request) => await named.list(callerOf(request).scope, request.query),
  );

  app.delete(
    "/v1/inboxes/:name",
    {
      config: { operation: "inboxes.delete", callers: writers },
      schema: {
        operationId: "deleteInbox",
        summary: "Delete an inbox",
        description:
          "With what waits in it. A webhook endpoint that delivers to it stays and fails from then on: delete that first.",
        params: shapes.NameParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await named.remove(callerOf(request).scope, request.params.name);
      return await reply.code(204).send(null);
    },
  );
}

function messageRoutes(app: App, named: NamedInboxes): void {
  app.get(
    "/v1/inboxes/:name/messages",
    {
      config: { operation: "inboxes.messages", callers: readers },
      schema: {
        operationId: "listInboxMessages",
        summary: "List what waits in an inbox",
        description:
          "Oldest first, with the bytes as they came and, where these were rightly signed, time and signature of now.",
        params: shapes.NameParams,
        querystring: shapes.WaitingQuery,
        response: { 200: shapes.WaitingView },
      },
    },
    async (request) => await named.messages(callerOf(request).scope, request.params.name, request.query),
  );

  app.post(
    "/v1/inboxes/:name/take",
    {
      config: { operation: "inboxes.take", callers: writers },
      schema: {
        operationId: "takeInboxMessages",
        summary: "Take messages out of an inbox",
        description: "They no longer wait. What was taken before, or is not there, is no error.",
        params: shapes.NameParams,
        body: shapes.TakeBody,
        response: { 200: shapes.TakenView },
      },
    },
    async (request) => ({ taken: await named.take(callerOf(request).scope, request.params.name, request.body.ids) }),
  );
}
