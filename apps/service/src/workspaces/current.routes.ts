import { callerOf } from "./caller.routes.ts";
import type { App } from "./caller.routes.ts";
import type { CurrentWorkspace } from "./current.ts";
import * as shapes from "./people.schemas.ts";
import { KEEPERS } from "./roles.ts";

/** Workspaces, and the one that the caller works in. */
export function currentWorkspaceRoutes(app: App, current: CurrentWorkspace): void {
  app.post(
    "/v1/workspaces",
    {
      config: { operation: "workspaces.create", allWorkspaces: true, roles: ["owner"] },
      schema: {
        operationId: "createWorkspace",
        body: shapes.NewWorkspaceBody,
        response: { 201: shapes.NewWorkspaceShape },
      },
    },
    async (request, reply) =>
      await reply.code(201).send(await current.create(callerOf(request).key, request.body.name)),
  );

  app.get(
    "/v1/workspaces/current",
    {
      config: { operation: "workspaces.get" },
      schema: { operationId: "getWorkspace", response: { 200: shapes.WorkspaceShape } },
    },
    async (request) => await current.get(callerOf(request).scope),
  );

  app.patch(
    "/v1/workspaces/current",
    {
      config: { operation: "workspaces.update", roles: KEEPERS },
      schema: {
        operationId: "updateWorkspace",
        body: shapes.WorkspaceBody,
        response: { 200: shapes.WorkspaceShape },
      },
    },
    async (request) => await current.update(callerOf(request).scope, request.body),
  );

  app.delete(
    "/v1/workspaces/current",
    {
      config: { operation: "workspaces.delete", allWorkspaces: true, roles: ["owner"] },
      schema: {
        operationId: "deleteWorkspace",
        summary: "Erase the workspace in seven days, unless it is restored",
        body: shapes.DeleteWorkspaceBody,
        response: { 202: shapes.WorkspaceShape },
      },
    },
    async (request, reply) =>
      await reply.code(202).send(await current.delete(callerOf(request).key, request.body.name)),
  );

  app.post(
    "/v1/workspaces/current/restore",
    {
      config: { operation: "workspaces.restore", allWorkspaces: true, roles: ["owner"] },
      schema: { operationId: "restoreWorkspace", response: { 200: shapes.WorkspaceShape } },
    },
    async (request) => await current.restore(callerOf(request).key),
  );
}
