import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { uuidOf } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: SHORT_LADDER });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

/** Returns a delivered delivery whose attempt counter is set to `attempts`. */
async function counted(fire: () => Promise<string>, attempts: number): Promise<{ id: string; uuid: string }> {
  const id = await fire();
  await log.in(id, "delivered");
  const uuid = uuidOf(id);
  await service.database.query("update delivery set attempt_count = $1 where id = $2", [attempts, uuid]);
  return { id, uuid };
}

test("a replay is refused with advice after 1000 attempts", async () => {
  const { fire, receiver } = await subscribe(service);
  const { id } = await counted(fire, 1000);
  const one = await service.api("POST", `/v1/deliveries/${id}/replay`);
  expect([one.status, one.body.code]).toEqual([409, "conflict"]);
  expect(one.body.detail).toBe("The delivery has had 1000 attempts; the limit is 1000. Refire its event instead.");
  const many = await service.api("POST", "/v1/replays", { delivery_ids: [id] });
  expect([many.status, many.body.total]).toEqual([202, 0]);
  expect(receiver.received).toHaveLength(1);
});

test("a delivery whose event is no longer kept is not replayed", async () => {
  const { fire, receiver } = await subscribe(service);
  const { id, uuid } = await counted(fire, 1);
  await service.database.query("delete from event where id = (select event_id from delivery where id = $1)", [uuid]);
  const one = await service.api("POST", `/v1/deliveries/${id}/replay`);
  expect([one.status, one.body.code]).toEqual([409, "conflict"]);
  expect(one.body.detail).toContain("no longer kept");
  const many = await service.api("POST", "/v1/replays", { delivery_ids: [id] });
  expect([many.status, many.body.total]).toEqual([202, 0]);
  expect((await service.api("GET", `/v1/deliveries/${id}`)).body.state).toBe("delivered");
  expect(receiver.received).toHaveLength(1);
});

test("a delivery at its counter's maximum keeps its state without an attempt", async () => {
  const { fire, receiver } = await subscribe(service);
  const { id, uuid } = await counted(fire, 32_767);
  await service.database.query(
    `with closed as (delete from delivery where id = $1 returning *)
     insert into pending_delivery (bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, due_at, next_attempt_at, trigger, resting_state)
     select bucket, tag, id, event_id, event_name, endpoint_id, attempt_count, now(), now(), 'replay', state from closed`,
    [uuid],
  );
  await log.hurry();
  expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 32_767 });
  expect(receiver.received).toHaveLength(1);
});

test("a result that cannot be written is dropped without delaying the other results", async () => {
  const poisoned = await subscribe(service);
  const others = await subscribe(service);
  await service.database.query(`create function refuse_poison() returns trigger language plpgsql as
    $$ begin if new.endpoint_id = '${uuidOf(poisoned.endpoint.id)}' then raise exception 'poison'; end if; return new; end $$`);
  await service.database.query(
    "create trigger poison before insert on delivery for each row execute function refuse_poison()",
  );
  const [bad] = await Promise.all([poisoned.fire(), ...Array.from({ length: 20 }, async () => await others.fire())]);
  // The results must arrive before their leases expire, because other nodes would then send the deliveries.
  await service.until(
    `/v1/deliveries?state=delivered&endpoint_id=${others.endpoint.id}&limit=100`,
    (body) => body["data"].length === 20,
    30_000,
  );
  expect((await log.get(bad))["state"]).toBe("pending");
  await service.database.query("drop trigger poison on delivery");
});
