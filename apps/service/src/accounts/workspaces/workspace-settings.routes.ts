import { callerOf, route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { inPerson, keepers, live, owners, readers } from "../callers/callers.ts";
import type { CurrentWorkspace } from "./workspace-settings.ts";
import * as shapes from "./workspaces.schemas.ts";

/** Mounts the routes of workspaces and of the caller's current one. */
export function currentWorkspaceRoutes(app: App, current: CurrentWorkspace): void {
  route(app, "POST /v1/workspaces", {
    config: {
      operation: "workspaces.create",
      callers: inPerson(owners),
      audit: "workspace",
      allWorkspaces: true,
    },
    operationId: "createWorkspace",
    summary: "Create a workspace",
    description: "The caller becomes its owner. The response contains its API keys, which are shown only once.",
    body: shapes.NewWorkspaceBody,
    response: { 201: shapes.NewWorkspaceShape },
    handler: async (request) => await current.create(callerOf(request).key, request.body.name),
  });

  route(app, "GET /v1/workspaces/current", {
    config: { operation: "workspaces.get", callers: readers },
    operationId: "getWorkspace",
    summary: "Show the workspace",
    description: "Returns the workspace with its settings.",
    response: { 200: shapes.WorkspaceShape },
    handler: async (request) => await current.get(callerOf(request).scope),
  });

  route(app, "PATCH /v1/workspaces/current", {
    config: {
      operation: "workspaces.update",
      callers: live(keepers),
      audit: "workspace",
      allWorkspaces: true,
      errors: ["surface_not_allowed", "step_up_required", "conflict"],
    },
    operationId: "updateWorkspace",
    summary: "Change the workspace",
    description:
      "Changes the name and the settings. Only the members in the request change. Turning a protection off needs an owner, and all owners are informed by e-mail. If the workspace asks for step-ups, it needs a step-up for exactly this change, and so does turning `require_step_up` off.",
    body: shapes.WorkspaceBody,
    response: { 200: shapes.WorkspaceShape },
    handler: async (request) => await current.update(callerOf(request), request.body),
  });

  deletionRoutes(app, current);
}

function deletionRoutes(app: App, current: CurrentWorkspace): void {
  route(app, "DELETE /v1/workspaces/current", {
    config: {
      operation: "workspaces.delete",
      callers: live(owners),
      audit: "workspace",
      allWorkspaces: true,
      errors: ["conflict"],
    },
    operationId: "deleteWorkspace",
    summary: "Delete the workspace",
    description:
      "Erases the workspace after seven days, unless it is restored. The request must contain the workspace's name as a safeguard.",
    body: shapes.DeleteWorkspaceBody,
    response: { 202: shapes.WorkspaceShape },
    handler: async (request) => await current.delete(callerOf(request).key, request.body.name),
  });

  route(app, "POST /v1/workspaces/current/restore", {
    config: {
      operation: "workspaces.restore",
      callers: live(owners),
      audit: "workspace",
      allWorkspaces: true,
      errors: ["conflict"],
    },
    operationId: "restoreWorkspace",
    summary: "Restore the workspace",
    description: "Possible within the seven days after its deletion.",
    response: { 200: shapes.WorkspaceShape },
    handler: async (request) => await current.restore(callerOf(request).key),
  });
}
