import { randomBytes } from "node:crypto";
import { createService } from "../service.ts";
import type { Service, ServiceDeps } from "../service.ts";
import { readConfig } from "../config/config.ts";
import { listen, openApiDocument } from "../server/server.ts";
import { defineModule } from "../composition/module.ts";
import type { Module } from "../composition/module.ts";
import type { Provisions } from "../composition/points.ts";
import { createTelemetry } from "../platform/telemetry/telemetry.ts";
import { createConformance } from "./conformance.ts";
import type { ContractDocument } from "./conformance.ts";
import { connectorsEnvironment } from "./connectors.ts";
import { cloneDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { freePort } from "./process.ts";
import type { ApiAnswer, TestService } from "./test-service.ts";

export interface TestOptions {
  /** Environment variables in addition to the harness's own. `DATABASE_URL` can be another route to the same database. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts a second service on the database of this one. */
  readonly on?: TestService;
  readonly deps?: Pick<ServiceDeps, "clock" | "lingerMs" | "telemetry">;
  /** The provisions of an additional module. */
  readonly provides?: Partial<Provisions>;
}

/** The master key of every service of one test file, in all processes. */
export const MASTER_KEY = randomBytes(32).toString("base64");

/** Starts the real service on a separate database, listening on loopback. Receivers on loopback are allowed. Every response of `api` is checked against the published contract. */
export async function startService(options: TestOptions = {}): Promise<TestService> {
  const database = options.on?.database ?? (await cloneDatabase());
  const port = await freePort();
  const config = readConfig({
    JUNCTION_PORT: String(port),
    JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
    JUNCTION_MASTER_KEY: MASTER_KEY,
    JUNCTION_LOG_LEVEL: "fatal",
    ...connectorsEnvironment,
    DATABASE_URL: database.url,
    ...options.env,
  });
  const telemetry = createTelemetry(config.logLevel);
  const version = { version: "0.0.0-test", node: process.version, git_sha: null };
  const service = await createService({
    config,
    databaseUrl: config.databaseUrl ?? database.url,
    masterKey: config.masterKey ?? Buffer.from(MASTER_KEY, "base64"),
    version,
    telemetry,
    lingerMs: 0,
    warmsUp: false,
    modules: options.provides === undefined ? [] : [providing(options.provides)],
    ...options.deps,
  });
  const keys = options.on ?? (await makeWorkspace(service));
  await service.start();
  await listen(service.http, { host: "127.0.0.1", port });
  return testService({ service, baseUrl: config.baseUrl, database, keys, ownsDatabase: options.on === undefined });
}

function providing(provisions: Partial<Provisions>): Module {
  return defineModule({ name: "test", needs: {}, create: () => undefined, provides: () => provisions });
}

interface Started {
  readonly service: Service;
  readonly baseUrl: string;
  readonly database: TestDatabase;
  readonly keys: { readonly key: string; readonly sandboxKey: string };
  readonly ownsDatabase: boolean;
}

function testService({ service, baseUrl, database, keys, ownsDatabase }: Started): TestService {
  const self: TestService = {
    service,
    baseUrl,
    database,
    key: keys.key,
    sandboxKey: keys.sandboxKey,
    async api(method, path, body, { key = keys.key, headers = {} } = {}) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const answer = await readAnswer(response);
      conformanceOf(service)({
        ...answer,
        method,
        path,
        contentType: answer.headers.get("content-type"),
        body: answer.parsed,
      });
      return { ...answer, body: answer.parsed ?? {} };
    },
    async endpoint(url, more = {}) {
      const made = await self.api("POST", "/v1/webhook-endpoints", { url, events: ["*"], ...more });
      if (made.status !== 201) throw new Error(`no endpoint: ${made.text}`);
      return { id: made.body["id"], secret: made.body["secret"] };
    },
    async fire(event = "order.created", data = { order: { id: "ord_1" } }) {
      const fired = await self.api("POST", "/v1/events/fire", { event, data });
      if (fired.status !== 202) throw new Error(`not fired: ${fired.text}`);
      return fired.body;
    },
    async until(path, wanted, timeoutMs = 60_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const { body } = await self.api("GET", path);
        if (wanted(body)) return body;
        if (Date.now() > deadline)
          throw new Error(`${path} did not become as wanted: ${JSON.stringify(body).slice(0, 2000)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async close() {
      await service.stop();
      if (ownsDatabase) await database.drop();
    },
  };
  return self;
}

let conforms: ReturnType<typeof createConformance> | undefined;

/** Returns the checker of responses. All services of a worker share it, because they have one contract, and its schemas take long to compile. */
function conformanceOf({ http }: Service): ReturnType<typeof createConformance> {
  return (conforms ??= createConformance(openApiDocument(http) as ContractDocument));
}

async function readAnswer(response: Response): Promise<Omit<ApiAnswer, "body"> & { readonly parsed: unknown }> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    parsed: text === "" ? undefined : isJson ? JSON.parse(text) : text,
  };
}

/** Creates the first workspace and its owner. */
async function makeWorkspace(service: Service): Promise<{ key: string; sandboxKey: string }> {
  let key = "";
  const made = await service.workspaces.createFirst("Test", async (tx, workspace) => {
    key = await service.workspaces.addOwner(tx, workspace.scope, {
      email: "owner@example.com",
      name: "Owner",
      password: "correct horse battery",
    });
  });
  if (made === undefined) throw new Error("the cloned database was not empty");
  return { key, sandboxKey: made.sandboxKey };
}
