import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createMaintenance } from "../../platform/db/db.ts";
import { mintKey, uuidOf } from "../../testing/keys.ts";
import { leaseIn, numbersIn, offsetsIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";
import { rowsOf } from "../../testing/workspace-rows.ts";

/** Counts that a node keeps in memory, and writes later. Retention ends them. */
const COUNTED = new Set(["key_use", "request_log", "usage_day", "usage_hour"]);

let service: TestService;
let twin: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms,1h" } });
  twin = await startService({ on: service, env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms,1h" } });
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

/** An endpoint with lanes, whose receiver answers when it is let. */
async function ordered(on: TestService, more: object = {}) {
  const one = await subscribe(on, { more: { ordering: { key: "$.data.lane" }, max_in_flight: 8, ...more } });
  const open: (() => void)[] = [];
  one.receiver.answer((response) => void open.push(() => response.writeHead(200).end()));
  const answer = (): void => {
    one.receiver.status(200);
    for (const end of open.splice(0)) end();
  };
  onTestFinished(answer);
  return { ...one, answer };
}

/** Fires events in turns to so many lanes, in one batch. Returns the ids of their deliveries. */
async function fill(
  on: TestService,
  event: string,
  { lanes, each, from = 0, tenant }: { lanes: number; each: number; from?: number; tenant?: string },
): Promise<string[]> {
  const events = Array.from({ length: lanes * each }, (_, at) => ({
    event,
    ...(tenant !== undefined && { tenant }),
    data: { lane: at % lanes, n: from + Math.floor(at / lanes) },
  }));
  const { status, body } = await on.api("POST", "/v1/events/batch", { events });
  expect(status).toBe(202);
  return (body["data"] as Parsed[]).map((fired) => fired["deliveries"][0].id as string);
}

/** Returns the numbers that a receiver got, by lane. */
function sentIn({ receiver }: Subscription): Record<string, number[]> {
  const lanes: Record<string, number[]> = {};
  for (const { body } of receiver.received) {
    const { data } = JSON.parse(body) as { data: { lane: number; n: number } };
    (lanes[data.lane] ??= []).push(data.n);
  }
  return lanes;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** The service as the owner of another workspace calls it. */
async function otherOwner(name: string): Promise<TestService & { readonly id: string }> {
  const { body } = await service.api("POST", "/v1/workspaces", { name });
  const { workspace_id: id, api_key: key } = body as { workspace_id: string; api_key: string };
  const api: TestService["api"] = async (method, path, sent, options = {}) =>
    await service.api(method, path, sent, { key, ...options });
  return {
    ...service,
    id,
    key,
    api,
    async endpoint(url, more = {}) {
      const made = await api("POST", "/v1/webhook-endpoints", { url, events: ["*"], ...more });
      return { id: made.body["id"], secret: made.body["secret"] };
    },
  };
}

/** Holds a row that the workspace's erasure needs between its first and last tables, until it is let go. */
async function holdMember(workspaceId: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  await client.query("begin");
  await client.query("select 1 from member where workspace_id = $1 for update", [uuidOf(workspaceId)]);
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

async function isErasing(): Promise<boolean> {
  const rows = await service.database.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%erase_workspace%'",
  );
  return rows.length > 0;
}

async function rowsIn(table: string, endpointId: string): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    `select count(*)::int as n from ${table} where endpoint_id = $1`,
    [uuidOf(endpointId)],
  );
  return row?.n ?? -1;
}

test("a workspace that is erased while its lanes are sent leaves nothing", { timeout: 120_000 }, async () => {
  const gone = await otherOwner("Gone");
  const theirs = await ordered(gone);
  const stuck = await subscribe(gone, { status: 500, more: { ordering: { key: "endpoint" } } });
  const pulled = await pullEndpoint(gone);
  const [own, kept] = [await ordered(service), await pullEndpoint(service)];
  await fill(gone, theirs.event, { lanes: 8, each: 20 });
  await fill(gone, stuck.event, { lanes: 1, each: 5 });
  await fill(service, own.event, { lanes: 8, each: 10 });
  await pulled.fire({ n: 1 }, { n: 2 }, { n: 3 });
  await kept.fire({ n: 1 }, { n: 2 });
  const [lease, keptLease] = [leaseIn(await pulled.pull({ limit: 2 })), leaseIn(await kept.pull())];
  await pulled.call("commit", { consumer: "c", lease_id: lease, offset: 1 });
  await pulled.pull({ consumer: "d" });
  await Promise.all([theirs.receiver.count(8), stuck.receiver.count(2), own.receiver.count(8)]);
  const waiting = twin.api(
    "POST",
    `${pulled.path}/pull`,
    { consumer: "e", start: "end", wait_seconds: 3 },
    { key: gone.key },
  );

  expect((await gone.api("DELETE", "/v1/workspaces/current", { name: "Gone" })).status).toBe(202);
  const age = async (column: string): Promise<unknown> =>
    await service.database.query(`update workspace set ${column} = now() - interval '11 minutes' where id = $1`, [
      uuidOf(gone.id),
    ]);
  const sweep = async (): Promise<void> => await service.service.people.current.sweep();
  await age("deletion_at");
  await sweep();
  expect((await waiting).body["code"]).toBe("key_revoked");
  expect((await pulled.call("commit", { consumer: "c", lease_id: lease })).body["code"]).toBe("key_revoked");
  await age("closed_at");
  const letGo = await holdMember(gone.id);
  const erased = sweep();
  await expect.poll(isErasing).toBe(true);
  // The attempts end, and their results are written, while the erasure is half done.
  const before = await rowsIn("delivery", theirs.endpoint.id);
  theirs.answer();
  await expect.poll(async () => await rowsIn("delivery", theirs.endpoint.id)).toBeGreaterThanOrEqual(before + 8);
  await letGo();
  await erased;
  await expect
    .poll(async () => Object.keys(await rowsOf(service, gone.id)).filter((table) => !COUNTED.has(table)))
    .toEqual([]);
  expect((await pulled.pull()).body["code"]).toBe("key_invalid");

  own.answer();
  await own.receiver.count(80);
  expect(sentIn(own)).toEqual(Object.fromEntries(range(8).map((lane) => [lane, range(10)])));
  expect((await kept.call("commit", { consumer: "c", lease_id: keptLease })).status).toBe(204);
  await kept.fire({ n: 3 });
  expect(await kept.drain()).toEqual([3]);
});

test("a tenant's deletion ends its lanes and pulls, and those of others continue", { timeout: 60_000 }, async () => {
  const tenant = "ends";
  const { key } = await mintKey(service, { tenant });
  const [theirs, shared] = [await ordered(service, { tenant }), await ordered(service)];
  const [pulled, kept] = [await pullEndpoint(service, { tenant }), await pullEndpoint(service)];
  await fill(service, theirs.event, { lanes: 8, each: 10, tenant });
  for (const n of [0, 10]) {
    await fill(service, shared.event, { lanes: 4, each: 10, from: 100 + n, tenant });
    await fill(service, shared.event, { lanes: 4, each: 10, from: n, tenant: "stays" });
  }
  for (const event of [pulled.event, kept.event]) await fill(service, event, { lanes: 1, each: 2, tenant });
  const leases = await Promise.all([pulled, kept].map(async (one) => leaseIn(await one.pull())));
  await pulled.pull({ consumer: "d" });
  await Promise.all([theirs.receiver.count(8), shared.receiver.count(4)]);
  const waiting = twin.api("POST", `${pulled.path}/pull`, { consumer: "e", start: "end", wait_seconds: 25 }, { key });

  expect((await service.api("DELETE", `/v1/tenants/${tenant}`)).status).toBe(202);
  // The endpoint's deletion wakes it.
  expect((await waiting).body["code"]).toBe("key_revoked");
  const deletion = async (member: string): Promise<unknown> => {
    await service.database.query("update tenant_deletion set due_at = now() where phase = 'deliveries'");
    return (await service.api("GET", `/v1/tenants/${tenant}`)).body["deletion"][member];
  };
  theirs.answer();
  await expect.poll(async () => await deletion("phase"), { timeout: 30_000 }).toBe("events");
  shared.answer();
  await expect.poll(async () => await deletion("state"), { timeout: 30_000 }).toBe("finished");
  for (const what of ["commit", "release"])
    expect((await pulled.call(what, { consumer: "c", lease_id: leases[0] })).status).toBe(404);
  for (const table of ["lane", "pending_delivery", "pull_consumer"])
    expect([table, await rowsIn(table, theirs.endpoint.id), await rowsIn(table, pulled.id)]).toEqual([table, 0, 0]);

  // The tenant's events that were not sent are cancelled; those of the other tenant come in their order.
  await expect.poll(() => sentIn(shared)[3]?.filter((n) => n < 100).length).toBe(20);
  await expect.poll(async () => await rowsIn("pending_delivery", shared.endpoint.id)).toBe(0);
  for (const sent of Object.values(sentIn(shared))) {
    expect(sent.filter((n) => n < 100)).toEqual(range(20));
    expect(sent.filter((n) => n >= 100)).toEqual(sent.filter((n) => n >= 100).toSorted((a, b) => a - b));
  }
  // The lease and its offsets stay, the bodies do not.
  expect((await kept.call("commit", { consumer: "c", lease_id: leases[1], offset: 1 })).status).toBe(204);
  await kept.fire({ n: 3 });
  await kept.call("release", { consumer: "c", lease_id: leases[1] });
  const rest = await kept.pull();
  expect([offsetsIn(rest), numbersIn(rest)]).toEqual([
    [2, 3],
    [null, 3],
  ]);
});

test("of a deleted endpoint's consumers and messages nothing is left after retention", async () => {
  const [gone, kept] = [await pullEndpoint(service), await pullEndpoint(service)];
  for (const one of [gone, kept]) await one.fire({ n: 1 }, { n: 2 }, { n: 3 });
  const leases = await Promise.all([gone, kept].map(async (one) => leaseIn(await one.pull({ limit: 2 }))));
  await gone.pull({ consumer: "d" });
  expect((await service.api("DELETE", gone.path)).status).toBe(204);
  for (const [what, more] of [
    ["commit", { lease_id: leases[0] }],
    ["release", { lease_id: leases[0] }],
    ["seek", { to: "start" }],
    ["pull", {}],
  ] as const)
    expect([what, (await gone.call(what, { consumer: "c", ...more })).status]).toEqual([what, 404]);
  const old = "now() - interval '40 days'";
  await service.database.query(`update pull_message set at = ${old} where endpoint_id = $1`, [uuidOf(gone.id)]);
  await service.database.query(`update endpoint set deleted_at = ${old} where id = $1`, [uuidOf(gone.id)]);
  const log = { info: () => undefined, warn: () => undefined };
  const left = async (): Promise<number[]> =>
    await Promise.all(["pull_log", "pull_consumer", "pull_message"].map(async (table) => await rowsIn(table, gone.id)));
  await expect
    .poll(async () => {
      const maintenance = createMaintenance({ db: service.service.db, log, retentionDays: 30 });
      await maintenance.start();
      await maintenance.stop();
      return await left();
    })
    .toEqual([0, 0, 0]);
  expect((await kept.call("commit", { consumer: "c", lease_id: leases[1] })).status).toBe(204);
  expect(await kept.drain()).toEqual([3]);
});
