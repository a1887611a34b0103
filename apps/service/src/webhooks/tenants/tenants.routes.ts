import { callerOf, keepers, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Tenants } from "./tenants.ts";
import * as shapes from "./tenants.schemas.ts";

export function tenantRoutes(app: App, tenants: Tenants): void {
  route(app, "GET /v1/tenants", {
    config: { operation: "tenants.list", callers: readers },
    operationId: "listTenants",
    summary: "List tenants",
    description:
      "Your own customers with a webhook endpoint, a source or a key, or with an event since yesterday, in order of their ids. A tenant exists as soon as an event, an endpoint, a source or a key names it.",
    querystring: shapes.TenantListQuery,
    response: { 200: shapes.TenantListView },
    handler: async (request) => await tenants.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/tenants/:tenant", {
    config: { operation: "tenants.get", callers: readers },
    operationId: "getTenant",
    summary: "Show a tenant",
    description: "Returns what the tenant has, and the progress of its last deletion.",
    params: shapes.TenantParams,
    response: { 200: shapes.TenantView },
    handler: async (request) => await tenants.get(callerOf(request).scope, request.params.tenant),
  });

  route(app, "PATCH /v1/tenants/:tenant", {
    config: { operation: "tenants.update", callers: writers, audit: "tenant", errors: ["conflict"] },
    operationId: "updateTenant",
    summary: "Change a tenant",
    description:
      "Sets the name and your own values of a tenant. Only the members in the request change. The tenant need not exist.",
    params: shapes.TenantParams,
    body: shapes.TenantPatch,
    response: { 200: shapes.TenantView },
    handler: async (request) => await tenants.change(callerOf(request).scope, request.params.tenant, request.body),
  });

  route(app, "DELETE /v1/tenants/:tenant", {
    config: { operation: "tenants.delete", callers: keepers, audit: "tenant" },
    operationId: "deleteTenant",
    summary: "Delete a tenant",
    description:
      "Deletes the tenant's webhook endpoints, sources and events, revokes its keys, and removes the bodies from its logs, within the hour. `GET /v1/tenants/{tenant}` shows the progress. Pending deliveries of its events are cancelled. What is created for the tenant after this call is kept.",
    params: shapes.TenantParams,
    response: { 202: shapes.TenantDeletionView },
    handler: async (request) => await tenants.remove(callerOf(request).scope, request.params.tenant),
  });
}
