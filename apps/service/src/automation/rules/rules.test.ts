import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { joined, outcome } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let names = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

/** Returns the name of an event that only one test uses. */
function freshEvent(): string {
  names += 1;
  return `rules.test-${names}`;
}

const THEN = [{ type: "fire_event", event: "rules.fired", data: {} }];
const good = (): Record<string, unknown> => ({ name: "Rule", on: [freshEvent()], then: THEN });

async function made(more: Record<string, unknown> = {}, key = service.key): Promise<Parsed> {
  const answer = await service.api("POST", "/v1/rules", { ...good(), ...more }, { key });
  if (answer.status !== 201) throw new Error(`no rule: ${answer.text}`);
  return answer.body;
}

function faults(answer: { body: Parsed }): string[] {
  return answer.body["errors"].map((one: Parsed) => `${one.pointer} ${one.code}`);
}

test("a new rule has defaults, and is shown as it was written: 201, 200", async () => {
  const on = freshEvent();
  const text = `{"name":"Big","on":["${on}","${on}"],"when":{"all":[{"field":"data.total","op":"gt","value":9007199254740993.10}]},"then":[{"type":"adjust_score","by":5}]}`;
  const answer = await service.api("POST", "/v1/rules", text);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    id: expect.stringMatching(/^rule_/),
    object: "rule",
    on: [on],
    priority: 100,
    enabled: true,
    max_runs_per_minute: 600,
    version: 1,
    author: { kind: "key", environment: "live" },
    scope_kind: "workspace",
  });
  expect(answer.text).toContain('"value":9007199254740993.10');
  const read = await service.api("GET", `/v1/rules/${answer.body["id"]}`);
  expect([read.status, read.text]).toEqual([200, answer.text.replace(/"signing_secret":"[^"]+",/, "")]);
});

test("a rule without a condition is always true", async () => {
  expect((await made())["when"]).toEqual({ all: [] });
});

test("a change saves the next version, and keeps the members that it omits: 200", async () => {
  const rule = await made();
  const when = { any: [{ field: "event", op: "exists" }] };
  const changed = await service.api("PATCH", `/v1/rules/${rule["id"]}`, { when, priority: 7, enabled: false });
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ version: 2, when, priority: 7, enabled: false, then: THEN, name: "Rule" });
});

test("a deleted rule no longer exists: 204, then 404", async () => {
  const { id } = await made();
  expect((await service.api("DELETE", `/v1/rules/${id}`)).status).toBe(204);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { priority: 1 }],
    ["DELETE", "", undefined],
    ["POST", "/test", { event: "a" }],
    ["GET", "/runs", undefined],
  ] as const)
    expect([method, outcome(await service.api(method, `/v1/rules/${id}${path}`, body))]).toEqual([
      method,
      "404 not_found",
    ]);
});

test("rules are listed newest first, page by page", async () => {
  const ids = [(await made())["id"], (await made())["id"], (await made())["id"]].toReversed();
  const first = (await service.api("GET", "/v1/rules?limit=2")).body;
  const next = (await service.api("GET", `/v1/rules?limit=1&cursor=${first["next_cursor"]}`)).body;
  expect([...first["data"], ...next["data"]].map((one: Parsed) => one.id)).toEqual(ids);
  expect(outcome(await service.api("GET", "/v1/rules?cursor=x"))).toBe("400 cursor_invalid");
});

test.each([
  [{ name: "" }, ["/name"]],
  [{ on: [] }, ["/on"]],
  [{ on: ["a..b"] }, ["/on/0"]],
  [{ when: { all: [{ field: "x", op: "eq", value: 1 }] } }, ["/when/all/0/field"]],
  [{ when: [] }, ["/when"]],
  [{ then: [] }, ["/then"]],
  [{ then: [{ type: "send_mail" }] }, ["/then/0/type"]],
  [{ then: [{ type: "fire_event", event: "${event}", data: {} }] }, ["/then/0/event"]],
  [{ then: [{ type: "fire_event", event: "a", data: [] }] }, ["/then/0/data"]],
  [{ then: [{ type: "fire_event", event: "a", data: { x: ["${$.data.*}"] } }] }, ["/then/0/data/x/0"]],
  [{ then: [{ type: "fire_event", event: "a", data: { x: "${env.HOME}" } }] }, ["/then/0/data/x"]],
  [{ then: [{ type: "fire_event", event: "a", data: { x: "${data.x" } }] }, ["/then/0/data/x"]],
  [{ then: [{ type: "fire_event", event: "a", data: {}, more: 1 }] }, ["/then/0/more"]],
  [{ then: [{ type: "adjust_score", by: 1.5 }] }, ["/then/0/by"]],
  [{ then: [{ type: "adjust_score", by: "5" }] }, ["/then/0/by"]],
  [{ then: [{ type: "add_tag", tag: "" }] }, ["/then/0/tag"]],
  [{ then: [{ type: "notify", to: [], message: "" }] }, ["/then/0/to", "/then/0/message"]],
  [{ then: [{ type: "post_webhook", url: "https://${data.host}/" }] }, ["/then/0/url"]],
  [{ then: [{ type: "post_webhook", url: "https://example.com/", headers: { Host: "x" } }] }, ["/then/0/headers/Host"]],
  [{ then: [{ type: "run_action", action: "crm.update", parameters: {} }] }, ["/then/0/action"]],
  [{ then: [{ type: "start_workflow", workflow_id: "wf_1" }] }, ["/then/0/workflow_id"]],
  [{ then: [{ type: "start_workflow", workflow_id: 1, input: [] }] }, ["/then/0/workflow_id", "/then/0/input"]],
  [{ priority: -1 }, ["/priority"]],
  [{ max_runs_per_minute: 0 }, ["/max_runs_per_minute"]],
])("a rule with %j is refused: 422", async (more, pointers) => {
  const answer = await service.api("POST", "/v1/rules", { ...good(), ...more });
  expect(outcome(answer)).toBe("422 validation_failed");
  expect(answer.body["errors"].map((one: Parsed) => one.pointer)).toEqual(pointers);
});

covers("target.check.save", "a rule's webhook to an unsafe target is refused when it is saved", async () => {
  const then = [{ type: "post_webhook", url: "https://169.254.169.254/latest" }];
  expect(outcome(await service.api("POST", "/v1/rules", { ...good(), then }))).toBe("422 url_blocked");
  const { id } = await made();
  expect(outcome(await service.api("PATCH", `/v1/rules/${id}`, { then }))).toBe("422 url_blocked");
});

covers("error.workspace.403", "another workspace's rule is refused before any read", async () => {
  const other = await otherWorkspace(service);
  expect(outcome(await service.api("GET", `/v1/rules/${other.id("rule")}`))).toBe("403 workspace_mismatch");
  const { id } = await made();
  expect(outcome(await service.api("GET", `/v1/rules/${id}`, undefined, { key: other.key }))).toBe(
    "403 workspace_mismatch",
  );
  expect((await service.api("GET", "/v1/rules", undefined, { key: other.key })).body["data"]).toEqual([]);
});

test("an author cannot save a rule with actions they may not call: 403", async () => {
  const restricted = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["events.fire"] });
  expect(outcome(await service.api("POST", "/v1/rules", good(), { key: restricted.key }))).toBe("403 action_blocked");
  const { id } = await made();
  const body = { priority: 3 };
  expect(outcome(await service.api("PATCH", `/v1/rules/${id}`, body, { key: restricted.key }))).toBe(
    "403 action_blocked",
  );
  const viewer = await joined(service, "viewer");
  expect(outcome(await viewer.call("POST", "/v1/rules", good()))).toBe("403 role_not_allowed");
});

covers("sandbox.data.apart", "a sandbox key cannot change a rule that acts on live events", async () => {
  const live = await made();
  const own = await made({}, service.sandboxKey);
  const as = { key: service.sandboxKey };
  for (const method of ["PATCH", "DELETE"])
    expect(
      outcome(
        await service.api(method, `/v1/rules/${live["id"]}`, method === "PATCH" ? { priority: 1 } : undefined, as),
      ),
    ).toBe("403 environment_mismatch");
  expect(own["author"]).toMatchObject({ environment: "sandbox" });
  expect((await service.api("GET", `/v1/rules/${live["id"]}`, undefined, as)).status).toBe(200);
  expect((await service.api("DELETE", `/v1/rules/${own["id"]}`, undefined, as)).status).toBe(204);
});

test("a test explains each leaf and does nothing: 200", async () => {
  const fired = freshEvent();
  const rule = await made({
    on: ["order.paid"],
    when: {
      any: [
        { field: "data.total", op: "gte", value: 100 },
        { field: "contact.score", op: "gt", value: 5 },
      ],
    },
    then: [{ type: "fire_event", event: fired, data: {} }],
  });
  const path = `/v1/rules/${rule["id"]}/test`;
  const tried = await service.api("POST", path, '{"event":"order.paid","data":{"total":99.990}}');
  expect(tried.status).toBe(200);
  expect(tried.text).toContain('"actual":99.990');
  expect(tried.body).toMatchObject({
    object: "rule_test",
    listens: true,
    matched: false,
    would_run: false,
    contact_id: null,
    actions: [{ type: "fire_event" }],
    leaves: [
      { path: "/any/0", field: "data.total", op: "gte", expected: 100, actual: 99.99, truth: false, found: true },
      { path: "/any/1", field: "contact.score", op: "gt", expected: 5, actual: null, truth: false, found: false },
    ],
  });
  const other = (await service.api("POST", path, { event: "order.lost", data: { total: 100 } })).body;
  expect(other).toMatchObject({ listens: false, matched: true, would_run: false });
  expect((await service.api("GET", `/v1/events?event=${fired}`)).body["data"]).toEqual([]);
  expect((await service.api("GET", `/v1/rules/${rule["id"]}/runs`)).body["data"]).toEqual([]);
});

test("a test accepts a past event by its id in the caller's environment", async () => {
  const rule = await made({ when: { all: [{ field: "data.n", op: "eq", value: 7 }] } });
  const past = await service.fire("order.created", { n: 7 });
  const path = `/v1/rules/${rule["id"]}/test`;
  expect((await service.api("POST", path, { event_id: past["id"] })).body).toMatchObject({
    event: "order.created",
    matched: true,
  });
  const absent = absentId({ tag: tagOfId(past["id"]) }, "evt");
  expect(outcome(await service.api("POST", path, { event_id: absent }))).toBe("404 not_found");
  expect(outcome(await service.api("POST", path, { event_id: past["id"] }, { key: service.sandboxKey }))).toBe(
    "403 environment_mismatch",
  );
  expect(faults(await service.api("POST", path, { event_id: past["id"], event: "a" }))).toEqual([" one_of"]);
  expect(faults(await service.api("POST", path, { event: "a..b" }))).toEqual(["/event event_name"]);
});
