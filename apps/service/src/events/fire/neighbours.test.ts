import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const times = async <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  await Promise.all(Array.from({ length: count }, make));

test("an event that cannot be written fails its own call alone", async () => {
  await service.database.query(`create function refuse_poison() returns trigger language plpgsql as
    $$ begin if new.name = 'test.poison' then raise exception 'poison'; end if; return new; end $$`);
  await service.database.query(
    "create trigger poison before insert on event for each row execute function refuse_poison()",
  );
  const fire = async (event: string): Promise<number> =>
    (await service.api("POST", "/v1/events/fire", { event, data: {} })).status;
  const [bad, good] = await Promise.all([
    times(3, async () => await fire("test.poison")),
    times(60, async () => await fire("test.good")),
  ]);
  await service.database.query("drop trigger poison on event");
  expect(new Set(bad)).toEqual(new Set([500]));
  expect(new Set(good)).toEqual(new Set([202]));
});

test("a key whose secret cannot be opened fails its own calls alone", async () => {
  const [broken, whole] = [await mintKey(service), await mintKey(service)];
  await service.database.query("update api_key set signing_secret_sealed = '\\x00' where id = $1", [broken.uuid]);
  const call = async (key: string): Promise<number> =>
    (await service.api("GET", "/v1/events", undefined, { key })).status;
  const [bad, good] = await Promise.all([
    times(20, async () => await call(broken.key)),
    times(20, async () => await call(whole.key)),
  ]);
  // Removes the broken secret, because the audit redacts all secrets of a workspace.
  await service.database.query("update api_key set signing_secret_sealed = null where id = $1", [broken.uuid]);
  expect(new Set(bad)).toEqual(new Set([500]));
  expect(new Set(good)).toEqual(new Set([200]));
});

test("an endpoint whose secret cannot be opened delays only its own deliveries", async () => {
  const [broken, whole] = [await subscribe(service), await subscribe(service)];
  await service.database.query("update endpoint set secret_sealed = '\\x00' where url = $1", [broken.receiver.url]);
  // A service on a busy machine refuses more calls at once than that.
  for (let round = 0; round < 4; round += 1)
    await Promise.all([times(5, async () => await broken.fire()), times(5, async () => await whole.fire())]);
  await service.until(
    `/v1/deliveries?state=delivered&endpoint_id=${whole.endpoint.id}&limit=100`,
    (body) => body["data"].length === 20,
    10_000,
  );
});
