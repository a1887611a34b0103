import type { FastifyRequest } from "fastify";
import { Readable } from "node:stream";
import { sendText } from "../access/access.ts";
import { ServiceError, t } from "../lib/lib.ts";
import { callerOf, operators, readers, route, writers } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { Contacts } from "./contacts.ts";
import * as shapes from "./contacts.schemas.ts";
import { customerRoutes } from "./customers.routes.ts";

/** The role operator can create and change contacts. Erasing, merging and exporting a contact require a higher role. */
/** The maximum length of an activity's value. */
const MAX_VALUE = 200;

export function contactRoutes(app: App, contacts: Contacts): void {
  personRoutes(app, contacts);
  keeperRoutes(app, contacts);
  timelineRoutes(app, contacts);
  customerRoutes(app, contacts);
}

function personRoutes(app: App, { records }: Contacts): void {
  route(app, "GET /v1/contacts", {
    config: { operation: "contacts.list", callers: readers, does: ["customers.list"] },
    operationId: "listContacts",
    summary: "List contacts",
    description: "Newest first, with filters.",
    querystring: shapes.ContactListQuery,
    response: { 200: shapes.ContactListView },
    handler: async (request) => await records.list(callerOf(request).scope, request.query),
  });

  route(app, "POST /v1/contacts", {
    config: { operation: "contacts.create", callers: operators, errors: ["conflict"] },
    operationId: "createContact",
    summary: "Create a contact",
    description: "An e-mail address or external id that belongs to another contact is refused.",
    body: shapes.ContactBody,
    response: { 201: shapes.ContactView },
    handler: async (request) => await records.create(callerOf(request).scope, request.body),
  });

  route(app, "GET /v1/contacts/:id", {
    config: { operation: "contacts.get", callers: readers, does: ["customers.get"] },
    operationId: "getContact",
    summary: "Show a contact",
    description: "Returns the contact with its score, tags and ids.",
    params: shapes.ContactParams,
    response: { 200: shapes.ContactView },
    handler: async (request) => await records.get(callerOf(request).scope, request.params.id),
  });

  route(app, "PATCH /v1/contacts/:id", {
    config: { operation: "contacts.update", callers: operators, errors: ["conflict"] },
    operationId: "updateContact",
    summary: "Change a contact",
    description: "Only the members in the request change.",
    params: shapes.ContactParams,
    body: shapes.ContactPatch,
    response: { 200: shapes.ContactView },
    handler: async (request) => await records.change(callerOf(request).scope, request.params.id, request.body),
  });
}

function keeperRoutes(app: App, contacts: Contacts): void {
  route(app, "DELETE /v1/contacts/:id", {
    config: { operation: "contacts.delete", callers: writers, audit: "contact", errors: ["conflict"] },
    operationId: "eraseContact",
    summary: "Erase a contact",
    description: "Deletes the contact and its timeline. The remaining data does not identify the person.",
    params: shapes.ContactParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await contacts.merging.remove(callerOf(request).scope, request.params.id);
    },
  });

  route(app, "POST /v1/contacts/:id/merge", {
    config: {
      operation: "contacts.merge",
      callers: writers,
      does: ["contacts.update", "contacts.delete"],
      audit: "contact",
      errors: ["conflict"],
    },
    operationId: "mergeContact",
    summary: "Merge a contact into another",
    description:
      "Merges the contact in the path into the contact in the body. The merged contact's id then leads to the other contact.",
    params: shapes.ContactParams,
    body: shapes.MergeBody,
    response: { 200: shapes.ContactView },
    handler: async (request) =>
      await contacts.merging.merge(callerOf(request).scope, request.params.id, request.body.into),
  });

  route(app, "GET /v1/contacts/:id/export", {
    config: {
      operation: "contacts.export",
      callers: writers,
      does: ["contacts.get", "contacts.activities.list"],
      audit: "contact",
    },
    operationId: "exportContact",
    summary: "Export a contact",
    description: "Returns all data that is stored about the person, as one document.",
    params: shapes.ContactParams,
    response: { 200: shapes.ContactExportStream },
    handler: async (request, reply) => {
      const pieces = await contacts.exporting.export(callerOf(request).scope, request.params.id);
      return await reply
        .type("application/json; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${request.params.id}.json"`)
        .send(Readable.from(pieces));
    },
  });
}

function timelineRoutes(app: App, { timeline }: Contacts): void {
  route(app, "GET /v1/contacts/:id/activities", {
    config: { operation: "contacts.activities.list", callers: readers },
    operationId: "listActivities",
    summary: "List a contact's activities",
    description: "Returns the timeline, latest first.",
    params: shapes.ContactParams,
    querystring: shapes.ActivityListQuery,
    response: { 200: shapes.ActivityListView },
    handler: async (request, reply) =>
      await sendText(
        reply,
        JSON.stringify(await timeline.list(callerOf(request).scope, request.params.id, request.query)),
      ),
  });

  route(app, "POST /v1/contacts/:id/activities", {
    config: { operation: "contacts.activities.create", callers: operators, errors: ["conflict"] },
    operationId: "createActivity",
    summary: "Add a note to a timeline",
    description: "Adds an activity that a person writes.",
    params: shapes.ContactParams,
    body: shapes.ActivityBody,
    response: { 201: shapes.ActivityView },
    handler: async (request, reply) => {
      const note = { ...request.body, value: valueOf(request) };
      const made = await timeline.add(callerOf(request).scope, request.params.id, note);
      return await sendText(reply, JSON.stringify(made));
    },
  });
}

/** Returns the source text of the body's value, because a number could lose digits. */
function valueOf({ scanned }: Pick<FastifyRequest, "scanned">): string | null {
  const text = scanned?.slice(["value"]) ?? "null";
  if (text.length > MAX_VALUE)
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: "/value", code: "maxLength", message: `must have at most ${MAX_VALUE} characters` }],
    });
  return text === "null" ? null : text;
}
