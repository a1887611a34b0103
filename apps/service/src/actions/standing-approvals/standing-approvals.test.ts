import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditAbout, confirmedActionOn, eventsAbout, runOf } from "../../testing/actions.ts";
import { exchangeAbout, listen } from "../../testing/assistant.ts";
import { mintKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { callTool } from "../../testing/mcp.ts";
import { joined, OWNER, outcome, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { standingArgs } from "../../testing/standing-approval-calls.ts";
import { AMOUNT as params, startStandingWorld } from "../../testing/standing-approvals.ts";
import type { StandingWorld } from "../../testing/standing-approvals.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

/** Standing approvals through the API (contract, section 11). */

let service: TestService;
let receiver: Receiver;
let owner: TestPerson;
let agent: TestKey;
let world: StandingWorld;

beforeAll(async () => {
  world = await startStandingWorld();
  ({ service, receiver, owner, agent } = world);
});
afterAll(async () => await world.close());

test("a matching call runs at once, and everything says what approved it", async () => {
  const action = await world.actionFor();
  const standing = await world.written(action, {
    budget: { count: 2, per: "day", sum: { parameter: "amount", max: "70.50" } },
  });
  expect(standing).toMatchObject({
    object: "standing_approval",
    state: "active",
    action,
    contract_version: 1,
    agents: [{ type: "key", id: agent.id }],
    budget: { count: 2, per: "day", sum: { parameter: "amount", max: "70.5" } },
    used: { count: 0, sum: "0" },
    uses: 0,
    created_by: { type: "user", id: owner.memberId },
    end_reason: null,
  });
  const { status, body: run } = await world.ask(action, { order: "1001", amount: 49.9 });
  expect([status, run.status, run.result]).toEqual([200, "executed", { done: true }]);
  expect(run.approver).toMatchObject({ type: "standing_approval", id: standing.id, display: "Small refunds" });
  const proposal = (await service.api("GET", `/v1/proposals/${run.proposal_id}`)).body;
  expect(proposal).toMatchObject({
    state: "executed",
    standing_approval_id: standing.id,
    run_id: run.id,
    proposer: { type: "ai" },
    approvals: [{ kind: "standing", by: { type: "standing_approval", id: standing.id } }],
  });
  expect(await eventsAbout(service, proposal.id)).toEqual(["ai.action.approved"]);
  expect(await eventsAbout(service, run.id)).toEqual(["action.executed"]);
  expect(await auditAbout(service, "proposal_id", proposal.id)).toEqual([
    "proposal proposed",
    "proposal approved",
    "run executed",
  ]);
  const audited = (await service.api("GET", `/v1/audit?proposal_id=${proposal.id}&status=approved`)).body.data;
  expect(audited).toMatchObject([
    {
      actor: { type: "standing_approval", id: standing.id },
      approver: { type: "standing_approval", id: standing.id },
      result_redacted: {
        standing_approval: { id: standing.id, written_by: { id: owner.memberId } },
        budget: { used: 1, of: 2, per: "day", sum: { parameter: "amount" } },
      },
    },
  ]);
  expect(await world.shown(standing)).toMatchObject({ used: { count: 1, sum: "49.9" }, uses: 1 });
  const list = await service.api("GET", `/v1/proposals?standing_approval_id=${standing.id}`);
  expect(list.body.data.map((one: Parsed) => one.id)).toEqual([proposal.id]);
  const [exchange] = (await service.api("GET", "/v1/ai-history?limit=1")).body.data;
  expect(exchange.results.map((one: Parsed) => one.status)).toEqual(["proposed", "approved", "executed"]);
});

test("a repeated call gets the first answer and counts once", async () => {
  const action = await world.actionFor();
  const standing = await world.written(action);
  const headers = { "Idempotency-Key": `standing-${standing.id}` };
  const body = { action, parameters: { amount: 5 } };
  const first = await service.api("POST", "/v1/actions/run", body, { key: agent.key, headers });
  const again = await service.api("POST", "/v1/actions/run", body, { key: agent.key, headers });
  expect([first.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
  expect(await world.shown(standing)).toMatchObject({ uses: 1 });
});

test.each<[string, object, string]>([
  ["50.000000001", { amount: 50.000000001 }, "pending_confirmation"],
  ["1e2", { amount: 1e2 }, "pending_confirmation"],
  ["a text", { amount: "50" }, "422 validation_failed"],
  ["a negative amount", { amount: -5 }, "pending_confirmation"],
  ["no amount", {}, "pending_confirmation"],
  ["null", { amount: null }, "422 validation_failed"],
])("%s is not approved by a limit of 50", async (_what, parameters, expected) => {
  const action = await world.actionFor();
  const standing = await world.written(action, {
    budget: { count: 10, per: "day", sum: { parameter: "amount", max: "500" } },
  });
  expect(await world.asked(action, parameters)).toBe(expected);
  expect(await world.asked(action, { amount: 50 })).toBe("executed");
  expect(await world.shown(standing)).toMatchObject({ uses: 1, used: { count: 1, sum: "50" } });
});

test("digits beyond a double do not count, and the backend gets none of them", async () => {
  const action = await world.actionFor();
  await world.written(action);
  const body = `{"action":"${action}","parameters":{"amount":50.00000000000000000001}}`;
  const answer = await fetch(`${service.baseUrl}/v1/actions/run`, {
    method: "POST",
    headers: { Authorization: `Bearer ${agent.key}`, "Content-Type": "application/json" },
    body,
  });
  expect(answer.status).toBe(200);
  expect(JSON.parse(receiver.received.at(-1)?.body ?? "").parameters).toEqual({ amount: 50 });
});

test("decimal amounts fill a sum exactly", async () => {
  const action = await world.actionFor();
  const budget = { count: 100, per: "day", sum: { parameter: "amount", max: "1.00" } };
  const standing = await world.written(action, { budget });
  for (let at = 0; at < 10; at += 1) expect(await world.asked(action, { amount: 0.1 })).toBe("executed");
  expect(await world.asked(action, { amount: 0.000001 })).toBe("pending_confirmation");
  expect(await world.asked(action, { amount: 0 })).toBe("executed");
  expect(await world.shown(standing)).toMatchObject({ uses: 11, used: { sum: "1" } });
});

test("a dry run tells what would happen and counts nothing", async () => {
  const action = await world.actionFor();
  const standing = await world.written(action);
  const dry = async (amount: number): Promise<unknown> =>
    (await runOf(service, action, { parameters: { amount }, dry_run: true }, { key: agent.key })).body["outcome"];
  expect([await dry(50), await dry(51)]).toEqual(["executed", "pending_confirmation"]);
  expect(await world.shown(standing)).toMatchObject({ uses: 0 });
});

test("a call beyond the budget tells caller and approver why it waits", async () => {
  const action = await world.actionFor();
  const standing = await world.written(action, { budget: { count: 1, per: "day" } });
  const ask = async (amount: number): Promise<ApiAnswer> => await world.ask(action, { amount });
  expect((await ask(5)).status).toBe(200);
  const { body } = await ask(5);
  expect(body).toMatchObject({
    status: "pending_confirmation",
    over_budget: { standing_approval_id: standing.id, name: "Small refunds" },
  });
  expect(body["over_budget"].detail).toContain("standing approval Small refunds has no room for this call until");
  expect(body["proposal"].preview.summary).toContain(body["over_budget"].detail);
  const byTool = await callTool(service, action, { amount: 5 }, { key: agent.key });
  expect(byTool["content"][0].text).toContain("has no room for this call");
  // A call that the terms do not cover says nothing of a budget.
  const other = await ask(51);
  expect([other.status, other.body["over_budget"]]).toEqual([202, undefined]);
});

test("metrics count approved calls and those beyond the budget, not other calls", async () => {
  const counted = async (): Promise<number[]> => {
    const { text } = await service.api("GET", "/metrics", undefined, { key: null });
    return ["approved", "over_budget"].map((kind) =>
      Number(text.split(`junction_standing_approval_calls_total{outcome="${kind}"} `)[1]?.split("\n")[0] ?? 0),
    );
  };
  const action = await world.actionFor();
  await world.written(action, { budget: { count: 1, per: "day" } });
  const [approved = 0, over = 0] = await counted();
  expect(await world.asked(action, { amount: 51 })).toBe("pending_confirmation");
  expect(await world.asked(action, { amount: 5 })).toBe("executed");
  expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
  await expect.poll(counted).toEqual([approved + 1, over + 1]);
});

test("a failing backend is reported to the caller, and the use stays counted", async () => {
  const action = await world.actionFor({ endpoint: "http://127.0.0.1:9/" });
  const standing = await world.written(action);
  expect(await world.asked(action, { amount: 5 })).toBe("502 action_endpoint_failed");
  expect(await world.shown(standing)).toMatchObject({ uses: 1 });
});

test("an async contract answers at once and runs", async () => {
  const action = await world.actionFor({ delivery: "async" });
  await world.written(action);
  const { status, body } = await world.ask(action, { amount: 5 });
  expect([status, body.status]).toEqual([202, "executing"]);
  await service.until(`/v1/runs/${body.id}`, (run) => run.status === "executed");
});

test("an MCP client runs a covered tool at once", async () => {
  const action = await world.actionFor();
  await world.written(action);
  const result = await callTool(service, action.replaceAll(".", "_"), { amount: 5 }, { key: agent.key });
  expect(result.structuredContent).toMatchObject({ status: "executed" });
});

describe("an action", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["that is destructive", { destructive: true }, "destructive"],
    ["that needs two people", { approval: { required: 2 } }, "approvals"],
    ["that owners do not approve", { approval: { approver_roles: ["admin"] } }, "approver_roles"],
    ["that needs no approval", { requires_confirmation: false }, "unused"],
  ])("%s gets no standing approval", async (_what, more, code) => {
    const { status, body } = await world.write(await world.actionFor(more));
    expect([status, body["errors"]]).toMatchObject([422, [{ pointer: "/action", code }]]);
  });

  test("that does not exist, or has another version, gets none", async () => {
    expect(outcome(await world.write("no.such_action"))).toBe("404 action_unknown");
    expect(outcome(await world.write(await world.actionFor(), { contract_version: 2 }))).toBe("409 contract_changed");
  });

  test("with a new version waits for people, and the standing approval ends", async () => {
    const action = await world.actionFor();
    const standing = await world.written(action);
    await service.api("PATCH", `/v1/action-contracts/${action}`, { label: "Changed" });
    expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
    await service.service.actions.sweepStanding();
    expect(await world.shown(standing)).toMatchObject({
      state: "ended",
      end_reason: "contract_changed",
      ended_by: null,
    });
    const [row] = (await service.api("GET", "/v1/audit?action=standing_approvals.end&actor_type=system&limit=1")).body
      .data;
    expect(row.result_redacted).toMatchObject({ id: standing.id, end_reason: "contract_changed" });
  });

  test("that was deleted and registered again has another version", async () => {
    const action = await world.actionFor();
    await world.written(action);
    await service.api("DELETE", `/v1/action-contracts/${action}`);
    const again = await world.actionFor({ key: action });
    expect(await world.asked(again, { amount: 5 })).toBe("pending_confirmation");
  });

  test("with second-person approval needs a writer who did not make the agent", async () => {
    const action = await world.actionFor({ approval: { four_eyes: true } });
    await world.written(action);
    expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
    const admin = await joined(service, "admin");
    const made = await admin.call("POST", "/v1/keys", {
      name: "theirs",
      actor_type: "ai",
      role: "ai",
      permission_mode: "all",
    });
    await world.written(action, { agents: [{ type: "key", id: made.body.id }] });
    expect(await world.asked(action, { amount: 5 }, made.body.key)).toBe("executed");
  });
});

test("owners and admins end one for the next call, with any credential", async () => {
  const action = await world.actionFor();
  const standing = await world.written(action);
  const developer = await mintKey(service, { role: "developer" });
  const path = `/v1/standing-approvals/${standing.id}/end`;
  expect(outcome(await service.api("POST", path, undefined, { key: developer.key }))).toBe("403 role_not_allowed");
  const admin = await mintKey(service, { role: "admin" });
  const ended = await service.api("POST", path, undefined, { key: admin.key });
  expect(ended.body).toMatchObject({ state: "ended", end_reason: "ended", ended_by: { type: "service" } });
  const again = await service.api("POST", path);
  expect(again.body).toMatchObject({ ended_at: ended.body["ended_at"], ended_by: { type: "service" } });
  expect(await world.asked(action, { amount: 5 })).toBe("pending_confirmation");
});

test("a proposal that was edited waits for people", async () => {
  const action = await world.actionFor();
  await world.written(action);
  const { body } = await world.ask(action, { amount: 60 });
  const edited = await owner.call("PATCH", `/v1/proposals/${body["proposal"].id}`, { parameters: { amount: 5 } });
  expect(edited.body).toMatchObject({ state: "proposed", standing_approval_id: null });
});

test("invalid values are refused together, with what to do", async () => {
  const action = await world.actionFor();
  const { status, body } = await world.write(action, {
    when: { all: [{ field: "parameters.total", op: "lte", value: 50 }] },
    budget: { count: 1, per: "day", sum: { parameter: "order", max: "5" } },
    time_zone: "Mars/Olympus",
    expires_at: new Date(Date.now() + 91 * 86_400_000).toISOString(),
  });
  expect([status, body["errors"].map((one: Parsed) => one.pointer).toSorted()]).toEqual([
    422,
    ["/budget/sum/parameter", "/expires_at", "/time_zone", "/when/all/0/field"],
  ]);
});

test("the assistant only proposes, also on a key's standing approval", async () => {
  const alone = await startService({ env: UNLIMITED });
  const action = await confirmedActionOn(alone, receiver, { params, surface: ["api", "assistant"] });
  const person = await signIn(alone, OWNER);
  const { id } = await mintKey(alone, { actor_type: "ai", role: "ai" });
  const agents = [
    { type: "key", id },
    { type: "member", id: person.memberId },
  ];
  const made = await person.call("POST", "/v1/standing-approvals", standingArgs(action, id, { agents }));
  expect(made.status).toBe(201);
  const calls = [{ action, arguments: { amount: 5 } }];
  await listen(alone, "scripted", { events: ["order.refunded"], script: [{ say: "Refund.", calls }] });
  const fired = await alone.fire("order.refunded", { order: { id: "1" } });
  const exchange = await exchangeAbout(alone, fired.id, 1);
  expect(exchange.results.map((one: Parsed) => [one.status, one.run_id])).toEqual([["proposed", null]]);
  await alone.close();
});

test("each route answers as the document describes", async () => {
  const standing = await world.written(await world.actionFor());
  const path = `/v1/standing-approvals/${standing.id}`;
  await provesSuccesses(service, ["/v1/standing-approvals"], {
    "POST /v1/standing-approvals 201": async () => await world.write(await world.actionFor()),
    "GET /v1/standing-approvals 200": async () => await service.api("GET", "/v1/standing-approvals?state=active"),
    "GET /v1/standing-approvals/{id} 200": async () => await service.api("GET", path),
    "POST /v1/standing-approvals/{id}/end 200": async () => await service.api("POST", `${path}/end`),
  });
  const ended = (await service.api("GET", "/v1/standing-approvals?state=ended&limit=100")).body.data;
  expect(ended.map((one: Parsed) => one.id)).toContain(standing.id);
});
