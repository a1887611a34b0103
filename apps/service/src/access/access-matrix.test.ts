import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey, otherWorkspace, setKey } from "../testing/keys.ts";
import { joined } from "../testing/people.ts";
import type { TestPerson } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

/**
 * The access matrix lists the result of the access checks for each operation and kind of caller. It is committed, so
 * that a reviewer sees which access a change opens or closes. `npx vitest run <this file> -u` updates it.
 */
const TABLE = "access-matrix.txt";
const ROLES = ["owner", "admin", "developer", "operator", "viewer"] as const;
/** Maps the refusals of the access checks to cells of the table. Any other response is a "yes". */
const REFUSALS: Readonly<Record<string, string>> = {
  action_blocked: "blocked",
  credentials_missing: "key",
  environment_mismatch: "live",
  ip_not_allowed: "address",
  key_expired: "expired",
  key_read_only: "reads",
  key_revoked: "revoked",
  role_not_allowed: "role",
  scope_missing: "scope",
  signature_required: "signature",
  surface_not_allowed: "session",
  workspace_mismatch: "foreign",
};

type Headers = Record<string, string>;
interface Kind {
  readonly name: string;
  readonly headers: Headers;
  /** The id in a path that names an object. */
  readonly id?: string;
}

let service: TestService;
let kinds: readonly Kind[];
let operations: readonly { readonly name: string; readonly method: string; readonly path: string }[];

beforeAll(async () => {
  const rates = Object.fromEntries(["read", "write"].map((access) => [`management.${access}`, 1_000_000]));
  const named = ["events.fire", "actions.run", "webhooks.test", "customers.get", "tickets.list", "connectors.list"];
  const limits = { ...rates, ...Object.fromEntries(named.map((name) => [name, 1_000_000])) };
  service = await startService({ env: { JUNCTION_RATE_LIMITS: JSON.stringify(limits) } });
  const { paths } = (await service.api("GET", "/openapi.json", undefined, { key: null })).body;
  operations = Object.entries(paths as Record<string, Record<string, Parsed>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const name = operation["x-operation"];
        return name === undefined ? [] : [{ name: String(name), method: method.toUpperCase(), path }];
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  kinds = await everyKind();
});
afterAll(async () => await service.close());

function bearer(key: string): Headers {
  return { Authorization: `Bearer ${key}` };
}

function session({ cookie, csrfToken }: TestPerson): Headers {
  return { Cookie: cookie, "X-CSRF-Token": csrfToken };
}

async function everyKind(): Promise<Kind[]> {
  const people = new Map<string, TestPerson>();
  for (const role of ROLES) people.set(role, await joined(service, role));
  const person = (role: string): Headers => session(people.get(role) as TestPerson);
  const key = async (spec: Record<string, unknown>): Promise<Headers> => bearer((await mintKey(service, spec)).key);
  const sandbox = { "X-Service-Environment": "sandbox" };
  const foreign = await otherWorkspace(service);
  const expired = await mintKey(service);
  await setKey(service, expired, { expires_at: new Date(Date.now() - 1000) });
  const revoked = await mintKey(service, { actor_type: "user" });
  await setKey(service, revoked, { revoked_at: new Date() });
  const sandboxOwner = (await service.service.workspaces.operatorsSandboxKey("owner"))?.sandbox_key ?? "";
  await service.database.query("update api_key set role = 'owner' where name = 'owner'");
  const sandboxAi = await service.api(
    "POST",
    "/v1/keys",
    { name: "ai", role: "ai", permission_mode: "all" },
    { key: sandboxOwner },
  );
  return [
    { name: "no key", headers: {} },
    ...ROLES.map((role) => ({ name: role, headers: person(role) })),
    { name: "owner, sandbox", headers: { ...person("owner"), ...sandbox } },
    { name: "owner's key", headers: bearer(service.key) },
    { name: "its read-only", headers: await key({ actor_type: "user", permission_mode: "read_only" }) },
    {
      name: "its restricted (`*`)",
      headers: await key({ actor_type: "user", permission_mode: "restricted", blocked_actions: ["*"] }),
    },
    { name: "its scoped (`events:read`)", headers: await key({ actor_type: "user", scopes: ["events:read"] }) },
    { name: "its expired", headers: bearer(expired.key) },
    { name: "its revoked", headers: bearer(revoked.key) },
    { name: "its unsigned", headers: await key({ actor_type: "user", require_signature: true }) },
    { name: "its from elsewhere", headers: await key({ actor_type: "user", ip_allowlist: ["203.0.113.0/24"] }) },
    { name: "service, admin", headers: await key({ role: "admin" }) },
    { name: "service, developer", headers: await key({ role: "developer" }) },
    { name: "sandbox service, owner", headers: bearer(sandboxOwner) },
    { name: "sandbox service, developer", headers: bearer(service.sandboxKey) },
    { name: "AI", headers: await key({ role: "ai" }) },
    { name: "sandbox AI", headers: bearer(String(sandboxAi.body["key"])) },
    { name: "another workspace's id", headers: bearer(service.key), id: foreign.id("evt") },
  ];
}

/**
 * Returns the result of the access checks. A malformed idempotency key keeps a call that passes them from having an
 * effect.
 */
async function answer({ headers, id = "x" }: Kind, { method, path }: (typeof operations)[number]): Promise<string> {
  const write = method !== "GET";
  const response = await fetch(service.baseUrl + path.replaceAll(/\{[^}]+\}/g, id), {
    method,
    headers: {
      ...headers,
      ...(write ? { "Content-Type": "application/json", "Idempotency-Key": "not well formed \u00e9" } : {}),
    },
    ...(write ? { body: "{}" } : {}),
  });
  const isRefusal = [401, 403, 429].includes(response.status);
  const code = isRefusal ? String((await response.json())["code"]) : "";
  // A stream does not end.
  await response.body?.cancel().catch(() => undefined);
  return REFUSALS[code] ?? (code === "" ? "yes" : code);
}

test("each operation as each kind of caller [contract, sections 2 and 3]", async () => {
  expect(operations.length).toBeGreaterThan(100);
  const rows: string[][] = [];
  for (const operation of operations) {
    const row = [`\`${operation.name}\``];
    // The expired key would otherwise be refused for its many attempts.
    await service.database.query("delete from rate_window where operation = 'auth.failed'");
    for (const kind of kinds) row.push(await answer(kind, operation));
    rows.push(row);
  }
  const heads = ["operation", ...kinds.map(({ name }) => name)];
  const lines = [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  await expect(`${INTRODUCTION}\n${lines.join("\n")}\n`).toMatchFileSnapshot(TABLE);
});

const INTRODUCTION = `# Who may call which operation

Made by \`access-matrix.test.ts\`: each operation is called as each kind of caller, and this is what the access checks answer. Read what changes here.
\`role\`: 403 role_not_allowed. \`live\`: 403 environment_mismatch. \`blocked\`: 403 action_blocked. \`reads\`: 403 key_read_only. \`scope\`: 403 scope_missing.
\`address\`: 403 ip_not_allowed. \`foreign\`: 403 workspace_mismatch. \`expired\`: 401 key_expired. \`session\`: 403 surface_not_allowed, it needs a session.
\`key\`: 401 credentials_missing. \`revoked\`: 401 key_revoked. \`signature\`: 401 signature_required. What an owner gets for ids of another
workspace's objects, of every kind, is in \`another-workspace.test.ts\`.
`;
