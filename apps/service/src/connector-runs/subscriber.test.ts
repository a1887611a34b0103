import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { runConnector, SECRET } from "../testing/connector-runs.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { startService } from "../testing/service.ts";
import type { Parsed, TestService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";

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
  "an enabled connector hears of the events that it names, calls its declared host with the secret, and is in the run log",
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

test("an event that no enabled connector hears has no stage, before and after", async () => {
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
  "mirrors write before alerts go out, whatever the order in which they were enabled, proven at a receiver",
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
