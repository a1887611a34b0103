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
