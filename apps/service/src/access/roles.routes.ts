import { pageOfWhole, t } from "../lib/lib.ts";
import { assignableRoles, readers, route } from "../accounts/accounts.ts";
import type { App, Role } from "../accounts/accounts.ts";
import type { Operation } from "./operations.ts";

const ROLES: readonly Role[] = ["owner", "admin", "developer", "operator", "viewer", "ai"];

const RoleShape = t.Object(
  {
    object: t.OneOf(["role"]),
    role: t.OneOf(ROLES),
    may_give: t.Array(t.StringExample("developer"), {
      description: "The roles that members with this role may assign.",
    }),
    operations: t.Array(
      t.Object(
        {
          name: t.StringExample("events.fire"),
          access: t.OneOf(["read", "write"]),
          session_only: t.Optional(
            t.Boolean({ description: "True if the operation requires a console session: no key can call it." }),
          ),
        },
        { title: "RoleOperation" },
      ),
    ),
  },
  { title: "Role" },
);

const RolesQuery = t.Object(t.WholeQuery, t.strict);

/** Lists the operations of each role. They come from the mounted routes, so that the list cannot differ from them. */
export function roleRoutes(app: App, operations: ReadonlyMap<string, Operation>): void {
  route(app, "GET /v1/roles", {
    config: { operation: "roles.list", callers: readers },
    operationId: "listRoles",
    summary: "List roles",
    description: "Returns the operations of each role, as the routes declare them.",
    querystring: RolesQuery,
    response: { 200: t.ListOf(RoleShape) },
    handler: (request) => {
      const roles = ROLES.map((role) => ({
        object: "role" as const,
        role,
        may_give: assignableRoles(role),
        operations: [...operations.values()]
          .filter((one) => one.roles.includes(role))
          .map(({ name, access, sessionOnly }) => ({ name, access, ...(sessionOnly && { session_only: true }) }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      }));
      return pageOfWhole(roles, request.query, { binding: "roles", nameOf: ({ role }) => role });
    },
  });
}
