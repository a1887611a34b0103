import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { hexMac } from "../../testing/inbound.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { joined } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { dropStage, endedEvent, freshEvent, ruleOn, runsOf, someContact } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let taken: TestService[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ env: UNLIMITED });
});
afterEach(async () => {
  for (const one of taken) await one.close();
  taken = [];
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function eventsNamed(event: string, key = service.key): Promise<Parsed[]> {
  return (await service.api("GET", `/v1/events?event=${event}`, undefined, { key })).body["data"];
}

/** Makes another node process the event's rules again. */
async function again(eventId: string): Promise<void> {
  await dropStage(service, eventId);
  taken.push(await startService({ on: service, env: UNLIMITED }));
}

covers(
  "dispatch.subscriber.rules",
  "an event reaches every subscribed rule and no other, and runs show their leaves",
  async () => {
    const [on, out] = [freshEvent(), freshEvent()];
    const when = { all: [{ field: "data.total", op: "gt", value: 100 }] };
    const then = [
      {
        type: "fire_event",
        event: out,
        data: { total: "${$.data.total}", text: "Paid ${data.total} by ${data.who}", n: 1.5 },
      },
    ];
    const [big, any, other, off] = [
      await ruleOn(service, { on: [on], when, then }),
      await ruleOn(service, { on: ["*"] }),
      await ruleOn(service, { on: [freshEvent()] }),
      await ruleOn(service, { on: [on], enabled: false }),
    ];
    const fired = await service.api(
      "POST",
      "/v1/events/fire",
      `{"event":"${on}","data":{"total":9007199254740993.10}}`,
    );
    expect(fired.body["subscribers"]).toEqual([{ kind: "rule", key: "rules", priority: 40 }]);
    const [run] = await runsOf(service, big);
    expect(run).toMatchObject({
      object: "rule_run",
      rule_id: big,
      rule_version: 1,
      event_id: fired.body["id"],
      event: on,
      status: "ok",
      environment: "live",
      leaves: [{ path: "/all/0", truth: true, expected: 100 }],
      actions: [{ type: "fire_event", status: "done", event: out, event_id: expect.stringMatching(/^evt_/) }],
    });
    const text = (await service.api("GET", `/v1/events/${run.actions[0].event_id}`)).text;
    expect(text).toContain('"data":{"total":9007199254740993.10,"text":"Paid 9007199254740993.10 by ","n":1.5}');
    expect((await runsOf(service, any)).length).toBeGreaterThan(0);
    await service.fire(on, { total: 100 });
    expect((await runsOf(service, big, 2))[1]).toMatchObject({
      status: "unmatched",
      actions: [],
      leaves: [{ actual: 100, truth: false }],
    });
    const unmatched = (await service.api("GET", `/v1/rules/${big}/runs?status=unmatched`)).body["data"];
    expect(unmatched).toHaveLength(1);
    for (const quiet of [other, off])
      expect((await service.api("GET", `/v1/rules/${quiet}/runs`)).body["data"]).toEqual([]);
    await service.api("DELETE", `/v1/rules/${any}`);
  },
);

test("an event that no rule subscribes to has no stage", async () => {
  expect((await service.fire(freshEvent(), {}))["subscribers"]).toEqual([]);
});

test("two rules that trigger each other fire once each", async () => {
  const [ping, pong] = [freshEvent(), freshEvent()];
  const first = await ruleOn(service, { on: [ping], then: [{ type: "fire_event", event: pong, data: {} }] });
  const second = await ruleOn(service, { on: [pong], then: [{ type: "fire_event", event: ping, data: {} }] });
  await service.fire(ping, {});
  const [did, skipped] = await runsOf(service, first, 2);
  expect([did.status, skipped.status, skipped.reason_code]).toEqual(["ok", "skipped", "once_per_chain"]);
  expect((await runsOf(service, second)).map((run) => run.status)).toEqual(["ok"]);
  expect([(await eventsNamed(ping)).length, (await eventsNamed(pong)).length]).toEqual([2, 1]);
  await service.fire(ping, {});
  expect((await runsOf(service, first, 4)).filter((run) => run.status === "ok")).toHaveLength(2);
});

test("a chain of rules ends after five events", async () => {
  const events = Array.from({ length: 8 }, freshEvent);
  const ids: string[] = [];
  for (const [at, event] of events.slice(0, 7).entries())
    ids.push(await ruleOn(service, { on: [event], then: [{ type: "fire_event", event: events[at + 1], data: {} }] }));
  await service.fire(events[0], {});
  expect((await runsOf(service, ids[5] ?? ""))[0]).toMatchObject({ status: "skipped", reason_code: "chain_too_deep" });
  expect((await runsOf(service, ids[4] ?? ""))[0]).toMatchObject({ status: "ok" });
  expect(await eventsNamed(events[6] ?? "")).toEqual([]);
});

covers(
  "dispatch.order.deterministic",
  "rules run by priority, and a later one sees an earlier one's effects",
  async () => {
    const on = freshEvent();
    const { id, data } = await someContact(service);
    const late = await ruleOn(service, {
      on: [on],
      priority: 20,
      when: {
        all: [
          { field: "contact.tags", op: "contains", value: "vip" },
          { field: "contact.score", op: "eq", value: 7 },
        ],
      },
      then: [{ type: "add_tag", tag: "seen-${contact.score}" }],
    });
    const early = await ruleOn(service, {
      on: [on],
      priority: 10,
      then: [
        { type: "add_tag", tag: "vip" },
        { type: "adjust_score", by: 7 },
      ],
    });
    await service.fire(on, data);
    expect((await runsOf(service, early))[0]).toMatchObject({
      contact_id: id,
      actions: [
        { status: "done", tag: "vip" },
        { status: "done", by: 7 },
      ],
    });
    expect((await runsOf(service, late))[0]).toMatchObject({ status: "ok" });
    expect((await service.api("GET", `/v1/contacts/${id}`)).body).toMatchObject({ tags: ["vip", "seen-7"], score: 7 });
    const { data: timeline } = (await service.api("GET", `/v1/contacts/${id}/activities`)).body;
    expect(timeline).toMatchObject([{ kind: "action", event_type: "rule.adjust_score", score_delta: 7 }]);
  },
);

test("a rule finds the contact of a canonical event after the projection", async () => {
  const tag = freshEvent();
  const id = await ruleOn(service, { on: ["customer.updated"], then: [{ type: "add_tag", tag }] });
  await service.fire("customer.updated", { customer: { external_id: tag, email: `${tag}@example.com` } });
  await runsOf(service, id);
  const { data } = (await service.api("GET", `/v1/customers?external_id=${tag}`)).body;
  expect(data).toMatchObject([{ tags: [tag] }]);
  await service.api("DELETE", `/v1/rules/${id}`);
});

covers("rule.trigger.activity", "an inbound activity triggers a rule on its contact", async () => {
  const on = freshEvent();
  const mapping = { contact_email_path: "$.email", event_name: on, secret: "a long enough secret" };
  const { body: source } = await service.api("POST", "/v1/inbound-endpoints", mapping);
  const id = await ruleOn(service, { on: [on], then: [{ type: "adjust_score", by: 3 }] });
  const body = JSON.stringify({ email: `${on}@example.com` });
  const sent = await fetch(source["url"], {
    method: "POST",
    body,
    headers: { "X-Service-Inbound-Signature": hexMac("a long enough secret", body) },
  });
  const { contact_id: contactId } = await sent.json();
  expect((await runsOf(service, id))[0]).toMatchObject({ status: "ok", contact_id: contactId });
  expect((await service.api("GET", `/v1/contacts/${contactId}`)).body["score"]).toBe(3);
});

test("notify fires a system event with its recipients, its message and its reach", async () => {
  const on = freshEvent();
  const id = await ruleOn(service, {
    on: [on],
    then: [{ type: "notify", to: ["ops@example.com", "${data.who}"], message: "Hi ${data.who}" }],
  });
  await service.fire(on, { who: "Ada" });
  const [run] = await runsOf(service, id);
  const { body } = await service.api("GET", `/v1/events/${run.actions[0].event_id}`);
  expect(body).toMatchObject({
    event: "notification.created",
    data: {
      rule_id: id,
      rule_name: "Rule",
      to: ["ops@example.com", "Ada"],
      message: "Hi Ada",
      contact_id: null,
      reached: 0,
    },
  });
  expect(run).toMatchObject({
    status: "failed",
    actions: [{ status: "failed", reason_code: "nobody_reached", reached: 0, email: "off" }],
  });
});

test("a failed action stops no other, and the run is failed", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  const huge = { x: Array.from({ length: 40 }, () => "${$.data}") };
  const id = await ruleOn(service, {
    on: [on],
    then: [
      { type: "adjust_score", by: 1 },
      { type: "fire_event", event: out, data: huge },
      { type: "fire_event", event: out, data: { fine: true } },
    ],
  });
  await service.fire(on, { text: "x".repeat(50_000) });
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "failed",
    actions: [
      { status: "failed", reason_code: "no_contact" },
      { status: "failed", reason_code: "template_too_large" },
      { status: "done" },
    ],
  });
  expect(await eventsNamed(out)).toHaveLength(1);
});

test("runs beyond a rule's limit per minute are recorded and do nothing", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  const id = await ruleOn(service, {
    on: [on],
    max_runs_per_minute: 2,
    then: [{ type: "fire_event", event: out, data: {} }],
  });
  for (let at = 0; at < 4; at += 1) await endedEvent(service, (await service.fire(on, {}))["id"]);
  expect((await runsOf(service, id, 4)).map((run) => run.status)).toEqual(["ok", "ok", "limited", "limited"]);
  expect(await eventsNamed(out)).toHaveLength(2);
});

covers(
  "gate.uniform.every-request",
  "a rule acts with the permissions that its author has at that moment",
  async () => {
    const [on, out] = [freshEvent(), freshEvent()];
    const then = [{ type: "fire_event", event: out, data: {} }];
    const person = await joined(service, "developer");
    const byPerson = (await person.call("POST", "/v1/rules", { name: "Mine", on: [on], then })).body["id"];
    const key = await mintKey(service);
    const byKey = await ruleOn(service, { on: [on], then }, key.key);
    await endedEvent(service, (await service.fire(on, {}))["id"]);
    expect([...(await runsOf(service, byPerson)), ...(await runsOf(service, byKey))].map((run) => run.status)).toEqual([
      "ok",
      "ok",
    ]);
    await service.api("PATCH", `/v1/members/${person.memberId}`, { role: "viewer" });
    await service.api("PATCH", `/v1/keys/${key.id}`, { permission_mode: "restricted", blocked_actions: ["events.*"] });
    await endedEvent(service, (await service.fire(on, {}))["id"]);
    expect((await runsOf(service, byPerson, 2))[1]).toMatchObject({
      status: "refused",
      reason_code: "role_not_allowed",
      actions: [],
    });
    expect((await runsOf(service, byKey, 2))[1]).toMatchObject({ status: "refused", reason_code: "action_blocked" });
    await service.api("DELETE", `/v1/members/${person.memberId}`);
    await service.api("POST", `/v1/keys/${key.id}/revoke`);
    await endedEvent(service, (await service.fire(on, {}))["id"]);
    expect(
      [(await runsOf(service, byPerson, 3))[2], (await runsOf(service, byKey, 3))[2]].map((run) => run.reason_code),
    ).toEqual(["key_revoked", "key_revoked"]);
    expect(await eventsNamed(out)).toHaveLength(2);
  },
);

test("a rule keeps running after its author's key was rolled", async () => {
  const on = freshEvent();
  const key = await mintKey(service);
  const id = await ruleOn(service, { on: [on] }, key.key);
  await service.api("POST", `/v1/keys/${key.id}/roll`, { overlap_seconds: 0 });
  await service.fire(on, {});
  expect((await runsOf(service, id))[0]).toMatchObject({ status: "ok" });
});

covers("sandbox.data.apart", "a live rule runs in both environments, and a sandbox rule in its own", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  const then = [
    { type: "fire_event", event: out, data: {} },
    { type: "post_webhook", url: receiver.url },
  ];
  const shared = await ruleOn(service, { on: [on], then });
  const own = await ruleOn(
    service,
    { name: "Own", on: [on], then: [{ type: "post_webhook", url: `${receiver.url}?own` }] },
    service.sandboxKey,
  );
  const before = receiver.received.length;
  await service.api("POST", "/v1/events/fire", { event: on, data: {} }, { key: service.sandboxKey });
  const [run] = await runsOf(service, shared, 1, service.sandboxKey);
  expect(run).toMatchObject({ environment: "sandbox", actions: [{ status: "done" }, { status: "simulated" }] });
  expect((await runsOf(service, own, 1, service.sandboxKey))[0]).toMatchObject({ status: "ok" });
  await expect.poll(() => receiver.received.length).toBe(before + 1);
  expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({ environment: "sandbox" });
  expect((await service.api("GET", `/v1/rules/${shared}/runs`)).body["data"]).toEqual([]);
  expect([(await eventsNamed(out)).length, (await eventsNamed(out, service.sandboxKey)).length]).toEqual([0, 1]);
  await endedEvent(service, (await service.fire(on, {}))["id"]);
  expect(await runsOf(service, shared)).toHaveLength(1);
  expect((await service.api("GET", `/v1/rules/${own}/runs`)).body["data"]).toEqual([]);
});

test("rules that are run again after a crash repeat no action", async () => {
  const [on, out] = [freshEvent(), freshEvent()];
  const { id: contactId, data } = await someContact(service);
  const then = [
    { type: "adjust_score", by: 2 },
    { type: "fire_event", event: out, data: {} },
  ];
  const ids = [
    await ruleOn(service, { on: [on], then }),
    await ruleOn(service, { on: [on], then }),
    await ruleOn(service, { on: [on], when: { any: [] } }),
  ];
  const fired = await service.fire(on, data);
  await endedEvent(service, fired["id"]);
  const [lost] = ids;
  // This is the state after a node that died between the commits of two rules.
  await service.database.query("delete from rule_run where rule_id = $1", [uuidOf(lost ?? "")]);
  await again(fired["id"]);
  await runsOf(service, lost ?? "");
  await endedEvent(service, fired["id"]);
  const all = await Promise.all(ids.map(async (id) => (await runsOf(service, id)).map((run) => run.status)));
  expect(all).toEqual([["ok"], ["ok"], ["unmatched"]]);
  expect(await eventsNamed(out)).toHaveLength(3);
  expect((await service.api("GET", `/v1/contacts/${contactId}`)).body["score"]).toBe(6);
});

test("a contact's export shows its runs, and its erasure empties them", async () => {
  const on = freshEvent();
  const { id: contactId, data } = await someContact(service);
  const id = await ruleOn(service, {
    on: [on],
    when: { all: [{ field: "contact.email", op: "contains", value: "@" }] },
  });
  await service.fire(on, data);
  await runsOf(service, id);
  const exported = (await service.api("GET", `/v1/contacts/${contactId}/export`)).body;
  expect(exported["rule_runs"]).toMatchObject([{ rule_id: id, leaves: [{ field: "contact.email" }] }]);
  await service.api("DELETE", `/v1/contacts/${contactId}`);
  expect((await runsOf(service, id))[0]).toMatchObject({
    status: "ok",
    reason_code: "erased",
    leaves: [],
    actions: [],
    contact_id: null,
  });
});
