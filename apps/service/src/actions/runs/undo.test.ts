import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { instant } from "../../lib/lib.ts";
import { actionOn, auditAbout, confirmedActionOn, eventsAbout, runOf, toldTo } from "../../testing/actions.ts";
import { mintKey } from "../../testing/keys.ts";
import { outcome } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let shiftMs = 0;
const clock = { now: () => instant(Date.now() + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let receiver: Receiver;
let undoer: Receiver;

beforeAll(async () => {
  [service, receiver, undoer] = await Promise.all([
    startService({ env: UNLIMITED, deps: { clock } }),
    startReceiver(),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await undoer.close();
});
beforeEach(() => {
  shiftMs = 0;
  receiver.answer((response) => response.writeHead(200).end('{"refund_id":"re_7"}'));
  undoer.status(200);
});

const reversible = (): Record<string, unknown> => ({
  reversible: true,
  undo: { endpoint: undoer.url, window_seconds: 60 },
});

async function undo(id: string, options: Parameters<TestService["api"]>[3] = {}): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/runs/${id}/undo`, undefined, options);
}

covers("action.reversible.undo", "an undo calls the undo endpoint with the run, with audit and event", async () => {
  const action = await confirmedActionOn(service, receiver, reversible());
  const { body: run } = await runOf(service, action, { confirmed: true });
  expect([run.reversible, run.undo_until]).toEqual([true, expect.any(String)]);
  const answer = await undo(run.id);
  expect([answer.status, answer.body.status, answer.body.reversible]).toEqual([200, "undone", false]);
  expect(answer.body).toMatchObject({ undone_at: expect.any(String), undone_by: { type: "user" } });
  expect(toldTo(undoer.received.at(-1))).toMatchObject({ run_id: run.id, parameters: { order: "ord_1" } });
  expect(await eventsAbout(service, run.id)).toEqual(["action.executed", "action.undone"]);
  expect(await auditAbout(service, "run_id", run.id)).toEqual(["proposal approved", "run executed", "run undone"]);
  expect((await service.api("GET", `/v1/proposals/${run.proposal_id}`)).body.state).toBe("undone");
  expect(outcome(await undo(run.id))).toBe("409 conflict");
});

test("only one of several concurrent undos succeeds, and its repeat gets the same answer", async () => {
  const action = await actionOn(service, receiver, reversible());
  const { body: run } = await runOf(service, action);
  const before = undoer.received.length;
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, at) => await undo(run.id, { headers: { "Idempotency-Key": `u${at}${run.id}` } }),
    ),
  );
  const outcomes = answers.map((answer) => outcome(answer)).toSorted();
  expect(outcomes).toEqual(["200", ...Array.from({ length: 19 }, () => "409 conflict")]);
  expect(undoer.received.length - before).toBe(1);
  const at = answers.findIndex(({ status }) => status === 200);
  const again = await undo(run.id, { headers: { "Idempotency-Key": `u${at}${run.id}` } });
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([answers[at]?.text, "true"]);
});

test("an undo requires an executed run, an undo endpoint and an open window", async () => {
  const action = await actionOn(service, receiver, reversible());
  const { body: run } = await runOf(service, action);
  shiftMs = Date.parse(run.undo_until) - Date.now();
  expect(outcome(await undo(run.id))).toBe("409 conflict");
  expect((await service.api("GET", `/v1/runs/${run.id}`)).body).toMatchObject({ reversible: false });
  const listed = (await service.api("GET", `/v1/runs?action=${action}`)).body.data;
  expect(listed).toMatchObject([{ reversible: false, undo_until: run.undo_until }]);
  shiftMs = 0;
  expect((await service.api("GET", `/v1/runs/${run.id}`)).body).toMatchObject({ reversible: true });
  const { body: final } = await runOf(service, await actionOn(service, receiver));
  expect(outcome(await undo(final.id))).toBe("409 conflict");
  receiver.status(500);
  const { body: failed } = await runOf(service, action);
  expect(outcome(await undo(failed.execution.id))).toBe("409 conflict");
});

test("an undo uses the endpoint of the version that ran, despite changes or deletion", async () => {
  const elsewhere = await startReceiver();
  const action = await actionOn(service, receiver, reversible());
  const [first, second] = [await runOf(service, action), await runOf(service, action)];
  const before = undoer.received.length;
  await service.api("PATCH", `/v1/action-contracts/${action}`, {
    undo: { endpoint: elsewhere.url, window_seconds: 60 },
  });
  expect((await undo(first.body.id)).body.status).toBe("undone");
  await service.api("DELETE", `/v1/action-contracts/${action}`);
  expect((await undo(second.body.id)).body.status).toBe("undone");
  expect([undoer.received.length - before, elsewhere.received.length]).toEqual([2, 0]);
  await elsewhere.close();
});

test("a failed undo is 502 with the run, and cannot be repeated", async () => {
  const action = await actionOn(service, receiver, reversible());
  const { body: run } = await runOf(service, action);
  undoer.status(500);
  const answer = await undo(run.id);
  expect([outcome(answer), answer.body.execution]).toEqual([
    "502 action_endpoint_failed",
    expect.objectContaining({ id: run.id, status: "undo_failed" }),
  ]);
  expect(outcome(await undo(run.id))).toBe("409 conflict");
  expect(await auditAbout(service, "run_id", run.id)).toEqual([
    "run executed",
    "run undo_failed action_endpoint_failed",
  ]);
});

test("an undo requires the right to run, and a person if confirmation was required", async () => {
  const action = await confirmedActionOn(service, receiver, { ...reversible(), roles: ["admin", "owner", "ai"] });
  const { body: run } = await runOf(service, action, { confirmed: true });
  const operator = await mintKey(service, { role: "operator" });
  const ai = await mintKey(service, { actor_type: "ai", role: "ai" });
  expect(outcome(await undo(run.id, { key: operator.key }))).toBe("403 role_not_allowed");
  expect(outcome(await undo(run.id, { key: ai.key }))).toBe("403 human_approval_required");
  expect(outcome(await undo(run.id, { key: service.sandboxKey }))).toBe("403 environment_mismatch");
  expect((await service.api("GET", `/v1/runs/${run.id}`)).body.status).toBe("executed");
});
