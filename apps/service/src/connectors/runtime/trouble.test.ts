import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { instant } from "../../lib/lib.ts";
import { runConnector, SECRET } from "../../testing/connector-runs.ts";
import { scopeOf } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** These tests start and end many processes, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

let service: TestService;
let receiver: Receiver;
let offsetMs = 0;
const clock = { now: () => instant(Date.now() + offsetMs), monotonicMs: () => performance.now() };

beforeAll(async () => {
  service = await startService({ env: UNLIMITED, deps: { clock } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Returns a connector whose process ends during each call. */
const crashing = (event: string) => ({
  members: `subscribers() { return { "${event}": ["hear"] }; } async hear(event) { 
    if (event.data.die === false) return;
    setTimeout(() => { throw new Error("to nobody"); });
    await new Promise(() => setTimeout(() => {}, 1e6));
  }`,
  description: { events: [event] },
});

covers(
  "dispatch.order.deterministic",
  "a mirror that fails for hours does not delay alerts or deliveries",
  async () => {
    await runConnector(service, {
      members: `subscribers() { return { "test.hours": ["mirror"] }; } async mirror() { throw new Error("still away"); }`,
      description: { events: ["test.hours"] },
    });
    const alert = await runConnector(service, {
      members: `subscribers() { return { "test.hours": [{ handler: "alert", priority: 80 }] }; } async alert() {}`,
      description: { events: ["test.hours"] },
    });
    await service.endpoint(receiver.url, { events: ["test.hours"] });
    for (const hours of [0, 1, 3, 7]) {
      offsetMs = hours * 3_600_000;
      const fired = await service.fire("test.hours", { hours });
      await alert.until((run) => run.event_id === fired["id"]);
      await service.until(`/v1/events/${fired["id"]}`, (body) => body["deliveries"][0]?.state === "delivered");
    }
    offsetMs = 0;
    const hours = receiver.received.map(({ body }) => JSON.parse(body).data.hours);
    expect(hours).toEqual([0, 1, 3, 7]);
  },
);

test("a connector that crashes repeatedly on any node is stopped until it is enabled", async () => {
  const connector = await runConnector(service, crashing("test.crashing"));
  const other = await startService({ on: service, env: UNLIMITED });
  for (let at = 0; at < 20 && (await connector.show())["state"] === "enabled"; at += 1) {
    const fired = await (at % 2 === 0 ? service : other).fire("test.crashing");
    // The fifth crash may stop the connector before it gets an event that was already planned.
    if (fired["subscribers"].length > 0)
      await expect
        .poll(
          async () =>
            (await connector.show())["state"] !== "enabled" ||
            (await connector.runs()).some((run) => run["event_id"] === fired["id"]),
          { timeout: 60_000 },
        )
        .toBe(true);
  }
  const shown = await connector.show();
  expect(shown).toMatchObject({
    state: "quarantined",
    enabled: false,
    reason: { code: "crashed", message: expect.stringContaining("five times") },
    health: { status: "quarantined", last_error: expect.any(String) },
  });
  expect((await connector.runs("&outcome=crashed")).length).toBeGreaterThan(0);
  expect((await service.fire("test.crashing"))["subscribers"]).toEqual([]);
  const { data } = (await service.api("GET", "/v1/audit?kind=connector&limit=20")).body;
  expect(data.find((row: Parsed) => row.action === "connectors.quarantine")).toMatchObject({
    status: "ok",
    actor: { type: "system" },
    params_redacted: { key: connector.key },
  });
  expect((await connector.enable()).body).toMatchObject({ state: "enabled", reason: null });
  const fired = await other.fire("test.crashing", { die: false });
  await connector.until((run) => run.event_id === fired["id"] && run.outcome === "ok");
  await connector.disable();
  await other.close();
});

test("only the fifth crash of a version within ten minutes stops the connector", async () => {
  const connector = await runConnector(service, { members: "" });
  const other = await startService({ on: service, env: UNLIMITED });
  const scope = await scopeOf(service, service.key);
  const { digest } = await connector.show();
  const crash = async (more: object = {}, on = service, where = scope): Promise<boolean> =>
    await on.service.connectors.quarantine.crashed(where, { key: connector.key, digest, kind: "crashed", ...more });
  const sandbox = await scopeOf(service, service.sandboxKey);
  for (let at = 0; at < 6; at += 1) {
    expect(await crash({ digest: "another" })).toBe(false);
    expect(await crash({}, service, sandbox)).toBe(false);
    expect(await crash({}, at % 2 === 0 ? service : other)).toBe(false);
    await service.database.query("update connector_crash set at = at - interval '3 minutes'");
  }
  await service.database.query("delete from connector_crash");
  const many = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => await crash({}, at % 2 === 0 ? service : other)),
  );
  expect(many.filter(Boolean)).toHaveLength(1);
  expect((await connector.show())["state"]).toBe("quarantined");
  await connector.enable();
  expect([await crash(), await crash(), await crash(), await crash(), await crash()]).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  await other.close();
});

test("disabling a connector ends its processes and running calls on every node", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.ended": ["hear"] }; } async hear() { await new Promise(() => setTimeout(() => {}, 1e6)); }`,
    description: { events: ["test.ended"] },
  });
  const other = await startService({ on: service, env: UNLIMITED });
  const processes = async (of: TestService): Promise<string | undefined> =>
    /^junction_connector_calls_in_flight (\d+)/m.exec(await of.service.telemetry.metrics())?.[1];
  await other.fire("test.ended");
  await expect.poll(async () => await processes(other)).toBe("1");
  await connector.disable();
  await expect.poll(async () => await processes(other)).toBe("0");
  const [run] = await connector.until(() => true);
  expect(["unavailable", "crashed"]).toContain(run.outcome);
  await other.close();
});

test("revoking a key ends the running calls of its connectors", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.revoked": ["hear"] }; } async hear() { await new Promise(() => setTimeout(() => {}, 1e6)); }`,
    description: { events: ["test.revoked"] },
  });
  await service.fire("test.revoked");
  const inFlight = async (): Promise<string | undefined> =>
    /^junction_connector_calls_in_flight (\d+)/m.exec(await service.service.telemetry.metrics())?.[1];
  await expect.poll(inFlight).toBe("1");
  const [key] = await service.service.connectors.keyring.list();
  await service.service.connectors.keyring.revoke(key?.key_id ?? "");
  await expect.poll(inFlight).toBe("0");
  expect(await connector.show()).toMatchObject({ state: "quarantined", reason: { code: "key_revoked" } });
  expect(outcome(await connector.enable())).toBe("409 conflict");
  expect((await service.fire("test.revoked"))["subscribers"]).toEqual([]);
  await service.service.connectors.keyring.trust({
    publicKey: Buffer.from(key?.public_key ?? "", "base64"),
    name: "again",
    connectors: null,
    development: false,
  });
  expect((await connector.enable()).status).toBe(200);
  await connector.disable();
});

test("a connector's secrets are not in its runs, API responses or environment", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.secret": ["hear"] }; } async hear() {
      this.log("info", "seen", { env: Object.keys(process.env ?? {}), settings: this.settings("api_key"), everything: JSON.stringify(this) });
      throw new Error("with " + this.settings("api_key"));
    }`,
    description: { events: ["test.secret"] },
    settings: { api_key: SECRET },
  });
  await service.fire("test.secret");
  const [run] = await connector.until(() => true);
  expect(JSON.stringify(run)).not.toContain(SECRET);
  expect(run.log[0].fields.env).toEqual([]);
  for (const path of ["", "/runs"]) {
    const answer = await service.api("GET", `/v1/connectors/${connector.key}${path}`);
    expect([path, answer.text.includes(SECRET)]).toEqual([path, false]);
  }
});
