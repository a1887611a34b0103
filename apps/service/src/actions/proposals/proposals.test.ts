import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { auditAbout, confirmedActionOn, eventsAbout, proposalOf } from "../../testing/actions.ts";
import { mintKey, otherWorkspace } from "../../testing/keys.ts";
import { joined, outcome, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let owner: TestPerson;
let admin: TestPerson;
let aiKey: string;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.status(200);
  owner = await signIn(service);
  admin = await joined(service, "admin");
  aiKey = (await mintKey(service, { actor_type: "ai", role: "ai" })).key;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function waiting(more: Record<string, unknown> = {}, key = service.key): Promise<Parsed> {
  return await proposalOf(service, await confirmedActionOn(service, receiver, more), {}, { key });
}

async function approveBy(who: TestPerson | string, { id, params_hash: hash }: Parsed, more = {}): Promise<ApiAnswer> {
  const path = `/v1/proposals/${id}/approve`;
  const body = { params_hash: hash, ...more };
  return typeof who === "string"
    ? await service.api("POST", path, body, { key: who })
    : await who.call("POST", path, body);
}

async function stateOf({ id }: Parsed): Promise<string> {
  return (await service.api("GET", `/v1/proposals/${id}`)).body.state;
}

/** Returns the number of calls that the backend received for an action. */
function callsOf({ action }: Parsed): number {
  return receiver.received.filter(({ body }) => JSON.parse(body).action === action).length;
}

covers(
  ["proposal.flow.order", "proposal.state.approved", "proposal.event.approved", "action.event.executed"],
  "an AI's proposal runs once after a person's approval, with rows and events",
  async () => {
    const proposal = await waiting({}, aiKey);
    const answer = await approveBy(admin, proposal, { comment: "checked" });
    expect([answer.status, answer.body.state, answer.body.run.status]).toEqual([200, "executed", "executed"]);
    expect(answer.body).toMatchObject({
      proposer: { type: "ai" },
      approvals: [{ comment: "checked", kind: "explicit", by: { type: "user", id: admin.memberId } }],
      run: { actor: { type: "ai" }, approver: { id: admin.memberId }, proposal_id: proposal.id },
    });
    expect(callsOf(proposal)).toBe(1);
    expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed", "ai.action.approved"]);
    expect(await eventsAbout(service, answer.body.run_id)).toEqual(["action.executed"]);
    expect(await auditAbout(service, "proposal_id", proposal.id)).toEqual([
      "proposal proposed",
      "proposal approved",
      "run executed",
    ]);
    expect(await stateOf(proposal)).toBe("executed");
  },
);

test("a person's proposal fires no AI event, and stays approved if the backend fails", async () => {
  const proposal = await waiting({ endpoint: "http://127.0.0.1:9/" });
  const answer = await approveBy(admin, proposal);
  expect([answer.status, answer.body.state, answer.body.run.error.code]).toEqual([
    200,
    "failed",
    "action_endpoint_failed",
  ]);
  expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed"]);
});

test("twenty concurrent approvals by two people call the backend once", async () => {
  const proposal = await waiting();
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => await approveBy(at % 2 === 0 ? admin : owner, proposal)),
  );
  const outcomes = answers.map((answer) => outcome(answer)).toSorted();
  expect(outcomes).toEqual(["200", ...Array.from({ length: 19 }, () => "409 already_decided")]);
  expect(callsOf(proposal)).toBe(1);
  expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed"]);
});

test("only one of a concurrent approval and rejection succeeds", async () => {
  for (let round = 0; round < 10; round += 1) {
    const proposal = await waiting();
    const [yes, no] = await Promise.all([
      approveBy(admin, proposal),
      owner.call("POST", `/v1/proposals/${proposal.id}/reject`, { reason: "no" }),
    ]);
    const isApproved = yes.status === 200;
    expect([yes.status, no.status].toSorted()).toEqual([200, 409]);
    expect([await stateOf(proposal), callsOf(proposal)]).toEqual(isApproved ? ["executed", 1] : ["rejected", 0]);
  }
});

test("a repeated approval returns the first answer with its key, and is refused without", async () => {
  const proposal = await waiting();
  const path = `/v1/proposals/${proposal.id}/approve`;
  const body = { params_hash: proposal.params_hash };
  const headers = { "Idempotency-Key": `approve-${proposal.id}` };
  const first = await service.api("POST", path, body, { headers });
  const again = await service.api("POST", path, body, { headers });
  expect([first.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
  expect(outcome(await service.api("POST", path, body))).toBe("409 already_decided");
  expect(callsOf(proposal)).toBe(1);
});

describe("approvers", () => {
  test("must be people, not service or AI keys of any role", async () => {
    const proposal = await waiting({ approval: { approver_roles: ["owner", "admin", "viewer"] } });
    const robot = (await mintKey(service, { actor_type: "service", role: "admin" })).key;
    for (const key of [robot, aiKey])
      expect(outcome(await approveBy(key, proposal))).toBe("403 human_approval_required");
    expect(outcome(await approveBy(service.key, proposal))).toBe("200");
  });

  test("must have an approver role when they decide, with a session or a key", async () => {
    const proposal = await waiting();
    const person = await joined(service, "admin");
    const made = await person.call("POST", "/v1/keys", {
      name: "own",
      permission_mode: "all",
      actor_type: "user",
    });
    const demoted = { role: "developer" };
    expect((await owner.call("PATCH", `/v1/members/${person.memberId}`, demoted)).status).toBe(200);
    expect(outcome(await approveBy(person, proposal))).toBe("403 role_not_allowed");
    expect(outcome(await approveBy(made.body.key, proposal))).toBe("403 role_not_allowed");
    expect(await stateOf(proposal)).toBe("proposed");
  });

  test("must not have requested or edited the proposal under second-person approval, with any credential", async () => {
    const proposal = await waiting({ destructive: true });
    expect(outcome(await approveBy(service.key, proposal))).toBe("403 self_approval_forbidden");
    expect(outcome(await approveBy(owner, proposal))).toBe("403 self_approval_forbidden");
    const edited = await admin.call("PATCH", `/v1/proposals/${proposal.id}`, { parameters: { order: "ord_2" } });
    expect(proposal["edited_by"]).toBeNull();
    expect(edited.body).toMatchObject({
      proposer: proposal["proposer"],
      edited_by: { type: "user", id: admin.memberId },
    });
    expect(outcome(await approveBy(admin, edited.body))).toBe("403 self_approval_forbidden");
    expect(outcome(await approveBy(owner, edited.body))).toBe("403 self_approval_forbidden");
    const third = await joined(service, "admin");
    expect((await approveBy(third, edited.body)).body.state).toBe("executed");
  });

  test("must be as many people as the contract requires, each counted once", async () => {
    const proposal = await waiting({ approval: { required: 3 } });
    const third = await joined(service, "admin");
    const first = await approveBy(admin, proposal);
    expect([first.status, first.body.state, first.body.approvals.length]).toEqual([200, "proposed", 1]);
    expect(outcome(await approveBy(admin, proposal))).toBe("409 already_decided");
    expect((await approveBy(owner, proposal)).body.state).toBe("proposed");
    expect(outcome(await approveBy(service.key, proposal))).toBe("409 already_decided");
    expect(callsOf(proposal)).toBe(0);
    expect((await approveBy(third, proposal)).body.state).toBe("executed");
    expect(callsOf(proposal)).toBe(1);
  });

  test("must belong to the workspace and environment, and not be blocked from the action", async () => {
    const proposal = await waiting();
    const foreign = await otherWorkspace(service);
    expect(outcome(await approveBy(foreign.key, proposal))).toBe("403 workspace_mismatch");
    expect(outcome(await approveBy(service.sandboxKey, proposal))).toBe("403 environment_mismatch");
    const made = await owner.call("POST", "/v1/keys", {
      name: "blocked",
      actor_type: "user",
      permission_mode: "restricted",
      blocked_actions: [proposal.action],
    });
    expect(outcome(await approveBy(made.body.key, proposal))).toBe("403 action_blocked");
  });

  test("may be the only member of a workspace if its settings allow it", async () => {
    const alone = await startService({ env: UNLIMITED });
    const action = await confirmedActionOn(alone, receiver, { destructive: true });
    const proposal = await proposalOf(alone, action);
    const approve = async (): Promise<ApiAnswer> =>
      await alone.api("POST", `/v1/proposals/${proposal.id}/approve`, { params_hash: proposal.params_hash });
    const refused = await approve();
    expect([outcome(refused), refused.body.detail]).toEqual([
      "403 self_approval_forbidden",
      expect.stringContaining("set `solo_approval` to true"),
    ]);
    await alone.api("PATCH", "/v1/workspaces/current", { settings: { solo_approval: true } });
    const second = await joined(alone, "admin");
    const again = await approve();
    expect([outcome(again), again.body.detail]).toEqual([
      "403 self_approval_forbidden",
      expect.not.stringContaining("solo_approval"),
    ]);
    await alone.api("DELETE", `/v1/members/${second.memberId}`);
    expect((await approve()).body.state).toBe("executed");
    await alone.close();
  });
});

describe("a proposal is voided by", () => {
  test("another hash, a changed or deleted contract, and a removed proposer", async () => {
    const wrong = await waiting();
    expect(outcome(await approveBy(admin, { ...wrong, params_hash: "0".repeat(64) }))).toBe("409 proposal_changed");
    const changed = await waiting();
    await service.api("PATCH", `/v1/action-contracts/${changed.action}`, { label: "Another" });
    expect(outcome(await approveBy(admin, changed))).toBe("409 contract_changed");
    const deleted = await waiting();
    await service.api("DELETE", `/v1/action-contracts/${deleted.action}`);
    expect(outcome(await approveBy(admin, deleted))).toBe("409 contract_changed");
    const { id, key } = await mintKey(service, { actor_type: "ai", role: "ai" });
    const orphan = await waiting({}, key);
    await service.api("POST", `/v1/keys/${id}/revoke`);
    expect(outcome(await approveBy(admin, orphan))).toBe("409 proposer_revoked");
    const leaver = await joined(service, "developer");
    const action = await confirmedActionOn(service, receiver);
    const left = (await leaver.call("POST", "/v1/actions/run", { action })).body.proposal;
    await service.api("DELETE", `/v1/members/${leaver.memberId}`);
    expect(outcome(await approveBy(admin, left))).toBe("409 proposer_revoked");
    for (const one of [wrong, changed, deleted, orphan, left])
      expect([await stateOf(one), callsOf(one)]).toEqual(["proposed", 0]);
  });

  test("an edit, which creates one new proposal even if two edits are concurrent", async () => {
    const proposal = await waiting();
    const edit = async (who: TestPerson, order: string): Promise<ApiAnswer> =>
      await who.call("PATCH", `/v1/proposals/${proposal.id}`, { parameters: { order } });
    const answers = await Promise.all([edit(owner, "ord_2"), edit(admin, "ord_3")]);
    expect(answers.map((answer) => outcome(answer)).toSorted()).toEqual(["200", "409 proposal_changed"]);
    const next = answers.find(({ status }) => status === 200)?.body;
    const old = (await service.api("GET", `/v1/proposals/${proposal.id}`)).body;
    expect([old.state, old.superseded_by, next.supersedes]).toEqual(["superseded", next.id, proposal.id]);
    expect(next.params_hash).not.toBe(proposal.params_hash);
    const late = await approveBy(admin, proposal);
    expect([outcome(late), late.body.superseded_by]).toEqual(["409 proposal_changed", next.id]);
    expect((await approveBy(admin, next)).body.state).toBe("executed");
    expect(callsOf(proposal)).toBe(1);
    const bad = await waiting();
    const refused = await owner.call("PATCH", `/v1/proposals/${bad.id}`, { parameters: { order: 1 } });
    expect([outcome(refused), await stateOf(bad)]).toEqual(["422 validation_failed", "proposed"]);
  });
});

test("approvers reject and proposers or admins cancel, and the reason is recorded", async () => {
  const robot = await mintKey(service, { actor_type: "service", role: "developer" });
  const developer = await joined(service, "developer");
  const post = async (who: TestPerson | string, { id }: Parsed, verb: string, body?: unknown): Promise<ApiAnswer> =>
    typeof who === "string"
      ? await service.api("POST", `/v1/proposals/${id}/${verb}`, body, { key: who })
      : await who.call("POST", `/v1/proposals/${id}/${verb}`, body);
  const first = await waiting({}, robot.key);
  expect(outcome(await post(robot.key, first, "reject"))).toBe("403 human_approval_required");
  expect(outcome(await post(developer, first, "reject"))).toBe("403 role_not_allowed");
  const rejected = await post(admin, first, "reject", { reason: "by hand already" });
  expect(rejected.body).toMatchObject({
    state: "rejected",
    decision: { reason: "by hand already", by: { id: admin.memberId } },
  });
  expect(await eventsAbout(service, first.id)).toEqual(["action.proposed", "action.rejected"]);
  const second = await waiting({}, robot.key);
  expect(outcome(await post(developer, second, "cancel"))).toBe("403 role_not_allowed");
  expect((await post(robot.key, second, "cancel")).body.state).toBe("cancelled");
  const third = await waiting({}, robot.key);
  expect((await post(admin, third, "cancel")).body.state).toBe("cancelled");
  for (const one of [first, second, third]) {
    expect(outcome(await approveBy(admin, one))).toBe("409 already_decided");
    expect(callsOf(one)).toBe(0);
  }
});

test("a GET of the approval page or of an approve path changes nothing", async () => {
  const proposal = await waiting();
  const before = await service.database.query("select t::text as row from action_proposal t where state = 'proposed'");
  await fetch(proposal.approve_url, { headers: { Cookie: owner.cookie } });
  for (const path of [`/v1/proposals/${proposal.id}`, `/v1/proposals/${proposal.id}/approve`, "/v1/proposals"])
    await owner.call("GET", path);
  const after = await service.database.query("select t::text as row from action_proposal t where state = 'proposed'");
  expect([after, callsOf(proposal)]).toEqual([before, 0]);
});

test("lists of proposals filter by state, action and surface, and have pages", async () => {
  const action = await confirmedActionOn(service, receiver);
  const made: string[] = [];
  for (let at = 0; at < 3; at += 1) made.push((await proposalOf(service, action)).id);
  await service.api("POST", `/v1/proposals/${made[0]}/cancel`);
  const ids = async (query: string): Promise<string[]> =>
    (await service.api("GET", `/v1/proposals?action=${action}&${query}`)).body.data.map((one: Parsed) => one.id);
  expect(await ids("state=proposed")).toEqual([made[2], made[1]]);
  expect(await ids("state=cancelled&surface=api")).toEqual([made[0]]);
  expect(await ids("surface=console")).toEqual([]);
  const { body } = await service.api("GET", `/v1/proposals?action=${action}&limit=2`);
  const rest = await service.api("GET", `/v1/proposals?action=${action}&limit=2&cursor=${body.next_cursor}`);
  expect([body.data.length, rest.body.data.map((one: Parsed) => one.id)]).toEqual([2, [made[0]]]);
});
