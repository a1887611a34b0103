import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNameServer } from "../../service/src/testing/name-server.ts";
import type { NameServer } from "../../service/src/testing/name-server.ts";
import { bareDatabase } from "../../service/src/testing/database.ts";
import { freePort } from "../../service/src/testing/process.ts";
import { mintKey } from "../../service/src/testing/keys.ts";
import { MASTER_KEY, startService } from "../../service/src/testing/service.ts";
import { atTerminal, cli } from "./testing/cli.ts";
import type { TestService } from "../../service/src/testing/test-service.ts";

/** Each command consists of two processes, which start slowly on a busy machine. */
const PATIENCE_MS = 300_000;

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly cause: string | null;
  readonly fix: string | null;
  readonly page: string;
}

const page = await readFile(fileURLToPath(new URL("../../../docs/guide/doctor.md", import.meta.url)), "utf8");
let service: TestService;
let folder: string;
let env: Record<string, string>;
let names: NameServer;

beforeAll(async () => {
  service = await startService();
  names = await startNameServer();
  names.set("example.com", ["93.184.216.34"]);
  folder = await mkdtemp(join(tmpdir(), "junction-doctor-"));
  env = {
    JUNCTION_API_KEY: service.key,
    JUNCTION_BASE_URL: service.baseUrl,
    JUNCTION_PORT: new URL(service.baseUrl).port,
    JUNCTION_MASTER_KEY: MASTER_KEY,
    JUNCTION_DATA_DIR: folder,
    JUNCTION_DNS_SERVERS: names.address,
    DATABASE_URL: service.database.url,
  };
});
afterAll(async () => {
  await service.close();
  await names.close();
  await rm(folder, { recursive: true, force: true });
});

async function examined(more: Record<string, string>, ...args: string[]): Promise<Map<string, Check>> {
  const { status, stdout, stderr } = await cli(["doctor", ...args], { env: { ...env, ...more } });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] };
  expect([status, stderr]).toEqual([ok ? 0 : 1, ""]);
  expect(ok).toBe(checks.every((check) => check.status !== "failed"));
  for (const check of checks) {
    const isFault = check.status === "failed" || check.status === "warning";
    expect([check.name, check.cause !== null, check.fix !== null]).toEqual([check.name, isFault, isFault]);
    expect(headings).toContain(check.page);
  }
  expect(stdout).not.toContain(service.key.slice(10));
  return new Map(checks.map((check) => [check.name, check]));
}

/** Every check has a section on the page, with the anchor of its heading. */
const headings = [...page.matchAll(/^## `([a-z_]+)`$/gm)].map(([, name = ""]) => `docs/guide/doctor.md#${name}`);

async function answering(answer: RequestListener, look: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await look(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test(
  "every check of a healthy installation passes, on the machine and from outside",
  async () => {
    const before = await examined({}, "--egress", new URL(service.baseUrl).host);
    expect(before.get("backup")).toMatchObject({
      status: "warning",
      fix: expect.stringContaining("junction backup") as string,
    });
    const made = await cli(["backup", "--out", join(folder, "well.tar")], { env });
    expect(JSON.parse(made.stdout)).toMatchObject({ object: "backup", recorded: true });
    const checks = await examined({}, "--egress", new URL(service.baseUrl).host);
    expect(checks.get("backup")?.detail).toMatch(/: well\.tar\.$/);
    const machine =
      "version configuration port data_folder master_key base_url public_name mail self_test database clock migrations sealed_values backlog backup egress";
    const outside = "service service_ready service_self_test service_version service_clock key";
    expect([...checks.keys()].join(" ")).toBe(`${machine} ${outside}`);
    // There is no mail server, and the tests' service has a different version.
    expect([...checks.values()].filter(({ status }) => status !== "ok").map(({ name }) => name)).toEqual([
      "mail",
      "service_version",
    ]);
    const terminal = atTerminal(["doctor"], { env: { ...env, NO_COLOR: "1" } });
    const { status, stdout } = await terminal.ended;
    expect([status, stdout.includes("\u001B[3")]).toEqual([0, false]);
    expect(stdout).toMatch(/^ok +version +Junction/m);
    expect(stdout).toContain("No problems found.");
  },
  PATIENCE_MS,
);

test(
  "each fault of the machine is found, with its cause and its fix",
  async () => {
    const misset = await examined({ JUNCTION_RETRY_LADDER: "soon", JUNCTION_ROLES: "chef" });
    expect(misset.get("configuration")).toMatchObject({ status: "failed" });
    expect(misset.get("configuration")?.detail).toMatch(/JUNCTION_ROLES[\s\S]*JUNCTION_RETRY_LADDER/);

    await answering(
      (_, response) => response.end("a blog"),
      async (url) => {
        const { port } = new URL(url);
        const taken = await examined({ JUNCTION_PORT: port });
        expect(taken.get("port")).toMatchObject({ status: "failed", fix: expect.stringContaining(port) as string });
      },
    );
    const dead = `postgres://junction@127.0.0.1:${await freePort()}/junction`;
    const gone = await examined({ DATABASE_URL: dead });
    expect(gone.get("database")).toMatchObject({ status: "failed" });
    expect(gone.get("migrations")).toMatchObject({ status: "skipped" });

    const database = await bareDatabase();
    const bare = await examined({ DATABASE_URL: database.url });
    expect(bare.get("migrations")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining("migrate") as string,
    });
    await database.drop();

    const foreign = await examined({ JUNCTION_HOST: "0.0.0.0", JUNCTION_PORT: String(await freePort()) });
    expect(foreign.get("base_url")).toMatchObject({ status: "warning" });
    const egress = await examined({}, "--egress", `127.0.0.1:${await freePort()},no-such-host.invalid:443`);
    expect(egress.get("egress")).toMatchObject({ status: "failed" });
    expect(egress.get("egress")?.detail).toMatch(/ECONNREFUSED; no-such-host\.invalid:443: host not found/);
  },
  PATIENCE_MS,
);

test(
  "an unresolvable public name is a warning, and a failing self-test a fault",
  async () => {
    const unknown = await examined({}, "--public-name", "unknown.example");
    expect(unknown.get("public_name")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining(`unknown.example: host not found. Name servers: ${names.address}`) as string,
      fix: expect.stringContaining("JUNCTION_DNS_SERVERS") as string,
    });
    names.set("inside.example", ["10.0.0.7"]);
    const inside = await examined({}, "--public-name", "inside.example");
    expect(inside.get("public_name")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("10.0.0.7, which is not public") as string,
    });
    const closed = `127.0.0.1:${await freePort()}`;
    const unreachable = await examined({ JUNCTION_DNS_SERVERS: closed });
    expect(unreachable.get("public_name")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining(`example.com: the name server is unreachable. Name servers: ${closed}`) as string,
    });
    const offline = await examined({ JUNCTION_DNS_SERVERS: closed }, "--public-name", "none");
    expect(offline.get("public_name")?.status).toBe("skipped");

    const broken = await startService();
    await broken.database.query(
      `create function spoil() returns trigger language plpgsql as $$ begin return null; end $$;
       create trigger spoil before insert on inbox_message for each row execute function spoil()`,
    );
    const there = { JUNCTION_BASE_URL: broken.baseUrl, JUNCTION_PORT: new URL(broken.baseUrl).port };
    const found = await examined({ ...there, DATABASE_URL: broken.database.url });
    for (const name of ["self_test", "service_self_test"])
      expect(found.get(name)).toMatchObject({
        status: "failed",
        detail: expect.stringMatching(/^Failed at the step "verified" \(.*\)\. The inbox does not have/) as string,
      });
    const none = await examined({ JUNCTION_PORT: String(await freePort()) });
    expect(none.get("self_test")?.status).toBe("skipped");
    await broken.close();
  },
  PATIENCE_MS,
);

test(
  "an unused data folder is not a fault, but a readable master key is",
  async () => {
    const { DATABASE_URL: _url, JUNCTION_MASTER_KEY: _key, ...bare } = env;
    const here = await mkdtemp(join(folder, "data-"));
    const run = async (more: object): Promise<Check[]> =>
      (JSON.parse((await cli(["doctor"], { env: { ...bare, ...more } })).stdout) as { checks: Check[] }).checks;
    const none = new Map(
      (await run({ JUNCTION_DATA_DIR: join(here, "none") })).map((check) => [check.name, check.status]),
    );
    expect([none.get("data_folder"), none.get("database"), none.get("master_key")]).toEqual([
      "skipped",
      "skipped",
      "skipped",
    ]);
    await writeFile(join(here, "master.key"), `${MASTER_KEY}\n`);
    await chmod(join(here, "master.key"), 0o644);
    const open = (await run({ JUNCTION_DATA_DIR: here })).find(({ name }) => name === "master_key");
    expect(open).toMatchObject({ status: "failed", fix: `Run: chmod 600 ${join(here, "master.key")}` });
  },
  PATIENCE_MS,
);

test(
  "a backlog without a worker is reported with its age",
  async () => {
    const waiting = await startService({ env: { JUNCTION_ROLES: "api" } });
    const endpoint = await waiting.endpoint("http://127.0.0.1:9/", { events: ["acme.late"] });
    await waiting.database.query(
      `insert into pending_delivery (bucket, tag, id, endpoint_id, event_id, event_name, due_at)
     select bucket, tag, gen_random_uuid(), id, gen_random_uuid(), 'acme.late', now() - interval '20 minutes' from endpoint`,
    );
    expect(endpoint.id).toMatch(/^ep_/);
    const { checks } = JSON.parse(
      (
        await cli(["doctor"], {
          env: { ...env, DATABASE_URL: waiting.database.url, JUNCTION_BASE_URL: waiting.baseUrl },
        })
      ).stdout,
    ) as { checks: Check[] };
    expect(checks.find(({ name }) => name === "backlog")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/waiting for 12\d\d s/) as string,
    });
    await waiting.close();
  },
  PATIENCE_MS,
);

const version = '{"version":"0.1.0","node":"v26","git_sha":null}';
const faults: [string, RequestListener, string, string][] = [
  ["an HTML 502", (_, response) => response.writeHead(502).end("<h1>Bad Gateway</h1>"), "service", "failed"],
  [
    "a redirect",
    (_, response) => response.writeHead(301, { location: "https://example.com" }).end(),
    "service",
    "failed",
  ],
  ["an empty 200", (_, response) => response.end(), "service", "failed"],
  ["half an answer", (request) => request.socket.destroy(), "service", "failed"],
  ["another version", (_, response) => response.end('{"version":"9.0.0"}'), "service_version", "warning"],
  [
    "a clock that is an hour off",
    (_, response) => response.writeHead(200, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end(version),
    "service_clock",
    "failed",
  ],
  [
    "no readiness",
    (request, response) =>
      request.url === "/readyz"
        ? response.writeHead(503).end('{"status":"unavailable","checks":{"database":"failed"}}')
        : response.end(version),
    "service_ready",
    "failed",
  ],
];

test.each(faults)(
  "from outside, %s is found",
  async (_name, answer, check, status) => {
    await answering(answer, async (url) => {
      const checks = await examined({}, "--base-url", url);
      expect(checks.has("database")).toBe(false);
      expect(checks.get(check)).toMatchObject({ status });
      // The key belongs to another service.
      expect(checks.get("key")?.status).toBe("skipped");
    });
  },
  PATIENCE_MS,
);

test(
  "an unreachable service and a rejected key are reported",
  async () => {
    const nobody = await examined({}, "--base-url", `http://127.0.0.1:${await freePort()}`);
    expect(nobody.get("service")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining("junction start") as string,
    });
    const key = `${service.key.slice(0, -1)}${service.key.endsWith("A") ? "B" : "A"}`;
    const refused = await examined({ JUNCTION_API_KEY: key });
    expect(refused.get("key")).toMatchObject({ status: "failed" });
    expect(refused.get("service")).toMatchObject({ status: "ok" });
  },
  PATIENCE_MS,
);

test(
  "--mcp walks the connection of an app, and changes nothing",
  async () => {
    const found = await examined({}, "--mcp", `${service.baseUrl}/mcp`);
    const steps = ["challenge", "credential", "resource", "server", "registration", "token", "consent"];
    const ofEvents = ["mcp_events", "mcp_event_types", "mcp_subscription"];
    expect([...found.keys()]).toEqual([...steps.map((name) => `mcp_${name}`), ...ofEvents]);
    for (const name of steps.slice(0, -1)) expect(found.get(`mcp_${name}`)).toMatchObject({ status: "ok" });
    expect(await service.database.query("select 1 from oauth_client")).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  "--mcp walks a subscription to its challenge and names the step that fails",
  async () => {
    const scopes = ["events:read", "event_subscriptions:write"];
    const mint = async (named: string[]): Promise<string> =>
      (await mintKey(service, { role: "ai", actor_type: "ai", scopes: named })).key;
    const walked = async (named: string[]): Promise<(string | undefined)[]> => {
      const found = await examined({ JUNCTION_API_KEY: await mint(named) }, "--mcp", `${service.baseUrl}/mcp`);
      return ["mcp_events", "mcp_event_types", "mcp_subscription"].map((name) => found.get(name)?.status);
    };
    expect(await walked(scopes)).toEqual(["ok", "ok", "ok"]);
    expect(await walked(["events:read"])).toEqual(["ok", "ok", "failed"]);
    expect(await walked(["actions:write"])).toEqual(["ok", "failed", "skipped"]);
    expect(await service.database.query("select 1 from endpoint where subscription_id is not null")).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  "--mcp names the step that a proxy breaks",
  async () => {
    const { port } = new URL(service.baseUrl);
    const broken = async (change: (request: IncomingMessage, path: string) => number | undefined): Promise<string> => {
      let failing = "";
      await answering(
        (request, response) => {
          const status = change(request, request.url ?? "");
          if (status !== undefined) return response.writeHead(status).end();
          const { method, headers, url: path } = request;
          const onward = sendRequest({ host: "127.0.0.1", port, method, headers, path }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(response);
          });
          return request.pipe(onward);
        },
        async (url) => {
          const found = await examined({}, "--mcp", `${url}/mcp`);
          failing = [...found.values()].find(({ status }) => status === "failed")?.name ?? "none";
        },
      );
      return failing;
    };
    expect(await broken(({ headers }) => (headers["user-agent"] === "Claude-User" ? 403 : undefined))).toBe(
      "mcp_challenge",
    );
    expect(
      await broken(({ headers }) => {
        delete headers.authorization;
        return undefined;
      }),
    ).toBe("mcp_credential");
    // The base URL of the service is not the address of the proxy.
    expect(await broken(() => undefined)).toBe("mcp_resource");
  },
  PATIENCE_MS,
);
