import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformance } from "../../../../../tools/mcp/programs.ts";
import { mintKey } from "../../testing/keys.ts";
import { makeContract } from "../../testing/mcp-contracts.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Tests the server with the conformance suite of the protocol. A new version's scenarios must be applied or left out here. */

const APPLIED: readonly string[] = [
  "server-initialize",
  "server-session-lifecycle",
  "server-stateless",
  "server-sse-multiple-streams",
  "server-sse-polling",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "input-required-result-unsupported-methods",
  "input-required-result-ignore-extra-params",
];

const EXAMPLE_TOOL = "needs a tool of the suite's example server that no contract can be";
const NO_PROMPTS = "prompts and resources are not offered";
const NO_STREAMS = "responses are not streams";
const NO_SESSIONS = "the id of a session only repeats the name of the client: there is nothing to end";

/** The checks of the applied scenarios that do not pass, each with the reason. */
const EXCEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "server-stateless": {
    "sep-2575-server-rejects-undeclared-capability": EXAMPLE_TOOL,
    "sep-2575-missing-capability-http-400": EXAMPLE_TOOL,
    "sep-2575-server-sends-subscription-ack": NO_STREAMS,
    "sep-2575-server-tags-subscription-id": NO_STREAMS,
    "sep-2575-server-honors-notification-filter": NO_STREAMS,
    "sep-2575-server-sends-prompts-list-changed-on-subscription": NO_PROMPTS,
    "sep-2575-server-sends-tools-list-changed-on-subscription": NO_STREAMS,
  },
  "server-session-lifecycle": {
    "server-session-delete-accepted": NO_SESSIONS,
    "server-session-terminated-returns-404": NO_SESSIONS,
  },
  "tasks-lifecycle": { "sep-2663-tasks-get-status-failed": EXAMPLE_TOOL },
  "tasks-request-headers": { "tasks-headers-tolerate-mcp-method-on-tools-call": EXAMPLE_TOOL },
  caching: {
    "sep-2549-prompts-list-caching-hints": NO_PROMPTS,
    "sep-2549-resources-list-caching-hints": NO_PROMPTS,
    "sep-2549-resources-templates-list-caching-hints": NO_PROMPTS,
    "sep-2549-resources-read-caching-hints": NO_PROMPTS,
  },
};

/** The other scenarios, by the reason for which they cannot pass. Their responses must still be valid. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  [NO_PROMPTS]: [
    "completion-complete",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "sep-2164-resource-not-found",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "sep-2640-skills-directory",
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "input-required-result-non-tool-request",
  ],
  "results are JSON in text, without images, audio, resources, logs and progress": [
    "logging-set-level",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-with-progress",
  ],
  "no call asks the client for anything: people decide in the console": [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "tasks-mrtr-input",
    "tasks-mrtr-composition",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-validate-input",
  ],
  [NO_STREAMS]: ["tasks-status-notifications"],
  [EXAMPLE_TOOL]: ["json-schema-2020-12", "http-custom-header-server-validation", "tasks-required-task-error"],
};

/** The first two start with a handshake. The last run is of all scenarios, at the newest version of each. */
const RUNS = [["--spec-version", "2025-06-18"], ["--spec-version", "2025-11-25"], []];
const SCHEMAS = "wire-schema-valid";
const MINUTES_5 = 300_000;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const tool = await conformance();
let service: TestService;
let backend: Receiver;
let proxy: Proxy;
let folder: string;
let known: readonly string[];
const checks = new Map<string, Check[]>();

beforeAll(async () => {
  if (tool === undefined) return;
  folder = await mkdtemp(join(tmpdir(), "junction-mcp-"));
  service = await startService();
  backend = await startReceiver();
  backend.answer((response, { path }) =>
    response.writeHead(path.endsWith("/fails") ? 422 : 200, { "Content-Type": "application/json" }).end('"done"'),
  );
  await makeContract(service, { key: "test.simple_text", endpoint: backend.url, params: {} });
  await makeContract(service, { key: "test.error_handling", endpoint: "http://127.0.0.1:9/", params: {} });
  const seconds = { type: "int", required: true };
  const label = { type: "string", required: true, max: 100 };
  const slow = { endpoint: backend.url, params: { seconds, label } };
  await makeContract(service, { key: "slow.compute", requires_confirmation: true, ...slow });
  const fails = { endpoint: `${backend.url}/fails`, params: {} };
  await makeContract(service, { key: "failing.job", requires_confirmation: true, ...fails });
  proxy = await startProxy(service.baseUrl, (await mintKey(service, { role: "ai", actor_type: "ai" })).key);
  known = [...(await suite(["list", "--server"])).matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
  const stop = new AbortController();
  const approving = approve(stop.signal);
  for (const [at, options] of RUNS.entries()) await run(at, options);
  stop.abort();
  await approving;
}, MINUTES_5);
afterAll(async () => {
  if (tool === undefined) return;
  await proxy.close();
  await service.close();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the output of the suite, regardless of its exit code. */
async function suite(args: readonly string[]): Promise<string> {
  const env = { PATH: [tool?.bin, dirname(process.execPath), process.env["PATH"]].join(delimiter), HOME: folder };
  try {
    return (await promisify(execFile)("conformance", args, { env, timeout: MINUTES_5, maxBuffer: 2 ** 27 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return stdout + stderr;
  }
}

/** Runs the scenarios and keeps their checks. */
async function run(at: number, options: readonly string[]): Promise<void> {
  const out = join(folder, String(at));
  const printed = await suite(["server", "--url", proxy.url, "--suite", "all", ...options, "--output-dir", out]);
  const results = await readdir(out).catch(() => []);
  if (results.length === 0) throw new Error(`the suite printed: ${printed}`);
  for (const result of results) {
    const [, scenario = result] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(result) ?? [];
    const made = JSON.parse(await readFile(join(out, result, "checks.json"), "utf8")) as Check[];
    checks.set(scenario, [...(checks.get(scenario) ?? []), ...made]);
  }
}

/** Returns the checks that did not pass, with their messages. */
function failed(scenario: string): ReadonlyMap<string, string> {
  const wrong = (checks.get(scenario) ?? []).filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  return new Map(wrong.map(({ id, status, errorMessage = "" }) => [id, `${status} ${errorMessage}`]));
}

/** Approves the calls that the suite expects to end. It cancels those of 60 seconds. */
async function approve(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { data } = (await service.api("GET", "/v1/proposals?limit=100")).body;
    for (const { id, state, parameters, params_hash } of data as Parsed[])
      if (state === "proposed" && parameters["seconds"] !== 60)
        await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash });
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Adds the key, which the suite cannot send, and gives the service its own name in place of the proxy's. Everything else stays the same. */
async function startProxy(target: string, key: string): Promise<Proxy> {
  const { host, hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const renamed = Object.entries(incoming.headers).map(([name, value]) => [
      name,
      typeof value === "string" && (name === "host" || name === "origin") ? value.replace(own, host) : value,
    ]);
    const headers = { ...Object.fromEntries(renamed), authorization: `Bearer ${key}` };
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${own}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Without the registry these tests are skipped on a developer's machine. CI always runs them.
describe.skipIf(tool === undefined)("the protocol's conformance suite", () => {
  test("has only scenarios that are applied, or left out for a reason", () => {
    expect([...APPLIED, ...Object.values(LEFT_OUT).flat()].toSorted()).toEqual(known.toSorted());
    expect([...checks.keys()].toSorted()).toEqual(known.toSorted());
  });

  test.each(APPLIED)("passes %s, except for the checks named here", (scenario) => {
    const except = EXCEPT[scenario] ?? {};
    const wrong = failed(scenario);
    const unexpected = [...wrong].filter(([id]) => !Object.hasOwn(except, id));
    const passed = Object.keys(except).filter((id) => !wrong.has(id));
    expect({ unexpected, passed }).toEqual({ unexpected: [], passed: [] });
  });

  test("gets valid responses in the scenarios that are left out, none of which passes", () => {
    const scenarios = Object.values(LEFT_OUT).flat();
    const invalid = scenarios.map((scenario) => failed(scenario).get(SCHEMAS)).filter((found) => found !== undefined);
    const passed = scenarios.filter((scenario) => failed(scenario).size === 0);
    expect({ invalid, passed }).toEqual({ invalid: [], passed: [] });
  });
});
