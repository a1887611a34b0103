import { t } from "../../lib/lib.ts";
import { callerOf, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { NamedInboxes } from "./named-inboxes.ts";
import * as shapes from "./named-inboxes.schemas.ts";

export function namedInboxRoutes(app: App, named: NamedInboxes): void {
  inboxRoutes(app, named);
  messageRoutes(app, named);
}

function inboxRoutes(app: App, named: NamedInboxes): void {
  route(app, "PUT /v1/inboxes/:name", {
    config: { operation: "inboxes.put", callers: writers },
    operationId: "putInbox",
    summary: "Create or find an inbox",
    description:
      "A receiver that stores the messages it receives until they are taken, at most 2000. A full inbox answers 503, and deliveries to it are retried.",
    params: shapes.NameParams,
    response: { 200: shapes.NamedInboxView },
    handler: async (request) => await named.put(callerOf(request).scope, request.params.name),
  });

  route(app, "GET /v1/inboxes", {
    config: { operation: "inboxes.list", callers: readers },
    operationId: "listInboxes",
    summary: "List named inboxes",
    description: "Newest first, each with the number of waiting messages.",
    querystring: shapes.InboxesQuery,
    response: { 200: shapes.InboxesView },
    handler: async (request) => await named.list(callerOf(request).scope, request.query),
  });

  route(app, "DELETE /v1/inboxes/:name", {
    config: { operation: "inboxes.delete", callers: writers },
    operationId: "deleteInbox",
    summary: "Delete an inbox",
    description:
      "Deletes the inbox and its messages. A webhook endpoint that delivers to the inbox is kept, and its deliveries fail from then on: delete that endpoint first.",
    params: shapes.NameParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await named.remove(callerOf(request).scope, request.params.name);
    },
  });
}

function messageRoutes(app: App, named: NamedInboxes): void {
  route(app, "GET /v1/inboxes/:name/messages", {
    config: { operation: "inboxes.messages", callers: readers },
    operationId: "listInboxMessages",
    summary: "List the messages in an inbox",
    description:
      "Oldest first, with the bytes as they were received. If a message had a valid signature, the response contains a current timestamp and signature.",
    params: shapes.NameParams,
    querystring: shapes.WaitingQuery,
    response: { 200: shapes.WaitingView },
    handler: async (request) => await named.messages(callerOf(request).scope, request.params.name, request.query),
  });

  route(app, "POST /v1/inboxes/:name/take", {
    config: { operation: "inboxes.take", callers: writers },
    operationId: "takeInboxMessages",
    summary: "Take messages from an inbox",
    description:
      "Removes the messages from the inbox. IDs of messages that do not exist, or were taken before, are not errors.",
    params: shapes.NameParams,
    body: shapes.TakeBody,
    response: { 200: shapes.TakenView },
    handler: async (request) => ({
      taken: await named.take(callerOf(request).scope, request.params.name, request.body.ids),
    }),
  });
}
