import { strict, ListOf, OneOf, pageOfWhole, StringExample, Type, WholeQuery } from "../lib/lib.ts";
import { assignableRoles, readers } from "../accounts/accounts.ts";
import type { App, Role } from "../accounts/accounts.ts";
import type { Operation } from "./operations.ts";

const ROLES: readonly Role[] = ["owner", "admin", "developer", "operator", "viewer", "ai"];

const RoleShape = Type.Object(
  {
    object: OneOf(["role"]),
    role: OneOf(ROLES),
    may_give: Type.Array(StringExample("developer"), {
      description: "The roles that members with this role may assign.",
    }),
    operations: Type.Array(
      Type.Object(
        {
          name: StringExample("events.fire"),
          access: OneOf(["read", "write"]),
          session_only: Type.Optional(
            Type.Boolean({ description: "True if the operation requires a console session: no key can call it." }),
          ),
        },
        { title: "RoleOperation" },
      ),
    ),
  },
  { title: "Role" },
);

const RolesQuery = Type.Object(WholeQuery, strict);

/** Lists the operations of each role. They come from the mounted routes, so that the list cannot differ from them. */
export function roleRoutes(app: App, operations: ReadonlyMap<string, Operation>): void {
  app.get(
    "/v1/roles",
    {
      config: { operation: "roles.list", callers: readers },
      schema: {
        operationId: "listRoles",
        summary: "List roles",
        description: "Returns the operations of each role, as the routes declare them.",
        querystring: RolesQuery,
        response: { 200: ListOf(RoleShape) },
      },
    },
    (request) => {
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
  );
}
