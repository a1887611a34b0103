import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import {
  actionOn,
  auditAbout,
  confirmedActionOn,
  eventsAbout,
  proposalOf,
  runOf,
  toldTo,
} from "../../testing/actions.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { outcome, signIn } from "../../testing/people.ts";
import { startDoomedNode } from "../../testing/crash-node.ts";
import type { ServiceProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { standingArgs } from "../../testing/standing-approval-calls.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Another node of the same installation. It survives the node that is killed. */
let other: TestService;
let doomed: ServiceProcess;
let receiver: Receiver;

beforeAll(async () => {
  [other, receiver] = await Promise.all([startService({ env: UNLIMITED }), startReceiver()]);
});
afterAll(async () => {
  await other.close();
  await receiver.close();
});
beforeEach(async () => {
  doomed = await startDoomedNode(other);
  receiver.answer(() => undefined);
});
afterEach(async () => await doomed.kill());

/** Kills the node while the backend handles the call, and returns the request that the backend received. */
async function killedDuring(path: string, body: unknown, key: string, as = other.key): Promise<Parsed> {
  const before = receiver.received.length;
  const call = fetch(doomed.baseUrl + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${as}`, "Content-Type": "application/json", "Idempotency-Key": key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  await receiver.count(before + 1);
  await doomed.kill();
  await call;
  return toldTo(receiver.received.at(-1));
}

/** Ends the lease of a run, as after its full minute. */
async function leaseOver(runId: string): Promise<void> {
  const rows = await other.database.query("update action_run set due_at = now() where id = $1 returning 1", [
    uuidOf(runId),
  ]);
  expect(rows).toHaveLength(1);
}

const callsOf = (runId: string): number =>
  receiver.received.filter(({ body }) => JSON.parse(body).run_id === runId).length;

covers(
  ["idempotency.repeat.original", "idempotency.op.actions-run"],
  "a run killed mid-call fails as outcome unknown, for repeats too, without another call",
  async () => {
    const action = await confirmedActionOn(other, receiver);
    const key = randomUUID();
    const call = { action, parameters: { order: "ord_1" }, confirmed: true };
    const { run_id: runId, proposal_id: proposalId } = await killedDuring("/v1/actions/run", call, key);
    const repeat = async (): ReturnType<typeof runOf> =>
      await runOf(other, action, { confirmed: true }, { headers: { "Idempotency-Key": key } });
    expect(outcome(await repeat())).toBe("409 idempotency_in_progress");
    await leaseOver(runId);
    const run = await other.until(`/v1/runs/${runId}`, ({ status }) => status !== "executing");
    expect([run.status, run.error.code, run.error.outcome_unknown]).toEqual(["failed", "outcome_unknown", true]);
    const [first, again] = [await repeat(), await repeat()];
    expect([outcome(first), first.body.execution]).toEqual([
      "502 action_endpoint_failed",
      expect.objectContaining({ id: runId, status: "failed", error_code: "outcome_unknown", outcome_unknown: true }),
    ]);
    expect([first.text, first.headers.get("idempotent-replayed")]).toEqual([again.text, "true"]);
    expect(callsOf(runId)).toBe(1);
    expect((await other.api("GET", `/v1/proposals/${proposalId}`)).body.state).toBe("failed");
    expect(await auditAbout(other, "run_id", runId)).toEqual(["proposal approved", "run failed outcome_unknown"]);
    expect(await eventsAbout(other, runId)).toEqual(["action.failed"]);
  },
);

test("an idempotent contract is called again with the same run id and key", async () => {
  const action = await actionOn(other, receiver, { idempotent: true });
  const key = randomUUID();
  const { run_id: runId } = await killedDuring("/v1/actions/run", { action, parameters: { order: "ord_1" } }, key);
  receiver.answer((response) => response.writeHead(200).end('{"done":true}'));
  await leaseOver(runId);
  const run = await other.until(`/v1/runs/${runId}`, ({ status }) => status !== "executing");
  expect([run.status, callsOf(runId)]).toEqual(["executed", 2]);
  const answer = await runOf(other, action, {}, { headers: { "Idempotency-Key": key } });
  expect([answer.status, answer.body.id, answer.body.result]).toEqual([200, runId, { done: true }]);
});

test("an approved run killed mid-call keeps its approval, fails, and answers its repeat", async () => {
  const proposal = await proposalOf(other, await confirmedActionOn(other, receiver));
  const path = `/v1/proposals/${proposal.id}/approve`;
  const body = { params_hash: proposal.params_hash };
  const key = randomUUID();
  const { run_id: runId } = await killedDuring(path, body, key);
  await leaseOver(runId);
  const state = await other.until(`/v1/proposals/${proposal.id}`, (one) => one.state !== "executing");
  expect([state.state, state.approvals.length, callsOf(runId)]).toEqual(["failed", 1, 1]);
  const answer = await other.api("POST", path, body, { headers: { "Idempotency-Key": key } });
  expect([answer.status, answer.body.state, answer.body.run.error.code]).toEqual([200, "failed", "outcome_unknown"]);
  expect(outcome(await other.api("POST", path, body))).toBe("409 already_decided");
});

test("a standing approval counts a run that was killed mid-call, once", async () => {
  const action = await confirmedActionOn(other, receiver);
  const agent = await mintKey(other, { actor_type: "ai", role: "ai" });
  const owner = await signIn(other);
  const args = standingArgs(action, agent.id, { budget: { count: 1, per: "day" } });
  const standing = (await owner.call("POST", "/v1/standing-approvals", args)).body;
  const call = { action, parameters: { order: "ord_1", amount: 5 } };
  const key = randomUUID();
  const { run_id: runId, proposal_id: proposalId } = await killedDuring("/v1/actions/run", call, key, agent.key);
  await leaseOver(runId);
  await other.until(`/v1/runs/${runId}`, ({ status }) => status === "failed");
  expect((await other.api("GET", `/v1/proposals/${proposalId}`)).body).toMatchObject({
    state: "failed",
    standing_approval_id: standing["id"],
  });
  const again = { parameters: call.parameters };
  const repeat = await runOf(other, action, again, { key: agent.key, headers: { "Idempotency-Key": key } });
  expect(outcome(repeat)).toBe("502 action_endpoint_failed");
  expect((await runOf(other, action, again, { key: agent.key })).status).toBe(202);
  const { body } = await other.api("GET", `/v1/standing-approvals/${standing["id"]}`);
  expect([body["uses"], callsOf(runId)]).toEqual([1, 1]);
});

test("an undo killed mid-call ends as undo_failed and is not called again", async () => {
  const undoing = { reversible: true, undo: { endpoint: receiver.url, window_seconds: 600 } };
  receiver.status(200);
  const { body: run } = await runOf(other, await actionOn(other, receiver, undoing));
  receiver.answer(() => undefined);
  await killedDuring(`/v1/runs/${run.id}/undo`, undefined, randomUUID());
  await leaseOver(run.id);
  const ended = await other.until(`/v1/runs/${run.id}`, ({ status }) => status !== "executed");
  expect([ended.status, ended.error.code, callsOf(run.id)]).toEqual(["undo_failed", "outcome_unknown", 2]);
});

test("a node that resumes after a stop cannot end another node's run", async () => {
  const action = await actionOn(other, receiver);
  const before = receiver.received.length;
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  receiver.answer((response) => void held.then(() => response.writeHead(200).end()));
  const answer = runOf(other, action);
  await receiver.count(before + 1);
  const { run_id: runId } = toldTo(receiver.received.at(-1));
  await leaseOver(runId);
  await other.until(`/v1/runs/${runId}`, ({ status }) => status !== "executing");
  letGo();
  const { status, body } = await answer;
  expect([status, body.execution.error_code]).toEqual([502, "outcome_unknown"]);
  expect(await auditAbout(other, "run_id", runId)).toEqual(["run failed outcome_unknown"]);
});
