import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { instant } from "../../lib/lib.ts";
import { createPools } from "./pools.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

function startPools() {
  let nowMs = 0;
  const pools = createPools({ clock: { now: () => instant(0), monotonicMs: () => nowMs } });
  return {
    pools,
    pass(ms: number) {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    },
  };
}

function route(port: number) {
  return { origin: `http://receiver.test:${port}`, address: "127.0.0.1", port, tlsName: null, connectTimeoutMs: 5000 };
}

test("a pool is shared only by the same origin at the same address", async () => {
  const { pools } = startPools();
  const one = pools.acquire(route(1));
  expect(pools.acquire(route(1)).pool).toBe(one.pool);
  expect(pools.acquire({ ...route(1), address: "127.0.0.2" }).pool).not.toBe(one.pool);
  expect(pools.acquire({ ...route(1), origin: "http://other.test:1" }).pool).not.toBe(one.pool);
  await pools.close();
});

test("a pool is closed after 60 s without use, but not while in use", async () => {
  const { pools, pass } = startPools();
  const idle = pools.acquire(route(1));
  const busy = pools.acquire(route(2));
  pools.release(idle);
  pass(50_000);
  expect(idle.pool.closed).toBe(false);
  pass(20_000);
  expect(idle.pool.closed).toBe(true);
  expect(busy.pool.closed).toBe(false);
  pools.release(busy);
  await pools.close();
});

test("beyond a thousand pools, the one that was idle longest is closed", async () => {
  const { pools } = startPools();
  const leases = Array.from({ length: 1000 }, (_, index) => {
    const lease = pools.acquire(route(index + 1));
    if (index > 0) pools.release(lease);
    return lease;
  });
  pools.release(pools.acquire(route(2)));
  pools.release(pools.acquire(route(2000)));
  expect(leases.map(({ pool }) => pool.closed).indexOf(true)).toBe(2);
  await pools.close();
});
