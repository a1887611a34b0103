import { afterEach, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Event, SubscriberRef } from "../event/event.ts";
import type { Subscriber } from "./subscriber.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

interface Entry {
  readonly who: string;
  readonly what: "start" | "end";
  readonly event: string;
}
type Reaction = (event: Event) => Promise<void>;

let log: Entry[] = [];
let services: TestService[] = [];
let current: Subscriber[] = [];
let receiver: Receiver;

beforeEach(async () => {
  log = [];
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const one of services.toReversed()) await one.close();
  services = [];
  await receiver.close();
});

/** Creates subscribers of one kind. Each key has a priority and a reaction. */
function subscriber(
  kind: Subscriber["kind"],
  keys: Record<string, { priority: number; react?: Reaction }>,
): Subscriber {
  const refs: SubscriberRef[] = Object.entries(keys).map(([key, { priority }]) => ({ kind, key, priority }));
  return {
    kind,
    match: ({ name }) => (name === "quiet" ? [] : refs),
    react: async (event, key) => {
      log.push({ who: key, what: "start", event: event.name });
      await keys[key]?.react?.(event);
      log.push({ who: key, what: "end", event: event.name });
    },
  };
}

async function started(subscribers: Subscriber[], env: Record<string, string> = {}): Promise<TestService> {
  current = subscribers;
  const service = await startService({ provides: { subscribers }, env: { JUNCTION_STAGE_WAIT: "5s", ...env } });
  services.push(service);
  return service;
}

/** Starts a second node, which claims everything that is due. */
async function takenOver(first: TestService): Promise<void> {
  services.push(await startService({ on: first, provides: { subscribers: current } }));
}

async function stagesEnded(on: TestService, id: string): Promise<Parsed[]> {
  const event = await on.until(`/v1/events/${id}`, (body) =>
    body["stages"].every((stage: { state: string }) => stage.state === "done" || stage.state === "failed"),
  );
  return event["stages"];
}

function order(event?: string): string[] {
  return log.filter((entry) => event === undefined || entry.event === event).map(({ who, what }) => `${who} ${what}`);
}

const later = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

covers("dispatch.order.deterministic", "subscribers are dispatched by priority, the same on every firing", async () => {
  const on = await started([
    subscriber("assistant", { helper: { priority: 50 } }),
    subscriber("rule", { "rule-b": { priority: 40 }, "rule-a": { priority: 40 } }),
    subscriber("mirror", { crm: { priority: 20 } }),
    subscriber("connector", { stock: { priority: 10 } }),
  ]);
  await on.endpoint(receiver.url);
  const seen = new Set<string>();
  for (let firing = 0; firing < 10; firing += 1) {
    const fired = await on.fire(`order.n${firing}`);
    seen.add(JSON.stringify(fired["subscribers"].map((one: SubscriberRef) => `${one.kind} ${one.priority}`)));
    const stages = await stagesEnded(on, fired["id"]);
    expect(stages.map((stage) => [stage["priority"], stage["kind"], stage["key"]])).toEqual([
      [10, "connector", "stock"],
      [20, "mirror", "crm"],
      [40, "rule", "rule-a"],
      [40, "rule", "rule-b"],
      [50, "assistant", "helper"],
      [60, "webhook", "deliveries"],
    ]);
    const starts = order(`order.n${firing}`).filter((entry) => entry.endsWith("start"));
    expect(starts).toEqual(["stock start", "crm start", "rule-a start", "rule-b start", "helper start"]);
  }
  expect([...seen]).toEqual(['["connector 10","mirror 20","rule 40","rule 40","assistant 50","webhook 60"]']);
});

covers("dispatch.order.mirror-first", "a later stage starts when the earlier one has ended", async () => {
  const on = await started([
    subscriber("rule", { alert: { priority: 40 } }),
    subscriber("mirror", { slow: { priority: 20, react: async () => await later(150) }, quick: { priority: 20 } }),
  ]);
  const fired = await on.fire();
  const stages = await stagesEnded(on, fired["id"]);
  expect(order().slice(-2)).toEqual(["alert start", "alert end"]);
  expect(order().indexOf("slow end")).toBeLessThan(order().indexOf("alert start"));
  const [quick, slow, alert] = stages;
  for (const stage of stages) expect(stage).toMatchObject({ state: "done", late: false, error: null });
  expect(Date.parse(alert?.["started_at"])).toBeGreaterThanOrEqual(Date.parse(slow?.["ended_at"]));
  expect(Date.parse(quick?.["ended_at"])).toBeLessThan(Date.parse(slow?.["ended_at"]));
});

covers(
  "dispatch.order.mirror-first",
  "deliveries are listed at once and held until the earlier stages have ended",
  async () => {
    const { promise: open, resolve: release } = Promise.withResolvers<void>();
    const on = await started([subscriber("mirror", { crm: { priority: 20, react: async () => await open } })]);
    const { id: endpoint } = await on.endpoint(receiver.url);
    const fired = await on.fire();
    expect(fired["deliveries"]).toEqual([
      { id: expect.stringMatching(/^dlv_/), endpoint_id: endpoint, state: "pending" },
    ]);
    await later(400);
    expect(receiver.received).toHaveLength(0);
    const listed = await on.api("GET", `/v1/deliveries/${String(fired["deliveries"][0].id)}`);
    expect(listed.body).toMatchObject({ state: "pending", attempt_count: 0 });
    release();
    const [request] = await receiver.count(1);
    expect(request?.headers["x-service-delivery"]).toBe(fired["deliveries"][0].id);
  },
);

covers("dispatch.order.deterministic", "a stage that exceeds its time is late and does not block others", async () => {
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  const on = await started(
    [
      subscriber("mirror", { stuck: { priority: 20, react: async () => await open }, fine: { priority: 20 } }),
      subscriber("rule", { alert: { priority: 40 } }),
    ],
    { JUNCTION_STAGE_WAIT: "200ms" },
  );
  await on.endpoint(receiver.url);
  const fired = await on.fire();
  await receiver.count(1);
  const path = `/v1/events/${String(fired["id"])}`;
  const [fine, stuck, alert] = (await on.api("GET", path)).body["stages"];
  expect(fine).toMatchObject({ key: "fine", state: "done", late: false });
  expect(stuck).toMatchObject({ key: "stuck", state: "running", late: true, ended_at: null });
  expect(alert).toMatchObject({ key: "alert", state: "done", late: false });
  expect(Date.parse(alert["started_at"]) - Date.parse(stuck["started_at"])).toBeGreaterThanOrEqual(195);
  release();
  expect((await stagesEnded(on, fired["id"]))[1]).toMatchObject({ key: "stuck", state: "done", late: true });
});

test("a subscriber that fails stops no other and is retried in the background", async () => {
  let calls = 0;
  const on = await started([
    subscriber("mirror", {
      broken: {
        priority: 20,
        react: async () => {
          calls += 1;
          if (calls === 1) throw new Error("the CRM said no");
          await Promise.resolve();
        },
      },
      beside: { priority: 20 },
    }),
    subscriber("rule", { alert: { priority: 40 } }),
  ]);
  await on.endpoint(receiver.url);
  const fired = await on.fire();
  await receiver.count(1);
  const path = `/v1/events/${String(fired["id"])}`;
  const first = await on.until(path, (body) => body["stages"][1].error !== null);
  expect(first["stages"].slice(0, 3)).toMatchObject([
    { key: "beside", state: "done" },
    { key: "broken", state: "waiting", error: "the CRM said no" },
    { key: "alert", state: "done" },
  ]);
  await on.database.query("update dispatch_stage set due_at = now() where state = 'waiting'");
  await takenOver(on);
  const second = await on.until(path, (body) => body["stages"][1].state === "done");
  expect(second["stages"][1]).toMatchObject({ error: null, late: false });
  expect([calls, receiver.received.length]).toEqual([2, 1]);
});

test("a retry of an early stage does not release deliveries that others hold", async () => {
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  const on = await started(
    [
      subscriber("mirror", {
        flaky: {
          priority: 20,
          react: async () => {
            calls += 1;
            if (calls === 1) throw new Error("not now");
            await Promise.resolve();
          },
        },
      }),
      subscriber("rule", { slow: { priority: 40, react: async () => await open } }),
    ],
    { JUNCTION_STAGE_WAIT: "30s" },
  );
  await on.endpoint(receiver.url);
  const fired = await on.fire();
  const path = `/v1/events/${String(fired["id"])}`;
  await on.until(path, (body) => body["stages"][1].state === "running");
  await on.database.query("update dispatch_stage set due_at = now() where key = 'flaky'");
  await takenOver(on);
  await on.until(path, (body) => body["stages"][0].state === "done");
  await later(200);
  expect(receiver.received).toHaveLength(0);
  release();
  await receiver.count(1);
});

covers(
  "dispatch.subscriber.endpoints",
  "an event reaches every endpoint whose filter selects it, without needless stages",
  async () => {
    const on = await started([subscriber("mirror", { crm: { priority: 20 } })]);
    const [all, quiet] = [await on.endpoint(receiver.url), await on.endpoint(receiver.url, { events: ["quiet"] })];
    await on.endpoint(receiver.url, { events: ["order.shipped"] });
    const fired = await on.fire("quiet");
    expect(fired["deliveries"].map((one: { endpoint_id: string }) => one.endpoint_id).toSorted()).toEqual(
      [all.id, quiet.id].toSorted(),
    );
    expect(fired["subscribers"].every((one: SubscriberRef) => one.kind === "webhook" && one.priority === 60)).toBe(
      true,
    );
    await receiver.count(2);
    expect((await on.api("GET", `/v1/events/${String(fired["id"])}`)).body["stages"]).toEqual([]);
    const [row] = await on.database.query<{ n: number }>("select count(*)::int as n from dispatch_stage");
    expect(row?.n).toBe(0);
  },
);

test("another node takes over the stages of a stopped node in order", async () => {
  const { promise: stuck, resolve: end } = Promise.withResolvers<void>();
  let dead = true;
  const on = await started(
    [
      subscriber("mirror", { crm: { priority: 20, react: async () => await (dead ? stuck : undefined) } }),
      subscriber("rule", { alert: { priority: 40 } }),
    ],
    { JUNCTION_STAGE_WAIT: "60s" },
  );
  await on.endpoint(receiver.url);
  const fired = await on.fire();
  const path = `/v1/events/${String(fired["id"])}`;
  await on.until(path, (body) => body["stages"][0].state === "running");
  // The stage is recorded as running a moment before it runs.
  await expect.poll(() => order()).toEqual(["crm start"]);
  dead = false;
  log = [];
  // Puts the stages into the state that a killed node leaves: running or waiting, under a lease that is not renewed.
  await on.database.query(
    "update dispatch_stage set due_at = now() - interval '1 second', lease_id = $1 where event_id = $2",
    [uuidOf(String(fired["id"])), uuidOf(String(fired["id"]))],
  );
  await takenOver(on);
  const stages = await stagesEnded(on, fired["id"]);
  expect(stages.map((stage) => [stage["key"], stage["state"]])).toEqual([
    ["crm", "done"],
    ["alert", "done"],
    ["deliveries", "done"],
  ]);
  expect(order()).toEqual(["crm start", "crm end", "alert start", "alert end"]);
  await receiver.count(1);
  // The first node was only paused: its late result writes nothing.
  end();
  await later(100);
  expect(order()).toEqual(["crm start", "crm end", "alert start", "alert end", "crm end"]);
  expect(receiver.received).toHaveLength(1);
});

test("deliveries are sent when a node stops between the last stage and them", async () => {
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  const on = await started([subscriber("mirror", { crm: { priority: 20, react: async () => await open } })]);
  await on.endpoint(receiver.url);
  const fired = await on.fire();
  await on.until(`/v1/events/${String(fired["id"])}`, (body) => body["stages"][0].state === "running");
  // Puts the stages into the state that a killed node leaves: the mirror has ended, and the deliveries are not
  // released.
  await on.database.query(
    `update dispatch_stage set lease_id = null, due_at = now() - interval '1 second',
       state = case kind when 'mirror' then 'done' else state end where event_id = $1`,
    [uuidOf(String(fired["id"]))],
  );
  expect(receiver.received).toHaveLength(0);
  await takenOver(on);
  await receiver.count(1);
  release();
  await later(100);
  expect(receiver.received).toHaveLength(1);
});

test("another node runs the stages that a stopping node could not finish", async () => {
  const { promise: stuck, resolve: end } = Promise.withResolvers<void>();
  let calls = 0;
  const on = await started(
    [subscriber("mirror", { crm: { priority: 20, react: async () => await (++calls === 1 ? stuck : undefined) } })],
    { JUNCTION_STAGE_WAIT: "1s" },
  );
  await on.endpoint(receiver.url);
  const twin = await startService({ on, provides: { subscribers: current }, env: { JUNCTION_STAGE_WAIT: "300ms" } });
  const fired = await twin.fire();
  await on.until(`/v1/events/${String(fired["id"])}`, (body) => body["stages"][0].late === true);
  await twin.close();
  await takenOver(on);
  const [crm] = await stagesEnded(on, fired["id"]);
  expect([crm?.["state"], calls]).toEqual(["done", 2]);
  await receiver.count(1);
  end();
});

test("GET /v1/event-types/{name} lists the subscribers that would react, in order", async () => {
  const on = await started([subscriber("mirror", { crm: { priority: 20 } })]);
  const { id } = await on.endpoint(receiver.url, { events: ["order.created"] });
  const type = await on.api("GET", "/v1/event-types/order.created");
  expect(type.body["reacts"]).toEqual([
    { kind: "projection", key: "contacts", priority: 10 },
    { kind: "mirror", key: "crm", priority: 20 },
    { kind: "webhook", key: id, priority: 60 },
  ]);
  expect((await on.database.query<{ n: number }>("select count(*)::int as n from pending_delivery"))[0]?.n).toBe(0);
});

test("the questions of subscribers are answered in one query for every batch", async () => {
  const seen: Record<string, string[]> = {};
  const asking = (kind: Subscriber["kind"], name: string, text: string): Subscriber => ({
    ...subscriber(kind, {}),
    question: { name, text },
    match: (_event, found) => {
      (seen[name] ??= []).push(found.toSorted().join(" "));
      return [];
    },
  });
  const facts = "a.event || ':' || array_to_string(a.patterns, ' ') || ':' || a.is_sandbox";
  const on = await started([
    asking("mirror", "named", `select a.tag, a.event, ${facts} from asked a where a.event <> 'quiet'`),
    asking("assistant", "general", "select a.tag, null::text, count(*)::text from asked a group by a.tag"),
    asking(
      "connector",
      "both",
      "select a.tag, a.event, '1' from asked a union all select a.tag, null, '2' from asked a where a.event = 'quiet'",
    ),
    subscriber("rule", {}),
  ]);
  const events = ["a.b", "quiet", "a.b"].map((event) => ({ event, data: {} }));
  expect((await on.api("POST", "/v1/events/batch", { events })).status).toBe(202);
  expect(seen).toEqual({
    named: ["a.b:a.b a.* *:false", "", "a.b:a.b a.* *:false"],
    general: ["2", "2", "2"],
    both: ["1 2", "1 2", "1 2"],
  });
  await on.api("POST", "/v1/events/fire", { event: "key.revoked.not", data: {} }, { key: on.sandboxKey });
  expect(Object.values(seen).map((found) => found.at(-1))).toEqual([
    "key.revoked.not:key.revoked.not key.revoked.* key.* *:true",
    "1",
    "1",
  ]);
});

test("subscribers of one kind run their own stages, and absent ones keep waiting", async () => {
  const stock = { ...subscriber("connector", { stock: { priority: 10 } }), takes: (key: string) => key === "stock" };
  const mail = { ...subscriber("connector", { mail: { priority: 20 } }), takes: (key: string) => key === "mail" };
  const both = await started([mail, stock]);
  const first = await both.fire("both.there");
  expect((await stagesEnded(both, first["id"])).map(({ key, state }) => [key, state])).toEqual([
    ["stock", "done"],
    ["mail", "done"],
  ]);
  expect(order("both.there")).toEqual(["stock start", "stock end", "mail start", "mail end"]);
  // Represents a node that no longer knows the connector, or does not know it yet.
  const gone = { ...mail, takes: () => false };
  const without = await startService({ on: both, provides: { subscribers: [gone, stock] } });
  services.push(without);
  const second = await without.fire("one.there");
  const waiting = await without.until(`/v1/events/${second["id"]}`, (event) =>
    event["stages"].some((stage: Parsed) => stage.key === "mail" && stage.error !== null),
  );
  expect(waiting["stages"]).toMatchObject([
    { key: "stock", state: "done" },
    { key: "mail", state: "waiting", error: "no connector mail here" },
  ]);
  await without.close();
  services.pop();
  await both.database.query("update dispatch_stage set due_at = now() where key = 'mail' and state = 'waiting'");
  expect((await stagesEnded(both, second["id"])).map(({ state }) => state)).toEqual(["done", "done"]);
  expect(order("one.there").filter((entry) => entry === "mail end")).toHaveLength(1);
});
