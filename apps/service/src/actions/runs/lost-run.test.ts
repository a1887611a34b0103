import { afterAll, beforeAll, expect, test } from "vitest";
import { actionOn, auditAbout, eventsAbout, runOf } from "../../testing/actions.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let receiver: Receiver;
let action: string;
beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  receiver.answer((response) => response.writeHead(200).end('{"refund_id":"re_7"}'));
  action = await actionOn(service, receiver, { idempotent: true });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Returns the end of a run that is due again in this status, after its row was changed. */
async function ended(status: "queued" | "executing", change: string): Promise<Parsed> {
  const { id } = (await runOf(service, action)).body;
  const before = receiver.received.length;
  await service.database.query(
    `update action_run set status = '${status}', ended_at = null, due_at = now(), ${change} where id = $1`,
    [uuidOf(id)],
  );
  const run = await service.until(`/v1/runs/${id}`, (body) => body.status === "failed");
  expect(receiver.received.length).toBe(before);
  expect(await auditAbout(service, "run_id", id)).toEqual(["run executed", `run failed ${run.error.code}`]);
  expect(await eventsAbout(service, id)).toEqual(["action.executed", "action.failed"]);
  return run;
}

test.each([
  ["its contract", "contract_version = 99", "contract_changed"],
  ["its parameters", "parameters_sealed = null", "parameters_unreadable"],
  ["the key of its parameters", "parameters_sealed = '\\x00'", "parameters_unreadable"],
])("a queued run fails without a call when it has lost %s", async (_what, change, code) => {
  expect((await ended("queued", change)).error).toMatchObject({ code, outcome_unknown: false });
});

test.each([
  ["its contract", "contract_version = 99"],
  ["its parameters", "parameters_sealed = null"],
])("an interrupted run ends as unknown when it has lost %s", async (_what, change) => {
  expect((await ended("executing", change)).error).toMatchObject({ code: "outcome_unknown", outcome_unknown: true });
});
