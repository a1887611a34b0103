import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

test("a stage whose event has been deleted is ended", async () => {
  await service.database.query(`insert into dispatch_stage (bucket, tag, event_id, priority, kind, key, due_at)
    select 9, tag, gen_random_uuid(), 30, 'rule', 'lost', now() from workspace`);
  const lost = async (): Promise<unknown> =>
    await service.database.query("select state, error, ended_at is not null as ended from dispatch_stage");
  await expect.poll(lost).toEqual([{ state: "failed", error: "The event has been deleted.", ended: true }]);
});
