import { expect, test } from "vitest";
import { PREDICATES } from "./checker.ts";
import type { EndDelivery } from "./history.ts";
import { createStory, OTHER_SECRET, STATE } from "./testing.ts";
import type { Story } from "./testing.ts";

/** An event that is fired, received and delivered. */
function delivered(more: Parameters<Story["endpoint"]>[0] = {}): Story {
  const story = createStory();
  story.endpoint(more);
  story.fire(1, [1000, 1100]);
  story.hit(1, [1200, 1210]);
  story.end({ deliveries: [deliveryOf(1)], usage: { events: 1, deliveries: 1 } });
  return story;
}

function deliveryOf(n: number, more: Partial<EndDelivery> = {}): EndDelivery {
  const base = { id: `dlv${n}`, event: "nemesis.a", event_id: `evt${n}`, endpoint_id: "ep" };
  return { ...base, state: "delivered", attempt_count: 1, last_status_code: 200, ...more };
}

test("a history in which all is well breaks no promise", () => {
  const story = delivered();
  story.end({
    audit: [
      {
        seq: 1,
        action: "webhook_endpoints.create",
        status: "ok",
        proposal_id: null,
        params_redacted: {},
        result_redacted: { id: "ep" },
      },
    ],
  });
  expect(PREDICATES.flatMap(({ name }) => story.broken(name))).toEqual([]);
});

test("an accepted event without a delivery to a matching endpoint is lost", () => {
  const story = delivered();
  story.call({ op: "fire", events: [{ n: 2, event: "nemesis.b", tenant: null, f: 1, lane: "1" }] }, [2000, 2100], {
    status: 202,
    body: { id: "evt2", deliveries: [] },
  });
  expect(story.broken("delivered")).toEqual(["event 2 (evt2) has no delivery to ep"]);
});

test("a delivery to an endpoint whose filter does not match is found", () => {
  const story = delivered({ state: { ...STATE, least: 8 } });
  expect(story.broken("delivered")).toEqual(["event 1 (evt1) has a delivery to ep, which did not match"]);
});

test("an endpoint that changes during a call may or may not match", () => {
  const story = delivered({ state: { ...STATE, least: 8 } });
  story.call({ op: "change", endpoint: "ep", change: { least: null } }, [900, 1050]);
  expect(story.broken("delivered")).toEqual([]);
});

test("a change without an answer may take effect at any later time", () => {
  const story = delivered({ state: { ...STATE, least: 8 } });
  story.call({ op: "change", endpoint: "ep", change: { least: null } }, [10, 20], { status: null, body: null });
  expect(story.broken("delivered")).toEqual([]);
});

test.each([
  ["pending", 1, "delivery dlv1 is pending in the end"],
  ["failed", 2, "delivery dlv1 failed after 2 attempts"],
  ["cancelled", 1, "delivery dlv1 was cancelled although nobody asked for it"],
])("a delivery that is %s after %i attempts says too little", (state, attempts, fault) => {
  const story = delivered();
  story.end({ deliveries: [deliveryOf(1, { state, attempt_count: attempts })] });
  expect(story.broken("delivered")).toEqual([fault]);
});

test("a delivery that is said to be delivered was received", () => {
  const story = createStory();
  story.endpoint();
  story.fire(1, [1000, 1100]);
  story.hit(1, [1200, 1210], { status: 503 });
  story.end({ deliveries: [deliveryOf(1)] });
  expect(story.broken("delivered")).toEqual(["delivery dlv1 is delivered, but no receiver accepted it"]);
});

test("an attempt that begins well after the deletion of its endpoint is found", () => {
  const story = delivered();
  story.call({ op: "delete", endpoint: "ep" }, [2000, 2100]);
  story.hit(1, [2500, 2510]);
  expect(story.broken("never-after")).toEqual([]);
  story.hit(1, [12_500, 12_510]);
  expect(story.broken("never-after")).toHaveLength(1);
});

test("a suspended node excuses an attempt after the deletion", () => {
  const story = delivered();
  story.call({ op: "delete", endpoint: "ep" }, [2000, 2100]);
  story.fault({ kind: "node-paused-long", startMs: 1900, endMs: 12_000 });
  story.hit(1, [12_500, 12_510]);
  expect(story.broken("never-after")).toEqual([]);
});

test("an attempt while its endpoint is inactive is found", () => {
  const story = delivered();
  story.call({ op: "toggle", endpoint: "ep" }, [2000, 2100], { body: { active: false } });
  story.hit(1, [9500, 9510]);
  story.call({ op: "toggle", endpoint: "ep" }, [20_000, 20_100], { body: { active: true } });
  story.hit(1, [25_500, 25_510]);
  expect(story.broken("never-after")).toEqual(["delivery dlv1 was sent at 9.00 s although ep was inactive"]);
});

test("a revoked key that is accepted is found", () => {
  const story = createStory();
  story.call({ op: "use-key", key: "key" }, [0, 50]);
  story.call({ op: "revoke-key", key: "key" }, [40, 60]);
  story.call({ op: "use-key", key: "key" }, [50, 80]);
  expect(story.broken("revoked")).toEqual([]);
  story.call({ op: "use-key", key: "key" }, [70, 90]);
  expect(story.broken("revoked")).toHaveLength(1);
});

test("a scheduled event that is early, or cancelled, is found", () => {
  const story = createStory();
  story.endpoint();
  story.fire(1, [1000, 1100], { deliverAtMs: 5000 });
  story.hit(1, [3000, 3010]);
  expect(story.broken("cancelled")).toEqual(["event 1 was sent at 3.00 s, before its time"]);
  story.call({ op: "cancel-scheduled", event: "evt1" }, [1200, 1300]);
  expect(story.broken("cancelled")).toHaveLength(2);
});

test("a wrong signature is found", () => {
  const story = createStory();
  story.endpoint();
  story.hit(1, [1200, 1210], { secret: OTHER_SECRET });
  expect(story.broken("signatures")).toEqual(["delivery dlv1 at 1.20 s has a wrong signature"]);
});

test("an old secret is found after its rotation, though not within the overlap", () => {
  const story = createStory();
  story.endpoint();
  const rotated = { body: { id: "ep", secret: OTHER_SECRET } };
  story.call({ op: "rotate", endpoint: "ep", overlapMs: 0 }, [2000, 2100], rotated);
  story.hit(1, [2200, 2210]);
  expect(story.broken("signatures")).toEqual([]);
  story.hit(2, [9200, 9210]);
  expect(story.broken("signatures")).toEqual([
    "delivery dlv2 at 9.20 s is signed with an old secret",
    "delivery dlv2 at 9.20 s has a webhook-signature of a secret that had ended",
  ]);
});

test("other data, another body and an unknown event are found", () => {
  const story = delivered();
  story.hit(1, [2200, 2210], { data: { f: 6 } });
  story.hit(7, [2300, 2310]);
  expect(story.broken("bodies")).toEqual([
    "delivery dlv1 was sent with two bodies",
    "delivery dlv1 has other data than event 1",
    "delivery dlv7 is of event 7, which nobody fired",
  ]);
});

test("an event that happens twice under one key is found", () => {
  const story = delivered();
  story.hit(2, [2200, 2210], { data: { n: 1 } });
  expect(story.broken("once")).toEqual(["event 1 happened 2 times"]);
});

test("a delivery sent again after its success is found, unless a fault excuses it", () => {
  const story = delivered();
  story.hit(1, [2200, 2210]);
  expect(story.broken("duplicates")).toHaveLength(1);
  story.fault({ kind: "node-killed", startMs: 1300, endMs: 1400 });
  expect(story.broken("duplicates")).toEqual([]);
});

test("two requests of a lane at once and a falling number are found", () => {
  const story = createStory();
  story.endpoint({ isOrdered: true });
  const numbered = (sequence: number): { headers: Record<string, string> } => ({
    headers: { "x-service-ordering-key": "1", "x-service-sequence": String(sequence) },
  });
  story.hit(1, [1000, 1500], numbered(2));
  story.hit(2, [1200, 1600], numbered(1));
  expect(story.broken("lanes")).toEqual([
    "lane 1 of ep at 1.20 s: two requests at once",
    "lane 1 of ep at 1.20 s: 1 after 2",
  ]);
});

test("a gap in a lane and events out of order are found", () => {
  const story = createStory();
  story.endpoint({ isOrdered: true });
  story.fire(1, [1000, 1100]);
  story.fire(2, [1200, 1300]);
  story.end({ deliveries: [placed(1, 3), placed(2, 1)] });
  expect(story.broken("lanes")).toEqual([
    'lane "1" of ep has 3 in place of 2',
    'lane "1" of ep: event 1 was answered before event 2 was fired, but comes after it',
  ]);
});

test("only events of deleted tenants leave gaps in a lane", () => {
  const story = createStory();
  story.endpoint({ isOrdered: true });
  story.fire(1, [1000, 1100], { tenant: "passing" });
  story.fire(2, [1200, 1300]);
  story.end({ deliveries: [placed(2, 2)] });
  expect(story.broken("lanes")).toEqual(['lane "1" of ep has 2 in place of 1']);
  story.call({ op: "delete-tenant", tenant: "passing" }, [1400, 1500], { status: 202 });
  expect(story.broken("lanes")).toEqual([]);
  story.end({ deliveries: [placed(2, 3)] });
  expect(story.broken("lanes")).toEqual(['lane "1" of ep has 3 in place of 1']);
});

/** The delivery of event `n` in its place of the lane of all events. */
function placed(n: number, sequence: number): EndDelivery {
  return deliveryOf(n, { ordering_key: '"1"', sequence });
}

test("a gap in offsets, and an offset after its commit, are found", () => {
  const story = createStory();
  story.endpoint({ kind: "pull" });
  const message = (offset: number) => ({ offset, delivery_id: `dlv${offset}`, body: `{"id":"evt${offset}"}` });
  const pull = { op: "pull", endpoint: "ep", consumer: "c" } as const;
  const commit = { op: "commit", endpoint: "ep", consumer: "c", offset: 1 } as const;
  story.call(pull, [1000, 1100], { body: { messages: [message(1)] } });
  story.call(commit, [1200, 1300], { status: 204 });
  story.call(pull, [1400, 1500], { body: { messages: [message(1)] } });
  story.end({ pulled: { ep: [message(1), message(3)] } });
  expect(story.broken("pulls")).toEqual(["ep has offset 3 in place of 2", "ep gave offset 1 again after its commit"]);
});

test("an action that runs twice, without an approval or after a rejection, is found", () => {
  const story = createStory();
  const body = JSON.stringify({ run_id: "run", proposal_id: "prop", parameters: { n: 1 } });
  story.backend(body, 1000);
  expect(story.broken("approvals")).toEqual(["prop ran at 1.00 s without an approval"]);
  story.call({ op: "approve", proposal: "prop" }, [900, 1100]);
  story.backend(body, 2000);
  expect(story.broken("approvals")).toEqual(["the backend of prop was called 2 times"]);
  story.call({ op: "reject", proposal: "prop" }, [900, 1100]);
  expect(story.broken("approvals")).toContain("prop ran although it was rejected");
});

test("an approved proposal that does not end is found", () => {
  const story = createStory();
  story.call({ op: "approve", proposal: "prop" }, [900, 1100]);
  story.end({ proposals: [{ id: "prop", state: "approved", run_id: null, parameters: { n: 1 } }] });
  expect(story.broken("approvals")).toHaveLength(2);
});

test("a missing audit entry and a broken chain are found", () => {
  const story = createStory();
  story.call({ op: "toggle", endpoint: "ep" }, [0, 10]);
  story.end({ auditIsWhole: false });
  expect(story.broken("audit")).toEqual([
    "the audit chain does not verify",
    "the audit has 0 entries of webhook_endpoints.toggle ep, which was done 1 to 1 times",
  ]);
});

test("events that the usage does not count are found, unless a process was killed", () => {
  const story = delivered();
  story.end({ usage: { events: 0, deliveries: 0 } });
  expect(story.broken("usage")).toHaveLength(1);
  story.fault({ kind: "node-killed", startMs: 1500, endMs: 1600 });
  expect(story.broken("usage")).toEqual([]);
});

test("a request and a list with what belongs to another tenant are found", () => {
  const story = delivered({ state: { ...STATE, tenant: "north" } });
  const listed = { body: { data: [{ id: "evt1", tenant: "south" }] } };
  story.call({ op: "list", what: "events", tenant: "north" }, [0, 10], listed);
  expect(story.broken("tenants")).toEqual([
    "dlv1 of null was sent to north",
    "evt1 of south was listed with a key of north",
  ]);
});

test("a node that ended and work that never ends are found", () => {
  const story = createStory();
  story.end({ stuck: ["replay 1"], ended: ["node 0 ended"] });
  expect(story.broken("alive")).toEqual(["node 0 ended", "still pending after the quiet end: replay 1"]);
});

test("an internal error and a 503 that says too little are found", () => {
  const story = createStory();
  const operation = { op: "toggle", endpoint: "ep" } as const;
  const problem = { code: "internal_error", title: "Wrong." };
  story.call(operation, [0, 10], { status: 500, body: problem });
  story.call(operation, [0, 10], { status: 503, body: { code: "service_unavailable", title: "Busy." } });
  story.call(operation, [0, 10], { status: 404, body: null });
  expect(story.broken("clear")).toHaveLength(3);
});
