import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../../testing/keys.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { Subscription } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "50ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const ordered = async (key: string): Promise<Subscription> =>
  await subscribe(service, { more: { ordering: { key }, max_in_flight: 8 } });

/** Fires events in this order, each of a tenant. Returns the ids of their deliveries. */
async function fireFor({ event }: Subscription, ...tenants: string[]): Promise<string[]> {
  const events = tenants.map((tenant, at) => ({ event, tenant, data: { n: at + 1 } }));
  const { body } = await service.api("POST", "/v1/events/batch", { events });
  return (body["data"] as Parsed[]).map((fired) => fired["deliveries"][0].id as string);
}

/** The endpoint's receiver responds when the test lets it, and records how many requests were open at most. */
function slowly({ receiver }: Subscription) {
  const open: (() => void)[] = [];
  let most = 0;
  receiver.answer((response) => {
    open.push(() => response.writeHead(200).end());
    most = Math.max(most, open.length);
  });
  return {
    most: () => most,
    respond: () => open.shift()?.(),
    respondAtOnce: () => receiver.status(200),
  };
}

const numbers = ({ receiver }: Subscription): number[] =>
  receiver.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);

async function deletion(tenant: string): Promise<Parsed> {
  return (await service.api("GET", `/v1/tenants/${tenant}`)).body["deletion"];
}

/** Starts the deletion of a tenant without the minute in which requests that began before it end. */
async function startDeletion(tenant: string): Promise<void> {
  expect((await service.api("DELETE", `/v1/tenants/${tenant}`)).status).toBe(202);
  await expect.poll(async () => (await deletion(tenant))["phase"]).toBe("deliveries");
  await service.database.query("update tenant_deletion set due_at = now() where tenant = $1 and due_at is not null", [
    tenant,
  ]);
}

const finished = async (tenant: string): Promise<void> =>
  await expect.poll(async () => (await deletion(tenant))["state"]).toBe("finished");

/** Resolves when the deletion has looked at the tenant's events some times, or has finished. */
async function tried(tenant: string): Promise<void> {
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      const [row] = await service.database.query<{ due: string; phase: string; is_over: boolean }>(
        "select due_at::text as due, phase, due_at is null as is_over from tenant_deletion where tenant = $1",
        [tenant],
      );
      if (row?.phase === "events") seen.add(row.due);
      return row?.is_over === true || seen.size >= 4;
    })
    .toBe(true);
}

test("a tenant's deletion waits for the end of an attempt", async () => {
  const one = await ordered("endpoint");
  const receiver = slowly(one);
  const [theirs, next] = await fireFor(one, "sent", "other");
  await one.receiver.count(1);
  await startDeletion("sent");
  await tried("sent");
  expect(await log.get(String(theirs))).toMatchObject({ state: "pending" });
  expect(await log.get(String(next))).toMatchObject({ state: "pending", blocked_by: theirs });
  receiver.respond();
  await one.receiver.count(2);
  expect(receiver.most()).toBe(1);
  receiver.respondAtOnce();
  receiver.respond();
  await log.in(String(next), "delivered");
  expect(await log.attempts(String(theirs))).toMatchObject([{ number: 1, status_code: 200 }]);
  await finished("sent");
});

test("a deletion that cancels a lane's next delivery does not stop the lane", async () => {
  const one = await ordered("endpoint");
  const receiver = slowly(one);
  const [, theirs, last] = await fireFor(one, "other", "next", "other");
  await one.receiver.count(1);
  const blocker = new pg.Client({ connectionString: service.database.url });
  await blocker.connect();
  await blocker.query("begin");
  // The deletion needs this row after it has cancelled the delivery, so that its transaction stays open.
  await blocker.query("select from event where id = (select event_id from pending_delivery where id = $1) for update", [
    uuidOf(String(theirs)),
  ]);
  const waiting = async (): Promise<number> => {
    const [row] = await service.database.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return row?.n ?? 0;
  };
  await startDeletion("next");
  await expect.poll(waiting).toBe(1);
  receiver.respondAtOnce();
  receiver.respond();
  await expect.poll(waiting, { interval: 10 }).toBe(2);
  await blocker.query("commit");
  await blocker.end();
  await log.in(String(last), "delivered");
  expect(await log.get(String(theirs))).toMatchObject({ state: "cancelled", attempt_count: 0 });
  expect(numbers(one)).toEqual([1, 3]);
  await finished("next");
});

test("a failed delivery of a deleted tenant no longer blocks its lane", async () => {
  const one = await ordered("endpoint");
  one.receiver.status(500);
  const [theirs, next] = await fireFor(one, "blocking", "other");
  await log.in(String(theirs), "failed");
  one.receiver.status(200);
  await startDeletion("blocking");
  await log.in(String(next), "delivered");
  await finished("blocking");
  expect(await log.get(String(theirs))).toMatchObject({ state: "cancelled" });
});

test("a shared lane's numbers continue after the deletion of a tenant", async () => {
  const one = await ordered("$.data.lane");
  const fire = async (tenant: string): Promise<string> => {
    const { body } = await service.api("POST", "/v1/events/fire", {
      event: one.event,
      tenant,
      data: { lane: "shared" },
    });
    const id = body["deliveries"][0].id as string;
    await log.in(id, "delivered");
    return id;
  };
  await fire("sharing");
  const theirs = await fire("shared-with");
  await startDeletion("shared-with");
  await finished("shared-with");
  expect(await log.get(theirs)).toMatchObject({ ordering_key: null, sequence: 2 });
  expect(await log.get(await fire("sharing"))).toMatchObject({ ordering_key: '"shared"', sequence: 3 });
  await startDeletion("sharing");
  await finished("sharing");
  expect(await log.get(await fire("another"))).toMatchObject({ ordering_key: '"shared"', sequence: 1 });
});

test("a tenant's deletion leaves no key of full or blocked lanes", async () => {
  const one = await ordered("tenant");
  one.receiver.status(500);
  const ids = await fireFor(one, "full", "full", "full", "full-2");
  await log.in(String(ids[0]), "failed");
  await log.in(String(ids[3]), "failed");
  const kept = async (): Promise<unknown[]> =>
    await service.database.query(
      "select key from lane where key like '\"full%' union select lane from delivery where lane like '\"full%'",
    );
  await expect.poll(async () => (await kept()).length).toBe(2);
  await startDeletion("full");
  await finished("full");
  expect(await kept()).toEqual([{ key: '"full-2"' }]);
  for (const id of ids.slice(0, 3)) expect(await log.get(id)).toMatchObject({ state: "cancelled", ordering_key: null });
  expect(await log.get(String(ids[3]))).toMatchObject({ state: "failed", ordering_key: '"full-2"' });
});
