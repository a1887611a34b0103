import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import type { PullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  twin = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

async function onTwin({ path }: PullEndpoint, key: string, body: object): Promise<ApiAnswer> {
  return await twin.api("POST", `${path}/pull`, { consumer: "c", ...body }, { key });
}

test("a key that loses its right while its pull waits gets no message", async () => {
  const endpoint = await pullEndpoint(service);
  const revoked = await mintKey(service);
  const blocked = await mintKey(service);
  const waiting = [revoked, blocked].map(async ({ key }) => await onTwin(endpoint, key, { wait_seconds: 20 }));
  await sleep(300);
  expect((await service.api("POST", `/v1/keys/${revoked.id}/revoke`)).status).toBeLessThan(300);
  const changed = await service.api("PATCH", `/v1/keys/${blocked.id}`, {
    permission_mode: "restricted",
    blocked_actions: ["webhooks.pull"],
  });
  expect(changed.status).toBe(200);
  await endpoint.fire({ n: 1 });
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
    [401, "key_revoked"],
    [403, "action_blocked"],
  ]);
  // Nothing is leased to them.
  expect(numbersIn(await endpoint.pull())).toEqual([1]);
});

test("a tenant's key reaches neither the consumers nor the leases of others", async () => {
  const [acme, other] = [await mintKey(service, { tenant: "acme" }), await mintKey(service, { tenant: "other" })];
  const theirs = await pullEndpoint(service, { tenant: "acme" });
  const own = await pullEndpoint(service, { tenant: "other" });
  const shared = await pullEndpoint(service);
  for (const [event, tenant] of [
    [theirs.event, "acme"],
    [own.event, "other"],
    [shared.event, "acme"],
  ] as const)
    await service.api("POST", "/v1/events/fire", { event, tenant, data: { n: 1 } });
  // The same key of idempotency does not lead to the lease of another caller.
  const as = (key: string) => ({ key, headers: { "Idempotency-Key": "one" } });
  const lease_id = leaseIn(await theirs.pull({}, as(acme.key)));
  expect(offsetsIn(await own.pull({}, as(other.key)))).toEqual([1]);
  expect((await theirs.pull({}, as(service.key))).body["code"]).toBe("consumer_busy");
  for (const target of [theirs, shared]) {
    const calls = [
      await target.call("pull", { consumer: "c" }, { key: other.key }),
      await target.call("commit", { consumer: "c", lease_id }, { key: other.key }),
      await target.call("release", { consumer: "c", lease_id }, { key: other.key }),
      await target.call("seek", { consumer: "c", to: "end" }, { key: other.key }),
      await service.api("GET", `${target.path}/consumers`, undefined, { key: other.key }),
      await service.api("DELETE", `${target.path}/consumers/c`, undefined, { key: other.key }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  }
  const stolen = await own.call("commit", { consumer: "c", lease_id }, { key: other.key });
  expect(stolen.body["code"]).toBe("lease_lost");
  expect((await theirs.call("commit", { consumer: "c", lease_id }, { key: acme.key })).status).toBe(204);
});

test("a lease belongs to one consumer of one endpoint and environment", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  const lease_id = leaseIn(await endpoint.pull());
  await endpoint.pull({ consumer: "other" });
  for (const what of ["commit", "release"]) {
    expect((await endpoint.call(what, { consumer: "other", lease_id })).body["code"]).toBe("lease_lost");
    expect((await endpoint.call(what, { consumer: "none", lease_id })).status).toBe(404);
    const sandbox = await endpoint.call(what, { consumer: "c", lease_id }, { key: service.sandboxKey });
    expect(sandbox.body["code"]).toBe("environment_mismatch");
  }
  const reader = await mintKey(service, { permission_mode: "read_only" });
  for (const what of ["pull", "commit", "release", "seek"])
    expect((await endpoint.call(what, { consumer: "c", lease_id, to: "end" }, { key: reader.key })).status).toBe(403);
  expect((await endpoint.call("commit", { consumer: "c", lease_id })).status).toBe(204);
});

test("pulls of one consumer that race on two nodes lease each message once", async () => {
  const endpoint = await pullEndpoint(service);
  const seen: number[] = [];
  const most = 40;
  const pullers = Array.from({ length: 8 }, async (_, at) => {
    while (seen.length < most) {
      const node = at % 2 === 0 ? service : twin;
      const body = { consumer: "c", limit: 1 + (at % 4), wait_seconds: 1 };
      const pulled = await node.api("POST", `${endpoint.path}/pull`, body);
      if (pulled.status !== 200 || pulled.body["lease"] === null) continue;
      // Before the commit, after which another puller may have the next ones.
      seen.push(...offsetsIn(pulled));
      const committed = await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
      expect(committed.status).toBe(204);
    }
  });
  for (let n = 0; n < most; n += 5) await endpoint.fire(...Array.from({ length: 5 }, (_, at) => ({ n: n + at })));
  await Promise.all(pullers);
  expect(seen).toEqual(Array.from({ length: most }, (_, at) => at + 1));
});

test("a tenant whose pulls fill its places keeps no other caller from waiting", async () => {
  const { key } = await mintKey(service, { tenant: "crowd" });
  const theirs = await pullEndpoint(service, { tenant: "crowd" });
  const endpoint = await pullEndpoint(service);
  // More than there are places for a tenant.
  const waiting = Array.from({ length: 510 }, async () => {
    const since = performance.now();
    const { status } = await theirs.pull({ wait_seconds: 2 }, { key });
    return { status, ms: performance.now() - since };
  });
  const crowded = await Promise.race(waiting);
  expect([crowded.status, crowded.ms >= 1000]).toEqual([200, true]);
  const pulling = endpoint.pull({ wait_seconds: 25 });
  await sleep(100);
  await endpoint.fire({ n: 1 });
  expect(numbersIn(await pulling)).toEqual([1]);
  await Promise.all(waiting);
});
