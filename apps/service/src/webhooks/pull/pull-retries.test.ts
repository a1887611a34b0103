import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms" } });
});
afterAll(async () => await service.close());

const withKey = (key: string) => ({ headers: { "Idempotency-Key": key } });

test("one Idempotency-Key for every operation is not a conflict", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const key = withKey("one-key");
  const pulled = await endpoint.pull({ limit: 2 }, key);
  const lease_id = leaseIn(pulled);
  for (const offset of [1, 1, 2])
    expect((await endpoint.call("commit", { consumer: "c", lease_id, offset }, key)).status).toBe(204);
  // The lease has ended, so that the key is the one of another pull.
  const next = await endpoint.pull({ limit: 2 }, key);
  expect([offsetsIn(next), next.headers.get("idempotent-replayed")]).toEqual([[3], null]);
  expect((await endpoint.call("release", { consumer: "c", lease_id: leaseIn(next) }, key)).status).toBe(204);
  for (const offset of [1, 3])
    expect((await endpoint.call("seek", { consumer: "c", to: { offset } }, key)).status).toBe(204);
  expect(offsetsIn(await endpoint.pull({}, key))).toEqual([3]);
  const stored = await service.database.query("select 1 from idempotency where key = 'one-key'");
  expect(stored).toEqual([]);
});

test("concurrent pulls with one key get one lease, and another key none", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  await endpoint.drain("warm");
  const pulls = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => await endpoint.pull({}, withKey(at % 2 === 0 ? "even" : "odd"))),
  );
  const ok = pulls.filter(({ status }) => status === 200);
  expect(ok).toHaveLength(6);
  expect(new Set(ok.map(leaseIn)).size).toBe(1);
  for (const one of ok) expect(offsetsIn(one)).toEqual([1, 2]);
  for (const one of pulls.filter(({ status }) => status !== 200)) expect(one.body["code"]).toBe("consumer_busy");
});

test("the repeated pull of a partly committed lease gets the rest", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const pulled = await endpoint.pull({}, withKey("part"));
  await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled), offset: 1 });
  await endpoint.fire({ n: 4 });
  await endpoint.drain("warm");
  const again = await endpoint.pull({}, withKey("part"));
  expect([leaseIn(again), offsetsIn(again)]).toEqual([leaseIn(pulled), [2, 3]]);
});

test("a transformation without a result gives no offset; a failing one fails", async () => {
  const source = `export function transform({ data }) {
    if (data.n === 1) return null;
    if (data.n === 2) throw new Error("no");
    return { body: { data } };
  }`;
  const endpoint = await pullEndpoint(service, { transform: { kind: "script", source } });
  const ids = await endpoint.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const states = async (): Promise<unknown[]> =>
    await Promise.all(ids.map(async (id) => (await service.api("GET", `/v1/deliveries/${id}`)).body["state"]));
  const pulled = await endpoint.pull({ wait_seconds: 20 });
  expect([numbersIn(pulled), offsetsIn(pulled)]).toEqual([[3], [1]]);
  await expect.poll(states).toEqual(["filtered", "failed", "pending"]);
  await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
  await service.api("PATCH", endpoint.path, { transform: null });
  for (const id of ids.slice(0, 2)) expect((await service.api("POST", `/v1/deliveries/${id}/replay`)).status).toBe(202);
  const found: unknown[] = [];
  await expect.poll(async () => found.push(...(await endpoint.drain())) && found.toSorted()).toEqual([1, 2]);
  expect(await states()).toEqual(["delivered", "delivered", "delivered"]);
});

test("the deletion of a tenant empties its messages, and consumers keep their positions", async () => {
  const endpoint = await pullEndpoint(service);
  const fire = async (tenant: string, n: number): Promise<void> => {
    const fired = await service.api("POST", "/v1/events/fire", { event: endpoint.event, tenant, data: { n } });
    expect(fired.status).toBe(202);
  };
  await fire("left", 1);
  await fire("stays", 2);
  await fire("left", 3);
  const pulled = await endpoint.pull({ limit: 1 });
  await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(pulled) });
  await service.api("DELETE", "/v1/tenants/left");
  await expect
    .poll(async () => {
      await service.database.query("update tenant_deletion set due_at = now() where phase = 'deliveries'");
      return (await service.api("GET", "/v1/tenants/left")).body["deletion"]?.["state"];
    })
    .toBe("finished");
  const rest = await endpoint.pull();
  expect([offsetsIn(rest), numbersIn(rest), rest.body["position"]]).toEqual([[2, 3], [2, null], 2]);
});

test("an endpoint's deletion ends its log, consumers and waiting pulls", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 });
  await endpoint.pull();
  const waiting = endpoint.pull({ consumer: "late", start: "end", wait_seconds: 20 });
  await expect.poll(async () => (await service.api("GET", `${endpoint.path}/consumers`)).body["data"].length).toBe(2);
  expect((await service.api("DELETE", endpoint.path)).status).toBe(204);
  for (const what of ["pull", "commit"]) {
    const answer = await endpoint.call(what, { consumer: "c", ...(what === "commit" && { lease_id: "lse_x" }) });
    expect([what, answer.status]).toEqual([what, 404]);
  }
  expect((await waiting).status).toBe(404);
  const left = await service.database.query("select 1 from pending_delivery where endpoint_id = $1", [
    uuidOf(endpoint.id),
  ]);
  expect(left).toEqual([]);
});

test("a repeated pull whose messages are behind retention has an empty lease", async () => {
  const endpoint = await pullEndpoint(service);
  await endpoint.fire({ n: 1 }, { n: 2 });
  const pulled = await endpoint.pull({}, withKey("late"));
  await service.database.query("update pull_log set first_offset = 3 where endpoint_id = $1", [uuidOf(endpoint.id)]);
  const again = await endpoint.pull({}, withKey("late"));
  expect([again.status, offsetsIn(again), leaseIn(again)]).toEqual([200, [], leaseIn(pulled)]);
  expect((await endpoint.call("commit", { consumer: "c", lease_id: leaseIn(again) })).status).toBe(204);
  await endpoint.fire({ n: 3 });
  expect(await endpoint.drain()).toEqual([3]);
});
