import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { mintKey, setKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { TestService } from "../testing/test-service.ts";

/** An operation of the OpenAPI document, with a valid path. */
interface Published {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly access: "read" | "write";
  readonly roles: readonly string[];
  readonly scope: string | undefined;
  /** The operations whose effect it has with any body. */
  readonly does: readonly string[];
  readonly doesWith: Readonly<Record<string, string>>;
}

const ROLES = ["viewer", "operator", "developer", "admin", "owner"];
/** POSTs that change nothing. */
const READING_POSTS = [
  "configuration.drift",
  "connected_apps.review",
  "keys.test",
  "inbound_endpoints.preview",
  "rules.test",
  "webhook_endpoints.explain",
  "webhook_endpoints.filter.preview",
  "webhook_endpoints.transform.test",
  "workflows.test",
];

let service: TestService;
let operations: Published[];
/**
 * The key's allowlist refuses all calls of the tests, so that none has an effect. A call that reaches this check has
 * all permissions.
 */
let key: TestKey;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  operations = await published();
  key = await mintKey(service, { ip_allowlist: ["203.0.113.0/24"] });
});
afterAll(async () => await service.close());

async function published(): Promise<Published[]> {
  const document = (await service.api("GET", "/openapi.json")).body;
  const paths = Object.entries(document["paths"] as Record<string, Record<string, Record<string, string & string[]>>>);
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, told]) => {
      const name: string | undefined = told["x-operation"];
      if (name === undefined) return [];
      return {
        name,
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[^}]+\}/g, "x"),
        access: told["x-access"] as unknown as Published["access"],
        roles: told["x-roles"] ?? [],
        scope: told["x-scope"],
        does: told["x-does"] ?? [],
        doesWith: (told["x-does-with"] ?? {}) as unknown as Published["doesWith"],
      };
    }),
  );
}

const open = { permission_mode: "all", blocked_actions: [], role: "owner", scopes: null };

/** Returns the outcome of each operation for a key with these settings: `allowed`, or the code of the refusal. */
async function outcomes(
  of: Record<string, unknown> | ((operation: Published) => Record<string, unknown>),
): Promise<[string, string][]> {
  const ask = async ({ name, method, path }: Published): Promise<[string, string]> => {
    const answer = await service.api(method, path, method === "GET" ? undefined : {}, { key: key.key });
    const code = String(answer.body["code"]);
    // This key is not bound to a person, which is checked after mode, list, role and scopes (see
    // rights-when-used.test.ts).
    const isForPeople = code === "role_not_allowed" && String(answer.body["detail"]).includes("Only people can use");
    return [name, code === "ip_not_allowed" || isForPeople ? "allowed" : code];
  };
  if (typeof of !== "function") {
    await setKey(service, key, { ...open, ...of });
    return await Promise.all(operations.map(ask));
  }
  const answers: [string, string][] = [];
  for (const operation of operations) {
    await setKey(service, key, { ...open, ...of(operation) });
    answers.push(await ask(operation));
  }
  return answers;
}

function expected(judge: (operation: Published) => string): [string, string][] {
  return operations.map((operation) => [operation.name, judge(operation)]);
}

covers("openapi.document.complete", "each operation has one dotted name, and says what it needs", () => {
  expect(operations.length).toBeGreaterThan(30);
  expect(new Set(operations.map((one) => one.name)).size).toBe(operations.length);
  for (const { name, roles, access, scope } of operations) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/);
    expect(scope ?? `${name.split(".")[0] ?? ""}:${access}`).toBe(`${name.split(".")[0] ?? ""}:${access}`);
    // A higher role may call every operation of a lower role. The comparison of keys relies on it.
    expect([name, roles.filter((role) => role !== "ai").toSorted()]).toEqual([
      name,
      ROLES.slice(ROLES.findIndex((role) => roles.includes(role))).toSorted(),
    ]);
    expect([name, !roles.includes("ai") || roles.includes("viewer")]).toEqual([name, true]);
  }
});

covers(
  ["key.mode.read-only", "gate.surface.classes"],
  "a read-only key is refused on every operation that writes, and on no other",
  async () => {
    for (const { name, method, access } of operations)
      expect([name, access]).toEqual([name, method === "GET" || READING_POSTS.includes(name) ? "read" : "write"]);
    expect(await outcomes({ permission_mode: "read_only" })).toEqual(
      expected((one) => (one.access === "read" ? "allowed" : "key_read_only")),
    );
  },
);

covers("key.mode.all", "a key in mode All may do everything, also what its list names", async () => {
  expect(await outcomes({ blocked_actions: ["*"] })).toEqual(expected(() => "allowed"));
});

covers("key.mode.restricted", "a restricted key is refused on exactly the operation that its list names", async () => {
  expect(await outcomes(({ name }) => ({ permission_mode: "restricted", blocked_actions: [name] }))).toEqual(
    expected(() => "action_blocked"),
  );
  const others = ({ name, does }: Published): object => ({
    permission_mode: "restricted",
    blocked_actions: [
      ...operations.map((one) => one.name).filter((one) => one !== name && !does.includes(one)),
      `${name}.*`,
      `${name}x`,
    ],
  });
  expect(await outcomes((operation) => ({ ...others(operation) }))).toEqual(expected(() => "allowed"));
});

covers("key.mode.restricted", "a list that blocks an operation blocks every other one that does the same", async () => {
  const names = new Set(operations.map((one) => one.name));
  const same = operations.flatMap((one) => [...one.does, ...Object.values(one.doesWith)]);
  expect(same.length).toBeGreaterThan(15);
  for (const name of same) {
    expect([name, names.has(name)]).toEqual([name, true]);
    expect([name, await outcomes({ permission_mode: "restricted", blocked_actions: [name] })]).toEqual([
      name,
      expected((one) => ([one.name, ...one.does].includes(name) ? "action_blocked" : "allowed")),
    ]);
  }
});

covers("key.mode.wildcard", "a wildcard of any depth blocks every operation below it and no other", async () => {
  const prefixes = new Set(
    operations.flatMap(({ name }) =>
      name
        .split(".")
        .slice(0, -1)
        .map((_, at, words) => words.slice(0, at + 1).join(".")),
    ),
  );
  for (const prefix of prefixes) {
    const answers = await outcomes({ permission_mode: "restricted", blocked_actions: [`${prefix}.*`] });
    expect([prefix, answers]).toEqual([
      prefix,
      expected((one) =>
        [one.name, ...one.does].some((name) => name.startsWith(`${prefix}.`)) ? "action_blocked" : "allowed",
      ),
    ]);
  }
  expect(await outcomes({ permission_mode: "restricted", blocked_actions: ["*"] })).toEqual(
    expected(() => "action_blocked"),
  );
  // The test makes some thousand calls.
});

covers("gate.check.scope-role", "every operation is for the roles that it names, and for no other", async () => {
  for (const role of [...ROLES, "ai"])
    expect([role, await outcomes({ role })]).toEqual([
      role,
      expected((one) => (one.roles.includes(role) ? "allowed" : "role_not_allowed")),
    ]);
});

covers(
  "gate.check.scope-role",
  "every operation needs the scope of its area and level; write covers read",
  async () => {
    const areaOf = ({ name }: Published): string => name.split(".")[0] ?? "";
    const scoped = (code: string) => expected((one) => (one.scope === undefined ? "allowed" : code));
    expect(await outcomes((one) => ({ scopes: [`${areaOf(one)}:write`] }))).toEqual(expected(() => "allowed"));
    expect(await outcomes((one) => ({ scopes: [`${areaOf(one)}:read`] }))).toEqual(
      expected((one) => (one.access === "read" || one.scope === undefined ? "allowed" : "scope_missing")),
    );
    expect(await outcomes({ scopes: [] })).toEqual(scoped("scope_missing"));
    const elsewhere = (one: Published): object => ({
      scopes: [
        `${areaOf(one)}s:write`,
        `${areaOf(one).slice(0, -1)}:write`,
        ...operations
          .map(areaOf)
          .filter((area) => area !== areaOf(one))
          .map((area) => `${area}:write`),
      ],
    });
    expect(await outcomes((one) => ({ ...elsewhere(one) }))).toEqual(scoped("scope_missing"));
  },
);
