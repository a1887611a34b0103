import { afterAll, beforeAll, expect, test } from "vitest";
import { confirmedActionOn, runOf } from "../../testing/actions.ts";
import { createIdMaker, instant } from "../../lib/lib.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { signIn } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { standingArgs } from "../../testing/standing-approval-calls.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { windowOf } from "./windows.ts";

/** The budget of a standing approval is counted exactly over all nodes, and begins again with each window. */

const DAY_MS = 86_400_000;
const params = { order: { type: "string" }, amount: { type: "number" } };

let behindMs = 0;
let nowMs = Date.now();
const clock = { now: () => instant(nowMs), monotonicMs: () => performance.now() };
const ids = createIdMaker(clock);
/** The second node's clock can be behind. */
const late = { now: () => instant(nowMs - behindMs), monotonicMs: () => performance.now() };

let service: TestService;
let second: TestService;
let receiver: Receiver;
let agent: TestKey;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.status(200);
  // Without a worker, only the test sweeps.
  const env = { ...UNLIMITED, JUNCTION_ROLES: "api" };
  service = await startService({ env, deps: { clock } });
  second = await startService({ on: service, env, deps: { clock: late } });
  agent = await mintKey(service, { actor_type: "ai", role: "ai" });
});
afterAll(async () => {
  await second.close();
  await service.close();
  await receiver.close();
});

async function standingOn(more: Record<string, unknown>): Promise<{ readonly id: string; readonly action: string }> {
  const action = await confirmedActionOn(service, receiver, { params });
  const expires = { expires_at: new Date(nowMs + 10 * DAY_MS).toISOString() };
  // The clock of the test can be past the end of an earlier session.
  const owner = await signIn(service);
  const made = await owner.call(
    "POST",
    "/v1/standing-approvals",
    standingArgs(action, agent.id, { ...expires, ...more }),
  );
  if (made.status !== 201) throw new Error(`no standing approval: ${made.text}`);
  return { id: made.body.id, action };
}

/** Makes calls on both nodes at once. Returns how many ran. */
async function ranOf(action: string, amounts: readonly number[]): Promise<number> {
  const answers = await Promise.all(
    amounts.map(
      async (amount, at) =>
        await runOf(at % 2 === 0 ? service : second, action, { parameters: { amount } }, { key: agent.key }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 202]))).toBe(true);
  return answers.filter(({ status }) => status === 200).length;
}

async function usedOf({ id }: { readonly id: string }): Promise<Parsed> {
  return (await service.api("GET", `/v1/standing-approvals/${id}`)).body;
}

const calls = (action: string): number =>
  receiver.received.filter(({ body }) => JSON.parse(body).action === action).length;

test("fifty calls at once on two nodes run ten times, never once more", async () => {
  const standing = await standingOn({ budget: { count: 10, per: "day" } });
  expect(
    await ranOf(
      standing.action,
      Array.from({ length: 50 }, () => 1),
    ),
  ).toBe(10);
  expect(calls(standing.action)).toBe(10);
  expect(await usedOf(standing)).toMatchObject({ uses: 10, used: { count: 10 } });
  const waiting = await service.api("GET", `/v1/proposals?state=proposed&action=${standing.action}&limit=100`);
  expect(waiting.body.data.length).toBe(40);
});

test("fifty amounts at once never exceed the sum by a cent", async () => {
  const budget = { count: 1000, per: "day", sum: { parameter: "amount", max: "1.00" } };
  const standing = await standingOn({ budget });
  expect(
    await ranOf(
      standing.action,
      Array.from({ length: 50 }, () => 0.07),
    ),
  ).toBe(14);
  expect(await usedOf(standing)).toMatchObject({ used: { sum: "0.98" } });
  expect(await ranOf(standing.action, [0.03, 0.02])).toBe(1);
  expect(await usedOf(standing)).toMatchObject({ used: { sum: "1" } });
});

test("calls with one idempotency key on two nodes count once", async () => {
  const standing = await standingOn({ budget: { count: 10, per: "day" } });
  const body = { action: standing.action, parameters: { amount: 1 } };
  const headers = { "Idempotency-Key": `once-${standing.id}` };
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      (at % 2 === 0 ? service : second).api("POST", "/v1/actions/run", body, { key: agent.key, headers }),
    ),
  );
  expect([calls(standing.action), (await usedOf(standing)).uses]).toEqual([1, 1]);
});

test("no call that begins after the end is approved, even in a race", async () => {
  const standing = await standingOn({ budget: { count: 1000, per: "day" } });
  const racing = ranOf(
    standing.action,
    Array.from({ length: 30 }, () => 1),
  );
  const ended = await service.api("POST", `/v1/standing-approvals/${standing.id}/end`);
  const { uses } = ended.body;
  expect(await racing).toBe(uses);
  expect(await ranOf(standing.action, [1, 1, 1])).toBe(0);
  expect(calls(standing.action)).toBe(uses);
});

test("the day ends at midnight in the zone, to the millisecond", async () => {
  const midnight = windowOf(instant(nowMs + 3_600_000), "day", "Europe/Berlin").end;
  nowMs = midnight - 3_600_000;
  const standing = await standingOn({ budget: { count: 2, per: "day" }, time_zone: "Europe/Berlin" });
  expect(await ranOf(standing.action, [1, 1, 1])).toBe(2);
  nowMs = midnight - 1;
  expect(await ranOf(standing.action, [1])).toBe(0);
  nowMs = midnight;
  expect(await usedOf(standing)).toMatchObject({ used: { count: 0, window_start: new Date(midnight).toISOString() } });
  expect(await ranOf(standing.action, [1, 1, 1])).toBe(2);
  expect(await usedOf(standing)).toMatchObject({ uses: 4 });
});

test("a node whose clock is behind counts in the newer window", async () => {
  const midnight = windowOf(instant(nowMs), "day", "UTC").end;
  nowMs = midnight + 1000;
  const standing = await standingOn({ budget: { count: 2, per: "day" }, time_zone: "UTC" });
  expect(await ranOf(standing.action, [1])).toBe(1);
  behindMs = 5000;
  expect(await ranOf(standing.action, [1, 1, 1, 1])).toBe(1);
  behindMs = 0;
  expect(await usedOf(standing)).toMatchObject({ uses: 2 });
});

test("it ends exactly at its end", async () => {
  const end = nowMs + 3_600_000;
  const standing = await standingOn({ expires_at: new Date(end).toISOString() });
  nowMs = end - 1;
  expect(await ranOf(standing.action, [1])).toBe(1);
  nowMs = end;
  expect(await ranOf(standing.action, [1])).toBe(0);
  expect(await usedOf(standing)).toMatchObject({ state: "ended", end_reason: "expired" });
  const swept = await Promise.all([service, second].map(async (node) => await node.service.actions.sweepStanding()));
  expect(swept.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  const row = `standing_approvals.end&actor_type=system&limit=100`;
  const ends = (await service.api("GET", `/v1/audit?action=${row}`)).body.data;
  expect(ends.filter((one: Parsed) => one.result_redacted?.id === standing.id).length).toBe(1);
});

test("two nodes never write more than a hundred active ones", async () => {
  const { action } = await standingOn({});
  const active = "/v1/standing-approvals?state=active&limit=100";
  const [newest, ...others] = (await service.api("GET", active)).body.data;
  const columns = `workspace_id, name, action, contract_version, agents, per, time_zone, max_count, expires_at,
    writer_member_id, created_by`;
  await service.database.query(
    `insert into standing_approval (bucket, tag, id, ${columns}) select bucket, tag, made.id, ${columns}
      from standing_approval s, unnest($2::uuid[]) as made (id) where s.id = $1`,
    [uuidOf(newest.id), Array.from({ length: 92 - others.length }, () => ids.uuid())],
  );
  const owners = [await signIn(service), await signIn(second)];
  const args = standingArgs(action, agent.id, { expires_at: new Date(nowMs + DAY_MS).toISOString() });
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, at) => await owners[at % 2]?.call("POST", "/v1/standing-approvals", args)),
  );
  const outcomes = answers.map((answer) => (answer?.status === 201 ? "written" : answer?.body["code"]));
  expect(outcomes.toSorted()).toEqual([...Array(9).fill("conflict"), ...Array(7).fill("written")]);
  expect((await service.api("GET", active)).body).toMatchObject({ has_more: false, data: { length: 100 } });
});
