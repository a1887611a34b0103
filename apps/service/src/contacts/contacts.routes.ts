import { Readable } from "node:stream";
import { Type } from "../kernel/kernel.ts";
import { callerOf } from "../workspaces/workspaces.ts";
import type { App } from "../workspaces/workspaces.ts";
import type { Contacts } from "./contacts.ts";
import * as shapes from "./contacts.schemas.ts";
import { customerRoutes } from "./customers.routes.ts";

/** Who talks with people may write about them; who runs the workspace may take one out of it. */
const WRITERS = ["owner", "admin", "developer", "operator"] as const;
const KEEPERS = ["owner", "admin", "developer"] as const;

export function contactRoutes(app: App, contacts: Contacts): void {
  personRoutes(app, contacts);
  keeperRoutes(app, contacts);
  timelineRoutes(app, contacts);
  customerRoutes(app, contacts);
}

function personRoutes(app: App, { records }: Contacts): void {
  app.get(
    "/v1/contacts",
    {
      config: { operation: "contacts.list" },
      schema: {
        operationId: "listContacts",
        querystring: shapes.ContactListQuery,
        response: { 200: shapes.ContactListView },
      },
    },
    async (request) => await records.list(callerOf(request).scope, request.query),
  );

  app.post(
    "/v1/contacts",
    {
      config: { operation: "contacts.create", roles: WRITERS },
      schema: { operationId: "createContact", body: shapes.ContactBody, response: { 201: shapes.ContactView } },
    },
    async (request, reply) => await reply.code(201).send(await records.create(callerOf(request).scope, request.body)),
  );

  app.get(
    "/v1/contacts/:id",
    {
      config: { operation: "contacts.get" },
      schema: { operationId: "getContact", params: shapes.IdParams, response: { 200: shapes.ContactView } },
    },
    async (request) => await records.get(callerOf(request).scope, request.params.id),
  );

  app.patch(
    "/v1/contacts/:id",
    {
      config: { operation: "contacts.update", roles: WRITERS },
      schema: {
        operationId: "updateContact",
        params: shapes.IdParams,
        body: shapes.ContactPatch,
        response: { 200: shapes.ContactView },
      },
    },
    async (request) => await records.change(callerOf(request).scope, request.params.id, request.body),
  );
}

function keeperRoutes(app: App, contacts: Contacts): void {
  app.delete(
    "/v1/contacts/:id",
    {
      config: { operation: "contacts.delete", roles: KEEPERS },
      schema: {
        operationId: "eraseContact",
        summary: "Erase a person",
        params: shapes.IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await contacts.merging.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/contacts/:id/merge",
    {
      config: { operation: "contacts.merge", roles: KEEPERS },
      schema: {
        operationId: "mergeContact",
        summary: "Make a contact part of another",
        params: shapes.IdParams,
        body: shapes.MergeBody,
        response: { 200: shapes.ContactView },
      },
    },
    async (request) => await contacts.merging.merge(callerOf(request).scope, request.params.id, request.body.into),
  );

  app.get(
    "/v1/contacts/:id/export",
    {
      config: { operation: "contacts.export", roles: KEEPERS },
      schema: {
        operationId: "exportContact",
        summary: "Everything kept of a person",
        params: shapes.IdParams,
        response: { 200: shapes.ContactExportStream },
      },
    },
    async (request, reply) => {
      const pieces = await contacts.exporting.export(callerOf(request).scope, request.params.id);
      return await reply
        .type("application/json; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${request.params.id}.json"`)
        .send(Readable.from(pieces));
    },
  );
}

function timelineRoutes(app: App, { timeline }: Contacts): void {
  app.get(
    "/v1/contacts/:id/activities",
    {
      config: { operation: "contacts.activities.list" },
      schema: {
        operationId: "listActivities",
        summary: "A contact's timeline, latest first",
        params: shapes.IdParams,
        querystring: shapes.ActivityListQuery,
        response: { 200: shapes.ActivityListView },
      },
    },
    async (request) => await timeline.list(callerOf(request).scope, request.params.id, request.query),
  );

  app.post(
    "/v1/contacts/:id/activities",
    {
      config: { operation: "contacts.activities.create", roles: WRITERS },
      schema: {
        operationId: "createActivity",
        summary: "Put a note on a contact's timeline",
        params: shapes.IdParams,
        body: shapes.ActivityBody,
        response: { 201: shapes.ActivityView },
      },
    },
    async (request, reply) =>
      await reply.code(201).send(await timeline.add(callerOf(request).scope, request.params.id, request.body)),
  );
}
