import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import { scopeOf, uuidOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("a held contact keeps its last activity time when an older event changes it", async () => {
  const scope = await scopeOf(service, service.key);
  const { body } = await service.api("POST", "/v1/contacts", { email: "held@example.com" });
  await service.api("POST", `/v1/contacts/${body.id}/activities`, { summary: "Called" });
  const { last_activity_at: last } = (await service.api("GET", `/v1/contacts/${body.id}`)).body;
  const id = uuidOf(body.id);
  const { db, contacts } = service.service;
  const viewed = await db.transaction(async (tx) => {
    const held = await contacts.reacting.holdAll(tx, [{ scope, id }]);
    const occurredAt = instant(Date.parse(last) - 60_000);
    const activityId = createIdMaker(systemClock).uuid();
    held.adjustScore(scope, id, { activityId, by: 1, eventType: "test.older", summary: "Older", occurredAt });
    await tx.commit(held.parts(), "select 1");
    return held.view(scope, id);
  });
  expect(viewed).toMatchObject({ score: 1, last_activity_at: last });
  expect((await service.api("GET", `/v1/contacts/${body.id}`)).body.last_activity_at).toBe(last);
});

test("transactions that name the same contacts in opposite orders wait, and see each change", async () => {
  const scope = await scopeOf(service, service.key);
  const { db, contacts } = service.service;
  const ids = createIdMaker(systemClock);
  const made = await Promise.all(
    Array.from({ length: 20 }, async () =>
      uuidOf((await service.api("POST", "/v1/contacts", { name: "Both" })).body.id),
    ),
  );
  const each = Array.from(
    { length: 8 },
    async (_, at) =>
      await db.transaction(async (tx) => {
        const order = at % 2 === 0 ? made : made.toReversed();
        const held = await contacts.reacting.holdAll(
          tx,
          order.map((id) => ({ scope, id })),
        );
        for (const id of order)
          held.adjustScore(scope, id, {
            activityId: ids.uuid(),
            by: 1,
            eventType: "test.both",
            summary: "Both",
            occurredAt: systemClock.now(),
          });
        await tx.commit(held.parts(), "select 1");
        return made.map((id) => held.view(scope, id)?.score);
      }),
  );
  const scores = (await Promise.all(each)).toSorted((a, b) => Number(a[0]) - Number(b[0]));
  expect(scores).toEqual(scores.map((_, at) => made.map(() => at + 1)));
});
