import { createHmac } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { codedFiles, runConnector, SECRET } from "../../testing/connector-runs.ts";
import type { Coded, RunningConnector } from "../../testing/connector-runs.ts";
import { connectorApi, CONNECTORS, drop, freshKey, PATH } from "../../testing/connectors.ts";
import { scopeOf } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

/** These tests start and end many processes, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const SANDBOX_SECRET = "sk-sandbox-0123456789";

function action(key: string): Record<string, unknown> {
  return {
    key,
    label: "Ask",
    surface: ["api"],
    roles: ["owner", "admin", "developer"],
    requires_confirmation: false,
    audit: true,
    params: {},
  };
}

/** Returns a version whose handlers, hooks and actions tell its number. `more` are actions of this version alone. */
function coded(key: string, event: string, version: string, more: readonly string[] = []): Coded {
  const space = key.replaceAll("-", "_");
  const actions = ["ask", ...more].map((name) => `${space}.${name}`);
  const priority = version === "1.0.0" ? 40 : 30;
  return {
    members: `subscribers() { return { "${event}": [{ handler: "hear", priority: ${priority} }] }; }
      async hear(event) {
        this.log("info", "heard", { version: "${version}", key: String(this.settings("api_key")) });
        if (event.data.hang === true) await new Promise((done) => setTimeout(done, event.data.ms));
        if (event.data.die === true) { setTimeout(() => { throw new Error("x"); }); await new Promise(() => setTimeout(() => {}, 1e6)); }
      }
      registerActions() { return ${JSON.stringify(Object.fromEntries(actions.map((name) => [name, "ask"])))}; }
      async ask() { return { version: "${version}", environment: this.settings("base_url") }; }
      contextProviders() { return { told: "told" }; }
      async told() { return "${version}"; }
      async handleWebhook(body) { this.log("info", "got", { version: "${version}", id: body.id }); }`,
    description: {
      version,
      priority,
      events: [event],
      context_providers: ["told"],
      webhook: { verify: "hex", header: "X-Signature", secret: "settings.api_key" },
    },
    actions: actions.map(action),
    files: { "fixtures/http.json": "[]" },
  };
}

interface Beside extends RunningConnector {
  readonly event: string;
}

/** Returns a connector with version 1.0.0 in live and 1.1.0 in the sandbox. */
async function beside(): Promise<Beside> {
  const key = freshKey();
  const event = `test.${key}`;
  const live = await runConnector(
    service,
    { ...coded(key, event, "1.0.0", ["old"]), settings: { api_key: SECRET, base_url: "http://127.0.0.1:9/live" } },
    key,
  );
  await drop(join(CONNECTORS, key), codedFiles(key, coded(key, event, "1.1.0", ["fresh"])));
  await service.api("POST", `${PATH}/rescan`);
  const settings = { api_key: SANDBOX_SECRET, base_url: "http://127.0.0.1:9/sandbox" };
  const sandbox = await connectorApi(service).enable(key, { settings }, service.sandboxKey);
  expect([live.enabled.text, sandbox.text]).toEqual([
    expect.stringContaining('"version":"1.0.0"'),
    expect.stringContaining('"version":"1.1.0"'),
  ]);
  return { ...live, event };
}

async function fire(event: string, data: object, as = service.key): Promise<Parsed> {
  return (await service.api("POST", "/v1/events/fire", { event, data }, { key: as })).body;
}

async function ask({ namespace }: RunningConnector, name: string, as = service.key): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/actions/run", { action: `${namespace}.${name}`, parameters: {} }, { key: as });
}

covers("sandbox.data.apart", "events, actions and data of each environment reach its own version", async () => {
  const connector = await beside();
  const { key, event } = connector;
  const [live, sandbox] = [await fire(event, {}), await fire(event, {}, service.sandboxKey)];
  expect([live.subscribers, sandbox.subscribers]).toEqual([
    [expect.objectContaining({ priority: 40 })],
    [expect.objectContaining({ priority: 30 })],
  ]);
  const [inLive] = await connector.until((run) => run.event_id === live.id);
  const [inSandbox] = await connector.until((run) => run.event_id === sandbox.id, 1, service.sandboxKey);
  expect([inLive.version, inLive.log[0].fields.version, inLive.environment]).toEqual(["1.0.0", "1.0.0", "live"]);
  expect([inSandbox.version, inSandbox.log[0].fields.version]).toEqual(["1.1.0", "1.1.0"]);
  expect((await ask(connector, "ask")).body["result"]).toEqual({
    version: "1.0.0",
    environment: "http://127.0.0.1:9/live",
  });
  expect((await ask(connector, "ask", service.sandboxKey)).body["result"]).toEqual({
    version: "1.1.0",
    environment: "http://127.0.0.1:9/sandbox",
  });
  expect(outcome(await ask(connector, "fresh"))).toBe("404 action_unknown");
  const missing = await ask(connector, "old", service.sandboxKey);
  expect([outcome(missing), missing.body["detail"]]).toEqual([
    "502 action_endpoint_failed",
    expect.stringContaining("Version 1.1.0 of the connector does not have this action"),
  ]);
  for (const [as, version] of [
    [service.key, "1.0.0"],
    [service.sandboxKey, "1.1.0"],
  ] as const) {
    const call = async (method: string, path: string, body?: object): Promise<Parsed> =>
      (await service.api(method, `/v1/customers/${path}`, body, { key: as })).body;
    const { id } = await call("PUT", `of-${key}`, { name: "Ada" });
    // A child process may start too slowly for the first question.
    await expect.poll(async () => (await call("GET", id)).context[key]).toEqual({ told: version });
  }
});

test("a webhook reaches only the version of its address, with its secret: 202, 401", async () => {
  const connector = await beside();
  const urls = [(await connector.show())["webhook_url"], (await connector.show(service.sandboxKey))["webhook_url"]];
  const send = async (url: string, id: string, secret: string): Promise<number> => {
    const body = JSON.stringify({ id });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "Content-Type": "application/json", "X-Signature": signature };
    return (await fetch(url, { method: "POST", body, headers })).status;
  };
  const swapped = urls[0].replace(/[0-9a-f]{64}$/, urls[1].slice(-64));
  expect([
    await send(urls[0], "one", SECRET),
    await send(urls[0], "two", SANDBOX_SECRET),
    await send(urls[1], "three", SANDBOX_SECRET),
    await send(urls[1], "four", SECRET),
    await send(swapped, "five", SECRET),
  ]).toEqual([202, 401, 202, 401, 404]);
  const got = (run: Parsed): boolean => run.hook === "webhook" && run.outcome === "ok";
  const [live] = await connector.until(got);
  const [sandbox] = await connector.until(got, 1, service.sandboxKey);
  expect([live.log[0].fields, sandbox.log[0].fields]).toEqual([
    { version: "1.0.0", id: "one" },
    { version: "1.1.0", id: "three" },
  ]);
});

test("crashes in the sandbox stop only the sandbox's version, on any node", async () => {
  const connector = await beside();
  const { key, event } = connector;
  const other = await startService({ on: service, env: UNLIMITED });
  const scope = await scopeOf(service, service.sandboxKey);
  const { digest } = await connector.show(service.sandboxKey);
  const live = await connector.show();
  for (let at = 0; at < 5; at += 1)
    await (at % 2 === 0 ? service : other).service.connectors.quarantine.crashed(scope, {
      key,
      digest,
      kind: "crashed",
    });
  expect(await connector.show(service.sandboxKey)).toMatchObject({ state: "quarantined", enabled: false });
  expect(await connector.show()).toEqual(live);
  // The sandbox does not fall back to the live version, which would run with the live settings.
  expect((await fire(event, {}, service.sandboxKey)).subscribers).toEqual([]);
  const fired = (await other.api("POST", "/v1/events/fire", { event, data: {} })).body;
  const [run] = await connector.until((one) => one.event_id === fired["id"]);
  expect([run.version, run.outcome]).toEqual(["1.0.0", "ok"]);
  await service.database.query("delete from connector_crash");
  const liveScope = await scopeOf(service, service.key);
  for (let at = 0; at < 5; at += 1)
    await service.service.connectors.quarantine.crashed(liveScope, { key, digest: live["digest"], kind: "crashed" });
  expect((await connector.show())["state"]).toBe("quarantined");
  await connectorApi(service).enable(key, {}, service.sandboxKey);
  expect((await connector.show())["state"]).toBe("quarantined");
  const again = await fire(event, {}, service.sandboxKey);
  await connector.until((one) => one.event_id === again.id && one.outcome === "ok", 1, service.sandboxKey);
  await other.close();
});

test("a removal ends the sandbox's calls on every node, and no live call", async () => {
  const connector = await beside();
  const { key, event } = connector;
  const other = await startService({ on: service, env: UNLIMITED });
  const inFlight = async (): Promise<string | undefined> =>
    /^junction_connector_calls_in_flight (\d+)/m.exec(await other.service.telemetry.metrics())?.[1];
  const live = (await other.api("POST", "/v1/events/fire", { event, data: { hang: true, ms: 4000 } })).body;
  const body = { event, data: { hang: true, ms: 9000 } };
  await other.api("POST", "/v1/events/fire", body, { key: service.sandboxKey });
  await expect.poll(inFlight).toBe("2");
  const removed = await service.api("DELETE", `${PATH}/${key}/sandbox`, undefined, { key: service.sandboxKey });
  expect(removed.status).toBe(204);
  await expect.poll(inFlight).toBe("1");
  const [run] = await connector.until((one) => one.event_id === live["id"]);
  expect([run.version, run.outcome]).toEqual(["1.0.0", "ok"]);
  // The sandbox uses the live version again.
  const fired = await fire(event, {}, service.sandboxKey);
  const [again] = await connector.until((one) => one.event_id === fired.id, 1, service.sandboxKey);
  expect(again.version).toBe("1.0.0");
  await other.close();
});

test("a promotion replaces the code of live at once, on every node", async () => {
  const connector = await beside();
  const { key, event } = connector;
  const other = await startService({ on: service, env: UNLIMITED });
  const before = (await other.api("POST", "/v1/events/fire", { event, data: {} })).body;
  await connector.until((one) => one.event_id === before["id"]);
  expect((await service.api("POST", `${PATH}/${key}/promote`, {})).body["live_version"]).toBe("1.1.0");
  const after = (await other.api("POST", "/v1/events/fire", { event, data: {} })).body;
  const [run] = await connector.until((one) => one.event_id === after["id"]);
  expect([run.version, run.log[0].fields.version]).toEqual(["1.1.0", "1.1.0"]);
  expect((await ask(connector, "fresh")).body["result"]).toMatchObject({ environment: "http://127.0.0.1:9/live" });
  expect(outcome(await ask(connector, "old"))).toBe("404 action_unknown");
  await other.close();
});
