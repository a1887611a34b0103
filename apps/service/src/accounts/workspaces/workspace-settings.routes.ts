import { callerOf } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { inPerson, keepers, live, owners, readers } from "../callers/callers.ts";
import type { CurrentWorkspace } from "./workspace-settings.ts";
import * as shapes from "./workspaces.schemas.ts";

/** Mounts the routes of workspaces and of the caller's current one. */
export function currentWorkspaceRoutes(app: App, current: CurrentWorkspace): void {
  app.post(
    "/v1/workspaces",
    {
      config: {
        operation: "workspaces.create",
        callers: inPerson(owners),
        audit: "workspace",
        allWorkspaces: true,
      },
      schema: {
        operationId: "createWorkspace",
        summary: "Create a workspace",
        description: "The caller becomes its owner. The response contains its API keys, which are shown only once.",
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
      config: { operation: "workspaces.get", callers: readers },
      schema: {
        operationId: "getWorkspace",
        summary: "Show the workspace",
        description: "Returns the workspace with its settings.",
        response: { 200: shapes.WorkspaceShape },
      },
    },
    async (request) => await current.get(callerOf(request).scope),
  );

  app.patch(
    "/v1/workspaces/current",
    {
      config: {
        operation: "workspaces.update",
        callers: live(keepers),
        audit: "workspace",
        allWorkspaces: true,
        errors: ["surface_not_allowed", "step_up_required", "conflict"],
      },
      schema: {
        operationId: "updateWorkspace",
        summary: "Change the workspace",
        description:
          "Changes the name and the settings. Only the members in the request change. Turning a protection off needs an owner, and all owners are informed by e-mail. If the workspace asks for step-ups, it needs a step-up for exactly this change, and so does turning `require_step_up` off.",
        body: shapes.WorkspaceBody,
        response: { 200: shapes.WorkspaceShape },
      },
    },
    async (request) => await current.update(callerOf(request), request.body),
  );

  deletionRoutes(app, current);
}

function deletionRoutes(app: App, current: CurrentWorkspace): void {
  app.delete(
    "/v1/workspaces/current",
    {
      config: {
        operation: "workspaces.delete",
        callers: live(owners),
        audit: "workspace",
        allWorkspaces: true,
        errors: ["conflict"],
      },
      schema: {
        operationId: "deleteWorkspace",
        summary: "Delete the workspace",
        description:
          "Erases the workspace after seven days, unless it is restored. The request must contain the workspace's name as a safeguard.",
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
      config: {
        operation: "workspaces.restore",
        callers: live(owners),
        audit: "workspace",
        allWorkspaces: true,
        errors: ["conflict"],
      },
      schema: {
        operationId: "restoreWorkspace",
        summary: "Restore the workspace",
        description: "Possible within the seven days after its deletion.",
        response: { 200: shapes.WorkspaceShape },
      },
    },
    async (request) => await current.restore(callerOf(request).key),
  );
}
