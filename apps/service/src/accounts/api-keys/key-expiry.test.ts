import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { createIdMaker, instant, systemClock } from "../../lib/lib.ts";
import { mintKey } from "../../testing/keys.ts";
import type { TestKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { createKeyExpiry } from "../accounts.ts";
import type { KeyExpiry } from "../accounts.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
let now = systemClock.now();
const DAY_MS = 86_400_000;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ env: UNLIMITED, on: service, deps: { clock: { ...systemClock, now: () => now } } });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

const ids = createIdMaker(systemClock);
const log = { warn: () => undefined };

/** Returns the sweeper of a node. */
function sweeper(on: TestService, announce?: Parameters<typeof createKeyExpiry>[0]["announce"]): KeyExpiry {
  const { db, events } = on.service;
  return createKeyExpiry({ db, ids, clock: systemClock, log, announce: announce ?? events.announce });
}

async function expiring(days: number, more: Record<string, unknown> = {}): Promise<TestKey & { expires: string }> {
  const expires = new Date(Date.now() + days * DAY_MS).toISOString();
  return { ...(await mintKey(service, { expires_at: expires, ...more })), expires };
}

/** Returns the warnings of a key once all announcements are fired. */
async function warnings(key: TestKey): Promise<Parsed[]> {
  await expect.poll(async () => await service.database.query("select 1 from outbox")).toEqual([]);
  const path = `/v1/events?event=key.expiring&subject=${key.id}`;
  return (await service.api("GET", path)).body["data"];
}

covers("key.auth.bearer", "a key works until its last millisecond and has expired from the next on", async () => {
  const key = await expiring(1);
  const at = Date.parse(key.expires);
  const outcomes = [];
  for (const ms of [at - 1000, at - 1, at, at + 1, at + DAY_MS]) {
    now = instant(ms);
    const answer = await twin.api("GET", "/v1/event-types", undefined, { key: key.key });
    outcomes.push([ms - at, answer.status, answer.body["code"]]);
  }
  expect(outcomes).toEqual([
    [-1000, 200, undefined],
    [-1, 200, undefined],
    [0, 401, "key_expired"],
    [1, 401, "key_expired"],
    [DAY_MS, 401, "key_expired"],
  ]);
});

test("an event that endpoints can subscribe to warns seven days before a key expires", async () => {
  const { receiver } = await subscribe(service, { more: { events: ["key.expiring"] } });
  const [late, soon] = [await expiring(7.01), await expiring(6.99, { name: "Warehouse" })];
  await sweeper(service).sweep();
  expect(await warnings(late)).toEqual([]);
  const [event] = await warnings(soon);
  expect(event).toMatchObject({ event: "key.expiring", canonical: false, subject: soon.id });
  // The key of the previous test expires too.
  const delivered = (await receiver.count(2)).map((one) => JSON.parse(one.body));
  expect(delivered.find((one) => one.data.key_id === soon.id)).toMatchObject({
    event: "key.expiring",
    data: { key_id: soon.id, name: "Warehouse", prefix_hint: soon.key.slice(0, 12), expires_at: soon.expires },
  });
});

test("each key is warned of once, however many nodes sweep", async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, async (_, at) => await expiring(1 + at / 3)));
  const sweepers = Array.from({ length: 8 }, (_, at) => sweeper(at % 2 === 0 ? service : twin));
  await Promise.all(sweepers.map(async (one) => await one.sweep()));
  await Promise.all(sweepers.map(async (one) => await one.sweep()));
  const counts = await Promise.all(keys.map(async (key) => (await warnings(key)).length));
  expect(counts).toEqual(keys.map(() => 1));
});

test("a warning of a node that dies before writing it is left to another", async () => {
  const key = await expiring(2);
  const dying = sweeper(service, async () => await Promise.reject(new Error("died")));
  await expect(dying.sweep()).rejects.toThrow("died");
  expect(await warnings(key)).toEqual([]);
  await Promise.all([sweeper(twin).sweep(), sweeper(service).sweep()]);
  expect(await warnings(key)).toHaveLength(1);
});

test("a new expiry is warned of again; rolled and revoked keys are not", async () => {
  const key = await expiring(2);
  const [rolled, revoked] = [await expiring(2), await expiring(2)];
  await service.api("POST", `/v1/keys/${rolled.id}/roll`, { overlap_seconds: 600 });
  await service.api("POST", `/v1/keys/${revoked.id}/revoke`);
  await sweeper(service).sweep();
  await service.api("PATCH", `/v1/keys/${key.id}`, { name: "The end stays" });
  await sweeper(service).sweep();
  expect(await warnings(key)).toHaveLength(1);
  const expires = new Date(Date.now() + 3 * DAY_MS).toISOString();
  expect((await service.api("PATCH", `/v1/keys/${key.id}`, { expires_at: expires })).status).toBe(200);
  await sweeper(service).sweep();
  expect(await warnings(key)).toHaveLength(2);
  expect([await warnings(rolled), await warnings(revoked)]).toEqual([[], []]);
});

test("the service checks the keys of each environment when it starts", async () => {
  const key = await mintKey(service, { expires_at: new Date(Date.now() + DAY_MS).toISOString() });
  const third = await startService({ env: UNLIMITED, on: service });
  try {
    await service.until(`/v1/events?event=key.expiring&subject=${key.id}`, (body) => body["data"].length === 1);
    const sandbox = await service.api("GET", "/v1/events?event=key.expiring", undefined, { key: service.sandboxKey });
    expect(sandbox.body["data"]).toEqual([]);
  } finally {
    await third.close();
  }
});
