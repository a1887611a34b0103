import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { after, systemClock } from "../lib/lib.ts";
import type { Clock } from "../lib/lib.ts";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

const CLIENTS = 20;
const SKEW_MS = 5_000;

let first: TestService;
/** The clock of this node is wrong. */
let second: TestService;
beforeAll(async () => {
  first = await startService();
  const clock: Clock = { ...systemClock, now: () => after(systemClock.now(), SKEW_MS) };
  second = await startService({ on: first, deps: { clock } });
});
afterAll(async () => {
  await second.close();
  await first.close();
});

// This test comes first, before the address has failed too often.
test("a request with an old timestamp is refused with the node's own time", async () => {
  const { key } = await mintKey(first);
  const headers = {
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000) - 302),
    "X-Service-Signature": "0".repeat(64),
  };
  const { status, body } = await second.api("GET", "/v1/events", undefined, { key, headers });
  expect([status, body.code]).toEqual([401, "timestamp_out_of_range"]);
  expect(Math.abs(body.server_time - (Date.now() + SKEW_MS) / 1000)).toBeLessThan(3);
});

covers("key.revoke.immediate", "a key revoked on one node is refused on another from then on", async () => {
  const { id, key } = await mintKey(first, { rate_limit_per_hour: 1_000_000 });
  const calls: { begun: number; status: number }[] = [];
  let stopped = false;
  const client = async (): Promise<void> => {
    while (!stopped) {
      const begun = performance.now();
      const { status } = await second.api("POST", "/v1/events/fire", { event: "load.event", data: {} }, { key });
      calls.push({ begun, status });
    }
  };
  const load = Array.from({ length: CLIENTS }, client);
  await expect.poll(() => calls.length).toBeGreaterThan(CLIENTS * 3);
  const revoked = await first.api("POST", `/v1/keys/${id}/revoke`);
  const answered = performance.now();
  const enough = calls.length + CLIENTS * 3;
  await expect.poll(() => calls.length).toBeGreaterThan(enough);
  stopped = true;
  await Promise.all(load);
  expect(revoked.status).toBe(200);
  expect(calls.some((call) => call.status === 202)).toBe(true);
  const late = calls.filter((call) => call.begun > answered);
  // A caller that keeps using a revoked key finally gets 429.
  expect([late.length > 0, late.filter((call) => call.status !== 401 && call.status !== 429)]).toEqual([true, []]);
});

covers(
  "limit.rate.events-fire",
  "two nodes, one with a wrong clock, accept 1 000 of 1 001 concurrent events",
  async () => {
    const { key } = await mintKey(first);
    const nodes = [first, second];
    const statuses = await Promise.all(
      Array.from({ length: 1001 }, async (_, at) => {
        const node = nodes[at % 2] ?? first;
        const body = { event: "limit.event", data: {} };
        let { status } = await node.api("POST", "/v1/events/fire", body, { key });
        // An overloaded node rejects before it counts.
        while (status === 503) {
          await sleep(50);
          ({ status } = await node.api("POST", "/v1/events/fire", body, { key }));
        }
        return status;
      }),
    );
    const counted = Object.groupBy(statuses, (status) => status);
    expect([counted[202]?.length, counted[429]?.length]).toEqual([1000, 1]);
  },
);
