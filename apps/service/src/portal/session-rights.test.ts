import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../testing/keys.ts";
import { joined, outcome, signIn } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";
import { CAPABILITIES, operationsOf } from "./capabilities.ts";

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

let service: TestService;
let owner: TestPerson;
let routes: readonly Route[];

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  owner = await signIn(service);
  const { paths } = (await service.api("GET", "/openapi.json")).body as {
    paths: Record<string, Record<string, { "x-operation"?: string }>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { "x-operation": name = "" }]) => ({ name, method, path })),
  );
  routes = all.filter(({ name }) => name !== "");
});
afterAll(async () => await service.close());

type Call = (path: string, body: object) => Promise<ApiAnswer>;

/** Returns the link's token of a new session. */
async function link(capabilities: readonly string[], call: Call): Promise<string> {
  const { body } = await call("/v1/portal-sessions", { tenant: "acme", capabilities });
  return /#token=(\w+)$/.exec(String(body["url"]))?.[1] ?? "";
}

const exchange = async (token: string): Promise<ApiAnswer> =>
  await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });

async function opened(capabilities: readonly string[], call: Call): Promise<string> {
  return (await exchange(await link(capabilities, call))).body["credential"];
}

const withKey =
  (key: string): Call =>
  async (path, body) =>
    await service.api("POST", path, body, { key });

const isAlive = async (key: string): Promise<string> =>
  outcome(await service.api("GET", "/v1/webhook-endpoints", undefined, { key }));

test("a credential may call exactly the operations of its capabilities, on every surface", async () => {
  for (const capabilities of [CAPABILITIES, ["event_types"], ["tester"]] as const) {
    const key = await opened(capabilities, withKey(service.key));
    // Each key may read what it is itself.
    const own = ["me.get", ...operationsOf(capabilities)];
    for (const { name, method, path } of routes) {
      const at = path.replaceAll(/\{[^}]+\}/g, "x");
      const direct = await service.api(method.toUpperCase(), at, method === "get" ? undefined : {}, { key });
      const general = await service.api("POST", "/api/v1.php", { action: name, parameters: {} }, { key });
      for (const { body } of [direct, general]) {
        const isRefused = ["scope_missing", "tenant_mismatch", "role_not_allowed"].includes(body["code"]);
        expect([capabilities, name, body["code"], isRefused]).toEqual([
          capabilities,
          name,
          body["code"],
          !own.includes(name),
        ]);
      }
    }
  }
});

test("a demoted member ends the sessions and links that have its former rights", async () => {
  const member = await joined(service, "developer");
  const asMember: Call = async (path, body) => await member.call("POST", path, body);
  const key = await opened(["endpoints"], asMember);
  const waiting = await link(["endpoints"], asMember);
  expect(await isAlive(key)).toBe("200");
  const demoted = await owner.call("PATCH", `/v1/members/${member.memberId}`, { role: "viewer" });
  expect(demoted.status).toBe(200);
  expect(await isAlive(key)).toBe("401 key_revoked");
  expect(outcome(await exchange(waiting))).toBe("401 portal_token_invalid");
  const { body } = await service.api("GET", "/v1/portal-sessions?limit=1");
  expect(body["data"]).toMatchObject([{ state: "revoked" }]);
});

test("a key whose rights change ends its sessions; a renamed one does not", async () => {
  const changes = [
    { scopes: ["webhook_endpoints:read"] },
    { permission_mode: "read_only" },
    { permission_mode: "restricted", blocked_actions: ["webhook_endpoints.delete"] },
    { role: "viewer" },
  ];
  for (const change of changes) {
    const maker = await mintKey(service);
    const key = await opened(["endpoints"], withKey(maker.key));
    expect((await service.api("PATCH", `/v1/keys/${maker.id}`, { name: "Renamed" })).status).toBe(200);
    expect(await isAlive(key)).toBe("200");
    expect((await service.api("PATCH", `/v1/keys/${maker.id}`, change)).status).toBe(200);
    expect([change, await isAlive(key)]).toEqual([change, "401 key_revoked"]);
  }
});
