import { expect, test } from "vitest";
import { createIdMaker, instant, newTag, systemClock } from "../../lib/lib.ts";
import { createCounters, HOUR_MS, MOST_TENANTS, OTHER_NAMES, OTHER_TENANTS } from "./counters.ts";
import type { Count } from "./counters.ts";
import { quantile, slotOf } from "./histogram.ts";

const tag = newTag();
const scope = { tag };
const endpointId = createIdMaker(systemClock).uuid();
const origin = { id: endpointId, traceparent: null };
const attempt = {
  tag,
  endpointId,
  tenant: null,
  deliveryId: endpointId,
  event: { ...origin, name: "a.b" },
  number: 1,
  startedMs: 0,
  statusCode: null,
};

function counting() {
  let now = 1000 * HOUR_MS;
  const counters = createCounters({ clock: { ...systemClock, now: () => instant(now) } });
  const named = (counts: readonly Count[]): Record<string, number> =>
    Object.fromEntries(counts.map(({ kind, subject, count }) => [`${kind} ${subject}`.trim(), count]));
  return { ...counters, named, pass: (ms: number) => void (now += ms) };
}

test("counts are kept by hour and taken once", () => {
  const { hearer, take, pass } = counting();
  hearer.eventsAccepted?.([
    { ...origin, scope, name: "a.b" },
    { ...origin, scope, name: "a.b" },
  ]);
  pass(HOUR_MS);
  hearer.eventsAccepted?.([{ ...origin, scope, name: "a.b" }]);
  const counts = take();
  expect(counts.filter((one) => one.kind === "events").map(({ hour, count }) => [hour, count])).toEqual([
    [1000, 2],
    [1001, 1],
  ]);
  expect(take()).toEqual([]);
});

test("an attempt is counted by endpoint, result and duration", () => {
  const { hearer, take, named } = counting();
  hearer.attemptMade?.({ ...attempt, outcome: "delivered", ms: 10, ackMs: 12 });
  hearer.attemptMade?.({ ...attempt, outcome: "timeout", ms: 10, ackMs: null });
  expect(named(take())).toEqual({
    attempts: 2,
    failed_attempts: 1,
    [`endpoint_ok ${endpointId}`]: 1,
    [`endpoint_failed ${endpointId}`]: 1,
    [`endpoint_ms ${endpointId}:${slotOf(10)}`]: 2,
    [`ack ${slotOf(12)}`]: 1,
  });
});

test("counts that could not be written are added again", () => {
  const { hearer, take, putBack, named } = counting();
  hearer.receiptWritten?.(tag, "ok", null);
  const taken = take();
  hearer.receiptWritten?.(tag, "error", null);
  putBack(taken);
  expect(named(take())).toEqual({ receipts: 2 });
});

test("event types beyond the maximum are counted together, and known ones continue separately", () => {
  const { hearer, take } = counting();
  const events = Array.from({ length: 700 }, (_, n) => ({ ...origin, scope, name: `n.${n}` }));
  hearer.eventsAccepted?.(events);
  hearer.eventsAccepted?.(events.slice(0, 1));
  const names = new Map(take().flatMap(({ kind, subject, count }) => (kind === "event" ? [[subject, count]] : [])));
  expect([names.size, names.get(OTHER_NAMES), names.get("n.0")]).toEqual([501, 200, 2]);
});

test("a tenant's counts are those of its events, endpoints and sources", () => {
  const { hearer, take, named } = counting();
  hearer.eventsAccepted?.([{ ...origin, scope, name: "a.b", tenant: "acme" }]);
  hearer.deliveriesMade?.([
    { tag, tenant: "acme" },
    { tag, tenant: null },
  ]);
  hearer.attemptMade?.({ ...attempt, tenant: "acme", outcome: "timeout", ms: 10, ackMs: null });
  hearer.deliveryEnded?.(tag, "failed", "acme");
  hearer.deliveryEnded?.(tag, "delivered", null);
  hearer.receiptWritten?.(tag, "ok", "acme");
  const counts = Object.entries(named(take())).filter(([name]) => name.startsWith("tenant_"));
  expect(Object.fromEntries(counts)).toEqual({
    "tenant_events acme": 1,
    "tenant_deliveries acme": 1,
    "tenant_attempts acme": 1,
    "tenant_failed_attempts acme": 1,
    "tenant_failed acme": 1,
    "tenant_receipts acme": 1,
  });
});

test("tenants beyond the maximum of an hour are counted together", () => {
  const { hearer, take, pass } = counting();
  const events = Array.from({ length: MOST_TENANTS + 20 }, (_, n) => ({
    ...origin,
    scope,
    name: "a",
    tenant: `t${n}`,
  }));
  const counted = (): Map<string, number> =>
    new Map(take().flatMap(({ kind, subject, count }) => (kind === "tenant_events" ? [[subject, count]] : [])));
  hearer.eventsAccepted?.(events);
  hearer.eventsAccepted?.(events.slice(0, 1));
  const first = counted();
  expect([first.size, first.get(OTHER_TENANTS), first.get("t0")]).toEqual([MOST_TENANTS + 1, 20, 2]);
  pass(HOUR_MS);
  hearer.eventsAccepted?.(events.slice(-1));
  expect([...counted().keys()]).toEqual([`t${MOST_TENANTS + 19}`]);
});

test("a quantile is within 6 percent of the true value for every size", () => {
  for (const ms of [0, 0.4, 1, 7, 33, 250, 15_000, 86_400_000]) {
    const found = quantile(new Map([[slotOf(ms), 3]]), 0.95);
    expect(Math.abs((found ?? 0) - ms)).toBeLessThanOrEqual((ms + 1) * 0.06 + 0.06);
  }
  const slots = new Map([
    [slotOf(10), 50],
    [slotOf(100), 49],
    [slotOf(1000), 1],
  ]);
  expect(quantile(slots, 0.5)).toBeCloseTo(10, 0);
  expect(quantile(slots, 0.99)).toBeLessThan(110);
  expect(quantile(slots, 1)).toBeGreaterThan(900);
  expect(quantile(new Map(), 0.5)).toBeNull();
});
