import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionOn, confirmedActionOn, proposalOf, runOf } from "../../testing/actions.ts";
import { MAPPING } from "../../testing/inbound.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { joined, outcome, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { freshEvent, ruleOn, runsOf } from "../../testing/rules.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

/**
 * The findings of a security review, by their numbers: one person who counts as two, and events that only the service
 * may fire.
 */
const APPROVE = [
  { type: "run_action", action: "proposals.approve", parameters: { proposal_id: "${$.data.proposal_id}" } },
];

let service: TestService;
let receiver: Receiver;
let owner: TestPerson;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
  receiver.answer((response) => response.writeHead(200).end('{"done":1}'));
  owner = await signIn(service);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function approve(person: TestPerson, proposal: Parsed): Promise<ApiAnswer> {
  return await person.call("POST", `/v1/proposals/${proposal.id}/approve`, { params_hash: proposal.params_hash });
}

async function keyOf(person: TestPerson, spec: Record<string, unknown> = {}): Promise<Parsed> {
  const made = await person.call("POST", "/v1/keys", { name: "k", permission_mode: "all", ...spec });
  expect(made.status).toBe(201);
  return made.body;
}

/** Returns a proposal that the person requested in the console. */
async function askedBy(person: TestPerson, action: string): Promise<Parsed> {
  const asked = await person.call("POST", "/v1/actions/run", { action, parameters: {} });
  expect(asked.status).toBe(202);
  return asked.body["proposal"];
}

async function ruleAsks(rule: string, wanted = 1): Promise<Parsed[]> {
  return (await runsOf(service, rule, wanted)).map((run) => run.actions[0]);
}

describe("3: system events come only from the service [contract, section 5]", () => {
  test("callers, rules, workflows and sources cannot use the names of system events", async () => {
    const data = { proposal_id: "x" };
    const { events } = {
      events: [
        { event: "order.created", data: {} },
        { event: "action.proposed", data },
      ],
    };
    const named = { event: "webhook.endpoint.disabled", data };
    const trigger = { event: "order.created" };
    const calls: readonly (readonly [string, unknown, string])[] = [
      ["/v1/events/fire", { event: "action.proposed", data }, "/event"],
      ["/v1/events/batch", { events }, "/events/1/event"],
      ["/v1/rules", { name: "R", on: ["a.b"], then: [{ type: "fire_event", ...named }] }, "/then/0/event"],
      ["/v1/workflows", { name: "W", trigger, steps: [{ id: "a", type: "fire_event", ...named }] }, "/steps/0/event"],
      ["/v1/inbound-endpoints", { name: "S", ...MAPPING, event_name: "key.expiring" }, "/event_name"],
    ];
    for (const [path, body, pointer] of calls) {
      const refused = await service.api("POST", path, body);
      expect([path, outcome(refused)]).toEqual([path, "422 validation_failed"]);
      expect(refused.body["errors"]).toContainEqual(expect.objectContaining({ pointer, code: "event_reserved" }));
    }
  });

  test("system events cannot be fired again, or by rules saved before the check", async () => {
    await proposalOf(service, await confirmedActionOn(service, receiver));
    const { body } = await service.api("GET", "/v1/events?event=action.proposed");
    const refired = await service.api("POST", `/v1/events/${String(body["data"][0].id)}/refire`);
    expect(outcome(refired)).toBe("409 conflict");
    const on = freshEvent();
    const rule = await ruleOn(service, { on: [on], then: [{ type: "fire_event", event: "a.b", data: {} }] });
    await service.database.query(
      "update rule set actions = replace(actions, 'a.b', 'action.proposed'), version = version + 1",
    );
    await service.fire(on, {});
    expect(await ruleAsks(rule)).toMatchObject([{ status: "failed", reason_code: "event_reserved" }]);
  });

  test("a rule approves only the proposal of the system event that started it", async () => {
    const name = `Approve ${freshEvent()}`;
    const on = freshEvent();
    const approval = { approver_roles: ["owner"], allow_rule: [name] };
    const action = await confirmedActionOn(service, receiver, { approval });
    const rule = await ruleOn(service, { name, on: [on], then: APPROVE });
    const { key } = await mintKey(service, { role: "developer" });
    const proposal = await proposalOf(service, action, {}, { key });
    await service.fire(on, { proposal_id: proposal.id, surface: "console", risk: "low" });
    expect(await ruleAsks(rule)).toMatchObject([{ status: "failed", reason_code: "human_approval_required" }]);
    expect((await service.api("GET", `/v1/proposals/${String(proposal.id)}`)).body["state"]).toBe("proposed");
  });
});

describe("7: an approval by a person's rule counts as that person's approval", () => {
  test("an approval by hand and one by the person's own rule count once", async () => {
    const admin = await joined(service, "admin");
    const author = (await keyOf(admin, { actor_type: "user" })).key;
    const name = `Night shift ${freshEvent()}`;
    const rule = await ruleOn(service, { name, on: ["action.proposed"], then: APPROVE }, author);
    const approval = { approver_roles: ["owner", "admin"], required: 2, four_eyes: true, allow_rule: [`${rule}@1`] };
    const action = await confirmedActionOn(service, receiver, { approval });
    const proposal = await askedBy(await joined(service, "developer"), action);
    expect(await ruleAsks(rule)).toMatchObject([{ status: "done", result_status: "proposed" }]);
    expect(outcome(await approve(admin, proposal))).toBe("409 already_decided");
    const now = (await service.api("GET", `/v1/proposals/${String(proposal.id)}`)).body;
    expect([now["state"], now["approvals"].length]).toEqual(["proposed", 1]);
    expect((await approve(owner, proposal)).body["state"]).toBe("executed");
    await service.api("DELETE", `/v1/rules/${rule}`);
  });

  test("a rule allowed without a version approves only if an owner wrote it last", async () => {
    const admin = await joined(service, "admin");
    const author = (await keyOf(admin, { actor_type: "user" })).key;
    for (const [by, state] of [
      [author, "proposed"],
      [service.key, "executed"],
    ] as const) {
      for (const allow of ["id", "name"] as const) {
        const name = `Night shift ${freshEvent()}`;
        const rule = await ruleOn(service, { name, on: ["action.proposed"], then: APPROVE }, by);
        const approval = { approver_roles: ["owner", "admin"], allow_rule: [allow === "id" ? rule : name] };
        const action = await confirmedActionOn(service, receiver, { approval });
        const proposal = await askedBy(await joined(service, "developer"), action);
        await ruleAsks(rule);
        const seen = (await service.api("GET", `/v1/proposals/${String(proposal.id)}`)).body["state"];
        expect([allow, by === author, seen]).toEqual([allow, by === author, state]);
        await service.api("DELETE", `/v1/rules/${rule}`);
      }
    }
  });

  test("a rule version that an owner allowed cannot approve after the rule changes", async () => {
    const admin = await joined(service, "admin");
    const author = (await keyOf(admin, { actor_type: "user" })).key;
    const rule = await ruleOn(service, { name: "V", on: ["action.proposed"], then: APPROVE }, author);
    const approval = { approver_roles: ["owner", "admin"], allow_rule: [`${rule}@1`] };
    const action = await confirmedActionOn(service, receiver, { approval });
    const developer = await joined(service, "developer");
    await askedBy(developer, action);
    expect(await ruleAsks(rule)).toMatchObject([{ status: "done", result_status: "executed" }]);
    await service.api("PATCH", `/v1/rules/${rule}`, { priority: 7 }, { key: author });
    await askedBy(developer, action);
    const [, second] = await ruleAsks(rule, 2);
    expect(second).toMatchObject({ status: "failed", reason_code: "human_approval_required" });
    await service.api("DELETE", `/v1/rules/${rule}`);
  });
});

describe("8: a key counts as the people who created and rolled it", () => {
  test("a person cannot approve a proposal of a key that they created", async () => {
    const strict = await confirmedActionOn(service, receiver, { destructive: true });
    const admin = await joined(service, "admin");
    const other = await joined(service, "admin");
    for (const spec of [{}, { role: "ai" }, { actor_type: "user" }]) {
      const { key } = await keyOf(admin, spec);
      const proposal = await proposalOf(service, strict, {}, { key });
      expect([spec, outcome(await approve(admin, proposal))]).toEqual([spec, "403 self_approval_forbidden"]);
      expect([spec, (await approve(other, proposal)).body["state"]]).toEqual([spec, "executed"]);
    }
  });

  test("a person cannot approve for keys that descend from theirs or that they rolled", async () => {
    const strict = await confirmedActionOn(service, receiver, { destructive: true });
    const admin = await joined(service, "admin");
    const other = await joined(service, "admin");
    const first = await keyOf(admin);
    const second = await service.api("POST", "/v1/keys", { name: "k", permission_mode: "all" }, { key: first.key });
    const grandchild = await proposalOf(service, strict, {}, { key: second.body["key"] });
    expect(outcome(await approve(admin, grandchild))).toBe("403 self_approval_forbidden");
    const rolled = await other.call("POST", `/v1/keys/${String(first.id)}/roll`, { overlap_seconds: 0 });
    expect(rolled.status).toBe(201);
    const proposal = await proposalOf(service, strict, {}, { key: rolled.body["key"] });
    for (const person of [admin, other])
      expect(outcome(await approve(person, proposal))).toBe("403 self_approval_forbidden");
    expect((await approve(owner, proposal)).body["state"]).toBe("executed");
  });

  test("a person cannot approve for first keys of workspaces they founded or claimed", async () => {
    const strict = await confirmedActionOn(service, receiver, { destructive: true });
    const other = await joined(service, "admin");
    const founded = await owner.call("POST", "/v1/workspaces", { name: "Founded" });
    const [person] = await service.database.query<{ id: string }>(
      "select p.id from person p join member m on m.person_id = p.id where m.id = $1",
      [uuidOf(owner.memberId)],
    );
    const keys = await service.database.query<{ made_by: string[] }>(
      "select made_by from api_key where workspace_id = $1 and name = 'Sandbox key'",
      [uuidOf(founded.body["workspace_id"])],
    );
    expect(keys).toEqual([{ made_by: [person?.id] }]);
    const asked = await service.api(
      "POST",
      "/v1/actions/run",
      { action: strict, parameters: {} },
      { key: service.sandboxKey },
    );
    const { id, params_hash: hash } = asked.body["proposal"];
    const inSandbox = async (by: TestPerson): Promise<ApiAnswer> =>
      await by.call(
        "POST",
        `/v1/proposals/${String(id)}/approve`,
        { params_hash: hash },
        { "X-Service-Environment": "sandbox" },
      );
    expect(outcome(await inSandbox(owner))).toBe("403 self_approval_forbidden");
    expect((await inSandbox(other)).status).toBe(200);
  });

  test("a person cannot approve for a key whose signing secret they created", async () => {
    const strict = await confirmedActionOn(service, receiver, { destructive: true });
    const [admin, other] = [await joined(service, "admin"), await joined(service, "admin")];
    const { id, key } = await keyOf(admin);
    expect((await other.call("PATCH", `/v1/keys/${String(id)}`, { signing_secret: true })).status).toBe(200);
    const proposal = await proposalOf(service, strict, {}, { key });
    for (const person of [admin, other])
      expect(outcome(await approve(person, proposal))).toBe("403 self_approval_forbidden");
  });

  test("a person cannot approve for their old key after rejoining as another member", async () => {
    const strict = await confirmedActionOn(service, receiver, { destructive: true });
    const admin = await joined(service, "admin");
    const { key } = await keyOf(admin);
    const proposal = await proposalOf(service, strict, {}, { key });
    await owner.call("DELETE", `/v1/members/${admin.memberId}`);
    const invited = await owner.call("POST", "/v1/members/invitations", { email: admin.email, role: "admin" });
    const token = new URL(invited.body["invite_url"]).searchParams.get("token");
    await service.api("POST", "/v1/members/accept", { token, name: "A", password: admin.password }, { key: null });
    const again = await signIn(service, { email: admin.email, password: admin.password });
    expect(again.memberId).not.toBe(admin.memberId);
    expect(outcome(await approve(again, proposal))).toBe("403 self_approval_forbidden");
  });
});

describe("the person who fired the cause of a proposal is not its second person", () => {
  test("a person cannot approve what a colleague's rule requests for their event", async () => {
    const [admin, other] = [await joined(service, "admin"), await joined(service, "admin")];
    const strict = await confirmedActionOn(service, receiver, {
      destructive: true,
      surface: ["api", "console", "rule", "workflow"],
      params: { order: { type: "string", max: 100 } },
    });
    const [direct, first, second] = [freshEvent(), freshEvent(), freshEvent()];
    const parameters = { order: "${$.data.order}" };
    const asks = await ruleOn(service, {
      on: [direct, second],
      then: [{ type: "run_action", action: strict, parameters }],
    });
    await ruleOn(service, { on: [first], then: [{ type: "fire_event", event: second, data: { order: "ord_2" } }] });
    const fire = async (event: string, more: object = {}): Promise<string> => {
      const fired = await admin.call("POST", "/v1/events/fire", { event, data: { order: "ord_1" }, ...more });
      expect(fired.status).toBe(202);
      return fired.body["id"] as string;
    };
    const id = await fire(direct);
    await fire(first);
    expect((await admin.call("POST", `/v1/events/${id}/refire`, {})).status).toBe(202);
    await fire(direct, { deliver_at: new Date(Date.now() + 1500).toISOString() });
    const runs = await ruleAsks(asks, 4);
    const [mine, ...others] = await Promise.all(
      runs.map(async (run) => (await service.api("GET", `/v1/proposals/${String(run["proposal_id"])}`)).body),
    );
    for (const proposal of [mine ?? {}, ...others])
      expect(outcome(await approve(admin, proposal))).toBe("403 self_approval_forbidden");
    expect((await approve(other, mine ?? {})).body["state"]).toBe("executed");
    // An event of the colleague is nothing of this person's.
    await other.call("POST", "/v1/events/fire", { event: direct, data: { order: "ord_9" } });
    const [last] = (await ruleAsks(asks, 5)).filter(
      (run) => !runs.some((before) => before["proposal_id"] === run["proposal_id"]),
    );
    const theirs = (await service.api("GET", `/v1/proposals/${String(last?.["proposal_id"])}`)).body;
    expect(outcome(await approve(other, theirs))).toBe("403 self_approval_forbidden");
    expect((await approve(admin, theirs)).body["state"]).toBe("executed");
  });
});

describe("14: an undo requires what the run required", () => {
  test("approvers may undo an action that required a confirmation", async () => {
    const undo = { endpoint: receiver.url };
    const action = await confirmedActionOn(service, receiver, { undo, approval: { approver_roles: ["owner"] } });
    const proposal = await proposalOf(service, action);
    const { body } = await approve(owner, proposal);
    const path = `/v1/runs/${String(body["run_id"])}/undo`;
    const { key } = await mintKey(service, { role: "developer" });
    const [admin, developer] = [await joined(service, "admin"), await joined(service, "developer")];
    expect(outcome(await service.api("POST", path, {}, { key }))).toBe("403 human_approval_required");
    for (const person of [admin, developer])
      expect(outcome(await person.call("POST", path, {}))).toBe("403 role_not_allowed");
    expect((await owner.call("POST", path, {})).body["status"]).toBe("undone");
  });

  test("callers who may run an action may undo it if it required no confirmation", async () => {
    const action = await actionOn(service, receiver, { undo: { endpoint: receiver.url } });
    const { body } = await runOf(service, action);
    const { key } = await mintKey(service, { role: "developer" });
    const undone = await service.api("POST", `/v1/runs/${String(body["id"])}/undo`, {}, { key });
    expect(undone.body["status"]).toBe("undone");
  });
});

describe("an approval counts as long as its person could give it", () => {
  const required = { approver_roles: ["owner", "admin"], required: 2 };

  test.each(["removed", "demoted", "recovered"])(
    "an approval of someone who was %s is asked for again",
    async (how) => {
      const [leaver, other] = [await joined(service, "admin"), await joined(service, "admin")];
      const { key } = await mintKey(service, { role: "developer" });
      const proposal = await proposalOf(
        service,
        await confirmedActionOn(service, receiver, { approval: required }),
        {},
        { key },
      );
      expect((await approve(leaver, proposal)).body["approvals"]).toHaveLength(1);
      const path = `/v1/members/${leaver.memberId}`;
      if (how === "removed") await owner.call("DELETE", path);
      if (how === "demoted") await owner.call("PATCH", path, { role: "viewer" });
      if (how === "recovered")
        await leaver.call("POST", "/v1/auth/password", { current: leaver.password, new: "an even longer password" });
      const { body } = await approve(owner, proposal);
      expect([body["state"], body["approvals"].map((one: Parsed) => one.by.id)]).toEqual([
        "proposed",
        [owner.memberId],
      ]);
      const again = how === "recovered" ? leaver : other;
      expect((await approve(again, proposal)).body["state"]).toBe("executed");
      const rows = (await service.api("GET", `/v1/audit?proposal_id=${String(proposal.id)}&status=approved`)).body[
        "data"
      ];
      expect(rows.some((row: Parsed) => row.result_redacted?.lapsed?.includes(leaver.memberId))).toBe(true);
    },
  );
});
