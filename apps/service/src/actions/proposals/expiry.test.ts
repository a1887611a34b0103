import { afterAll, beforeAll, expect, test } from "vitest";
import { auditAbout, confirmedActionOn, eventsAbout, proposalOf } from "../../testing/actions.ts";
import { instant } from "../../lib/lib.ts";
import { outcome } from "../../testing/people.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../../testing/test-service.ts";

let nowMs = Date.now();
const clock = { now: () => instant(nowMs), monotonicMs: () => performance.now() };
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  // Without a worker, only the test sweeps.
  const env = { ...UNLIMITED, JUNCTION_ROLES: "api" };
  [service, receiver] = await Promise.all([startService({ env, deps: { clock } }), startReceiver()]);
  receiver.status(200);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

async function waiting(seconds: number): Promise<Parsed> {
  const action = await confirmedActionOn(service, receiver, { approval: { expires_in_seconds: seconds } });
  return await proposalOf(service, action);
}

async function approve({ id, params_hash: hash }: Parsed): Promise<ApiAnswer> {
  return await service.api("POST", `/v1/proposals/${id}/approve`, { params_hash: hash });
}

function setClock(at: string, byMs: number): void {
  nowMs = Date.parse(at) + byMs;
}

async function stateOf({ id }: Parsed): Promise<string> {
  return (await service.api("GET", `/v1/proposals/${id}`)).body.state;
}

test("a proposal can be approved up to the last millisecond before it expires", async () => {
  const proposal = await waiting(60);
  setClock(proposal.expires_at, -1);
  expect(await service.service.actions.sweep()).toBe(0);
  expect((await approve(proposal)).body.state).toBe("executed");
});

test("a proposal expires at its exact time, and a refused decision ends it", async () => {
  for (const verb of ["approve", "reject", "cancel"]) {
    const proposal = await waiting(60);
    const calls = receiver.received.length;
    setClock(proposal.expires_at, 0);
    const body = verb === "approve" ? { params_hash: proposal.params_hash } : undefined;
    expect(outcome(await service.api("POST", `/v1/proposals/${proposal.id}/${verb}`, body))).toBe(
      "409 proposal_expired",
    );
    expect([await stateOf(proposal), receiver.received.length]).toEqual(["expired", calls]);
    expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed", "action.expired"]);
    expect(await auditAbout(service, "proposal_id", proposal.id)).toEqual(["proposal proposed", "proposal expired"]);
  }
});

test("concurrent sweeps end each expired proposal exactly once", async () => {
  const proposals = await Promise.all(Array.from({ length: 5 }, async () => await waiting(1)));
  const later = await waiting(3600);
  setClock(proposals.at(-1).expires_at, 0);
  const swept = await Promise.all(Array.from({ length: 4 }, async () => await service.service.actions.sweep()));
  expect(swept.reduce((sum, n) => sum + n, 0)).toBe(5);
  for (const proposal of proposals) {
    expect(await stateOf(proposal)).toBe("expired");
    expect(await eventsAbout(service, proposal.id)).toEqual(["action.proposed", "action.expired"]);
    expect(outcome(await approve(proposal))).toBe("409 proposal_expired");
  }
  expect(await stateOf(later)).toBe("proposed");
});

test("an edit restarts the time limit of a proposal", async () => {
  const proposal = await waiting(60);
  setClock(proposal.expires_at, -1000);
  const { body } = await service.api("PATCH", `/v1/proposals/${proposal.id}`, { parameters: { order: "ord_2" } });
  expect(Date.parse(body.expires_at) - nowMs).toBe(60_000);
});
