import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { answersOf, obedient, runConnector, SECRET } from "../../testing/connector-runs.ts";
import { otherWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let base: string;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  receiver = await startReceiver();
  base = new URL(receiver.url).origin;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const POSTS = (path: string): string =>
  `await this.http({ method: "POST", url: this.settings("base_url") + ${JSON.stringify(path)}, json: { event: this.event.event, data: this.event.data }, auth: "settings.api_key" });`;
const settings = (): Record<string, unknown> => ({ base_url: base, api_key: SECRET });

covers(
  ["connector.folder.wired", "connector.hook.subscribers"],
  "an enabled connector receives its events, calls its declared host and is logged",
  async () => {
    const connector = await runConnector(service, {
      members: `subscribers() { return { "test.wired": ["onWired"] }; }
        async onWired(event) { ${POSTS("/wired")} this.log("info", "wrote it", { id: event.id }); }`,
      description: { events: ["test.wired"], egress: ["settings.base_url"] },
      settings: settings(),
    });
    expect([connector.enabled.status, connector.enabled.text]).toEqual([200, expect.any(String)]);
    const fired = await service.fire("test.wired", { big: 1, total: 10.5 });
    expect(fired["subscribers"]).toEqual([{ kind: "mirror", key: connector.key, priority: 20 }]);
    const [run] = await connector.until((one) => one.event_id === fired["id"]);
    expect(run).toMatchObject({
      object: "connector_run",
      connector: connector.key,
      version: "1.0.0",
      hook: "subscriber",
      name: "onWired",
      outcome: "ok",
      error: null,
      services: [{ service: "http", method: "POST", host: new URL(base).host, status: 200, error: null }],
      log: [{ level: "info", message: "wrote it", fields: { id: fired["id"] } }],
    });
    const sent = receiver.received.find(({ path }) => path === "/wired");
    expect(sent?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(JSON.parse(sent?.body ?? "")).toEqual({ event: "test.wired", data: { big: 1, total: 10.5 } });
    const stages = (await service.until(`/v1/events/${fired["id"]}`, (body) => body["stages"][0]?.state === "done"))[
      "stages"
    ];
    expect(stages).toMatchObject([{ kind: "mirror", key: connector.key, priority: 20, state: "done" }]);
    expect((await connector.show())["health"]).toMatchObject({ status: "ok", last_error: null });
  },
);

test("an event without an enabled connector has no stage, before and after", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.off": ["hear"] }; } async hear() {}`,
    description: { events: ["test.off"] },
  });
  expect((await service.fire("test.off"))["subscribers"]).toHaveLength(1);
  await connector.disable();
  expect((await service.fire("test.off"))["subscribers"]).toEqual([]);
  expect((await connector.show())["health"]).toEqual({ status: "not_running", last_run_at: null, last_error: null });
  await connector.enable();
  expect((await service.fire("test.off"))["subscribers"]).toHaveLength(1);
});

covers(
  ["dispatch.order.mirror-first", "dispatch.priority.mirror-20", "dispatch.subscriber.mirrors"],
  "mirrors write before alerts are sent, regardless of the order of enabling",
  async () => {
    const alert = await runConnector(service, {
      members: `subscribers() { return { "test.order": [{ handler: "alert", priority: 80 }] }; } async alert() { ${POSTS("/alert")} }`,
      description: { events: ["test.order"], egress: ["settings.base_url"] },
      settings: settings(),
    });
    const mirror = await runConnector(service, {
      members: `subscribers() { return { "test.order": ["mirror"] }; }
        async mirror() { await new Promise((resolve) => setTimeout(resolve, 300)); ${POSTS("/mirror")} }`,
      description: { events: ["test.order"], egress: ["settings.base_url"] },
      settings: settings(),
    });
    await service.endpoint(`${base}/endpoint`, { events: ["test.order"] });
    const fired = await service.fire("test.order");
    expect(fired["subscribers"].map((one: Parsed) => [one.kind, one.priority])).toEqual([
      ["mirror", 20],
      ["webhook", 60],
      ["connector", 80],
    ]);
    await alert.until((run) => run.event_id === fired["id"]);
    await mirror.until((run) => run.event_id === fired["id"]);
    await service.until(`/v1/events/${fired["id"]}`, (body) => body["deliveries"][0]?.state === "delivered");
    const order = receiver.received
      .map(({ path }) => path)
      .filter((path) => ["/mirror", "/endpoint", "/alert"].includes(path));
    expect(order[0]).toBe("/mirror");
    const at = (path: string): number => receiver.received.find((one) => one.path === path)?.at ?? 0;
    expect(at("/mirror")).toBeLessThanOrEqual(at("/endpoint"));
    expect(at("/mirror")).toBeLessThanOrEqual(at("/alert"));
  },
);

/** Makes failed stages that wait for a retry due now, so that the next poll takes them. */
async function hurry(): Promise<void> {
  await service.database.query("update dispatch_stage set due_at = now() where state = 'waiting' and lease_id is null");
}

async function untilStage(id: string, wanted: (stage: Parsed) => boolean, key: string): Promise<Parsed> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    await hurry();
    const stages: Parsed[] = (await service.api("GET", `/v1/events/${id}`)).body["stages"];
    const found = stages.find((stage) => stage.key === key && wanted(stage));
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`no such stage: ${JSON.stringify(stages)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a failed mirror is retried without delaying others, and its events fire once", async () => {
  const mirror = await runConnector(service, {
    members: `subscribers() { return { "test.flaky": ["mirror"] }; } async mirror() {
      await this.fire("test.flaky.told", {});
      const tries = ((await this.kv.get("tries")) ?? 0) + 1;
      await this.kv.set("tries", tries);
      if (tries < 3) throw new Error("the other side is away");
    }`,
    description: { events: ["test.flaky"], fires: ["test.flaky.told"] },
  });
  const alert = await runConnector(service, {
    members: `subscribers() { return { "test.flaky": [{ handler: "alert", priority: 80 }] }; } async alert() { ${POSTS("/flaky-alert")} }`,
    description: { events: ["test.flaky"], egress: ["settings.base_url"] },
    settings: settings(),
  });
  const fired = await service.fire("test.flaky");
  await alert.until((run) => run.event_id === fired["id"]);
  const waiting = (await service.api("GET", `/v1/events/${fired["id"]}`)).body["stages"];
  expect(waiting).toMatchObject([
    { key: mirror.key, state: "waiting", error: expect.stringContaining("the other side is away") },
    { key: alert.key, state: "done" },
  ]);
  expect((await mirror.show())["health"]).toMatchObject({
    status: "failing",
    last_error: expect.stringContaining("away"),
  });
  await untilStage(fired["id"], (stage) => stage.state === "done", mirror.key);
  expect((await mirror.show())["health"]).toMatchObject({ status: "ok", last_error: null });
  expect((await mirror.runs()).map((run) => run.outcome)).toEqual(["ok", "threw", "threw"]);
  const [{ count } = { count: 0 }] = await service.database.query(
    "select count(*)::int as count from event where name = 'test.flaky.told'",
  );
  expect(count).toBe(1);
  expect((await alert.runs()).length).toBe(1);
});

test("a retry calls only the failed handler of several", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.many": ["first", "second"], "*": ["first", { handler: "late", priority: 70 }] }; }
      async first() { this.log("info", "first"); }
      async second() { if (await this.kv.cas("failed", null, true)) throw new Error("once"); }
      async late() {}`,
    description: { events: ["test.many", "*"] },
  });
  const fired = await service.fire("test.many");
  expect(fired["subscribers"].filter((one: Parsed) => one.key === connector.key)).toEqual([
    { kind: "mirror", key: connector.key, priority: 20 },
    { kind: "connector", key: connector.key, priority: 70 },
  ]);
  await untilStage(fired["id"], (stage) => stage.priority === 20 && stage.state === "done", connector.key);
  const ran = (await connector.runs(`&event_id=${fired["id"]}`)).map((run) => `${run.name} ${run.outcome}`);
  expect(ran.toSorted()).toEqual(["first ok", "late ok", "second ok", "second threw"]);
  await connector.disable();
});

covers(
  "dispatch.subscriber.mirrors",
  "a killed child process is replaced, and the mirror's effects happen once",
  async () => {
    const connector = await runConnector(service, {
      members: `subscribers() { return { "test.killed": ["mirror"] }; } async mirror() {
      await this.fire("test.killed.told", { at: 1 });
      const { id } = await this.contacts.upsert({ external_id: "killed" });
      await this.timeline.add(id, { summary: "Mirrored" });
      ${POSTS("/killed")}
    }`,
      description: {
        events: ["test.killed"],
        fires: ["test.killed.told"],
        reads: ["contacts"],
        egress: ["settings.base_url"],
      },
      settings: settings(),
    });
    let killed = 0;
    receiver.answer((response, { path }) => {
      if (path !== "/killed" || killed > 0) return void response.end();
      killed += killChildren();
      return undefined;
    });
    const fired = await service.fire("test.killed");
    await untilStage(fired["id"], (stage) => stage.state === "done", connector.key);
    receiver.status(200);
    expect(killed).toBeGreaterThan(0);
    expect((await connector.runs()).map((run) => run.outcome)).toEqual(["ok", "crashed"]);
    const rows = await service.database.query(
      `select (select count(*)::int from event where name = 'test.killed.told') as fired,
      (select count(*)::int from activity where summary = 'Mirrored') as written`,
    );
    expect(rows).toEqual([{ fired: 1, written: 1 }]);
  },
);

test("an event's numbers, names and texts reach the code unchanged", async () => {
  const connector = await runConnector(service, {
    members: `subscribers() { return { "test.faithful": ["hear"] }; } async hear(event) {
      this.log("info", JSON.stringify(event.data), { names: Object.keys(event.data) });
    }`,
    description: { events: ["test.faithful"] },
  });
  const data = '{"z":1,"__proto__":{"a":1},"constructor":"x","emoji":"\\ud83d\\ude00","nul":"\\u0000","n":-0,"e":1.50}';
  const answer = await service.api("POST", "/v1/events/fire", `{"event":"test.faithful","data":${data}}`);
  expect(answer.status).toBe(202);
  const [run] = await connector.until((one) => one.event_id === answer.body["id"]);
  expect(run.outcome).toBe("ok");
  expect(run.log[0].fields.names).toEqual(["z", "__proto__", "constructor", "emoji", "nul", "n", "e"]);
  expect(JSON.parse(run.log[0].message)).toMatchObject({
    z: 1,
    constructor: "x",
    emoji: "\u{1f600}",
    nul: "\u0000",
    e: 1.5,
  });
});

test("a changed folder runs nothing new until its update is enabled", async () => {
  const version = (word: string, number: string) => ({
    members: `subscribers() { return { "test.version": ["hear"] }; } async hear() { this.log("info", "${word}"); }`,
    description: { events: ["test.version"], version: number },
  });
  const connector = await runConnector(service, version("one", "1.0.0"));
  const said = async (): Promise<string> => {
    const fired = await service.fire("test.version");
    const [run] = await connector.until((one) => one.event_id === fired["id"]);
    return `${run.version} ${run.log[0].message}`;
  };
  expect(await said()).toBe("1.0.0 one");
  const again = await runConnector(service, version("two", "1.1.0"), connector.key);
  expect(again.enabled.body).toMatchObject({ state: "update_available", version: "1.0.0" });
  expect(await said()).toBe("1.0.0 one");
  const { update } = await connector.show();
  expect((await connector.enable({ digest: update.digest })).body).toMatchObject({
    state: "enabled",
    version: "1.1.0",
  });
  expect(await said()).toBe("1.1.0 two");
});

test("another workspace's connector and data are invisible, and sandbox and live are separate", async () => {
  const other = await otherWorkspace(service);
  const connector = await runConnector(service, {
    members: obedient("test.apart"),
    description: { events: ["test.apart"], reads: ["contacts"] },
  });
  const keeping = {
    calls: [
      ["kv.set", "mine", 1],
      ["contacts.upsert", { external_id: "live-only" }],
    ],
  };
  await service.fire("test.apart", keeping);
  await connector.until((run) => run.outcome === "ok");
  const theirs = await service.api(
    "POST",
    "/v1/events/fire",
    { event: "test.apart", data: keeping },
    { key: other.key },
  );
  expect(theirs.body["subscribers"]).toEqual([]);
  const asking = {
    calls: [
      ["kv.get", "mine"],
      ["contacts.find", { external_id: "live-only" }],
    ],
  };
  const body = { event: "test.apart", data: asking };
  const inSandbox = await service.api("POST", "/v1/events/fire", body, { key: service.sandboxKey });
  expect(inSandbox.body["subscribers"]).toHaveLength(1);
  const [run] = await connector.until((one) => one.environment === "sandbox", 1, service.sandboxKey);
  expect(answersOf(run)).toEqual([null, null]);
  expect((await connector.runs("", service.key)).every((one) => one.environment === "live")).toBe(true);
  const runs = await service.api("GET", `/v1/connectors/${connector.key}/runs`, undefined, { key: other.key });
  expect(runs.body["data"]).toEqual([]);
});

/** Kills the child processes of connectors that this process started, as `kill -9` does, and returns their number. */
function killChildren(): number {
  const below = (pid: string): string[] =>
    readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter((one) => one !== ""),
    );
  const found = below("self").filter((pid) => /connector/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8")));
  for (const pid of found) process.kill(Number(pid), "SIGKILL");
  return found.length;
}
