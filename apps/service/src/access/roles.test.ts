import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

interface RoleView {
  readonly role: string;
  readonly may_give: string[];
  readonly operations: { readonly name: string; readonly access: string; readonly session_only?: true }[];
}

let service: TestService;
let roles: ReadonlyMap<string, RoleView>;

beforeAll(async () => {
  service = await startService();
  const { body } = await service.api("GET", "/v1/roles");
  roles = new Map(body["data"].map((view: RoleView) => [view.role, view]));
});
afterAll(async () => await service.close());

function names(role: string): string[] {
  return roles.get(role)?.operations.map((one) => one.name) ?? [];
}

covers("gate.check.scope-role", "the matrix of roles names every operation that the API documents, once", async () => {
  const { body } = await service.api("GET", "/openapi.json");
  const documented = Object.values(body.paths as Record<string, Record<string, { "x-operation"?: string }>>)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => operation["x-operation"] ?? []);
  expect(names("owner")).toEqual([...new Set(documented)].toSorted());
  expect([...roles.keys()]).toEqual(["owner", "admin", "developer", "operator", "viewer", "ai"]);
});

test("a higher role includes a lower one and assigns no role above itself", () => {
  const people = ["owner", "admin", "developer", "operator", "viewer"];
  people.slice(1).forEach((role, at) => {
    const above = people[at] ?? "";
    expect([role, names(role).filter((name) => !names(above).includes(name))]).toEqual([role, []]);
  });
  expect(people.map((role) => roles.get(role)?.may_give)).toEqual([people, people.slice(1), [], [], []]);
  expect(names("viewer")).toContain("events.list");
  expect(names("viewer")).not.toContain("events.fire");
  expect(names("admin")).not.toContain("workspaces.delete");
});

test("operations that no key can call are marked, and an owner's key is refused", async () => {
  const marked =
    roles
      .get("owner")
      ?.operations.filter((one) => one.session_only)
      .map(({ name }) => name) ?? [];
  expect(marked).toEqual(
    expect.arrayContaining([
      "auth.password",
      "auth.passkeys.create",
      "standing_approvals.create",
      "slack_links.create",
    ]),
  );
  const free = names("owner").filter((name) => name.startsWith("auth.") && !marked.includes(name));
  expect(free).toEqual([]);
  for (const path of ["/v1/auth/session", "/v1/auth/sessions", "/v1/auth/passkeys"])
    expect((await service.api("GET", path)).body["code"]).toBe("surface_not_allowed");
});

covers("gate.check.scope-role", "the access checks enforce the listed operations of each role", async () => {
  for (const role of ["admin", "developer", "operator", "viewer", "ai"]) {
    const key = await mintKey(service, { role });
    const calls: [string, string, string][] = [
      ["members.list", "GET", "/v1/members"],
      ["members.invitations.list", "GET", "/v1/members/invitations"],
      ["keys.list", "GET", "/v1/keys"],
      ["deliveries.list", "GET", "/v1/deliveries"],
      ["events.fire", "POST", "/v1/events/fire"],
      ["workspaces.create", "POST", "/v1/workspaces"],
      ["workspaces.update", "PATCH", "/v1/workspaces/current"],
    ];
    for (const [operation, method, path] of calls) {
      const answer = await service.api(method, path, method === "GET" ? undefined : {}, { key: key.key });
      const isRefused = answer.body["code"] === "role_not_allowed";
      expect([role, operation, isRefused]).toEqual([role, operation, !names(role).includes(operation)]);
    }
  }
});
