import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { keepers, live } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import { accessHooks } from "./access-checks.routes.ts";
import type { AccessChecks } from "./access-checks.ts";
import type { Operation } from "./operations.ts";

/** Returns an application with the hooks of the access checks, and the operations that are mounted on it. */
function gatedApp(): { readonly app: App; readonly mounted: Operation[] } {
  const mounted: Operation[] = [];
  const app = Fastify();
  accessHooks(app, { register: (operation: Operation) => void mounted.push(operation) } as unknown as AccessChecks);
  return { app, mounted };
}

describe("a route that does not say who may call it", () => {
  test.each(["/v1/things", "/api/things"])("does not mount without a config: %s", (path) => {
    const { app } = gatedApp();
    expect(() => app.post(path, () => ({}))).toThrow(`POST ${path} does not declare its callers`);
  });

  test("does not mount as an operation that is public", () => {
    const { app, mounted } = gatedApp();
    const config = { operation: "things.list", callers: "public" } as const;
    expect(() => app.get("/v1/things", { config }, () => ({}))).toThrow("GET /v1/things does not declare");
    expect(mounted).toEqual([]);
  });

  test("does not mount with callers but no operation that they are judged by", () => {
    const { app } = gatedApp();
    expect(() => app.get("/v1/things", { config: { callers: keepers } }, () => ({}))).toThrow("GET /v1/things");
  });
});

test("an operation takes the callers that its route declares", () => {
  const { app, mounted } = gatedApp();
  app.post("/v1/things", { config: { operation: "things.create", callers: live(keepers) } }, () => ({}));
  expect(mounted).toMatchObject([
    { name: "things.create", roles: ["owner", "admin"], scoped: true, liveOnly: true, peopleOnly: false },
  ]);
});

test("a public route says so, and the console's pages need no declaration", () => {
  const { app, mounted } = gatedApp();
  app.get("/v1/open", { config: { callers: "public" } }, () => ({}));
  app.get("/events", () => "a page of the console");
  expect(mounted).toEqual([]);
});
